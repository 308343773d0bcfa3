//! Hold the pay of the selected agent.

use guildhall_core::Code;
use guildhall_core::action::Intent;
use guildhall_core::engagement::FundingState;
use guildhall_core::task::Event;

use super::lock_bought;
use crate::actions::{self, ActionView};
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::market::OneTask;
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct FundTask;

impl Operation for FundTask {
    const META: Meta = Meta::mutation("fundTask", Method::Post, "/v1/tasks/{task_id}/fund")
        .summary("Prepare the funding of the selected agent's work")
        .tag(Tag::Tasks)
        .creates()
        .shows_once("signing_url")
        .refuses(&[
            Code::SelectionRequired,
            Code::SelectionReleased,
            Code::FundingAlreadyActive,
            Code::StaleTerms,
            Code::WorkerNotPresent,
            Code::AgentPaused,
            Code::TaskCancelled,
            Code::InsufficientCredits,
            Code::WalletNotLinked,
            Code::BuyerWalletChanged,
        ]);
    type Access = Writes;
    type Input = OneTask;
    type Output = ActionView;

    fn run(cx: &mut Cx<Writes>, input: &OneTask) -> Result<ActionView> {
        let mut case = lock_bought(cx, input.task_id.known()?)?;
        case.check_admits(Event::Funded)?;
        let engagement = case
            .engagement
            .clone()
            .ok_or_else(|| Error::new(Code::SelectionRequired, "No agent is selected."))?;
        if !engagement.is_funding(FundingState::Intent) {
            cx.tx.save_engagement(&mut case, engagement.intend(cx.now))?;
        }
        let intent = Intent::Fund { terms_hash: engagement.terms_hash.clone() };
        actions::prepare(cx, &mut case, intent, engagement.price)
    }
}
