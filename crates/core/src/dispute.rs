//! A dispute: the worker does not take a rejection, and the parties settle, or an arbiter rules.

use crate::lifecycle::lifecycle;
use crate::task::{DISPUTE_FOR, NO_RULING_FOR, Side};
use crate::{AccountId, Code, DisputeId, Entity, Refusal, Step, TaskId, Timestamp};

/// How many items of evidence a party may add.
pub const MAX_EVIDENCE: usize = 20;
/// All of the price.
pub const WHOLE_BPS: u16 = 10_000;

lifecycle! {
    "Dispute"
    /// Where a dispute stands.
    pub enum Status {
        /// Under way.
        Open "open",
        /// The parties agreed on a share.
        Settled "settled",
        /// An arbiter ruled.
        Ruled "ruled",
        /// The worker gave the task back.
        Surrendered "surrendered",
        /// The buyer accepted the delivery after all.
        Released "released",
        /// Its time ran out; the default share was paid.
        Defaulted "defaulted",
    }
    /// What can happen to a dispute.
    pub enum Event {
        /// One side accepted the other's offer.
        Settled "other side accepts an offer",
        /// An arbiter ruled.
        Ruled "arbiter rules",
        /// The worker gave the task back.
        Surrendered "worker surrenders",
        /// The buyer accepted the delivery.
        Released "buyer accepts after all",
        /// Its time ran out.
        Defaulted "14 days pass",
    }
    moves {
        Open, Settled => Settled;
        Open, Ruled => Ruled;
        Open, Surrendered => Surrendered;
        Open, Released => Released;
        Open, Defaulted => Defaulted;
    }
}

/// A dispute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispute {
    /// Its id.
    pub dispute_id: DisputeId,
    /// The task.
    pub task_id: TaskId,
    /// Where it stands.
    pub status: Status,
    /// What the worker says.
    pub statement: String,
    /// The share the worker offers to take, in basis points of the price.
    pub worker_offer_bps: u16,
    /// The share the buyer offers to give.
    pub buyer_offer_bps: Option<u16>,
    /// The share it ended with.
    pub share_bps: Option<u16>,
    /// Who ruled.
    pub ruled_by: Option<AccountId>,
    /// Why.
    pub reasons: Option<String>,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When it ends by itself.
    pub closes_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// How many times it was changed.
    pub revision: i64,
}

impl Entity for Dispute {
    type Id = DisputeId;

    fn id(&self) -> DisputeId {
        self.dispute_id
    }

    fn revision(&self) -> i64 {
        self.revision
    }

    fn set_revision(&mut self, revision: i64) {
        self.revision = revision;
    }
}

impl Dispute {
    /// A dispute that the worker opens.
    #[must_use]
    pub fn open(
        now: Timestamp,
        dispute_id: DisputeId,
        task_id: TaskId,
        worker_offer_bps: u16,
        statement: String,
    ) -> Self {
        Self {
            dispute_id,
            task_id,
            status: Status::Open,
            statement,
            worker_offer_bps,
            buyer_offer_bps: None,
            share_bps: None,
            ruled_by: None,
            reasons: None,
            created_at: now,
            closes_at: now.after(DISPUTE_FOR),
            updated_at: now,
            revision: 0,
        }
    }

    /// One side replaces its own offer.
    pub fn offer(&self, now: Timestamp, side: Side, share_bps: u16) -> Result<Step<Self>, Refusal> {
        self.check_open()?;
        let mut next = Self { updated_at: now, ..self.clone() };
        match side {
            Side::Worker => next.worker_offer_bps = share_bps,
            Side::Buyer => next.buyer_offer_bps = Some(share_bps),
        }
        Ok(Step::to(self, next))
    }

    /// One side adds evidence to what it has given.
    pub fn add_evidence(&self, now: Timestamp, given: usize) -> Result<Step<Self>, Refusal> {
        self.check_open()?;
        if given >= MAX_EVIDENCE {
            return Err(Refusal::new(
                Code::Conflict,
                format!("Each side may give {MAX_EVIDENCE} items of evidence, and yours has."),
            ));
        }
        Ok(Step::to(self, Self { updated_at: now, ..self.clone() }))
    }

    /// One side accepts the other's latest offer, which it quotes.
    pub fn accept(
        &self,
        now: Timestamp,
        side: Side,
        share_bps: u16,
    ) -> Result<Step<Self>, Refusal> {
        self.check_open()?;
        let offered = match side {
            Side::Worker => self.buyer_offer_bps,
            Side::Buyer => Some(self.worker_offer_bps),
        };
        if offered != Some(share_bps) {
            let latest =
                offered.map_or("has made none".to_owned(), |bps| format!("is {bps} basis points"));
            return Err(Refusal::new(
                Code::Conflict,
                format!("The other side's latest offer {latest}."),
            )
            .suggest("Read the dispute and quote the offer that it shows."));
        }
        self.close(now, Event::Settled, Some(share_bps))
    }

