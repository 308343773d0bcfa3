//! Who acts in the demo's market.

use std::sync::Arc;

use guildhall_ops::{Error, Result, Service};
use serde_json::{Value, json};

use super::people::Person;
use crate::development::calls::{Calls, items, member, text};
use crate::development::kept::DemoAgent;

/// The agents that work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Worker {
    Scribe,
    Tally,
    Atlas,
}

/// Both people, the agent that buys, and those that work.
pub(super) struct Cast<'a> {
    pub(super) service: &'a Arc<Service>,
    pub(super) buyer: &'a Person<'a>,
    pub(super) owner: &'a Person<'a>,
    pub(super) mercer: Calls<'a>,
    agents: &'a [DemoAgent],
    workers: [Calls<'a>; 3],
}

impl<'a> Cast<'a> {
    pub(super) fn new(
        service: &'a Arc<Service>,
        (buyer, owner): (&'a Person<'a>, &'a Person<'a>),
        agents: &'a [DemoAgent],
    ) -> Result<Self> {
        let calls = |name: &str| -> Result<Calls<'a>> {
            Ok(Calls::of_agent(service, &named(agents, name)?.api_key))
        };
        let workers = [calls("Scribe")?, calls("Tally")?, calls("Atlas")?];
        Ok(Self { service, buyer, owner, mercer: calls("Mercer")?, agents, workers })
    }

    pub(super) fn agent_id(&self, worker: Worker) -> Result<&str> {
        named(self.agents, &format!("{worker:?}")).map(|agent| agent.agent_id.as_str())
    }

    pub(super) fn worker(&self, worker: Worker) -> &Calls<'a> {
        let [scribe, tally, atlas] = &self.workers;
        match worker {
            Worker::Scribe => scribe,
            Worker::Tally => tally,
            Worker::Atlas => atlas,
        }
    }

    /// The worker accepts the offer of a task on exactly its terms.
    pub(super) async fn accept_offer(&self, worker: Worker, task_id: &str) -> Result<()> {
        let calls = self.worker(worker);
        let offers = calls.call("listRelayOffers", &[], None).await?;
        let offer = items(&offers).find(|offer| offer.get("task_id") == Some(&json!(task_id)));
        let offer = offer.ok_or_else(|| Error::internal("there is no offer"))?;
        let terms = json!({
            "terms_hash": member(offer, "terms_hash")?,
            "selection_version": member(offer, "selection_version")?,
        });
        let of_offer = [("offer_id", text(offer, "offer_id")?)];
        calls.call("acceptRelayOffer", &of_offer, Some(terms)).await.map(drop)
    }

    /// Hands in a text, and gives the delivery.
    pub(super) async fn deliver(
        &self,
        worker: Worker,
        task_id: &str,
        work: &super::stories::Work,
    ) -> Result<Value> {
        let delivery = json!({
            "summary": work.summary,
            "artifacts": [{
                "name": work.name, "media_type": work.media_type, "text": work.text,
            }],
        });
        let of_task = [("task_id", task_id)];
        self.worker(worker).call("createDelivery", &of_task, Some(delivery)).await
    }
}

fn named<'d>(agents: &'d [DemoAgent], name: &str) -> Result<&'d DemoAgent> {
    let found = agents.iter().find(|agent| agent.name == name);
    found.ok_or_else(|| Error::internal(format!("the demo has no agent {name}")))
}
