//! The decisions about the work: deliver, review, dispute, and the rules of silence.

use crate::delivery::{self, Delivery, MAX_VERSIONS};
use crate::engagement::{Engagement, FundingEvent, OutcomeReason, ReleaseReason, Unaccepted};
use crate::ledger::{self, Plan};
use crate::money::Credits;
use crate::task::turn::{Outcome, Side};
use crate::task::{
    Case, Change, DISPUTE_FOR, DISPUTE_WITHIN, Event, MAX_CHANGE_REQUESTS, Status, Turn,
};
use crate::{Code, DeliveryId, Refusal, Timestamp, quote};

impl Case {
    /// A version of the work comes in.
    pub fn deliver(
        &self,
        now: Timestamp,
        delivery_id: DeliveryId,
        digest: String,
    ) -> Result<Turn, Refusal> {
        let engagement = self.engaged()?;
        let review_by = now.after(self.task.brief.review_window.span());
        let mut turn =
            self.turn(now, Event::Delivered, Some(review_by), |task| task.deliveries += 1)?;
        if engagement.deliver_by_at.is_some_and(|deliver_by| deliver_by <= now) {
            return Err(Refusal::new(Code::DeliveryWindowClosed, "The time to deliver is over."));
        }
        self.check_new(&digest)?;
        turn.superseded = match &self.delivery {
            Some(last) if last.status == delivery::Status::Submitted => {
                Some(last.step(now, delivery::Event::Superseded, None)?)
            }
            _ => None,
        };
        turn.delivery = Some(Change::New(Delivery {
            delivery_id,
            task_id: self.task.task_id,
            agent_id: engagement.agent_id,
            version: turn.task.next().deliveries,
            status: delivery::Status::Submitted,
            digest,
            notes: None,
            created_at: now,
            updated_at: now,
            revision: 0,
        }));
        Ok(turn.telling(Side::Buyer, "delivery.received"))
    }

    fn check_new(&self, digest: &str) -> Result<(), Refusal> {
        if self.delivery.as_ref().is_some_and(|last| last.digest == digest) {
            return Err(Refusal::new(
                Code::DeliveryAlreadyRecorded,
                "The newest delivery has this digest.",
            ));
        }
        if self.task.deliveries >= MAX_VERSIONS {
            return Err(Refusal::new(
                Code::VersionLimit,
                format!("A task takes {MAX_VERSIONS} versions."),
            )
            .suggest("Wait for the buyer's review."));
        }
        Ok(())
    }

    /// The buyer wants the newest delivery changed; the time to deliver begins anew.
    pub fn request_changes(
        &self,
        now: Timestamp,
        (delivery_id, digest): (DeliveryId, &str),
        notes: &str,
    ) -> Result<Turn, Refusal> {
        let deliver_by = now.after(self.task.brief.delivery_window.span());
        let turn = self.turn(now, Event::ChangesAsked, Some(deliver_by), |task| {
            task.change_requests += 1;
        })?;
        let last = self.quoted(delivery_id, digest)?;
        if self.task.change_requests >= MAX_CHANGE_REQUESTS {
            return Err(Refusal::new(
                Code::ChangeRequestLimit,
                format!("Changes were requested {MAX_CHANGE_REQUESTS} times."),
            ));
        }
        let step = last.step(now, delivery::Event::ChangesAsked, Some(notes))?;
        let engagement = self.engaged()?.extend(now, deliver_by);
        let mut turn =
            turn.engaging(engagement).telling(Side::Worker, "delivery.changes_requested");
        turn.delivery = Some(Change::Moved(step));
        Ok(turn)
    }

    /// The buyer refuses the newest delivery.
    pub fn reject(
        &self,
        now: Timestamp,
        (delivery_id, digest): (DeliveryId, &str),
        reason: &str,
    ) -> Result<Turn, Refusal> {
        self.check_rejectable()?;
        let mut turn = self.turn(now, Event::Rejected, Some(now.after(DISPUTE_WITHIN)), |_| ())?;
        let last = self.quoted(delivery_id, digest)?;
        let step = last.step(now, delivery::Event::Rejected, Some(reason))?;
        turn.delivery = Some(Change::Moved(step));
        Ok(turn.telling(Side::Worker, "delivery.rejected"))
    }

    /// Silence has accepted: that is told by its own code.
    fn check_rejectable(&self) -> Result<(), Refusal> {
        let reason = self.engagement.as_ref().and_then(|engagement| engagement.funding.as_ref());
        let silent = reason
            .is_some_and(|funding| funding.outcome_reason == Some(OutcomeReason::AutoAccepted));
        if self.task.status == Status::Completed && silent {
            return Err(Refusal::new(Code::RejectWindowClosed, "The time to reject is over."));
        }
        Ok(())
    }

    /// The buyer accepts the newest delivery, after all or at once.
    pub fn approve(
        &self,
        now: Timestamp,
        (delivery_id, digest): (DeliveryId, &str),
    ) -> Result<Turn, Refusal> {
        let turn = self.turn(now, Event::Approved, None, |_| ())?;
        self.quoted(delivery_id, digest)?;
        Ok(self.closing_dispute(self.pay(now, turn, OutcomeReason::Accepted)?))
    }

    /// Every check passed, and the buyer had said that this is enough; or the review window passed in silence.
    pub fn approve_by_rule(&self, now: Timestamp) -> Result<Turn, Refusal> {
        let turn = self.turn(now, Event::AutoApproved, None, |_| ())?;
        self.pay(now, turn, OutcomeReason::AutoAccepted)
    }

