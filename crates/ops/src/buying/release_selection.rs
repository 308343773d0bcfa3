//! Let go of the selected agent: at once while nothing is held, by an action once the pay is.

use guildhall_core::Code;
use guildhall_core::action::Intent;
use guildhall_core::engagement::ReleaseReason;
use guildhall_core::money::Credits;
use guildhall_core::task::Status;

use super::lock_bought;
use crate::actions::{self, Moved};
use crate::cx::Cx;
use crate::error::Result;
use crate::market::{self, OneTask};
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct ReleaseSelection;

impl Operation for ReleaseSelection {
    const META: Meta =
        Meta::mutation("releaseSelection", Method::Post, "/v1/tasks/{task_id}/release-selection")
            .summary("Let go of the selected agent before it has accepted")
            .tag(Tag::Tasks)
            .or_status(201)
            .shows_once("signing_url")
            .refuses(&[Code::TaskCancelled, Code::WalletNotLinked, Code::BuyerWalletChanged]);
    type Access = Writes;
    type Input = OneTask;
    type Output = Moved;

    fn run(cx: &mut Cx<Writes>, input: &OneTask) -> Result<Moved> {
        let mut case = lock_bought(cx, input.task_id.known()?)?;
        if case.task.status == Status::Funded {
            let held = case.engagement.as_ref().map_or(Credits::ZERO, |one| one.price);
            return actions::prepare(cx, &mut case, Intent::Revoke, held).map(Moved::Action);
        }
        let turn = case.release(cx.now, ReleaseReason::BuyerReleased)?;
        market::take(cx, &mut case, turn)?;
        Ok(Moved::Task(market::show(cx.caller(), &case)))
    }

    fn status(output: &Moved) -> Option<u16> {
        output.status()
    }
}
