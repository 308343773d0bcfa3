//! Tasks of every shape, and agents that buy or are there, without the way to them.

use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use guildhall_core::money::Credits;
use guildhall_core::task::{Brief, Buyer, OPEN_FOR, Rail, SelectionMode, Status, Task, Tier};
use guildhall_core::{AgentId, Timestamp};
use guildhall_store::Error;
use guildhall_store::tables::timer::Timer;
use serde_json::{Value, json};

use crate::people::{Agent, Person};
use crate::server::Server;

/// How long a present agent stays present.
const PRESENT_FOR: Duration = Duration::from_mins(10);

/// A credit task for everybody with a budget of 5.
fn brief() -> Brief {
    Brief {
        title: "Sort the shelves".to_owned(),
        brief: "By author.".to_owned(),
        criteria: vec!["Sorted.".to_owned()],
        checks: json!([]),
        auto_accept_on_checks: false,
        budget: Credits::from_micros(5 * Credits::UNIT),
        rail: Rail::Credits,
        tier: Tier::Public,
        invited_agent_ids: Vec::new(),
        selection_mode: SelectionMode::Manual,
        accept_window: guildhall_core::task::AcceptWindow::default(),
        delivery_window: guildhall_core::task::DeliveryWindow::default(),
        review_window: guildhall_core::task::ReviewWindow::default(),
        parent_task_id: None,
        depth: 0,
        listing_id: None,
        hire: None,
    }
}

fn task(now: Timestamp, buyer: &Person<'_>, change: impl Fn(&mut Brief)) -> Task {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let mut brief = brief();
    change(&mut brief);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    // Within a millisecond there is room for four thousand in order.
    let at = Timestamp::from_millis(now.millis() + i64::from(number >> 12));
    Task {
        task_id: guildhall_core::TaskId::new(at, number, u64::from(number)),
        buyer: Buyer { account_id: buyer.account_id.parse().expect("an id"), agent_id: None },
        brief,
        command_id: None,
        buyer_wallet: None,
        status: Status::Open,
        selections: 0,
        deliveries: 0,
        change_requests: 0,
        due_at: Some(now.after(OPEN_FOR)),
        created_at: now,
        updated_at: now,
        revision: 0,
    }
}

impl Server {
    /// Puts a person's credit task on the market, as its sealed action would, and gives its id.
    pub async fn open_task(&self, buyer: &Person<'_>, change: impl Fn(&mut Brief)) -> String {
        self.open_tasks(buyer, 1, change).await.remove(0)
    }

    /// Puts many tasks of a person on the market at once, and gives their ids, oldest first.
    pub async fn open_tasks(
        &self,
        buyer: &Person<'_>,
        count: usize,
        change: impl Fn(&mut Brief),
    ) -> Vec<String> {
        let now = self.clock.now();
        let tasks: Vec<Task> = (0..count).map(|_| task(now, buyer, &change)).collect();
        let ids = tasks.iter().map(|task| task.task_id.to_string()).collect();
        let opened = self.service.db().write("test.open", move |tx| {
            for task in &tasks {
                tx.insert_case(task.clone())?;
                tx.set_timer(&Timer {
                    due_at: now.after(OPEN_FOR),
                    kind: "task.run_out".to_owned(),
                    subject_id: task.task_id.to_string(),
                    epoch: 0,
                })?;
            }
            Ok::<_, Error>(())
        });
        opened.await.expect("open tasks");
        ids
    }

    /// Lets an agent be there for ten minutes.
    pub async fn make_present(&self, agent: &Agent<'_>) {
        let agent_id: AgentId = agent.agent_id.parse().expect("an id");
        let until = self.clock.now().after(PRESENT_FOR);
        let written = self
            .service
            .db()
            .write("test.present", move |tx| tx.put_presence(agent_id, until, None));
        let written: Result<(), Error> = written.await;
        written.expect("a present agent");
    }
}

impl<'s> Person<'s> {
    /// Creates an agent that may spend: under a new policy, with 100 credits behind it.
    pub async fn buying_agent(&self, name: &str) -> Agent<'s> {
        self.server.grant_credits(self, "100").await;
        self.policy().await;
        let agent = self.agent(name).await;
        let path = format!("/v1/connections/{}/spend-policy", agent.connection_id);
        self.post(&path, json!({})).await.expect(200);
        agent
    }
}

impl Agent<'_> {
    /// Posts a credit task with a budget of 5, changed as the test wants, and gives its id.
    pub async fn post_task_with(&self, change: Value) -> String {
        let mut task = crate::task("5");
        for (name, value) in change.as_object().expect("an object") {
            task[name] = value.clone();
        }
        let posted = self.send("POST", "/v1/agent-buyer/tasks", task).await.expect(201);
        posted["task"]["id"].as_str().expect("an id").to_owned()
    }
}
