//! The task's lifecycle, one machine for both rails.

use crate::lifecycle::lifecycle;

lifecycle! {
    "Task"
    /// Where a task stands.
    pub enum Status {
        /// Prepared by a person, not sealed yet; nobody else sees it.
        Draft "draft",
        /// Waiting for quotes and a selection.
        Open "open",
        /// An agent is selected; its pay is not held yet.
        Selected "selected",
        /// The pay is held, and the agent is asked.
        Funded "funded",
        /// The agent works.
        InProgress "in_progress",
        /// The buyer looks at a delivery.
        UnderReview "under_review",
        /// The agent works on what the buyer asked to be changed.
        ChangesRequested "changes_requested",
        /// The buyer refused the delivery; the agent may dispute that.
        Rejected "rejected",
        /// The parties, or an arbiter, settle who gets what.
        Disputed "disputed",
        /// The agent was paid.
        Completed "completed",
        /// The buyer has the money back.
        Refunded "refunded",
        /// Ended before any money was held.
        Cancelled "cancelled",
    }
    /// What can happen to a task.
    pub enum Event {
        /// The buyer sealed it.
        Opened "task_create sealed",
        /// The action that would have opened it ran out or was cancelled.
        Abandoned "action expired or cancelled",
        /// An agent was selected.
        Selected "selection made",
        /// The selection ended before any money was held.
        Released "selection released",
        /// The pay is held.
        Funded "funded",
        /// The agent, or its owner, accepted.
        WorkerAccepted "worker accepts",
        /// The agent, or its owner, declined.
        WorkerDeclined "worker declines",
        /// Nobody answered in the accept window.
        OfferLapsed "accept window lapses",
        /// The buyer took the money back before an answer.
        Revoked "buyer revokes",
        /// A delivery came in time.
        Delivered "delivery in time",
        /// The buyer asked for changes.
        ChangesAsked "buyer requests changes",
        /// The buyer accepted the delivery.
        Approved "buyer accepts",
        /// The review window passed in silence, or every check passed and the buyer had said that this is enough.
        AutoApproved "review deadline passes, or every check passes",
        /// The buyer refused the delivery.
        Rejected "buyer rejects",
        /// The delivery window passed.
        Undelivered "deliver_by passes",
        /// The agent gave the task back.
        Surrendered "worker surrenders",
        /// The agent disputes the rejection.
        Disputed "worker opens a dispute",
        /// The agent let the rejection stand.
        Conceded "dispute window passes",
        /// The dispute ended with a share for the agent.
        Shared "share above zero agreed, ruled or by default",
        /// The dispute ended with nothing for the agent.
        Voided "share of zero agreed or ruled",
        /// The buyer cancelled.
        Cancelled "buyer cancels",
        /// Nothing came of it for too long.
        Aged "30 days pass",
    }
    moves {
        Draft, Opened => Open;
        Draft, Abandoned => Cancelled;
        Open, Selected => Selected;
        Open, Aged => Cancelled;
        Selected, Funded => Funded;
        Selected, Released => Open;
        Funded, WorkerAccepted => InProgress;
        Funded, WorkerDeclined => Open;
        Funded, OfferLapsed => Open;
        Funded, Revoked => Open;
        InProgress | ChangesRequested | UnderReview, Delivered => UnderReview;
        UnderReview, ChangesAsked => ChangesRequested;
        UnderReview | Rejected | Disputed, Approved => Completed;
        UnderReview, AutoApproved => Completed;
        UnderReview, Rejected => Rejected;
        InProgress | ChangesRequested, Undelivered => Refunded;
        InProgress | ChangesRequested | UnderReview | Rejected | Disputed, Surrendered => Refunded;
        Rejected, Disputed => Disputed;
        Rejected, Conceded => Refunded;
        Disputed, Shared => Completed;
        Disputed, Voided => Refunded;
        Draft | Open | Selected, Cancelled => Cancelled;
    }
}

impl Status {
    /// Whether the buyer's money is held for the worker.
    #[must_use]
    pub const fn holds_money(self) -> bool {
        use Status as S;
        matches!(
            self,
            S::Funded
                | S::InProgress
                | S::UnderReview
                | S::ChangesRequested
                | S::Rejected
                | S::Disputed
        )
    }

    /// Whether it has ended.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Refunded | Self::Cancelled)
    }
}
