//! An engagement: one attempt to have a task done by one agent. It holds the selection, the offer to the agent, the
//! agent's answer and the held pay, which live and end together.

mod lifecycle;

pub use lifecycle::{
    AcceptanceEvent, AcceptanceState, FundingEvent, FundingState, OfferEvent, OfferStatus,
    SelectionEvent, SelectionStatus,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::money::Credits;
use crate::{
    AccountId, AgentId, Code, Entity, FundingId, OfferId, QuoteId, Refusal, SelectionId, Step,
    TaskId, Timestamp,
};

/// Who answered an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnsweredBy {
    /// The agent itself.
    Agent,
    /// Its owner, for it.
    Owner,
}

/// How held pay came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeReason {
    /// The buyer accepted the delivery.
    Accepted,
    /// The buyer said nothing in the review window.
    AutoAccepted,
    /// The worker declined.
    Declined,
    /// The worker did not answer.
    Lapsed,
    /// The buyer took it back before an answer.
    Revoked,
    /// Nothing was delivered in time.
    Undelivered,
    /// The worker gave the task back.
    Surrendered,
    /// The rejection stood.
    Rejected,
    /// A dispute ended.
    Resolved,
}

/// Why a selection ended before the work began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReleaseReason {
    /// The worker declined.
    Declined,
    /// The worker did not answer.
    Lapsed,
    /// The buyer released it, or took the money back.
    BuyerReleased,
    /// It was not funded in time, or the quote ran out.
    Unfunded,
    /// The task was cancelled.
    Cancelled,
}

/// The held pay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Funding {
    /// Where it stands.
    pub state: FundingState,
    /// How it ended.
    pub outcome_reason: Option<OutcomeReason>,
    /// When it was prepared.
    pub created_at: Timestamp,
    /// When it last moved.
    pub updated_at: Timestamp,
    /// When it was held.
    pub held_at: Option<Timestamp>,
}

/// An engagement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engagement {
    /// The selection's id.
    pub selection_id: SelectionId,
    /// The offer's id.
    pub offer_id: OfferId,
    /// The funding's id.
    pub funding_id: FundingId,
    /// The task.
    pub task_id: TaskId,
    /// Which selection of the task it is, counted from one.
    pub version: u32,
    /// The quote that was selected; a hire from a listing has none.
    pub quote_id: Option<QuoteId>,
    /// The agent.
    pub agent_id: AgentId,
    /// The agent's owner, who is paid.
    pub worker_account_id: AccountId,
    /// What the work costs.
    pub price: Credits,
    /// The platform's part of the worker's share.
    pub fee_bps: u16,
    /// The share of the worker when a dispute runs out.
    pub default_share_bps: u16,
    /// The hash of the terms.
    pub terms_hash: String,
    /// Until when the quote stands.
    pub quote_deadline: Option<Timestamp>,
    /// The selection's state.
    pub selection: SelectionStatus,
    /// Why the selection ended.
    pub release_reason: Option<ReleaseReason>,
    /// The offer's state, once there is one.
    pub offer: Option<OfferStatus>,
    /// Who accepted or declined.
    pub answered_by: Option<AnsweredBy>,
    /// The worker's answer.
    pub acceptance: AcceptanceState,
    /// When it was accepted.
    pub accepted_at: Option<Timestamp>,
    /// When it was declined.
    pub declined_at: Option<Timestamp>,
    /// The held pay, once it is prepared.
    pub funding: Option<Funding>,
    /// Until when the worker may accept.
    pub accept_deadline_at: Option<Timestamp>,
    /// Until when the worker may deliver.
    pub deliver_by_at: Option<Timestamp>,
    /// When the selection was made.
    pub created_at: Timestamp,
    /// When anything of it last changed.
    pub updated_at: Timestamp,
    /// How many times it was changed.
    pub revision: i64,
}

impl Entity for Engagement {
    type Id = SelectionId;

