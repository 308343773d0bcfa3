//! Writes an action down: who has to sign, what exactly, and until when.

use guildhall_core::action::{Action, Event, Intent, Line, SEAL_WITHIN, Status};
use guildhall_core::canonical;
use guildhall_core::money::Credits;
use guildhall_core::passkey;
use guildhall_core::task::{Case, Rail};
use guildhall_core::{AccountId, ActionId, Code, Timestamp};
use guildhall_evm::typed_data_digest;
use guildhall_store::Locked;
use serde_json::json;

use super::view::ActionView;
use super::{EXPIRE, end, rehearse};
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::market;
use crate::mint::Mint;
use crate::operation::Writes;
use crate::wallets::typed_data;
use crate::wallets::typed_data::Field;

/// The EIP-712 type of every step on the credit rail. No other user's text is in it: what it is about is named by ids,
/// amounts and a digest.
fn credit_action(signer: &str) -> [Field; 8] {
    // A passkey has no address.
    let signer = if signer == passkey::SIGNER { "string" } else { "address" };
    [
        ("action_id", "string"),
        ("kind", "string"),
        ("account_id", "string"),
        ("signer", signer),
        ("task_id", "string"),
        ("amount_micros", "uint256"),
        ("details_sha256", "bytes32"),
        ("expires_at", "uint256"),
    ]
}

/// Prepares a step on a case, in the place of an unsealed one of the same kind. Nothing of value moves.
pub(crate) fn prepare<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    case: &mut Locked<'c, Case>,
    intent: Intent,
    amount: Credits,
) -> Result<ActionView> {
    let account_id = cx.account()?;
    rehearse(cx, case, &intent)?;
    let signer = signer(cx, account_id, case)?;
    supersede(cx, case, intent.kind())?;
    let (action_id, token) = (cx.mint()?, Mint::bytes::<32>()?);
    let token = canonical::hex(&token);
    let expires_at = cx.now.after(SEAL_WITHIN);
    let parts = Parts { action_id, account_id, signer, amount, expires_at };
    let action = parts.action(cx, case, intent, &token)?;
    cx.tx.insert_action(&action)?;
    cx.set_timer(EXPIRE, &action_id, expires_at, 0)?;
    cx.about("action", action_id);
    let task = market::show(cx.caller(), case);
    Ok(ActionView::new(&action, cx.env(), cx.now, Some(task)).with_token(&token))
}

struct Parts {
    action_id: ActionId,
    account_id: AccountId,
    signer: String,
    amount: Credits,
    expires_at: Timestamp,
}

impl Parts {
    fn action(self, cx: &Cx<Writes>, case: &Case, intent: Intent, token: &str) -> Result<Action> {
        let env = cx.env();
        let message = json!({
            "action_id": self.action_id,
            "kind": intent.kind(),
            "account_id": self.account_id,
            "signer": self.signer,
            "task_id": case.task.task_id,
            "amount_micros": self.amount.micros().to_string(),
            "details_sha256": format!("0x{}", details(case, &intent)?),
            "expires_at": (self.expires_at.millis() / 1_000).to_string(),
        });
        let document = typed_data(env, "CreditAction", &credit_action(&self.signer), &message);
        let digest = typed_data_digest(&document)
            .map_err(|error| Error::internal(format!("an action's typed data: {error}")))?;
        Ok(Action {
            action_id: self.action_id,
            account_id: self.account_id,
            task_id: case.task.task_id,
            rail: case.task.brief.rail,
            summary: summary(case, &intent, self.amount),
            intent,
            signer: self.signer,
            chain_id: env.chain_id,
            typed_data: document,
            digest,
            token_digest: crate::digest(token.as_bytes()),
            stored_status: Status::Prepared,
            expires_at: self.expires_at,
            sealed_at: None,
            created_at: cx.now,
            updated_at: cx.now,
            revision: 0,
        })
    }
}

