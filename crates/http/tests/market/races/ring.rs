//! Where pairs meet: a market on every node, and the judge.

use std::time::Duration;

use guildhall_core::TaskId;
use guildhall_core::task::Task;
use guildhall_store::Error;
use serde_json::{Value, json};
use testkit::{Agent, Answer, Market, Server, text};

use crate::nodes::{Dice, Nodes, told};

/// How many pairs an ordinary run has, over all races and both engines.
const PAIRS: usize = 168;
/// How many tests share them: twelve races on two engines.
const TESTS: usize = 24;
/// How many pairs meet in one market, before its grants are too old.
const PAIRS_IN_MARKET: usize = 20;

/// A market, and a second worker that wants what the first wants.
pub(super) struct Ring<'s> {
    pub(super) nodes: &'s Nodes,
    pub(super) market: Market<'s>,
    pub(super) rival: Agent<'s>,
}

/// One of the two: what it was answered, the code it loses with, and where the task stands when it has won.
pub(super) struct Side<'a> {
    pub(super) answer: &'a Answer,
    pub(super) loses_with: &'a str,
    pub(super) leaves: &'a str,
}

/// Lets the pairs of one race meet, one after the other. `pair` says whether the first of the two has won.
pub(super) async fn race<F>(server: Server, name: &str, pair: F)
where
    F: for<'r> AsyncFn(&'r Ring<'r>, usize) -> bool,
{
    let nodes = Nodes::of(server).await;
    let pairs = told("GUILDHALL_RACES", PAIRS).div_ceil(TESTS);
    let mut firsts = 0;
    let numbers: Vec<usize> = (0..pairs).collect();
    for round in numbers.chunks(PAIRS_IN_MARKET) {
        let ring = Ring::open(&nodes).await;
        for number in round {
            firsts += usize::from(pair(&ring, *number).await);
        }
        let books = nodes.at(0);
        books.verify_ledger().await;
        // Time settles whatever is left: an offer lapses, a task that is open again grows old.
        for _ in 0..3 {
            books.advance(Duration::from_hours(31 * 24)).await;
        }
        books.verify_ledger().await;
        assert_eq!(books.kept_credits().await, [], "{name}: kept for nobody");
    }
    eprintln!("{name}: {pairs} pairs, the first won {firsts}");
}

impl<'s> Ring<'s> {
    async fn open(nodes: &'s Nodes) -> Self {
        let market = nodes.at(0).market().await;
        let rival = market.owner.agent("rival").await;
        Self { nodes, market, rival }
    }

    /// A task that the worker has quoted; gives its id and the quote's.
    pub(super) async fn quoted(&self) -> (String, String) {
        self.market.worker.check_in().await;
        let windows = json!({ "accept_window_seconds": 60, "review_window_seconds": 3_600 });
        let mut task = testkit::task("0.05");
        task.as_object_mut().unwrap().extend(windows.as_object().unwrap().clone());
        let posted = self.market.buying.post("/v1/agent-buyer/tasks", task).await.expect(201);
        let task_id = text(&posted["task"]["id"]);
        let quote_id = self.market.worker.quote(&task_id, "0.04").await;
        (task_id, quote_id)
    }

    /// A task that is selected, and funded if asked; gives its id and the offer's.
    pub(super) async fn selected(&self, fund: bool) -> (String, String) {
        let (task_id, quote_id) = self.quoted().await;
        let select = json!({ "quote_id": quote_id, "fund": fund });
        self.market.buying.command(&task_id, "select", select).await.expect(200);
        (task_id, quote_id)
    }

    /// A task that is offered to the worker; gives its id and the offer.
    pub(super) async fn offered(&self) -> (String, Value) {
        let (task_id, _) = self.selected(true).await;
        let offer = self.market.worker.newest_offer().await;
        assert_eq!(offer["task_id"], json!(task_id));
        (task_id, offer)
    }

    /// A task with a first delivery; gives its id and what a review quotes.
    pub(super) async fn delivered(&self) -> (String, Value) {
        let (task_id, offer) = self.offered().await;
        self.market.worker.accept_offer(&offer).await.expect(200);
        let delivery = self.market.worker.deliver(&task_id, "A page.").await.expect(201);
        let quoted =
            json!({ "delivery_id": delivery["delivery_id"], "digest": delivery["digest"] });
        (task_id, quoted)
    }

