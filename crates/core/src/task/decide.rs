//! The decisions before the work: open, select, fund, answer, cancel.

use crate::engagement::{
    AcceptanceState, AnsweredBy, Engagement, ReleaseReason, SelectionStatus, Unaccepted,
};
use crate::ledger::Plan;
use crate::money::Credits;
use crate::task::turn::{Outcome, Side};
use crate::task::{
    Case, Change, DEFAULT_SHARE_BPS, Event, FUND_WITHIN, OPEN_FOR, Status, Terms, Turn,
};
use crate::{
    AccountId, AgentId, Code, FundingId, OfferId, QuoteId, Refusal, SelectionId, Timestamp, quote,
};

/// Whom the buyer chose, and on which terms.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The new selection's id.
    pub selection_id: SelectionId,
    /// The offer's id.
    pub offer_id: OfferId,
    /// The funding's id.
    pub funding_id: FundingId,
    /// The quote, unless it is a hire from a listing.
    pub quote_id: Option<QuoteId>,
    /// The agent.
    pub agent_id: AgentId,
    /// Its owner.
    pub worker_account_id: AccountId,
    /// What it costs.
    pub price: Credits,
    /// The platform's part of the worker's share.
    pub fee_bps: u16,
    /// Until when the quote stands.
    pub quote_deadline: Option<Timestamp>,
    /// The terms.
    pub terms: Terms,
}

impl Case {
    /// The buyer sealed the task.
    pub fn open(&self, now: Timestamp, wallet: Option<String>) -> Result<Turn, Refusal> {
        self.turn(now, Event::Opened, Some(now.after(OPEN_FOR)), |task| task.buyer_wallet = wallet)
    }

    /// The buyer chose an agent.
    pub fn select(&self, now: Timestamp, choice: Choice) -> Result<Turn, Refusal> {
        if choice.price > self.task.brief.budget {
            return Err(Refusal::new(
                Code::InvalidTaskTerms,
                format!(
                    "The price {} is above the budget {}.",
                    choice.price, self.task.brief.budget
                ),
            )
            .suggest("Select a quote within the budget, or post a task with a larger one."));
        }
        let fund_by = now.after(FUND_WITHIN);
        let due = choice.quote_deadline.map_or(fund_by, |deadline| deadline.min(fund_by));
        let mut turn = self.turn(now, Event::Selected, Some(due), |task| task.selections += 1)?;
        turn.terms = Some(choice.terms.document.clone());
        let engagement = engage(self.task.task_id, turn.task.next().selections, now, choice);
        turn.engagement = Some(Change::New(engagement));
        Ok(turn.quoting(quote::Event::Selected).telling(Side::Worker, "selection.made"))
    }

    /// The selection ends before any money is held.
    pub fn release(&self, now: Timestamp, reason: ReleaseReason) -> Result<Turn, Refusal> {
        let turn = self.turn(now, Event::Released, Some(self.open_until(now)), |_| ())?;
        let engagement = self.engaged()?;
        let expired = engagement.quote_deadline.is_some_and(|deadline| deadline <= now);
        let quote = if expired { quote::Event::Expired } else { quote::Event::Released };
        Ok(turn
            .engaging(engagement.release(now, reason))
            .quoting(quote)
            .telling(Side::Worker, "selection.released"))
    }

    /// The pay is held, and the agent is asked.
    pub fn fund(&self, now: Timestamp) -> Result<Turn, Refusal> {
        let accept_by = now.after(self.task.brief.accept_window.span());
        let turn = self.turn(now, Event::Funded, Some(accept_by), |_| ())?;
        let engagement = self.engaged()?;
        let held = engagement.hold(now, accept_by)?;
        Ok(turn
            .engaging(held)
            .moving(Plan::hold(self.purse(), engagement.funding_id, engagement.price))
            .telling(Side::Worker, "task.funded")
            .telling(Side::Worker, "offer.opened"))
    }

