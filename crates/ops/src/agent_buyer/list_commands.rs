//! List the commands of agents that buy.

use guildhall_core::CommandId;
use guildhall_core::scope::Scope;
use guildhall_store::tables::command::CommandsOf;

use super::view::CommandView;
use crate::caller::Caller;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{API_KEY, Meta, OAUTH, SESSION, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Page, WholeList};

pub(crate) struct ListAgentBuyerCommands;

impl Operation for ListAgentBuyerCommands {
    const META: Meta = Meta::query("listAgentBuyerCommands", "/v1/agent-buyer/commands")
        .summary("List spending commands: the account's, or the calling agent's own")
        .tag(Tag::AgentBuyer)
        .credentials(SESSION.or(API_KEY).or(OAUTH))
        .scope(&[Scope::Read])
        .tool("list_commands")
        .told("Your spending commands with their state and cost.")
        .own();
    type Access = Reads;
    type Input = WholeList;
    type Output = Page<CommandView>;

    fn run(cx: &mut Cx<Reads>, input: &WholeList) -> Result<Page<CommandView>> {
        let of = match cx.caller() {
            Caller::Agent(agent) => CommandsOf::Agent(agent.agent_id()),
            _ => CommandsOf::Account(cx.account()?),
        };
        cx.page(
            (input.cursor.as_ref(), input.limit),
            "",
            |tx, before: Option<CommandId>, limit| tx.list_commands(of, before, limit),
            |command| command.command_id,
            |command| CommandView::from(&command),
        )
    }
}
