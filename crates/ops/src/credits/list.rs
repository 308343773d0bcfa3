//! List the entries of the balance, newest first.

use guildhall_core::scope::Scope;

use super::view::EntryView;
use crate::caller::Caller;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{API_KEY, Meta, OAUTH, SESSION, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Page, WholeList};

pub(crate) struct ListCreditEntries;

impl Operation for ListCreditEntries {
    const META: Meta = Meta::query("listCreditEntries", "/v1/credits/entries")
        .summary("List the entries of the available balance")
        .tag(Tag::Credits)
        .credentials(SESSION.or(API_KEY).or(OAUTH))
        .scope(&[Scope::Read]);
    type Access = Reads;
    type Input = WholeList;
    type Output = Page<EntryView>;

    fn run(cx: &mut Cx<Reads>, input: &WholeList) -> Result<Page<EntryView>> {
        let page = (input.cursor.as_ref(), input.limit);
        if let Caller::Agent(agent) = cx.caller() {
            let (owner, agent) = (agent.live.connection.account_id, agent.agent_id());
            return cx.page(
                page,
                "",
                |tx, before, count| tx.list_credit_entries_of_agent(owner, agent, before, count),
                |line| line.transfer.transfer_id,
                |line| EntryView::for_agent(&line),
            );
        }
        let owner = cx.account()?;
        cx.page(
            page,
            "",
            |tx, before, count| tx.list_credit_entries(owner, before, count),
            |line| line.entry.seq,
            |line| EntryView::new(&line),
        )
    }
}
