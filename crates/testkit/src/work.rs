//! Work that is under way or paid, for tests of what follows from it.

use std::sync::atomic::{AtomicU64, Ordering};

use guildhall_core::engagement::AnsweredBy;
use guildhall_core::ledger::Plan;
use guildhall_core::money::Credits;
use guildhall_core::task::{
    AcceptWindow, Brief, Buyer, Case, Change, Choice, DeliveryWindow, Rail, ReviewWindow,
    SelectionMode, Status, Task, Terms, Tier, Turn,
};
use guildhall_core::{AgentId, Id, TaskId, Timestamp, id};
use guildhall_store::tables::delivery::Content;
use guildhall_store::tables::timer::Timer;
use guildhall_store::{Error, Locked, Tx};
use serde_json::json;

use crate::people::{Agent, Person};
use crate::server::Server;

/// Who works for whom, and for how much.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    /// Who pays.
    pub buyer: &'a Person<'a>,
    /// The agent of theirs that buys, if one does.
    pub buying_agent: Option<&'a Agent<'a>>,
    /// Whose agent works.
    pub owner: &'a Person<'a>,
    /// The agent that works.
    pub worker: &'a Agent<'a>,
    /// The price, written as people write it.
    pub credits: &'a str,
}

/// The same with its names read, to be moved into a transaction.
#[derive(Clone, Copy)]
struct Plot {
    task_id: TaskId,
    buyer: Buyer,
    choice: (AgentId, guildhall_core::AccountId),
    price: Credits,
    fee_bps: u16,
    now: Timestamp,
}

impl Server {
    /// Work that the agent has accepted and not delivered; its pay is held.
    pub async fn work_under_way(&self, work: Work<'_>) -> TaskId {
        let plot = plot(work, self.clock.now());
        let plan = self
            .service
            .db()
            .write("test.work", move |tx| accepted(tx, &plot).map(|(_, plan)| plan));
        let plan: Result<Plan, Error> = plan.await;
        self.post(plan.expect("accepted work")).await;
        plot.task_id
    }

    /// Work that was delivered and paid, because its buyer said nothing in time. Gives the receipt's id.
    pub async fn paid_work(&self, work: Work<'_>) -> String {
        // It all began so long ago that the time to review is over.
        let early = Timestamp::from_millis(self.clock.now().millis() - 7_200_000);
        let plot = plot(work, early);
        let plan = self.service.db().write("test.work", move |tx| delivered(tx, &plot));
        let plan: Result<Plan, Error> = plan.await;
        self.post(plan.expect("delivered work")).await;
        self.service.run_due_timers().await.expect("timers");
        let receipt =
            self.service.db().read("test.work", move |tx| tx.find_receipt_of_task(plot.task_id));
        let receipt: Result<_, Error> = receipt.await;
        receipt.expect("a database").expect("a receipt").receipt_id.to_string()
    }
}

fn plot(work: Work<'_>, now: Timestamp) -> Plot {
    let buyer = Buyer {
        account_id: work.buyer.account_id.parse().expect("an id"),
        agent_id: work.buying_agent.map(|agent| agent.agent_id.parse().expect("an id")),
    };
    let worker = work.worker.agent_id.parse().expect("an id");
    let choice = (worker, work.owner.account_id.parse().expect("an id"));
    let price = work.credits.parse().expect("an amount");
    Plot { task_id: mint(now), buyer, choice, price, fee_bps: 250, now }
}

fn mint<K: id::Kind>(now: Timestamp) -> Id<K> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    Id::new(now, u16::try_from(number & 0x0fff).unwrap_or(0), number)
}

/// Takes the task to where the agent has accepted, and gives the money that moves.
fn accepted<'c>(tx: &mut Tx<'c>, plot: &Plot) -> Result<(Locked<'c, Case>, Plan), Error> {
    let now = plot.now;
    let mut case = tx.insert_case(task(plot))?;
    save(tx, &mut case, |case| case.open(now, None))?;
    save(tx, &mut case, |case| case.select(now, choice(&case.task, plot)))?;
    let plan = save(tx, &mut case, |case| case.fund(now))?;
    save(tx, &mut case, |case| {
        let engagement = case.engagement.as_ref().expect("an engagement");
        let terms = (engagement.terms_hash.as_str(), engagement.version);
        case.accept_offer(now, AnsweredBy::Agent, terms)
    })?;
    Ok((case, plan))
}

/// Takes the task to where only time is missing.
fn delivered(tx: &mut Tx<'_>, plot: &Plot) -> Result<Plan, Error> {
    let (mut case, plan) = accepted(tx, plot)?;
    save(tx, &mut case, |case| case.deliver(plot.now, mint(plot.now), "d".repeat(64)))?;
    let due_at = case.task.due_at.expect("a time to review");
    let (kind, subject_id) = ("task.run_out".to_owned(), plot.task_id.to_string());
    tx.set_timer(&Timer { due_at, kind, subject_id, epoch: case.task.revision })?;
    Ok(plan)
}

fn save<'c>(
    tx: &mut Tx<'c>,
    case: &mut Locked<'c, Case>,
    decide: impl FnOnce(&Case) -> Result<Turn, guildhall_core::Refusal>,
) -> Result<Plan, Error> {
    let turn = decide(case).expect("a turn");
    let plan = turn.plan.clone().about(case.task.buyer.agent_id, Some(case.task.task_id));
    if let Some(Change::New(delivery)) = &turn.delivery {
        let (summary, check_results) = ("Done.".to_owned(), json!([]));
        tx.insert_delivery(delivery, &Content { summary, artifacts: Vec::new(), check_results })?;
    }
    tx.save_turn(case, turn)?;
    Ok(plan)
}

fn choice(task: &Task, plot: &Plot) -> Choice {
    let (agent_id, worker_account_id) = plot.choice;
    let pay = (plot.price, plot.fee_bps);
    Choice {
        selection_id: mint(plot.now),
        offer_id: mint(plot.now),
        funding_id: mint(plot.now),
        quote_id: None,
        agent_id,
        worker_account_id,
        price: plot.price,
        fee_bps: plot.fee_bps,
        quote_deadline: None,
        terms: Terms::new("https://guildhall.test", [0; 16], task, agent_id, pay),
    }
}

fn task(plot: &Plot) -> Task {
    Task {
        task_id: plot.task_id,
        buyer: plot.buyer,
        brief: brief(plot),
        command_id: None,
        buyer_wallet: None,
        status: Status::Draft,
        selections: 0,
        deliveries: 0,
        change_requests: 0,
        due_at: None,
        created_at: plot.now,
        updated_at: plot.now,
        revision: 0,
    }
}

fn brief(plot: &Plot) -> Brief {
    Brief {
        title: "A map".to_owned(),
        brief: "Draw a map.".to_owned(),
        criteria: vec!["It shows the town.".to_owned()],
        checks: json!([]),
        auto_accept_on_checks: false,
        budget: plot.price,
        rail: Rail::Credits,
        tier: Tier::Public,
        invited_agent_ids: Vec::new(),
        selection_mode: SelectionMode::Manual,
        accept_window: AcceptWindow::default(),
        delivery_window: DeliveryWindow::default(),
        review_window: ReviewWindow::new(3_600).expect("a window"),
        parent_task_id: None,
        depth: 0,
        listing_id: None,
        hire: None,
    }
}