/// The digest of everything that the step means: what is done, to which task, on which terms.
fn details(case: &Case, intent: &Intent) -> Result<String> {
    let broken = |error: serde_json::Error| Error::internal(error.to_string());
    let (task, engagement) = (&case.task, case.engagement.as_ref());
    let brief = &task.brief;
    Ok(canonical::digest(&json!({
        "intent": serde_json::to_value(intent).map_err(broken)?,
        "title": brief.title,
        "brief": brief.brief,
        "criteria": brief.criteria,
        "checks": brief.checks,
        "budget_micros": brief.budget.micros().to_string(),
        "hire": brief.hire,
        "terms_hash": engagement.map(|one| &one.terms_hash),
        "selection_version": engagement.map(|one| one.version),
    })))
}

/// What the signer reads, in human units.
fn summary(case: &Case, intent: &Intent, amount: Credits) -> Vec<Line> {
    let line = |label: &str, value: String| Line { label: label.to_owned(), value };
    let what = match intent {
        Intent::TaskCreate => "Post a task",
        Intent::Hire => "Hire from a listing and hold the pay",
        Intent::Select { .. } => "Select an agent",
        Intent::Fund { .. } => "Hold the pay of the selected agent",
        Intent::Revoke => "Take the held pay back",
        Intent::Release { .. } => "Accept the delivery and pay the agent",
        Intent::Settle { .. } => "Settle the dispute",
        Intent::Rule { .. } => "Rule the dispute",
    };
    let mut lines = vec![
        line("Step", what.to_owned()),
        line("Task", case.task.task_id.to_string()),
        line("Amount", format!("{amount} credits")),
    ];
    if let Some(engagement) = case.engagement.as_ref().filter(|_| case.worker().is_some()) {
        lines.push(line("Agent", engagement.agent_id.to_string()));
    }
    match intent {
        Intent::Settle { worker_share_bps, .. } | Intent::Rule { worker_share_bps, .. } => {
            lines.push(line("Agent's share", format!("{worker_share_bps} of 10000 parts")));
        }
        Intent::Release { digest, .. } => lines.push(line("Delivery", digest.clone())),
        _ => {}
    }
    lines
}

/// Who has to sign: the wallet that the task was posted with, or the first that the account linked; where it has none, and
/// only credits move, any of its passkeys.
fn signer(cx: &mut Cx<Writes>, account: AccountId, case: &Case) -> Result<String> {
    let buys = case.task.buyer.account_id == account;
    if let Some(wallet) = case.task.buyer_wallet.as_ref().filter(|_| buys) {
        let linked = cx.tx.find_linked_wallet(wallet)?;
        if linked.is_some_and(|linked| linked.account_id == account) {
            return Ok(wallet.clone());
        }
        return Err(Error::new(
            Code::BuyerWalletChanged,
            format!("The task was posted with {wallet}, which is not linked any more."),
        )
        .suggest("Link that wallet again."));
    }
    let wallets = cx.tx.list_wallets(account, None, guildhall_core::wallet::MOST)?;
    if let Some(first) = wallets.last() {
        return Ok(first.address.clone());
    }
    if case.task.brief.rail == Rail::Credits && cx.tx.has_passkey(account)? {
        return Ok(passkey::SIGNER.to_owned());
    }
    Err(Error::new(Code::WalletNotLinked, "The account has nothing to sign with.")
        .suggest("Link a wallet (linkWallet), or register a passkey for what is paid in credits."))
}

fn supersede<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    case: &mut Locked<'c, Case>,
    kind: &str,
) -> Result<()> {
    for mut action in cx.tx.lock_prepared_actions(case.task.task_id)? {
        if action.intent.kind() == kind {
            // Superseding never cancels what the action is about: a prepared funding stays prepared.
            let step = action.end(cx.now, Event::Superseded)?;
            cx.apply(&mut action, step)?;
        } else if action.expires_at <= cx.now {
            end(cx, case, &mut action, Event::Expired)?;
        }
    }
    Ok(())
}
