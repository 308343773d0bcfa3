//! Letters to the owners of accounts, and who carries them.

use std::sync::{Arc, OnceLock};

use guildhall_core::Secret;

/// A letter to an account's address.
#[derive(Clone, Debug)]
pub struct Mail {
    /// The address.
    pub to: String,
    /// What it is about.
    pub subject: &'static str,
    /// What it says: for the addressee alone.
    pub text: Secret<String>,
}

/// Carries letters. It takes them at once and carries them later, so that nobody can tell from an answer's time whether there
/// was one to carry.
pub trait Mailer: Send + Sync {
    /// Takes a letter.
    fn take(&self, mail: Mail);
}

/// Where letters go: to the mailer, once there is one, and until then to the operator's log.
#[derive(Default)]
pub(crate) struct Outbox(OnceLock<Arc<dyn Mailer>>);

impl Outbox {
    /// Lets a mailer carry the letters from now on. The first one stays.
    pub(crate) fn carried_by(&self, mailer: Arc<dyn Mailer>) {
        let _ = self.0.set(mailer);
    }

    pub(crate) fn send(&self, mail: Mail) {
        if let Some(mailer) = self.0.get() {
            return mailer.take(mail);
        }
        // Without a mail server the operator is the only one who can hand it over.
        let (to, text) = (mail.to, mail.text.reveal());
        tracing::info!(to, text, "a letter to be handed over");
    }
}
