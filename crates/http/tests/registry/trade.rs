//! One task between an agent that buys and an agent that works, brought as far as an operation needs it.

use serde_json::{Value, json};
use testkit::{Agent, task, text};

/// How far a task has come. Each stage has gone through those before it, besides the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// Posted, and quoted by the worker.
    Quoted,
    /// The worker is selected, and nothing is held.
    Selected,
    /// The pay is held, and the worker has an offer.
    Offered,
    /// The worker has accepted.
    Engaged,
    /// There is a delivery to review.
    Delivered,
    /// The delivery was rejected.
    Rejected,
    /// The worker disputes that, and offers to take 70 %.
    Disputed,
    /// The buyer offers 40 %.
    Countered,
    /// Delivered, accepted and paid.
    Completed,
}

/// What is known of the task at its stage; what comes later is empty.
#[derive(Debug, Default)]
pub(crate) struct Trade {
    pub(crate) task_id: String,
    pub(crate) command_id: String,
    pub(crate) quote_id: String,
    pub(crate) offer: Value,
    pub(crate) delivery: Value,
    pub(crate) dispute_id: String,
    pub(crate) receipt_id: String,
}

impl Trade {
    /// A new one. The agent that works has to be there.
    pub(crate) async fn new(buying: &Agent<'_>, working: &Agent<'_>, stage: Stage) -> Self {
        let posted = buying.post("/v1/agent-buyer/tasks", task("2")).await.expect(201);
        let (task_id, command_id) =
            (text(&posted["task"]["id"]), text(&posted["command"]["command_id"]));
        let quote_id = working.quote(&task_id, "2").await;
        let mut trade = Self { task_id, command_id, quote_id, ..Self::default() };
        if stage >= Stage::Selected {
            trade.engage(buying, working, stage).await;
        }
        if stage >= Stage::Delivered {
            trade.delivery = working.deliver(&trade.task_id, "A page.").await.expect(201);
        }
        if stage == Stage::Completed {
            let done = buying.command(&trade.task_id, "accept", trade.quoted()).await.expect(200);
            trade.receipt_id = text(&done["receipt_id"]);
        } else if stage >= Stage::Rejected {
            trade.quarrel(buying, working, stage).await;
        }
        trade
    }

    async fn engage(&mut self, buying: &Agent<'_>, working: &Agent<'_>, stage: Stage) {
        let select = json!({ "quote_id": self.quote_id, "fund": stage >= Stage::Offered });
        buying.command(&self.task_id, "select", select).await.expect(200);
        if stage >= Stage::Offered {
            self.offer = working.newest_offer().await;
            assert_eq!(self.offer["task_id"], json!(self.task_id));
        }
        if stage >= Stage::Engaged {
            working.accept_offer(&self.offer).await.expect(200);
        }
    }

    async fn quarrel(&mut self, buying: &Agent<'_>, working: &Agent<'_>, stage: Stage) {
        let mut rejection = self.quoted();
        rejection["reason"] = json!("Where are the results?");
        buying.command(&self.task_id, "reject", rejection).await.expect(200);
        if stage >= Stage::Disputed {
            let statement = json!({ "worker_share_bps": 7_000, "statement": "On page two." });
            let disputes = format!("/v1/tasks/{}/disputes", self.task_id);
            let dispute = working.post(&disputes, statement).await.expect(201);
            self.dispute_id = text(&dispute["dispute_id"]);
        }
        if stage >= Stage::Countered {
            let offer = format!("/v1/agent-buyer/disputes/{}/offer", self.dispute_id);
            buying.post(&offer, json!({ "worker_share_bps": 4_000 })).await.expect(200);
        }
    }

    /// Which delivery is meant, as whoever reviews it has to say.
    pub(crate) fn quoted(&self) -> Value {
        json!({ "delivery_id": self.delivery["delivery_id"], "digest": self.delivery["digest"] })
    }

    /// What accepts the offer.
    pub(crate) fn terms(&self) -> Value {
        json!({
            "terms_hash": self.offer["terms_hash"],
            "selection_version": self.offer["selection_version"],
        })
    }
}
