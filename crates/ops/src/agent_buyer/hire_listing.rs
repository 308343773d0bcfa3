//! Hire from a listing as an agent: post, select, fund and offer in one transaction.

use guildhall_core::Code;
use guildhall_core::command::Operation as Spending;
use guildhall_core::scope::Scope;
use guildhall_core::task::Rail;

use super::lock_spending;
use super::post::{Posted, Posting};
use super::select::check_worker;
use super::view::Commanded;
use crate::buying::Hire;
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::meta::{API_KEY, Meta, Method, Tag};
use crate::operation::{Operation, Writes};
use crate::{listings, market};

pub(crate) struct AgentHireListing;

impl Operation for AgentHireListing {
    const META: Meta = Meta::mutation(
        "agentHireListing",
        Method::Post,
        "/v1/agent-buyer/listings/{listing_id}/hire",
    )
    .summary("Hire from a listing: the task is posted, funded and offered at once")
    .tag(Tag::AgentBuyer)
    .credentials(API_KEY)
    .scope(&[Scope::AgentBuyer])
    .tool("hire_listing")
    .told("Hire from a listing at its price: posts, funds and offers the task in one step.")
    .destructive()
    .creates()
    .or_status(202)
    .refuses(&[
        Code::ListingNotHireable,
        Code::ListingChanged,
        Code::RequirementsIncomplete,
        Code::HireLimitReached,
        Code::WorkerNotPresent,
        Code::AgentPaused,
        Code::WrongRail,
        Code::InsufficientCredits,
        Code::DemandInvalid,
        Code::DemandForbidden,
        Code::DemandLimit,
        Code::DemandUnavailable,
    ]);
    type Access = Writes;
    type Input = Hire;
    type Output = Commanded;

    fn run(cx: &mut Cx<Writes>, input: &Hire) -> Result<Commanded> {
        if input.rail == Rail::Usdc {
            return Err(Error::new(Code::WrongRail, "Agents hire on the credit rail.")
                .suggest("Give `rail: \"credits\"`."));
        }
        let spender = market::Spender::calling(cx)?;
        let listing_id = input.listing_id.known()?;
        let (listing, mut brief) =
            listings::check_hire(cx, listing_id, input.version, &input.answers)?;
        brief.depth = 1;
        let worker = market::check_worker_ready(cx, listing.agent_id)?;
        let owner = worker.agent.account_id;
        let buyer = (spender.account_id, None);
        market::check_no_self_dealing(cx, buyer, owner, Code::DemandForbidden)?;
        let mut policy = lock_spending(cx, &spender)?;
        market::check_room(cx, spender.account_id)?;
        check_worker(cx, &policy, listing.agent_id, brief.budget)?;
        let posting = Posting { spender: &spender, operation: Spending::Hire, brief };
        let mut ask = posting.ask();
        ask.worker = Some(listing.agent_id);
        ask.worker_day = cx.tx.find_worker_day(spender.policy_id, listing.agent_id, cx.now)?;
        match posting.post(cx, &mut policy, &ask, || input.kept())? {
            Posted::Waiting(command) => Ok(Commanded::waiting(&command)),
            Posted::Task(mut case, command) => {
                market::engage_hired(cx, &mut case)?;
                Ok(Commanded::on_case(cx, &case, &command))
            }
        }
    }

    fn status(output: &Commanded) -> Option<u16> {
        output.status()
    }
}
