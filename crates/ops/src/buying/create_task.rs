//! Post a task as a person: a draft, and the action that opens it.

use guildhall_core::Code;
use guildhall_core::action::{Intent, SEAL_WITHIN};
use guildhall_core::task::{Buyer, Rail};

use crate::actions::{self, ActionView};
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::market::{self, TaskInput};
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct CreateTask;

impl Operation for CreateTask {
    const META: Meta = Meta::mutation("createTask", Method::Post, "/v1/tasks")
        .summary("Prepare a task; sealing the action opens it")
        .tag(Tag::Tasks)
        .creates()
        .shows_once("signing_url")
        .refuses(&[
            Code::AbsoluteDeadlineUnsupported,
            Code::InvalidTaskTerms,
            Code::WalletNotLinked,
            Code::ChainVerificationUnavailable,
        ]);
    type Access = Writes;
    type Input = TaskInput;
    type Output = ActionView;

    fn run(cx: &mut Cx<Writes>, input: &TaskInput) -> Result<ActionView> {
        let account_id = cx.account()?;
        if input.rail() == Rail::Usdc {
            return Err(no_chain());
        }
        // Whoever posts for the same account waits, so that the count of its tasks holds.
        cx.tx.lock_account(account_id)?;
        let brief = input.brief(cx, Rail::Credits, None)?;
        market::check_room(cx, account_id)?;
        let budget = brief.budget;
        let buyer = Buyer { account_id, agent_id: None };
        let (task_id, seal_by) = (cx.mint()?, cx.now.after(SEAL_WITHIN));
        let mut case = market::draft(cx, task_id, buyer, brief, seal_by)?;
        actions::prepare(cx, &mut case, Intent::TaskCreate, budget)
    }
}

/// The rail of the escrow contract needs a chain.
pub(crate) fn no_chain() -> Error {
    Error::new(Code::ChainVerificationUnavailable, "This service has no chain configured.")
        .suggest("Use the credit rail: give `budget_credits` or `price_credits`.")
}