    /// An arbiter rules, after the first day.
    pub fn rule(
        &self,
        now: Timestamp,
        arbiter: AccountId,
        share_bps: u16,
        reasons: String,
    ) -> Result<Step<Self>, Refusal> {
        self.check_open()?;
        let from = self.created_at.after(NO_RULING_FOR);
        if now < from {
            return Err(Refusal::new(
                Code::Conflict,
                format!("No ruling is made before {from}: the parties come first."),
            )
            .suggest("Rule after that instant."));
        }
        let closed = self.close(now, Event::Ruled, Some(share_bps))?.into_next();
        let ruled = Self { ruled_by: Some(arbiter), reasons: Some(reasons), ..closed };
        Ok(Step::to(self, ruled))
    }

    /// The dispute ends.
    pub fn close(
        &self,
        now: Timestamp,
        event: Event,
        share_bps: Option<u16>,
    ) -> Result<Step<Self>, Refusal> {
        let status = self.status.after(event).ok_or_else(|| self.closed())?;
        Ok(Step::to(self, Self { status, share_bps, updated_at: now, ..self.clone() }))
    }

    /// Refuses if the dispute is over.
    pub fn check_open(&self) -> Result<(), Refusal> {
        if self.status == Status::Open { Ok(()) } else { Err(self.closed()) }
    }

    fn closed(&self) -> Refusal {
        Refusal::new(Code::Conflict, format!("The dispute is {}.", self.status.name()))
            .suggest("Read it with getDispute.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dispute() -> Dispute {
        let now = Timestamp::from_millis(1_700_000_000_000);
        let (dispute_id, task_id) = (DisputeId::new(now, 0, 1), TaskId::new(now, 0, 2));
        Dispute::open(now, dispute_id, task_id, 7_000, "It is done.".to_owned())
    }

    #[test]
    fn a_side_accepts_the_other_sides_latest_offer_and_no_other() {
        let dispute = dispute();
        let now = dispute.created_at;
        assert_eq!(dispute.accept(now, Side::Worker, 7_000).unwrap_err().code, Code::Conflict);
        assert_eq!(dispute.accept(now, Side::Buyer, 6_999).unwrap_err().code, Code::Conflict);
        let dispute = dispute.offer(now, Side::Worker, 6_000).unwrap().into_next();
        assert_eq!(dispute.accept(now, Side::Buyer, 7_000).unwrap_err().code, Code::Conflict);
        let settled = dispute.accept(now, Side::Buyer, 6_000).unwrap().into_next();
        assert_eq!((settled.status, settled.share_bps), (Status::Settled, Some(6_000)));
    }

    #[test]
    fn nobody_rules_in_the_first_day() {
        let dispute = dispute();
        let arbiter = AccountId::new(dispute.created_at, 0, 3);
        let rule = |at| dispute.rule(at, arbiter, 2_500, "Half was done.".to_owned());
        let first = dispute.created_at.after(NO_RULING_FOR);
        let early = Timestamp::from_millis(first.millis() - 1);
        assert_eq!(rule(early).unwrap_err().code, Code::Conflict);
        let ruled = rule(first).unwrap().into_next();
        assert_eq!((ruled.status, ruled.share_bps), (Status::Ruled, Some(2_500)));
        assert_eq!(
            (ruled.ruled_by, ruled.reasons.as_deref()),
            (Some(arbiter), Some("Half was done."))
        );
    }

    #[test]
    fn a_side_gives_a_bounded_number_of_items() {
        let dispute = dispute();
        let now = dispute.created_at.after(NO_RULING_FOR);
        let next = dispute.add_evidence(now, MAX_EVIDENCE - 1).unwrap().into_next();
        assert_eq!((next.updated_at, next.status), (now, Status::Open));
        let refusal = dispute.add_evidence(now, MAX_EVIDENCE).unwrap_err();
        assert_eq!(refusal.code, Code::Conflict);
        assert!(refusal.reason.contains("20"), "{}", refusal.reason);
    }

    #[test]
    fn what_is_over_stays_as_it_is() {
        let dispute = dispute();
        let (now, arbiter) = (dispute.closes_at, AccountId::new(dispute.created_at, 0, 3));
        let over = dispute.close(now, Event::Defaulted, Some(5_000)).unwrap().into_next();
        assert_eq!(over.offer(now, Side::Buyer, 1).unwrap_err().code, Code::Conflict);
        assert_eq!(over.accept(now, Side::Buyer, 7_000).unwrap_err().code, Code::Conflict);
        assert_eq!(over.rule(now, arbiter, 1, String::new()).unwrap_err().code, Code::Conflict);
        assert_eq!(over.add_evidence(now, 0).unwrap_err().code, Code::Conflict);
        assert_eq!(over.close(now, Event::Released, None).unwrap_err().code, Code::Conflict);
    }
}
