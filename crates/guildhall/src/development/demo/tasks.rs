//! Makes the stories happen, each as far as it goes.

use std::time::Duration;

use guildhall_ops::{Error, Result};
use serde_json::{Value, json};

use super::cast::{Cast, Worker};
use super::listings;
use super::stories::{By, End, STORIES, Story, Work};
use crate::development::calls::{Calls, items, member, text};

/// How long the quotes of the demo stand.
const QUOTES_STAND: Duration = Duration::from_hours(30 * 24);
/// More than the buyer has in a demo that was cut short.
const MOST_TASKS: &str = "100";

/// How many stories are played at once.
const LANES: usize = 5;

/// Plays every story whose task is not there, and gives the number of tasks that there are.
pub(super) async fn make(cast: &Cast<'_>) -> Result<usize> {
    let known = [("mine", "true"), ("limit", MOST_TASKS)];
    let known = cast.buyer.calls.call("listTasks", &known, None).await?;
    let posted = |title: &str| items(&known).any(|task| task.get("title") == Some(&json!(title)));
    if !posted(listings::HIRED) {
        listings::hire(cast).await?;
    }
    // Several at once, because writes that wait together are committed together.
    let lane = async |first: usize| {
        for story in STORIES.iter().skip(first).step_by(LANES) {
            if !posted(story.title) {
                Play { cast, story }.run().await?;
            }
        }
        Ok::<(), Error>(())
    };
    let others = ask_for_approval(cast);
    tokio::try_join!(lane(0), lane(1), lane(2), lane(3), lane(4), others)?;
    Ok(STORIES.len() + 1)
}

/// A purchase above what the policy lets the agent decide alone: it waits for Bea.
async fn ask_for_approval(cast: &Cast<'_>) -> Result<()> {
    let commands = cast.mercer.call("listAgentBuyerCommands", &[], None).await?;
    let waits = |command: &Value| command.get("state") == Some(&json!("awaiting_approval"));
    if items(&commands).any(waits) {
        return Ok(());
    }
    let task = json!({
        "title": "A year's social media calendar",
        "brief": "Two posts a week about tea, its growers and the shop, with a picture idea for each.",
        "criteria": ["104 posts with dates.", "No post is about the weather."],
        "budget_credits": "48",
    });
    cast.mercer.call("agentPostTask", &[], Some(task)).await.map(drop)
}

/// One story being played.
struct Play<'p, 'a> {
    cast: &'p Cast<'a>,
    story: &'p Story,
}

impl Play<'_, '_> {
    async fn run(&self) -> Result<()> {
        let task_id = &self.post().await?;
        if matches!(self.story.end, End::Draft) {
            return Ok(());
        }
        let quotes = self.quote(task_id).await?;
        match (&self.story.end, quotes.first()) {
            (End::Draft | End::Open, _) | (_, None) => Ok(()),
            (End::Cancelled, _) => self.act("cancelTask", "agentCancelTask", task_id).await,
            (end, Some((worker, quote_id))) => {
                self.choose(task_id, quote_id, !matches!(end, End::Selected)).await?;
                if matches!(end, End::Selected | End::Funded) {
                    return Ok(());
                }
                self.cast.accept_offer(*worker, task_id).await?;
                self.work(task_id, *worker).await
            }
        }
    }

    /// Puts the task on the market, or leaves it as a draft that nobody has sealed; gives its id.
    async fn post(&self) -> Result<String> {
        let Story { title, brief, criteria, budget, .. } = self.story;
        let task = json!({
            "title": title, "brief": brief, "criteria": criteria, "budget_credits": budget,
            // Long enough for somebody to come back to it tomorrow.
            "accept_window_seconds": 604_800,
            "delivery_window_seconds": 1_209_600,
            "review_window_seconds": 1_209_600,
        });
        if self.story.by == By::Agent {
            let posted = self.cast.mercer.call("agentPostTask", &[], Some(task)).await?;
            return text(member(&posted, "task")?, "id").map(str::to_owned);
        }
        let action = self.buyer().call("createTask", &[], Some(task)).await?;
        if !matches!(self.story.end, End::Draft) {
            self.cast.buyer.seal(&action).await?;
        }
        text(&action, "task_id").map(str::to_owned)
    }

    async fn quote(&self, task_id: &str) -> Result<Vec<(Worker, String)>> {
        let deadline = self.cast.service.clock().now().after(QUOTES_STAND);
        let mut quotes = Vec::new();
        for (worker, price, message) in self.story.quotes {
            let quote = json!({
                "task_id": task_id, "price_credits": price, "deadline": deadline, "message": message,
            });
            let made = self.cast.worker(*worker).call("createQuote", &[], Some(quote)).await?;
            quotes.push((*worker, text(&made, "id")?.to_owned()));
        }
        Ok(quotes)
    }

    /// Selects a quote, and holds its pay if that is wanted.
    async fn choose(&self, task_id: &str, quote_id: &str, fund: bool) -> Result<()> {
        let of_task = [("task_id", task_id)];
        if self.story.by == By::Agent {
            let choice = json!({ "quote_id": quote_id, "fund": fund });
            let chosen = self.cast.mercer.call("agentSelectQuote", &of_task, Some(choice));
            return chosen.await.map(drop);
        }
        let choice = json!({ "quote_id": quote_id });
        let action = self.buyer().call("selectQuote", &of_task, Some(choice)).await?;
        self.cast.buyer.seal(&action).await?;
        if fund {
            let action = self.buyer().call("fundTask", &of_task, Some(json!({}))).await?;
            self.cast.buyer.seal(&action).await?;
        }
        Ok(())
    }

