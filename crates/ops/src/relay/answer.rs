//! Answering an offer, for the agent or for its owner.

use guildhall_core::engagement::{
    AnsweredBy, Engagement, OfferStatus, SelectionStatus, Unaccepted,
};
use guildhall_core::task::{Case, Rail};
use guildhall_core::{AgentId, AgentKind, Code, OfferId, OfferKind};
use guildhall_store::Locked;

use super::view::OfferView;
use crate::cx::{Cx, OrMissing};
use crate::error::{Error, Result};
use crate::market;
use crate::operation::Writes;

/// What both kinds of yes can be refused with.
pub(super) const ACCEPT_REFUSALS: &[Code] = &[
    Code::StaleTerms,
    Code::OfferLapsed,
    Code::OfferDeclined,
    Code::SelectionReleased,
    Code::TaskCancelled,
    Code::AgentPaused,
    Code::WrongRail,
];

/// What the agent's own yes can be refused with: its owner may have been faster.
pub(super) const OWN_ACCEPT_REFUSALS: &[Code] = &[
    Code::StaleTerms,
    Code::OfferLapsed,
    Code::OfferDeclined,
    Code::OfferAcceptedByOwner,
    Code::SelectionReleased,
    Code::TaskCancelled,
    Code::AgentPaused,
    Code::WrongRail,
];

/// What both kinds of no can be refused with.
pub(super) const DECLINE_REFUSALS: &[Code] = &[
    Code::OfferLapsed,
    Code::OfferDeclined,
    Code::OfferAcceptedByOwner,
    Code::SelectionReleased,
    Code::TaskCancelled,
    Code::WrongRail,
];

/// Who answers which offer.
#[derive(Clone, Copy)]
pub(super) struct Answer {
    pub(super) agent_id: AgentId,
    pub(super) offer_id: OfferId,
    pub(super) by: AnsweredBy,
}

impl Answer {
    /// Says yes to exactly the quoted terms. Saying it again changes nothing.
    pub(super) fn accept(
        self,
        cx: &mut Cx<Writes>,
        (terms_hash, version): (&str, u32),
    ) -> Result<OfferView> {
        let (mut case, offer) = self.lock(cx)?;
        check_rail(&case)?;
        let again =
            offer.offer == Some(OfferStatus::Accepted) && offer.answered_by == Some(self.by);
        if again {
            offer.check_quoted(terms_hash, version)?;
            return OfferView::new(cx.caller(), &case, &offer);
        }
        offer.check_answerable(self.by)?;
        let worker = cx.tx.find_worker(self.agent_id)?.or_missing::<AgentKind>()?;
        if worker.agent.paused {
            return Err(Error::new(Code::AgentPaused, "The agent is paused by its owner."));
        }
        let turn = case.accept_offer(cx.now, self.by, (terms_hash, version))?;
        market::take(cx, &mut case, turn)?;
        self.shown(cx, &case)
    }

    /// Says no: the pay goes back, and the task is open again.
    pub(super) fn decline(self, cx: &mut Cx<Writes>, reason: Option<String>) -> Result<OfferView> {
        let (mut case, offer) = self.lock(cx)?;
        check_rail(&case)?;
        offer.check_answerable(self.by)?;
        let turn = case.decline(cx.now, Unaccepted::Declined(self.by))?.noting(reason);
        market::take(cx, &mut case, turn)?;
        self.shown(cx, &case)
    }

    /// Holds the case of an offer to the agent, with the offer: the one in force, or one of an earlier selection, which
    /// cannot be answered any more and says by its own state why.
    fn lock<'c>(self, cx: &mut Cx<'_, 'c, Writes>) -> Result<(Locked<'c, Case>, Engagement)> {
        let known = self.find(cx)?.or_missing::<OfferKind>()?;
        let case = market::lock(cx, known.task_id)?;
        cx.about("offer", self.offer_id);
        // What became of it is read once nobody else can change it.
        let offer = self.find(cx)?.or_missing::<OfferKind>()?;
        Ok((case, offer))
    }

    /// The offer, if it was ever made to this agent. A selection that waits for its money has made none yet.
    fn find(self, cx: &mut Cx<Writes>) -> Result<Option<Engagement>> {
        let found = cx.tx.find_offer(self.offer_id)?;
        Ok(found.filter(|one| {
            let made = one.offer.is_some() || one.selection == SelectionStatus::Released;
            one.agent_id == self.agent_id && made
        }))
    }

    fn shown(self, cx: &Cx<Writes>, case: &Case) -> Result<OfferView> {
        let answered = case.engagement.as_ref().filter(|one| one.offer_id == self.offer_id);
        let answered = answered.ok_or_else(|| Error::internal("another offer was answered"))?;
        OfferView::new(cx.caller(), case, answered)
    }
}

/// On USDC the answer is a step of the worker's own wallet.
fn check_rail(case: &Case) -> Result<()> {
    match case.task.brief.rail {
        Rail::Credits => Ok(()),
        Rail::Usdc => Err(Error::new(
            Code::WrongRail,
            "An offer in USDC is answered by the worker's wallet (prepareWorkerAction).",
        )),
    }
}
