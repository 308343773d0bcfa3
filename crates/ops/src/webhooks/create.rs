//! Make a webhook.

use guildhall_core::Code;
use guildhall_core::remote::RemoteUrl;
use guildhall_core::text::{Few, Line};
use guildhall_core::webhook::{MAX_PER_ACCOUNT, Webhook};
use schemars::JsonSchema;
use serde::Deserialize;

use super::secret::new_secret;
use super::view::WebhookView;
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct CreateWebhook;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The kinds of events to be told of, such as `delivery.received`; all of them unless said.
    #[serde(default)]
    kinds: Option<Few<Line<1, 100>, 64>>,
    /// Where to post events: an https URL of a public host.
    url: Line<1, 2048>,
}

impl Operation for CreateWebhook {
    const META: Meta = Meta::mutation("createWebhook", Method::Post, "/v1/me/webhooks")
        .summary("Make a webhook")
        .tag(Tag::Notifications)
        .creates()
        .shows_once("secret")
        .refuses(&[Code::Conflict]);
    type Access = Writes;
    type Input = Input;
    type Output = WebhookView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<WebhookView> {
        let url = RemoteUrl::parse(&input.url, cx.env().allow_local)
            .map_err(|wrong| Error::invalid(format!("url: {wrong}.")))?;
        let kinds = input.kinds.as_deref().map(checked).transpose()?;
        let owner = cx.account()?;
        check_count(cx)?;
        let webhook_id = cx.mint()?;
        let (shown, secret) = new_secret(&cx.env().webhooks, webhook_id)?;
        let webhook = Webhook {
            webhook_id,
            account_id: owner,
            url: url.to_string(),
            kinds,
            secret,
            former_secret: None,
            failing_since: None,
            disabled_at: None,
            created_at: cx.now,
            revision: 0,
        };
        cx.tx.insert_webhook(&webhook)?;
        cx.about("webhook", webhook_id);
        Ok(WebhookView::from(&webhook).with_secret(shown))
    }
}

/// The kinds, each a dotted word, and named once.
fn checked(kinds: &[Line<1, 100>]) -> Result<Vec<String>> {
    let mut checked: Vec<String> = Vec::with_capacity(kinds.len());
    for (index, kind) in kinds.iter().enumerate() {
        let wrong = |what: &str| Error::invalid(format!("kinds[{index}]: {what}."));
        if !kind.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'_' | b'.')) {
            return Err(wrong("is not a kind of event")
                .suggest("Kinds are words with dots, such as `delivery.received`."));
        }
        if checked.iter().any(|known| **known == **kind) {
            return Err(wrong("is named twice"));
        }
        checked.push(kind.to_string());
    }
    if checked.is_empty() {
        return Err(Error::invalid("kinds: must name one at least.")
            .suggest("Leave `kinds` out to be told everything."));
    }
    Ok(checked)
}

/// Refuses one webhook too many. The account is held, so that two cannot be made in the place of one.
fn check_count(cx: &mut Cx<Writes>) -> Result<()> {
    let owner = cx.account()?;
    cx.tx.lock_account(owner)?;
    let most = i64::try_from(MAX_PER_ACCOUNT).unwrap_or(i64::MAX);
    if cx.tx.list_webhooks(owner, None, most)?.len() < MAX_PER_ACCOUNT {
        return Ok(());
    }
    let reason = format!("The account has {MAX_PER_ACCOUNT} webhooks, which is the most.");
    Err(Error::new(Code::Conflict, reason).suggest("Delete one with deleteWebhook first."))
}
