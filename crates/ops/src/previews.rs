//! Previews: a task shown to whoever holds a link, for ten minutes. The link is its own proof, and nothing is stored for it.

use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use guildhall_core::{Code, TaskId, Timestamp};
use guildhall_store::{ReadTx, Sealer};

use crate::cx::Env;
use crate::error::{Error, Result};
use crate::service::Service;

/// How long a link is good.
pub(crate) const LIFETIME: Duration = Duration::from_mins(10);
/// The length of the tag before the rest.
const TAG_LENGTH: usize = 32;

/// What a preview shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviewPage {
    /// The task's title.
    pub title: String,
    /// What is to be done.
    pub brief: String,
    /// By what it will be judged.
    pub criteria: Vec<String>,
}

/// A link to a task's preview, and when it ends.
#[cfg_attr(not(test), expect(dead_code, reason = "getTaskPreview comes with the tasks"))]
pub(crate) fn mint(env: &Env, task: TaskId, now: Timestamp) -> (String, Timestamp) {
    let expires_at = now.after(LIFETIME);
    (format!("{}/previews/{}", env.base_url, token(&env.previews, task, expires_at)), expires_at)
}

fn token(sealer: &Sealer, task: TaskId, expires_at: Timestamp) -> String {
    let claim = format!("{task} {}", expires_at.millis());
    BASE64.encode([sealer.mac(claim.as_bytes()).as_slice(), claim.as_bytes()].concat())
}

/// The task that a token of [`mint`] names, until it ends.
pub(crate) fn open(env: &Env, token: &str, now: Timestamp) -> Result<TaskId> {
    let bytes = BASE64.decode(token).map_err(|_| missing())?;
    let (tag, claim) = bytes.split_at_checked(TAG_LENGTH).ok_or_else(missing)?;
    if !env.previews.verify_mac(claim, tag) {
        return Err(missing());
    }
    let (task, expires_at) = std::str::from_utf8(claim).ok().and_then(read).ok_or_else(missing)?;
    if now < expires_at { Ok(task) } else { Err(over()) }
}

fn read(claim: &str) -> Option<(TaskId, Timestamp)> {
    let (task, expires_at) = claim.split_once(' ')?;
    Some((task.parse().ok()?, Timestamp::from_millis(expires_at.parse().ok()?)))
}

fn missing() -> Error {
    Error::new(Code::NotFound, "No such preview.")
        .suggest("Ask for a new link with getTaskPreview.")
}

fn over() -> Error {
    Error::new(Code::NotFound, "The preview has ended.")
        .suggest("Ask for a new link with getTaskPreview.")
        .with_status(410)
}

/// What the preview of a task shows, while it may be previewed.
///
/// There are no tasks yet, so there is none to show.
#[expect(clippy::unnecessary_wraps, reason = "it will read the task")]
fn find_page(_: &mut ReadTx<'_>, _: TaskId) -> Result<Option<PreviewPage>> {
    Ok(None)
}

impl Service {
    /// What the holder of a link is shown.
    pub async fn preview(&self, token: &str) -> Result<PreviewPage> {
        let task = open(&self.env, token, self.clock.now())?;
        let found = self.db.read("preview", move |tx| find_page(tx, task)).await?;
        found.ok_or_else(missing)
    }
}

#[cfg(test)]
mod tests {
    use guildhall_core::Secret;

    use super::*;
    use crate::mint::Mint;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn env(key: u8) -> Env {
        let key = Secret::new([key; 32]);
        Env {
            base_url: "https://market.example".to_owned(),
            account_quota_bytes: 0,
            allow_local: false,
            mint: Mint::default(),
            cursors: Sealer::new(&key, "cursors"),
            previews: Sealer::new(&key, "previews"),
            webhooks: Sealer::new(&key, "webhooks"),
        }
    }

    fn task() -> TaskId {
        TaskId::new(NOW, 0, 7)
    }

    fn minted() -> String {
        let (url, expires_at) = mint(&env(7), task(), NOW);
        assert_eq!(expires_at, NOW.after(Duration::from_mins(10)));
        url.strip_prefix("https://market.example/previews/").unwrap().to_owned()
    }

    /// "the url answers without credential until it expires, and then 410".
    #[test]
    fn a_link_is_good_until_it_ends() {
        let token = minted();
        let end = NOW.after(LIFETIME);
        assert_eq!(open(&env(7), &token, NOW).unwrap(), task());
        assert_eq!(open(&env(7), &token, end.before(Duration::from_millis(1))).unwrap(), task());
        let over = open(&env(7), &token, end).unwrap_err();
        assert_eq!((over.status(), over.code()), (410, Code::NotFound));
    }

    #[test]
    fn what_was_not_made_here_opens_nothing() {
        let token = minted();
        let refused = |token: &str| open(&env(7), token, NOW).unwrap_err().status();
        for place in 0..token.len() {
            let other = if token.as_bytes()[place] == b'A' { "B" } else { "A" };
            let changed = [&token[..place], other, &token[place + 1..]].concat();
            assert_eq!(refused(&changed), 404, "{changed}");
            assert_eq!(refused(&token[..place]), 404);
        }
        assert_eq!(refused(&format!("{token}A")), 404);
        assert_eq!(open(&env(8), &token, NOW).unwrap_err().status(), 404, "another server's");
        let cursor = Sealer::new(&Secret::new([7; 32]), "cursors");
        let elsewhere = super::token(&cursor, task(), NOW.after(LIFETIME));
        assert_eq!(refused(&elsewhere), 404, "another purpose's");
    }
}
