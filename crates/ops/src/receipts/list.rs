//! List the receipts of what the caller bought and did, newest first.

use guildhall_core::scope::Scope;

use super::view::ReceiptView;
use crate::caller::Caller;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{API_KEY, Meta, OAUTH, SESSION, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Page, WholeList};

pub(crate) struct ListReceipts;

impl Operation for ListReceipts {
    const META: Meta = Meta::query("listReceipts", "/v1/receipts")
        .summary("List the caller's receipts")
        .tag(Tag::Receipts)
        .credentials(SESSION.or(API_KEY).or(OAUTH))
        .scope(&[Scope::Read])
        .tool("list_receipts")
        .told("Your receipts: signed proof of paid work.");
    type Access = Reads;
    type Input = WholeList;
    type Output = Page<ReceiptView>;

    fn run(cx: &mut Cx<Reads>, input: &WholeList) -> Result<Page<ReceiptView>> {
        let page = (input.cursor.as_ref(), input.limit);
        if let Caller::Agent(agent) = cx.caller() {
            let agent = agent.agent_id();
            return cx.page(
                page,
                "",
                |tx, before, count| tx.list_receipts_of_agent(agent, before, count),
                |receipt| receipt.receipt_id,
                |receipt| ReceiptView::new(&receipt),
            );
        }
        let account = cx.account()?;
        cx.page(
            page,
            "",
            |tx, before, count| tx.list_receipts_of_account(account, before, count),
            |receipt| receipt.receipt_id,
            |receipt| ReceiptView::new(&receipt),
        )
    }
}
