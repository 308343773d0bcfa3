//! Seal an action: the word of its signer is checked, everything is decided anew, and the step is taken.

use guildhall_core::action::Action;
use guildhall_core::passkey;
use guildhall_core::task::Rail;
use guildhall_core::{ActionId, Code};
use guildhall_evm::Address;
use schemars::JsonSchema;
use serde::Deserialize;

use super::execute::execute;
use super::view::ActionView;
use super::{is_visible, lock};
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::input::present;
use crate::market;
use crate::meta::{ACTION, Meta, Method, SESSION, Tag};
use crate::operation::{Operation, Reads, Writes};
use crate::passkeys::{Asserted, Factor};
use crate::wallets::Signed;

pub(crate) struct SealAction;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The action.
    action_id: ActionId,
    /// The wallet's signature over the action's typed data.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Signed")]
    signature: Option<Signed>,
    /// The wallet that signed.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Address")]
    signer: Option<Address>,
    /// In place of both, where the action's signer is `passkey`: the word of one of the account's passkeys, with the
    /// payload's digest as its challenge.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Asserted")]
    passkey: Option<Asserted>,
}

impl Input {
    fn factor(&self) -> Result<Factor<'_>> {
        Factor::of(self.signer, self.signature.as_ref(), self.passkey.as_ref())
    }
}

impl Operation for SealAction {
    const META: Meta = Meta::mutation("sealAction", Method::Post, "/v1/actions/{action_id}/seal")
        .summary("Seal a prepared action with a wallet's signature or a passkey")
        .tag(Tag::Tasks)
        .credentials(SESSION.or(ACTION))
        .gathers()
        .refuses(&[
            Code::SignatureInvalid,
            Code::ActionAlreadySealed,
            Code::OwnerMismatch,
            Code::WrongRail,
            Code::StaleTerms,
            Code::BuyerWalletChanged,
            Code::SelectionReleased,
            Code::ChainVerificationUnavailable,
            Code::InsufficientCredits,
            Code::SelectionActive,
            Code::SelectionRequired,
            Code::FundingAlreadyActive,
            Code::InvalidTaskTerms,
            Code::AutoSelectionUnavailable,
            Code::WorkerNotPresent,
            Code::AgentPaused,
            Code::OfferLapsed,
            Code::OfferDeclined,
            Code::TaskCancelled,
            Code::NotUnderReview,
            Code::DeliveryChanged,
            Code::ListingNotHireable,
            Code::ListingChanged,
            Code::RequirementsIncomplete,
            Code::HireLimitReached,
        ]);
    type Access = Writes;
    type Input = Input;
    type Output = ActionView;

    fn gather(cx: &mut Cx<Reads>, input: &Input) -> Result<()> {
        let caller = cx.caller();
        match (cx.tx.find_action(input.action_id)?, input.factor()) {
            (Some(action), Ok(factor)) if is_visible(caller, &action) => {
                factor.gather(cx, action.account_id, &action.digest)
            }
            _ => Ok(()),
        }
    }

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<ActionView> {
        let factor = input.factor()?;
        let (mut case, mut action) = lock(cx, input.action_id)?;
        let step = action.seal(cx.now)?;
        match factor {
            Factor::Wallet(signer, signature) => check_wallet(cx, &action, signer, signature)?,
            Factor::Passkey(asserted) => check_passkey(cx, &action, asserted)?,
        }
        execute(cx, &mut case, &action)?;
        cx.apply(&mut action, step)?;
        let task = market::show(cx.caller(), &case);
        Ok(ActionView::new(&action, cx.env(), cx.now, Some(task)))
    }
}

/// Refuses a signature that is not by the wallet the action was prepared for, or by one that is the account's no more.
fn check_wallet(
    cx: &mut Cx<Writes>,
    action: &Action,
    signer: Address,
    signature: &Signed,
) -> Result<()> {
    if signer.to_string() != action.signer {
        return Err(other_signer(action));
    }
    signature.check(&action.digest, signer, Code::SignatureInvalid)?;
    let linked = cx.tx.find_linked_wallet(&action.signer)?;
    if linked.is_none_or(|wallet| wallet.account_id != action.account_id) {
        return Err(Error::new(
            Code::BuyerWalletChanged,
            format!("{} is not linked to the account any more.", action.signer),
        ));
    }
    Ok(())
}

/// Refuses a passkey where a wallet has to sign, and one that is not the account's.
fn check_passkey(cx: &mut Cx<Writes>, action: &Action, asserted: &Asserted) -> Result<()> {
    if action.rail != Rail::Credits {
        return Err(Error::new(Code::WrongRail, "A passkey moves credits only.")
            .suggest("Sign the action with the wallet that it names."));
    }
    if action.signer != passkey::SIGNER {
        return Err(other_signer(action));
    }
    let codes = (Code::OwnerMismatch, Code::SignatureInvalid);
    asserted.check(cx, action.account_id, &action.digest, codes)
}

fn other_signer(action: &Action) -> Error {
    let whose = if action.signer == passkey::SIGNER {
        "one of the account's passkeys"
    } else {
        action.signer.as_str()
    };
    Error::new(Code::OwnerMismatch, format!("The action waits for the signature of {whose}."))
}