    fn id(&self) -> SelectionId {
        self.selection_id
    }

    fn revision(&self) -> i64 {
        self.revision
    }

    fn set_revision(&mut self, revision: i64) {
        self.revision = revision;
    }
}

/// How an offer ended without a yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unaccepted {
    /// The worker, or its owner, said no.
    Declined(AnsweredBy),
    /// Nobody answered.
    Lapsed,
    /// The buyer took the money back.
    Revoked,
}

impl Engagement {
    /// Whether pay is held or about to be.
    #[must_use]
    pub fn is_funding(&self, state: FundingState) -> bool {
        self.funding.as_ref().is_some_and(|funding| funding.state == state)
    }

    /// Prepares the funding; one that is prepared stays as it is.
    pub fn intend(&self, now: Timestamp) -> Step<Self> {
        let fresh = Funding {
            state: FundingState::Intent,
            outcome_reason: None,
            created_at: now,
            updated_at: now,
            held_at: None,
        };
        self.changed(now, |next| next.funding = Some(fresh))
    }

    /// Gives up a funding that was only prepared.
    pub fn void(&self, now: Timestamp) -> Result<Step<Self>, Refusal> {
        let funding = self.funding_after(now, FundingEvent::Voided, None)?;
        Ok(self.changed(now, |next| next.funding = Some(funding)))
    }

    /// Ends the selection before money was held.
    pub(crate) fn release(&self, now: Timestamp, reason: ReleaseReason) -> Step<Self> {
        let funding = self
            .is_funding(FundingState::Intent)
            .then(|| self.funding_after(now, FundingEvent::Voided, None).ok())
            .flatten();
        self.changed(now, |next| {
            next.selection = SelectionStatus::Released;
            next.release_reason = Some(reason);
            if funding.is_some() {
                next.funding = funding;
            }
        })
    }

    /// Holds the pay and opens the offer.
    pub(crate) fn hold(&self, now: Timestamp, accept_by: Timestamp) -> Result<Step<Self>, Refusal> {
        let mut ready = self.clone();
        if !self.is_funding(FundingState::Intent) {
            ready = self.intend(now).into_next();
        }
        let mut funding = ready.funding_after(now, FundingEvent::Held, None)?;
        funding.held_at = Some(now);
        Ok(self.changed(now, |next| {
            next.funding = Some(funding);
            next.offer = Some(OfferStatus::Open);
            next.accept_deadline_at = Some(accept_by);
        }))
    }

    /// The worker says yes.
    pub(crate) fn accept(
        &self,
        now: Timestamp,
        by: AnsweredBy,
        deliver_by: Timestamp,
    ) -> Result<Step<Self>, Refusal> {
        self.check_answerable(by)?;
        Ok(self.changed(now, |next| {
            next.selection = SelectionStatus::Accepted;
            next.offer = Some(OfferStatus::Accepted);
            next.acceptance = AcceptanceState::Accepted;
            next.answered_by = Some(by);
            next.accepted_at = Some(now);
            next.deliver_by_at = Some(deliver_by);
        }))
    }

    /// The offer ends without a yes, and the pay goes back.
    pub(crate) fn decline(&self, now: Timestamp, how: Unaccepted) -> Result<Step<Self>, Refusal> {
        use OutcomeReason as Outcome;
        use ReleaseReason as Release;
        let by = if let Unaccepted::Declined(by) = how { Some(by) } else { None };
        self.check_answerable(by.unwrap_or(AnsweredBy::Agent))?;
        let (offer, acceptance, outcome, release) = match how {
            Unaccepted::Declined(_) => (
                OfferEvent::Declined,
                Some(AcceptanceEvent::Declined),
                Outcome::Declined,
                Release::Declined,
            ),
            Unaccepted::Lapsed => (
                OfferEvent::Lapsed,
                Some(AcceptanceEvent::Lapsed),
                Outcome::Lapsed,
                Release::Lapsed,
            ),
            Unaccepted::Revoked => {
                (OfferEvent::Released, None, Outcome::Revoked, Release::BuyerReleased)
            }
        };
        let funding = self.funding_after(now, FundingEvent::Refunded, Some(outcome))?;
        Ok(self.changed(now, |next| {
            next.selection = SelectionStatus::Released;
            next.release_reason = Some(release);
            next.offer = self.offer.and_then(|status| status.after(offer));
            next.acceptance = acceptance
                .and_then(|event| self.acceptance.after(event))
                .unwrap_or(self.acceptance);
            next.answered_by = by;
            next.declined_at = by.map(|_| now);
            next.funding = Some(funding);
        }))
    }

