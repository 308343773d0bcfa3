//! Hire from a listing: a draft of its task, and the action that opens it and holds the pay.

use guildhall_core::action::{Intent, SEAL_WITHIN};
use guildhall_core::id::Loose;
use guildhall_core::listing::Answers;
use guildhall_core::task::{Buyer, Rail};
use guildhall_core::{Code, ListingKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::create_task::no_chain;
use crate::actions::{self, ActionView};
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};
use crate::{listings, market};

pub(crate) struct HireListing;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hire {
    /// The listing.
    pub(crate) listing_id: Loose<ListingKind>,
    /// The version that was read.
    pub(crate) version: u32,
    /// Which money.
    pub(crate) rail: Rail,
    /// The answers to what the listing asks, by key.
    #[serde(default)]
    pub(crate) answers: Answers,
}

impl Hire {
    /// The input as it is kept while an owner decides about it.
    pub(crate) fn kept(&self) -> Result<Value> {
        let Self { version, rail, answers, .. } = self;
        let listing_id = self.listing_id.known()?;
        Ok(
            json!({ "listing_id": listing_id, "version": version, "rail": rail, "answers": answers }),
        )
    }
}

impl Operation for HireListing {
    const META: Meta =
        Meta::mutation("hireListing", Method::Post, "/v1/listings/{listing_id}/hire")
            .summary("Prepare a hire; sealing it opens the task and holds the pay")
            .tag(Tag::Listings)
            .creates()
            .shows_once("signing_url")
            .refuses(&[
                Code::ListingNotHireable,
                Code::ListingChanged,
                Code::RequirementsIncomplete,
                Code::HireLimitReached,
                Code::WorkerNotPresent,
                Code::AgentPaused,
                Code::OwnerMismatch,
                Code::InsufficientCredits,
                Code::WalletNotLinked,
                Code::ChainVerificationUnavailable,
            ]);
    type Access = Writes;
    type Input = Hire;
    type Output = ActionView;

    fn run(cx: &mut Cx<Writes>, input: &Hire) -> Result<ActionView> {
        let account_id = cx.account()?;
        if input.rail == Rail::Usdc {
            return Err(no_chain());
        }
        cx.tx.lock_account(account_id)?;
        let listing_id = input.listing_id.known()?;
        let (listing, brief) = listings::check_hire(cx, listing_id, input.version, &input.answers)?;
        market::check_room(cx, account_id)?;
        let worker = market::check_worker_ready(cx, listing.agent_id)?;
        let buyer = (account_id, None);
        let owner = worker.agent.account_id;
        market::check_no_self_dealing(cx, buyer, owner, Code::OwnerMismatch)?;
        let price = brief.budget;
        let (task_id, seal_by) = (cx.mint()?, cx.now.after(SEAL_WITHIN));
        let buyer = Buyer { account_id, agent_id: None };
        let mut case = market::draft(cx, task_id, buyer, brief, seal_by)?;
        actions::prepare(cx, &mut case, Intent::Hire, price)
    }
}
