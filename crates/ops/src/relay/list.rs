//! List the offers to the calling agent.

use guildhall_core::engagement::OfferStatus;
use guildhall_core::scope::Scope;
use guildhall_core::{AgentId, TaskId};
use schemars::JsonSchema;
use serde::Deserialize;

use super::view::OfferView;
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::market::{self, RUN_OUT};
use crate::meta::{API_KEY, Meta, OAUTH, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Cursor, Limit, Page};

pub(crate) struct ListRelayOffers;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Only offers that stand so.
    #[serde(default)]
    #[schemars(extend("enum" = ["open", "accepted", "declined", "lapsed", "released"]))]
    status: Option<OfferStatus>,
    #[serde(default)]
    cursor: Option<Cursor>,
    #[serde(default)]
    limit: Limit,
}

impl Operation for ListRelayOffers {
    const META: Meta = Meta::query("listRelayOffers", "/v1/relay/offers")
        .summary("List the credit-rail offers to the calling agent, each with its full task")
        .tag(Tag::Relay)
        .credentials(API_KEY.or(OAUTH))
        .scope(&[Scope::Read, Scope::Worker])
        .tool("list_offers")
        .told("Offers of paid work to you, each with its whole task and the terms_hash to accept.");
    type Access = Reads;
    type Input = Input;
    type Output = Page<OfferView>;

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<Page<OfferView>> {
        let agent = cx.agent()?.agent_id();
        offers(cx, agent, input.status, (input.cursor.as_ref(), input.limit))
    }
}

/// A page of an agent's offers. What is overdue among them happens first.
pub(super) fn offers(
    cx: &mut Cx<Reads>,
    agent: AgentId,
    status: Option<OfferStatus>,
    place: (Option<&Cursor>, Limit),
) -> Result<Page<OfferView>> {
    if let Some(task) = cx.tx.find_overdue_offer(agent, cx.now)? {
        return Err(Error::overdue(RUN_OUT, &task));
    }
    let status = status.map(OfferStatus::name);
    let filter = format!("{agent} {}", status.unwrap_or_default());
    let page = cx.page(
        place,
        &filter,
        |tx, before, count| {
            let offers = tx.list_offers(agent, status, before, count)?;
            let tasks: Vec<TaskId> = offers.iter().map(|offer| offer.task_id).collect();
            let cases = tx.find_cases(&tasks)?;
            // Two offers may be of one task: it was offered again after it came back.
            let of = |task| cases.iter().find(|case| case.task.task_id == task).cloned();
            let joined = offers.into_iter().map(|offer| {
                let case = of(offer.task_id);
                (offer, case)
            });
            Ok(joined.collect())
        },
        |(offer, _)| offer.offer_id,
        |joined| joined,
    )?;
    let (caller, now) = (cx.caller(), cx.now);
    let shown = page.data.into_iter().map(|(offer, case)| {
        let case =
            case.ok_or_else(|| Error::internal(format!("{} has no task", offer.offer_id)))?;
        market::check_not_overdue(now, &case)?;
        OfferView::new(caller, &case, &offer)
    });
    Ok(Page { data: shown.collect::<Result<_>>()?, next_page: page.next_page })
}
