//! Say no to a command that waits for its owner.

use guildhall_core::Code;
use guildhall_core::command::Event;

use super::view::CommandView;
use super::{OneCommand, lock_own, tell_decided};
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct DenyCommand;

impl Operation for DenyCommand {
    const META: Meta =
        Meta::mutation("denyCommand", Method::Post, "/v1/agent-buyer/commands/{command_id}/deny")
            .summary("Say no to a command of an agent")
            .tag(Tag::AgentBuyer)
            .refuses(&[Code::DemandConflict]);
    type Access = Writes;
    type Input = OneCommand;
    type Output = CommandView;

    fn run(cx: &mut Cx<Writes>, input: &OneCommand) -> Result<CommandView> {
        let mut command = lock_own(cx, input.command_id)?;
        let step = command.refuse(cx.now, Event::Denied)?;
        cx.apply(&mut command, step)?;
        tell_decided(cx, &command, "command.denied")?;
        Ok(CommandView::from(&*command))
    }
}