    /// What the worker does with the task, and what the buyer says to it.
    async fn work(&self, task_id: &str, worker: Worker) -> Result<()> {
        let deliver = |work| self.cast.deliver(worker, task_id, work);
        match &self.story.end {
            End::Surrendered(reason) => {
                let (of_task, why) = ([("task_id", task_id)], json!({ "reason": reason }));
                let calls = self.cast.worker(worker);
                calls.call("surrenderTask", &of_task, Some(why)).await.map(drop)
            }
            End::UnderReview(work) => deliver(work).await.map(drop),
            End::ChangesRequested(work, notes) => {
                let delivery = deliver(work).await?;
                let operations = ("requestChanges", "agentRequestChanges");
                self.review(operations, task_id, &delivery, ("notes", notes)).await
            }
            End::Rejected(work, reason) => self.reject(task_id, worker, work, reason).await,
            End::Disputed(work, reason, statement) => {
                self.reject(task_id, worker, work, reason).await?;
                self.dispute(task_id, worker, statement).await
            }
            End::Completed(work, rating, words) => {
                let receipt_id = self.accept(task_id, &deliver(work).await?).await?;
                let review = json!({ "rating": rating, "text": words });
                let of_receipt = [("receipt_id", receipt_id.as_str())];
                let reviewed = self.buys().call("reviewReceipt", &of_receipt, Some(review));
                reviewed.await.map(drop)
            }
            _ => Ok(()),
        }
    }

    async fn reject(&self, task_id: &str, worker: Worker, work: &Work, reason: &str) -> Result<()> {
        let delivery = self.cast.deliver(worker, task_id, work).await?;
        let operations = ("rejectDelivery", "agentRejectDelivery");
        self.review(operations, task_id, &delivery, ("reason", reason)).await
    }

    /// The worker disputes, and the buying agent offers half of what is asked for.
    async fn dispute(&self, task_id: &str, worker: Worker, statement: &str) -> Result<()> {
        let of_task = [("task_id", task_id)];
        let claim = json!({ "worker_share_bps": 8_000, "statement": statement });
        let dispute = self.cast.worker(worker).call("openDispute", &of_task, Some(claim)).await?;
        let of_dispute = [("dispute_id", text(&dispute, "dispute_id")?)];
        let answer = json!({ "worker_share_bps": 4_000 });
        let operation = match self.story.by {
            By::Person => "offerShare",
            By::Agent => "agentOfferShare",
        };
        self.buys().call(operation, &of_dispute, Some(answer)).await.map(drop)
    }

    /// Accepts a delivery, and gives the receipt's id.
    async fn accept(&self, task_id: &str, delivery: &Value) -> Result<String> {
        let digest = member(delivery, "digest")?;
        let delivery_id = text(delivery, "delivery_id")?;
        if self.story.by == By::Agent {
            let quoted = json!({ "delivery_id": delivery_id, "digest": digest });
            let of_task = [("task_id", task_id)];
            let done = self.cast.mercer.call("agentAcceptDelivery", &of_task, Some(quoted)).await?;
            return text(&done, "receipt_id").map(str::to_owned);
        }
        let of_delivery = [("delivery_id", delivery_id)];
        let quoted = json!({ "digest": digest });
        let action = self.buyer().call("acceptDelivery", &of_delivery, Some(quoted)).await?;
        self.cast.buyer.seal(&action).await?;
        let receipts = self.buyer().call("listReceipts", &[], None).await?;
        let receipt = items(&receipts).find(|one| one.get("task_id") == Some(&json!(task_id)));
        let receipt = receipt.ok_or_else(|| Error::internal("there is no receipt"))?;
        text(receipt, "receipt_id").map(str::to_owned)
    }

    /// Answers a delivery with words: by its own operation of people, or by that of agents.
    async fn review(
        &self,
        (by_person, by_agent): (&str, &str),
        task_id: &str,
        delivery: &Value,
        (name, words): (&str, &str),
    ) -> Result<()> {
        let delivery_id = text(delivery, "delivery_id")?;
        let mut answer = json!({ "digest": member(delivery, "digest")?, name: words });
        let (operation, place) = match self.story.by {
            By::Person => (by_person, ("delivery_id", delivery_id)),
            By::Agent => {
                if let Some(members) = answer.as_object_mut() {
                    members.insert("delivery_id".to_owned(), json!(delivery_id));
                }
                (by_agent, ("task_id", task_id))
            }
        };
        self.buys().call(operation, &[place], Some(answer)).await.map(drop)
    }

    /// Does something with the task that needs no words.
    async fn act(&self, by_person: &str, by_agent: &str, task_id: &str) -> Result<()> {
        let operation = match self.story.by {
            By::Person => by_person,
            By::Agent => by_agent,
        };
        self.buys().call(operation, &[("task_id", task_id)], Some(json!({}))).await.map(drop)
    }

    /// Who buys in this story.
    fn buys(&self) -> &Calls<'_> {
        match self.story.by {
            By::Person => self.buyer(),
            By::Agent => &self.cast.mercer,
        }
    }

    fn buyer(&self) -> &Calls<'_> {
        &self.cast.buyer.calls
    }
}
