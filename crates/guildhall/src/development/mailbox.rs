//! `GET /dev/mailbox`: the letters that a real instance would have sent, the newest first.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::routing::get;
use guildhall_core::Timestamp;
use guildhall_identity::{Mail, Mailer};
use guildhall_ops::{Clock, Result};
use serde::Serialize;

use super::exchange::answer;
use crate::app::App;

/// How many letters are kept.
const MOST: usize = 100;

/// Keeps letters for whoever tries something out.
struct Mailbox {
    clock: Clock,
    letters: Mutex<VecDeque<Letter>>,
}

#[derive(Clone, Serialize)]
struct Letter {
    to: String,
    subject: &'static str,
    text: String,
    sent_at: Timestamp,
}

#[derive(Serialize)]
struct Letters {
    data: Vec<Letter>,
}

impl Mailer for Mailbox {
    fn take(&self, mail: Mail) {
        let text = mail.text.reveal().clone();
        tracing::info!(to = mail.to, text, "a letter lies in /dev/mailbox");
        let sent_at = self.clock.now();
        let mut letters = self.letters.lock().unwrap_or_else(PoisonError::into_inner);
        letters.push_front(Letter { to: mail.to, subject: mail.subject, text, sent_at });
        letters.truncate(MOST);
    }
}

impl Mailbox {
    fn all(&self) -> Letters {
        let letters = self.letters.lock().unwrap_or_else(PoisonError::into_inner);
        Letters { data: letters.iter().cloned().collect() }
    }
}

/// The route, and the mailbox behind it.
pub(super) fn routes(app: &App) -> Router {
    let clock = app.service.clock().clone();
    let mailbox = Arc::new(Mailbox { clock, letters: Mutex::default() });
    app.identity.mail_by(Arc::clone(&mailbox) as Arc<dyn Mailer>);
    let handle = move || {
        let letters: Result<Letters> = Ok(mailbox.all());
        async move { answer(&letters) }
    };
    Router::new().route("/dev/mailbox", get(handle))
}