    fn pay(&self, now: Timestamp, turn: Turn, reason: OutcomeReason) -> Result<Turn, Refusal> {
        let engagement = self.engaged()?;
        let price = engagement.price;
        let fee = ledger::fee(price, engagement.fee_bps);
        let release = self.release_pay(engagement, price, fee);
        let mut turn = turn
            .engaging(engagement.pay_out(now, FundingEvent::Released, reason)?)
            .quoting(quote::Event::Fulfilled)
            .moving(release)
            .moving(self.unreserve(price))
            .ending(Outcome { paid: price, fee, reason: Some(reason) })
            .telling(Side::Worker, "delivery.accepted")
            .telling(Side::Worker, "payment.released");
        turn.delivery = match &self.delivery {
            Some(last) => Some(Change::Moved(last.step(now, delivery::Event::Accepted, None)?)),
            None => None,
        };
        Ok(turn)
    }

    /// Pay leaves escrow for the worker's owner, in the worker's own statement.
    fn release_pay(&self, engagement: &Engagement, share: Credits, fee: Credits) -> Plan {
        Plan::release(engagement.funding_id, engagement.worker_account_id, share, fee)
            .about(Some(engagement.agent_id), Some(self.task.task_id))
    }

    /// The worker gives the task back.
    pub fn surrender(&self, now: Timestamp) -> Result<Turn, Refusal> {
        let turn = self.turn(now, Event::Surrendered, None, |_| ())?;
        Ok(self.closing_dispute(self.give_back(now, turn, OutcomeReason::Surrendered)?))
    }

    /// A turn that ends a disputed task ends the dispute, and both sides hear of that.
    fn closing_dispute(&self, turn: Turn) -> Turn {
        if self.task.status != Status::Disputed {
            return turn;
        }
        turn.telling(Side::Worker, "dispute.closed").telling(Side::Buyer, "dispute.closed")
    }

    fn give_back(
        &self,
        now: Timestamp,
        turn: Turn,
        reason: OutcomeReason,
    ) -> Result<Turn, Refusal> {
        let engagement = self.engaged()?;
        let nothing = Credits::ZERO;
        let back = Plan::refund(engagement.funding_id, self.purse(), engagement.price);
        Ok(turn
            .engaging(engagement.pay_out(now, FundingEvent::Refunded, reason)?)
            .quoting(quote::Event::Unfulfilled)
            .moving(back)
            .moving(self.unreserve(nothing))
            .ending(Outcome { paid: nothing, fee: nothing, reason: Some(reason) })
            .telling(Side::Buyer, "payment.refunded")
            .telling(Side::Worker, "payment.refunded"))
    }

    /// The worker disputes the rejection.
    pub fn dispute(&self, now: Timestamp) -> Result<Turn, Refusal> {
        let turn = self.turn(now, Event::Disputed, Some(now.after(DISPUTE_FOR)), |_| ())?;
        Ok(turn.telling(Side::Buyer, "dispute.opened"))
    }

    /// The dispute ends with a share for the worker.
    pub fn resolve(&self, now: Timestamp, worker_share_bps: u16) -> Result<Turn, Refusal> {
        let engagement = self.engaged()?;
        let (share, rest) = ledger::split(engagement.price, worker_share_bps);
        let unpaid = share == Credits::ZERO;
        let event = if unpaid { Event::Voided } else { Event::Shared };
        let turn = self.turn(now, event, None, |_| ())?;
        let fee = ledger::fee(share, engagement.fee_bps);
        let funding = engagement.funding_id;
        let quote = if unpaid { quote::Event::Unfulfilled } else { quote::Event::Fulfilled };
        let turn = turn
            .engaging(engagement.pay_out(now, FundingEvent::Split, OutcomeReason::Resolved)?)
            .quoting(quote)
            .moving(self.release_pay(engagement, share, fee))
            .moving(Plan::refund(funding, self.purse(), rest))
            .moving(self.unreserve(share))
            .ending(Outcome { paid: share, fee, reason: Some(OutcomeReason::Resolved) });
        Ok(self.closing_dispute(turn))
    }

    /// What time alone does to the task, if its time has come.
    #[must_use]
    pub fn run_out(&self, now: Timestamp) -> Option<Result<Turn, Refusal>> {
        if !self.task.is_overdue(now) {
            return None;
        }
        let refund = |event, reason| {
            let turn = self.turn(now, event, None, |_| ())?;
            self.give_back(now, turn, reason)
        };
        match self.task.status {
            Status::Draft => Some(self.end_unfunded(now, Event::Abandoned)),
            Status::Open => Some(self.end_unfunded(now, Event::Aged)),
            Status::Selected => Some(self.release(now, ReleaseReason::Unfunded)),
            Status::Funded => Some(self.decline(now, Unaccepted::Lapsed)),
            Status::InProgress | Status::ChangesRequested => {
                Some(refund(Event::Undelivered, OutcomeReason::Undelivered))
            }
            Status::UnderReview => Some(self.approve_by_rule(now)),
            Status::Rejected => Some(refund(Event::Conceded, OutcomeReason::Rejected)),
            Status::Disputed => Some(self.default_share(now)),
            Status::Completed | Status::Refunded | Status::Cancelled => None,
        }
    }

    fn default_share(&self, now: Timestamp) -> Result<Turn, Refusal> {
        let bps =
            self.engagement.as_ref().map(|engagement: &Engagement| engagement.default_share_bps);
        self.resolve(now, bps.unwrap_or(super::DEFAULT_SHARE_BPS))
    }

    fn quoted(&self, delivery_id: DeliveryId, digest: &str) -> Result<&Delivery, Refusal> {
        let newest = self
            .delivery
            .as_ref()
            .ok_or_else(|| Refusal::new(Code::NotUnderReview, "Nothing was delivered."))?;
        newest.check_quoted(delivery_id, digest)?;
        Ok(newest)
    }
}
