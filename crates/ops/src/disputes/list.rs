//! List disputes: a party's own, and for arbiters every open one.

use guildhall_core::Code;
use guildhall_core::scope::Scope;
use guildhall_store::tables::dispute::DisputesOf;

use super::view::DisputeView;
use crate::caller::Caller;
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::market::RUN_OUT;
use crate::meta::{API_KEY, Meta, OAUTH, SESSION, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Page, WholeList};

pub(crate) struct ListDisputes;

impl Operation for ListDisputes {
    const META: Meta = Meta::query("listDisputes", "/v1/disputes")
        .summary("List the caller's disputes; arbiters see every open one")
        .tag(Tag::Deliveries)
        .credentials(SESSION.or(API_KEY).or(OAUTH))
        .scope(&[Scope::Read]);
    type Access = Reads;
    type Input = WholeList;
    type Output = Page<DisputeView>;

    fn run(cx: &mut Cx<Reads>, input: &WholeList) -> Result<Page<DisputeView>> {
        let of = whose(cx)?;
        let page = cx.page(
            (input.cursor.as_ref(), input.limit),
            "",
            |tx, before, count| tx.list_disputes(of, before, count),
            |dispute| dispute.dispute_id,
            |dispute| dispute,
        )?;
        let mut data = Vec::with_capacity(page.data.len());
        for dispute in &page.data {
            if dispute.check_open().is_ok() && dispute.closes_at <= cx.now {
                return Err(Error::overdue(RUN_OUT, &dispute.task_id));
            }
            data.push(DisputeView::read(cx.tx, dispute)?);
        }
        Ok(Page { data, next_page: page.next_page })
    }
}

fn whose(cx: &mut Cx<Reads>) -> Result<DisputesOf> {
    match cx.caller() {
        Caller::Account(account) if cx.tx.is_arbiter(*account)? => {
            Ok(DisputesOf::Arbiter(*account))
        }
        Caller::Account(account) => Ok(DisputesOf::Account(*account)),
        Caller::Agent(agent) => Ok(DisputesOf::Agent(agent.agent_id())),
        _ => Err(Error::new(Code::Unauthorized, "The request carries no credential.")),
    }
}