    /// A task whose delivery was rejected.
    pub(super) async fn rejected(&self) -> String {
        let (task_id, mut quoted) = self.delivered().await;
        quoted["reason"] = json!("No.");
        self.market.buying.command(&task_id, "reject", quoted).await.expect(200);
        task_id
    }

    /// Sends two requests at once, now the one and now the other a moment earlier.
    pub(super) async fn both<A, B>(
        &self,
        number: usize,
        first: impl Future<Output = A>,
        second: impl Future<Output = B>,
    ) -> (A, B) {
        let mut dice = Dice::new(number as u64);
        let head_start = dice.below(6);
        let (before, after) =
            if number.is_multiple_of(2) { (0, head_start) } else { (head_start, 0) };
        tokio::join!(late(before, first), late(after, second))
    }

    /// Exactly one of the two has won, the other was told why not, and the task stands where the winner left it.
    pub(super) async fn judge(&self, task_id: &str, first: Side<'_>, second: Side<'_>) -> bool {
        let status = self.status(task_id).await;
        let won = |side: &Side<'_>| side.answer.status < 300 && side.leaves == status;
        let lost =
            |side: &Side<'_>| side.answer.status == 409 && side.answer.code() == side.loses_with;
        let one = (won(&first) && lost(&second)) || (lost(&first) && won(&second));
        let (one_said, other_said) = (first.answer, second.answer);
        assert!(
            one,
            "{task_id} is {status}\n{} {}\n{} {}",
            one_said.status, one_said.text, other_said.status, other_said.text
        );
        won(&first)
    }

    /// Sends a request about when the task's time runs out, while every node looks for what is due. Either the request
    /// has won, or time has and the request was told so.
    pub(super) async fn against_time(
        &self,
        number: usize,
        task_id: &str,
        request: impl Future<Output = Answer>,
        (loses_with, leaves, lapses_to): (&str, &str, &str),
    ) -> bool {
        let clock = &self.nodes.at(0).clock;
        let due = self.task(task_id).await.due_at.unwrap();
        let early = Dice::new(number as u64).below(8);
        clock.advance(due.millis() - clock.now().millis() - i64::try_from(early).unwrap());
        let time = async {
            let mut turn = number;
            let mut over = false;
            while !over {
                over = clock.now() > due;
                self.nodes.at(turn).service.run_due_timers().await.unwrap();
                turn += 1;
            }
        };
        let (answer, ()) = tokio::join!(request, time);
        let status = self.status(task_id).await;
        let won = answer.status < 300 && status == leaves;
        let lost = answer.status == 409 && answer.code() == loses_with && status == lapses_to;
        assert!(won != lost, "{task_id} is {status}\n{} {}", answer.status, answer.text);
        won
    }

    /// Where a task stands.
    pub(super) async fn status(&self, task_id: &str) -> &'static str {
        self.task(task_id).await.status.name()
    }

    /// The policy that is in force: the market's first, or after its end a new one that the buying agent is bound to.
    pub(super) async fn renew_policy(&self, number: usize) -> String {
        let Market { buyer, buying, policy_id, .. } = &self.market;
        if number.is_multiple_of(PAIRS_IN_MARKET) {
            return policy_id.clone();
        }
        let caps = json!({ "max_per_command_micros": "100000", "max_per_day_micros": "1000000" });
        let policy = buyer.post("/v1/spend-policies", caps).await.expect(201);
        let bind = format!("/v1/connections/{}/spend-policy", buying.connection_id);
        buyer.post(&bind, json!({})).await.expect(200);
        text(&policy["policy_id"])
    }

    async fn task(&self, task_id: &str) -> Task {
        let task_id: TaskId = task_id.parse().unwrap();
        let found =
            self.nodes.at(0).service.db().read("test.task", move |tx| tx.find_task(task_id));
        let found: Result<_, Error> = found.await;
        found.unwrap().unwrap()
    }
}

/// Lets others go first, so many times.
async fn late<T>(turns: u64, request: impl Future<Output = T>) -> T {
    for _ in 0..turns {
        tokio::task::yield_now().await;
    }
    request.await
}
