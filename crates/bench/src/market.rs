//! People whose agents spend and work, and a deal between two of them.

use anyhow::{Context, Result};
use guildhall_core::Timestamp;
use serde_json::{Value, json};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::books::Books;
use crate::child::Child;
use crate::fixture::{Person, World, mutation, sign_up};
use crate::http::{Client, request, text};

/// A price that everybody here can pay for as long as they like.
const PRICE: &str = "1";

impl World {
    /// A world of people with credits and a policy, under which the agent of each may spend.
    ///
    /// Every agent has posted once: the books are open, and the use of the connections is noted.
    pub(crate) fn market(people: usize) -> Result<Self> {
        let mut world = Self::create(people)?;
        Books::open(&world.database())?.enrich(&world.people)?;
        let server = world.serve(&[])?;
        let_spend(&server, &mut world.people)?;
        drop(server);
        Ok(world)
    }
}

/// The same for a database that a server can be started on by `serve`.
pub(crate) fn people_of_market(
    database: &str,
    serve: impl Fn() -> Result<Child>,
    count: usize,
) -> Result<Vec<Person>> {
    let mut people = sign_up(&serve()?, count)?;
    Books::open(database)?.enrich(&people)?;
    let_spend(&serve()?, &mut people)?;
    Ok(people)
}

/// Gives everybody's agent a policy without narrow limits, and lets it post once.
fn let_spend(server: &Child, people: &mut [Person]) -> Result<()> {
    let mut client = Client::connect(server.address)?;
    for person in people {
        let bearer = format!("Bearer {}", person.token);
        let mut post = |path: &str, body: &Value, status| {
            client.send(&mutation(path, ("authorization", &bearer), body))?.expect(status)
        };
        let plenty = "1000000000000000";
        let caps = json!({ "max_per_command_micros": plenty, "max_per_day_micros": plenty });
        let policy = post("/v1/spend-policies", &caps, 201)?;
        let bind = format!("/v1/connections/{}/spend-policy", person.connection_id);
        post(&bind, &json!({}), 200)?;
        person.policy_id = Some(text(&policy, "/policy_id")?);
        client.send(&post_task(person))?.expect(201)?;
    }
    Ok(())
}

/// The request by which an agent posts a task.
pub(crate) fn post_task(buyer: &Person) -> Vec<u8> {
    let task = json!({
        "title": "Summarise a paper",
        "brief": "Read the paper and write a page about it.",
        "criteria": ["One page.", "Names the three main results."],
        "budget_credits": PRICE,
    });
    mutation("/v1/agent-buyer/tasks", ("x-api-key", &buyer.api_key), &task)
}

/// A deal between the agents of two people, one step after another: what has to be asked next, and what was answered.
pub(crate) struct Deal<'p> {
    buyer: &'p Person,
    worker: &'p Person,
    task_id: String,
    step: Step,
}

/// What a deal needs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Post,
    Quote,
    Select,
    Look,
    Accept,
    Deliver,
    Take,
    Receipt,
}

/// What to send, and the status that the answer must have.
pub(crate) struct Ask {
    pub(crate) request: Vec<u8>,
    pub(crate) status: u16,
}

impl<'p> Deal<'p> {
    /// How many requests it takes.
    pub(crate) const REQUESTS: u32 = 8;
    /// How many of them change something.
    pub(crate) const MUTATIONS: u32 = 6;

    /// A deal that has not begun.
    pub(crate) fn between(buyer: &'p Person, worker: &'p Person) -> Self {
        Self { buyer, worker, task_id: String::new(), step: Step::Post }
    }

    /// The task, once it is posted.
    pub(crate) fn task_id(&self) -> &str {
        &self.task_id
    }

    /// The first request.
    pub(crate) fn begin(&mut self) -> Ask {
        self.step = Step::Post;
        Ask { request: post_task(self.buyer), status: 201 }
    }

    /// The request that follows from an answer; none when the receipt was shown.
    pub(crate) fn next(&mut self, answer: &Value) -> Result<Option<Ask>> {
        let (step, ask) = match self.step {
            Step::Post => {
                self.task_id = text(answer, "/task/id")?;
                (Step::Quote, self.quote()?)
            }
            Step::Quote => {
                let select = json!({ "quote_id": text(answer, "/id")?, "fund": true });
                (Step::Select, self.command("select", &select))
            }
            Step::Select => (Step::Look, get("/v1/relay/offers?limit=1", self.worker)),
            Step::Look => (Step::Accept, self.accept(answer)?),
            Step::Accept => (Step::Deliver, self.deliver()),
            Step::Deliver => {
                let quoted = json!({
                    "delivery_id": text(answer, "/delivery_id")?, "digest": text(answer, "/digest")?,
                });
                (Step::Take, self.command("accept", &quoted))
            }
            Step::Take => {
                let path = format!("/v1/receipts/{}", text(answer, "/receipt_id")?);
                (Step::Receipt, get(&path, self.buyer))
            }
            Step::Receipt => return Ok(None),
        };
        self.step = step;
        Ok(Some(ask))
    }

    fn quote(&self) -> Result<Ask> {
        let quote =
            json!({ "task_id": self.task_id, "price_credits": PRICE, "deadline": in_a_month()? });
        Ok(self.work("/v1/quotes", &quote, 201))
    }

    /// Accepts the newest offer, which is the one that this deal led to: a worker has one deal at a time.
    fn accept(&self, offers: &Value) -> Result<Ask> {
        let offer = offers.pointer("/data/0").context("no offer")?;
        let terms = json!({
            "terms_hash": offer.get("terms_hash"), "selection_version": offer.get("selection_version"),
        });
        let path = format!("/v1/relay/offers/{}/accept", text(offer, "/offer_id")?);
        Ok(self.work(&path, &terms, 200))
    }

    fn deliver(&self) -> Ask {
        let page = json!({ "name": "page.md", "media_type": "text/markdown", "text": "A page." });
        let delivery = json!({ "summary": "The page.", "artifacts": [page] });
        self.work(&format!("/v1/tasks/{}/deliveries", self.task_id), &delivery, 201)
    }

    fn work(&self, path: &str, body: &Value, status: u16) -> Ask {
        Ask { request: mutation(path, ("x-api-key", &self.worker.api_key), body), status }
    }

    fn command(&self, what: &str, body: &Value) -> Ask {
        let path = format!("/v1/agent-buyer/tasks/{}/{what}", self.task_id);
        Ask { request: mutation(&path, ("x-api-key", &self.buyer.api_key), body), status: 200 }
    }
}

fn get(path: &str, who: &Person) -> Ask {
    Ask { request: request("GET", path, &[("x-api-key", &who.api_key)], ""), status: 200 }
}

/// The request by which a worker says that it is there.
pub(crate) fn check_in(worker: &Person) -> Vec<u8> {
    let lease = json!({ "lease_seconds": 600 });
    mutation("/v1/relay/check-in", ("x-api-key", &worker.api_key), &lease)
}

fn in_a_month() -> Result<Timestamp> {
    #[expect(
        clippy::disallowed_methods,
        reason = "a date for a request, as a client would give it"
    )]
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    Ok(Timestamp::from_millis(i64::try_from((now + Duration::from_hours(30 * 24)).as_millis())?))
}