    /// The time to deliver begins anew.
    pub(crate) fn extend(&self, now: Timestamp, deliver_by: Timestamp) -> Step<Self> {
        self.changed(now, |next| next.deliver_by_at = Some(deliver_by))
    }

    /// The held pay goes where the outcome says.
    pub(crate) fn pay_out(
        &self,
        now: Timestamp,
        event: FundingEvent,
        reason: OutcomeReason,
    ) -> Result<Step<Self>, Refusal> {
        let funding = self.funding_after(now, event, Some(reason))?;
        Ok(self.changed(now, |next| next.funding = Some(funding)))
    }

    /// Refuses an answer to an offer that is not open any more, with the code that says what became of it.
    pub fn check_answerable(&self, by: AnsweredBy) -> Result<(), Refusal> {
        let refuse = |code: Code, reason: &'static str| Err(Refusal::new(code, reason));
        match self.offer {
            Some(OfferStatus::Open) => Ok(()),
            Some(OfferStatus::Accepted)
                if by == AnsweredBy::Agent && self.answered_by == Some(AnsweredBy::Owner) =>
            {
                refuse(Code::OfferAcceptedByOwner, "The agent's owner has accepted the offer.")
            }
            Some(OfferStatus::Accepted) => refuse(Code::Conflict, "The offer has been accepted."),
            Some(OfferStatus::Declined) => {
                refuse(Code::OfferDeclined, "The offer has been declined.")
            }
            Some(OfferStatus::Lapsed) => {
                refuse(Code::OfferLapsed, "The time to accept the offer is over.")
            }
            Some(OfferStatus::Released) | None
                if self.release_reason == Some(ReleaseReason::Cancelled) =>
            {
                refuse(Code::TaskCancelled, "The task was cancelled.")
            }
            Some(OfferStatus::Released) | None => {
                refuse(Code::SelectionReleased, "The selection was released.")
            }
        }
    }

    /// Refuses an answer that quotes other terms.
    pub fn check_quoted(&self, terms_hash: &str, version: u32) -> Result<(), Refusal> {
        if self.terms_hash == terms_hash && self.version == version {
            return Ok(());
        }
        Err(Refusal::new(
            Code::StaleTerms,
            "The offer has another terms_hash or selection_version.",
        ))
    }

    fn funding_after(
        &self,
        now: Timestamp,
        event: FundingEvent,
        reason: Option<OutcomeReason>,
    ) -> Result<Funding, Refusal> {
        let funding = self.funding.as_ref();
        let state = funding.and_then(|funding| funding.state.after(event));
        let (Some(funding), Some(state)) = (funding, state) else {
            let stands = funding.map_or("not prepared", |funding| funding.state.name());
            return Err(Refusal::new(Code::Conflict, format!("The funding is {stands}.")));
        };
        let outcome_reason = reason.or(funding.outcome_reason);
        Ok(Funding { state, outcome_reason, updated_at: now, ..funding.clone() })
    }

    fn changed(&self, now: Timestamp, change: impl FnOnce(&mut Self)) -> Step<Self> {
        let mut next = Self { updated_at: now, ..self.clone() };
        change(&mut next);
        Step::to(self, next)
    }
}