    /// The worker, or its owner, says yes to exactly these terms.
    pub fn accept_offer(
        &self,
        now: Timestamp,
        by: AnsweredBy,
        (terms_hash, version): (&str, u32),
    ) -> Result<Turn, Refusal> {
        let engagement = self.engaged()?;
        engagement.check_answerable(by)?;
        engagement.check_quoted(terms_hash, version)?;
        let deliver_by = now.after(self.task.brief.delivery_window.span());
        let mut turn = self.turn(now, Event::WorkerAccepted, Some(deliver_by), |_| ())?;
        turn.declines_quotes = true;
        Ok(turn
            .engaging(engagement.accept(now, by, deliver_by)?)
            .telling(Side::Buyer, "offer.accepted"))
    }

    /// The offer ends without a yes; the task is open again and the pay back where it came from.
    pub fn decline(&self, now: Timestamp, how: Unaccepted) -> Result<Turn, Refusal> {
        let engagement = self.engaged()?;
        let declined = engagement.decline(now, how)?;
        let event = match how {
            Unaccepted::Declined(_) => Event::WorkerDeclined,
            Unaccepted::Lapsed => Event::OfferLapsed,
            Unaccepted::Revoked => Event::Revoked,
        };
        let back = Plan::refund(engagement.funding_id, self.purse(), engagement.price);
        let turn = self
            .turn(now, event, Some(self.open_until(now)), |_| ())?
            .engaging(declined)
            .moving(back)
            .telling(Side::Buyer, "payment.refunded");
        Ok(match how {
            Unaccepted::Declined(_) => {
                turn.quoting(quote::Event::Declined).telling(Side::Buyer, "offer.declined")
            }
            Unaccepted::Lapsed => turn
                .quoting(quote::Event::Lapsed)
                .telling(Side::Worker, "offer.lapsed")
                .telling(Side::Buyer, "offer.lapsed"),
            Unaccepted::Revoked => {
                turn.quoting(quote::Event::Released).telling(Side::Worker, "offer.released")
            }
        })
    }

    /// The buyer gives the task up before money was held.
    pub fn cancel(&self, now: Timestamp) -> Result<Turn, Refusal> {
        self.end_unfunded(now, Event::Cancelled)
    }

    /// The task ends before any money was held; what was reserved for it is free again.
    pub(super) fn end_unfunded(&self, now: Timestamp, event: Event) -> Result<Turn, Refusal> {
        let mut turn = self.turn(now, event, None, |_| ())?;
        turn.declines_quotes = true;
        if self.task.status == Status::Selected {
            let released = self.engaged()?.release(now, ReleaseReason::Cancelled);
            turn = turn
                .engaging(released)
                .quoting(quote::Event::Declined)
                .telling(Side::Worker, "task.cancelled");
        }
        let outcome = Outcome { paid: Credits::ZERO, fee: Credits::ZERO, reason: None };
        Ok(turn.moving(self.unreserve(Credits::ZERO)).ending(outcome))
    }

    /// An open task waits from its making, however often a selection came to nothing; at least a day is left.
    fn open_until(&self, now: Timestamp) -> Timestamp {
        self.task.created_at.after(OPEN_FOR).max(now.after(FUND_WITHIN))
    }
}

fn engage(task_id: crate::TaskId, version: u32, now: Timestamp, choice: Choice) -> Engagement {
    Engagement {
        selection_id: choice.selection_id,
        offer_id: choice.offer_id,
        funding_id: choice.funding_id,
        task_id,
        version,
        quote_id: choice.quote_id,
        agent_id: choice.agent_id,
        worker_account_id: choice.worker_account_id,
        price: choice.price,
        fee_bps: choice.fee_bps,
        default_share_bps: DEFAULT_SHARE_BPS,
        terms_hash: choice.terms.hash,
        quote_deadline: choice.quote_deadline,
        selection: SelectionStatus::Active,
        release_reason: None,
        offer: None,
        answered_by: None,
        acceptance: AcceptanceState::Waiting,
        accepted_at: None,
        declined_at: None,
        funding: None,
        accept_deadline_at: None,
        deliver_by_at: None,
        created_at: now,
        updated_at: now,
        revision: 0,
    }
}
