//! The four small lifecycles of an engagement.

use crate::lifecycle::lifecycle;

lifecycle! {
    "Selection"
    /// Where a selection stands.
    pub enum SelectionStatus {
        /// In force.
        Active "active",
        /// The worker has accepted.
        Accepted "accepted",
        /// Ended before the work began.
        Released "released",
    }
    /// What can happen to a selection.
    pub enum SelectionEvent {
        /// The worker accepted.
        Accepted "worker accepts",
        /// The worker declined or did not answer, the buyer let go, or the task was cancelled.
        Released "declined, lapsed, released or cancelled",
    }
    moves {
        Active, Accepted => Accepted;
        Active, Released => Released;
    }
}

lifecycle! {
    "Offer"
    /// Where an offer stands.
    pub enum OfferStatus {
        /// Waiting for an answer.
        Open "open",
        /// Accepted by the agent or its owner.
        Accepted "accepted",
        /// Declined by the agent or its owner.
        Declined "declined",
        /// Not answered in time.
        Lapsed "lapsed",
        /// Taken back by the buyer.
        Released "released",
    }
    /// What can happen to an offer.
    pub enum OfferEvent {
        /// A yes.
        Accepted "accepted",
        /// A no.
        Declined "declined",
        /// The accept window passed.
        Lapsed "accept window passes",
        /// The buyer took the money back.
        Released "buyer revokes",
    }
    moves {
        Open, Accepted => Accepted;
        Open, Declined => Declined;
        Open, Lapsed => Lapsed;
        Open, Released => Released;
    }
}

lifecycle! {
    "Worker acceptance"
    /// Where the worker's answer stands.
    pub enum AcceptanceState {
        /// None yet.
        Waiting "waiting",
        /// Yes.
        Accepted "accepted",
        /// No.
        Declined "declined",
        /// None in time.
        Lapsed "lapsed",
    }
    /// What can happen to the worker's answer.
    pub enum AcceptanceEvent {
        /// A yes.
        Accepted "accepted",
        /// A no.
        Declined "declined",
        /// The accept window passed.
        Lapsed "accept window passes",
    }
    moves {
        Waiting, Accepted => Accepted;
        Waiting, Declined => Declined;
        Waiting, Lapsed => Lapsed;
    }
}

lifecycle! {
    "Credit funding"
    /// Where held pay stands.
    pub enum FundingState {
        /// Prepared; nothing is held.
        Intent "intent",
        /// In escrow.
        Held "held",
        /// Given up before anything was held.
        Void "void",
        /// Paid to the worker's owner.
        Released "released",
        /// Back where it came from.
        Refunded "refunded",
        /// Shared between the parties.
        Split "split",
    }
    /// What can happen to held pay.
    pub enum FundingEvent {
        /// The action was sealed, or an agent-buyer acted inside its reservation.
        Held "sealed, or inside a reservation",
        /// The action ran out or was cancelled, the selection was released, or the task was cancelled.
        Voided "action expired or cancelled, selection released, task cancelled",
        /// The delivery was accepted, by a word or by silence.
        Released "delivery accepted",
        /// The work will not be done, or was not.
        Refunded "declined, lapsed, revoked, undelivered, surrendered or rejected",
        /// A dispute ended.
        Split "settled, ruled or default share",
    }
    moves {
        Intent, Held => Held;
        Intent, Voided => Void;
        Held, Released => Released;
        Held, Refunded => Refunded;
        Held, Split => Split;
    }
}
