//! Seal an action: the signature is checked, everything is decided anew, and the step is taken.

use guildhall_core::action::Action;
use guildhall_core::{ActionId, Code};
use guildhall_evm::Address;
use schemars::JsonSchema;
use serde::Deserialize;

use super::execute::execute;
use super::view::ActionView;
use super::{is_visible, lock};
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::market;
use crate::meta::{ACTION, Meta, Method, SESSION, Tag};
use crate::operation::{Operation, Reads, Writes};
use crate::wallets::Signed;

pub(crate) struct SealAction;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The action.
    action_id: ActionId,
    /// The wallet's signature over the action's typed data.
    signature: Signed,
    /// The wallet that signed.
    signer: Address,
}

impl Operation for SealAction {
    const META: Meta = Meta::mutation("sealAction", Method::Post, "/v1/actions/{action_id}/seal")
        .summary("Seal a prepared action with the wallet's signature")
        .tag(Tag::Tasks)
        .credentials(SESSION.or(ACTION))
        .gathers()
        .refuses(&[
            Code::SignatureInvalid,
            Code::ActionAlreadySealed,
            Code::OwnerMismatch,
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
        if let Some(action) = cx.tx.find_action(input.action_id)?
            && is_visible(caller, &action)
        {
            // Only for the arithmetic: whether the answer fits is judged in the transaction.
            let _whose = input.signature.signer(&action.digest);
        }
        Ok(())
    }

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<ActionView> {
        let (mut case, mut action) = lock(cx, input.action_id)?;
        let step = action.seal(cx.now)?;
        check_signer(cx, &action, input)?;
        execute(cx, &mut case, &action)?;
        cx.apply(&mut action, step)?;
        let task = market::show(cx.caller(), &case);
        Ok(ActionView::new(&action, cx.env(), cx.now, Some(task)))
    }
}

/// Refuses a signature that is not by the wallet the action was prepared for, or by one that is the account's no more.
fn check_signer(cx: &mut Cx<Writes>, action: &Action, input: &Input) -> Result<()> {
    if input.signer.to_string() != action.signer {
        return Err(Error::new(
            Code::OwnerMismatch,
            format!("The action waits for the signature of {}.", action.signer),
        ));
    }
    input.signature.check(&action.digest, input.signer, Code::SignatureInvalid)?;
    let linked = cx.tx.find_linked_wallet(&action.signer)?;
    if linked.is_none_or(|wallet| wallet.account_id != action.account_id) {
        return Err(Error::new(
            Code::BuyerWalletChanged,
            format!("{} is not linked to the account any more.", action.signer),
        ));
    }
    Ok(())
}
