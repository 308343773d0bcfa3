//! Give an action up before it is sealed.

use guildhall_core::Code;
use guildhall_core::action::{Event, Intent};
use guildhall_core::task::Status;

use super::view::ActionView;
use super::{OneAction, end, lock};
use crate::cx::Cx;
use crate::error::Result;
use crate::market;
use crate::meta::{ACTION, Meta, Method, SESSION, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct CancelAction;

impl Operation for CancelAction {
    const META: Meta =
        Meta::mutation("cancelAction", Method::Post, "/v1/actions/{action_id}/cancel")
            .summary("Give up an action that is not sealed")
            .tag(Tag::Tasks)
            .credentials(SESSION.or(ACTION))
            .refuses(&[
                Code::ActionAlreadySealed,
                Code::FundingAuthorizationAlreadyExposed,
                Code::TaskCancelled,
            ]);
    type Access = Writes;
    type Input = OneAction;
    type Output = ActionView;

    fn run(cx: &mut Cx<Writes>, input: &OneAction) -> Result<ActionView> {
        let (mut case, mut action) = lock(cx, input.action_id)?;
        end(cx, &mut case, &mut action, Event::Cancelled)?;
        let opens = matches!(action.intent, Intent::TaskCreate | Intent::Hire);
        if opens && case.task.status == Status::Draft {
            let turn = case.cancel(cx.now)?;
            market::take(cx, &mut case, turn)?;
        }
        let task = market::show(cx.caller(), &case);
        Ok(ActionView::new(&action, cx.env(), cx.now, Some(task)))
    }
}
