//! Previews: a task shown to whoever holds a link, for ten minutes. The link is its own proof, and nothing is stored for it.

use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use guildhall_core::task::Brief;
use guildhall_core::{AgentId, Code, TaskId, Timestamp};
use guildhall_store::{ReadTx, Sealer};

use crate::cx::Env;
use crate::error::{Error, Result};
use crate::market;
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

/// What a link shows: a task, as long as the agent it was made for may see it.
pub(crate) type Shown = (TaskId, AgentId);

/// A link to a task's preview for an agent, and when it ends.
pub(crate) fn mint(env: &Env, shown: Shown, now: Timestamp) -> (String, Timestamp) {
    let expires_at = now.after(LIFETIME);
    (format!("{}/previews/{}", env.base_url, token(&env.previews, shown, expires_at)), expires_at)
}

fn token(sealer: &Sealer, (task, agent): Shown, expires_at: Timestamp) -> String {
    let claim = format!("{task} {agent} {}", expires_at.millis());
    BASE64.encode([sealer.mac(claim.as_bytes()).as_slice(), claim.as_bytes()].concat())
}

/// The task that a token of [`mint`] names, until it ends.
pub(crate) fn open(env: &Env, token: &str, now: Timestamp) -> Result<Shown> {
    let bytes = BASE64.decode(token).map_err(|_| missing())?;
    let (tag, claim) = bytes.split_at_checked(TAG_LENGTH).ok_or_else(missing)?;
    if !env.previews.verify_mac(claim, tag) {
        return Err(missing());
    }
    let (shown, expires_at) = std::str::from_utf8(claim).ok().and_then(read).ok_or_else(missing)?;
    if now < expires_at { Ok(shown) } else { Err(over()) }
}

fn read(claim: &str) -> Option<(Shown, Timestamp)> {
    let (task, rest) = claim.split_once(' ')?;
    let (agent, expires_at) = rest.split_once(' ')?;
    let shown = (task.parse().ok()?, agent.parse().ok()?);
    Some((shown, Timestamp::from_millis(expires_at.parse().ok()?)))
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

/// What the preview of a task shows, while the agent that asked for it may see the task.
fn find_page(tx: &mut ReadTx<'_>, (task, agent): Shown) -> Result<Option<PreviewPage>> {
    let Some(case) = tx.find_case(task)? else { return Ok(None) };
    if !market::agent_sees(tx, agent, &case)? {
        return Ok(None);
    }
    let Brief { title, brief, criteria, .. } = case.task.brief;
    Ok(Some(PreviewPage { title, brief, criteria }))
}

impl Service {
    /// What the holder of a link is shown.
    pub async fn preview(&self, token: &str) -> Result<PreviewPage> {
        let shown = open(&self.env, token, self.clock.now())?;
        let found = self.db.read("preview", move |tx| find_page(tx, shown)).await?;
        found.ok_or_else(missing)
    }
}

#[cfg(test)]
mod tests {
    use guildhall_core::Secret;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn env(key: u8) -> Env {
        let key = Secret::new([key; 32]);
        Env::of_key(&key)
    }

    fn shown() -> Shown {
        (TaskId::new(NOW, 0, 7), AgentId::new(NOW, 0, 8))
    }

    fn minted() -> String {
        let (url, expires_at) = mint(&env(7), shown(), NOW);
        assert_eq!(expires_at, NOW.after(Duration::from_mins(10)));
        url.strip_prefix("https://market.example/previews/").unwrap().to_owned()
    }

    /// "the url answers without credential until it expires, and then 410".
    #[test]
    fn a_link_is_good_until_it_ends() {
        let token = minted();
        let end = NOW.after(LIFETIME);
        assert_eq!(open(&env(7), &token, NOW).unwrap(), shown());
        assert_eq!(open(&env(7), &token, end.before(Duration::from_millis(1))).unwrap(), shown());
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
        let elsewhere = super::token(&cursor, shown(), NOW.after(LIFETIME));
        assert_eq!(refused(&elsewhere), 404, "another purpose's");
    }
}
