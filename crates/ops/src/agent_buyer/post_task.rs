//! Post a task as an agent: its budget is reserved under the owner's policy.

use guildhall_core::Code;
use guildhall_core::command::Operation as Spending;
use guildhall_core::scope::Scope;
use guildhall_core::task::Rail;

use super::lock_spending;
use super::post::{Posted, Posting};
use super::view::Commanded;
use crate::cx::Cx;
use crate::error::Result;
use crate::market::{self, Spender, TaskInput};
use crate::meta::{API_KEY, Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct AgentPostTask;

impl Operation for AgentPostTask {
    const META: Meta = Meta::mutation("agentPostTask", Method::Post, "/v1/agent-buyer/tasks")
        .summary("Post a credit task as an agent, its budget reserved under the owner's policy")
        .tag(Tag::AgentBuyer)
        .credentials(API_KEY)
        .scope(&[Scope::AgentBuyer])
        .tool("post_task")
        .told("Post a task for others to do for credits; reserves its budget under your owner's policy, or waits for the owner's approval.")
        .creates()
        .or_status(202)
        .refuses(&[
            Code::AbsoluteDeadlineUnsupported,
            Code::InvalidTaskTerms,
            Code::WrongRail,
            Code::InsufficientCredits,
            Code::DemandInvalid,
            Code::DemandForbidden,
            Code::DemandLimit,
            Code::DemandUnavailable,
        ]);
    type Access = Writes;
    type Input = TaskInput;
    type Output = Commanded;

    fn run(cx: &mut Cx<Writes>, input: &TaskInput) -> Result<Commanded> {
        let spender = Spender::calling(cx)?;
        let brief = input.brief(cx, Rail::Credits, Some(spender.agent_id))?;
        let mut policy = lock_spending(cx, &spender)?;
        market::check_room(cx, spender.account_id)?;
        let posting = Posting { spender: &spender, operation: Spending::Post, brief };
        let ask = posting.ask();
        match posting.post(cx, &mut policy, &ask, || input.kept())? {
            Posted::Waiting(command) => Ok(Commanded::waiting(&command)),
            Posted::Task(case, command) => {
                Ok(Commanded::done(market::show(cx.caller(), &case), &command))
            }
        }
    }

    fn status(output: &Commanded) -> Option<u16> {
        output.status()
    }
}
