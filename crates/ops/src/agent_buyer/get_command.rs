//! Read one command.

use guildhall_core::CommandKind;
use guildhall_core::scope::Scope;

use super::view::CommandView;
use super::{OneCommand, is_visible};
use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::meta::{API_KEY, Meta, OAUTH, SESSION, Tag};
use crate::operation::{Operation, Reads};

pub(crate) struct GetAgentBuyerCommand;

impl Operation for GetAgentBuyerCommand {
    const META: Meta = Meta::query("getAgentBuyerCommand", "/v1/agent-buyer/commands/{command_id}")
        .summary("Read a spending command")
        .tag(Tag::AgentBuyer)
        .credentials(SESSION.or(API_KEY).or(OAUTH))
        .scope(&[Scope::Read])
        .single();
    type Access = Reads;
    type Input = OneCommand;
    type Output = CommandView;

    fn run(cx: &mut Cx<Reads>, input: &OneCommand) -> Result<CommandView> {
        let caller = cx.caller();
        let command = cx.tx.find_command(input.command_id)?;
        let command = command.filter(|command| is_visible(caller, command));
        Ok(CommandView::from(&command.or_missing::<CommandKind>()?))
    }
}
