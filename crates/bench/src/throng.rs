//! A market with very many tasks.

use anyhow::{Context, Result};
use rusqlite::Connection;
use serde_json::json;

use crate::child::Child;
use crate::fixture::{Person, World, mutation};
use crate::http::Client;
use crate::market::{Deal, check_in};

/// A market in which one worker was offered every task, and declined: they are all open to everybody.
pub(crate) struct Throng {
    pub(crate) world: World,
}

impl Throng {
    /// So many tasks, all but the first written straight into the file.
    pub(crate) fn of(tasks: u32) -> Result<Self> {
        let world = World::market(3)?;
        let throng = Self { world };
        let server = throng.world.serve(&[])?;
        let task_id = throng.decline_one(&server)?;
        drop(server);
        throng.fill(&task_id, tasks)?;
        Ok(throng)
    }

    /// Whose task was declined.
    fn buyer(&self) -> Result<&Person> {
        self.world.people.first().context("nobody")
    }

    /// Who was offered everything.
    pub(crate) fn worker(&self) -> Result<&Person> {
        self.world.people.get(1).context("no worker")
    }

    /// Somebody who has nothing to do with any of it.
    pub(crate) fn stranger(&self) -> Result<&Person> {
        self.world.people.get(2).context("no stranger")
    }

    /// Leads a deal to its offer, and has the worker decline it.
    fn decline_one(&self, server: &Child) -> Result<String> {
        let (buyer, worker) = (self.buyer()?, self.worker()?);
        let mut client = Client::connect(server.address)?;
        client.send(&check_in(worker))?.expect(200)?;
        let mut deal = Deal::between(buyer, worker);
        let mut ask = deal.begin();
        loop {
            let answer = client.send(&ask.request)?.expect(ask.status)?;
            if let Some(offer) = answer.pointer("/data/0/offer_id").and_then(|id| id.as_str()) {
                let path = format!("/v1/relay/offers/{offer}/decline");
                let decline = mutation(&path, ("x-api-key", &worker.api_key), &json!({}));
                client.send(&decline)?.expect(200)?;
                return Ok(deal.task_id().to_owned());
            }
            ask = deal.next(&answer)?.context("a deal without an offer")?;
        }
    }

    /// The copies are older than what they are copied from, and come with all that a task has: its engagement, its feed and
    /// its timer.
    fn fill(&self, task_id: &str, tasks: u32) -> Result<()> {
        let mut connection = Connection::open(self.world.file())?;
        // The service has not been started on it: nothing is lost if this is.
        connection.pragma_update(None, "synchronous", "OFF")?;
        connection.pragma_update(None, "cache_size", -200_000)?;
        let transaction = connection.transaction()?;
        for (table, key, new) in COPIES {
            copy(&transaction, table, (key, task_id), new, tasks)?;
        }
        transaction.commit()?;
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        Ok(())
    }
}

/// A table, the column a task's row is found by, and the columns that are new in every copy, with their prefixes.
type Copied = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// What is copied.
const COPIES: &[Copied] = &[
    ("tasks", "task_id", &[("task_id", "task_")]),
    (
        "engagements",
        "task_id",
        &[
            ("selection_id", "sel_"),
            ("offer_id", "offer_"),
            ("funding_id", "fund_"),
            ("task_id", "task_"),
        ],
    ),
    ("feeds", "feed_id", &[("feed_id", "task_")]),
    ("timers", "subject_id", &[("timer_id", "task.run_out:task_"), ("subject_id", "task_")]),
];

fn copy(
    connection: &Connection,
    table: &str,
    (key, original): (&str, &str),
    new: &[(&str, &str)],
    rows: u32,
) -> Result<()> {
    let mut info = connection.prepare("SELECT name FROM pragma_table_info($1)")?;
    let names = info.query_map([table], |row| row.get::<_, String>(0))?;
    let columns = names.collect::<rusqlite::Result<Vec<_>>>()?;
    let values = columns.iter().map(|column| {
        let start = new.iter().find_map(|(name, start)| (name == column).then_some(*start));
        start.map_or_else(|| format!("t.{column}"), |start| format!("printf('{start}%032x', n.i)"))
    });
    let sql = format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $1) \
         INSERT INTO {table} ({}) SELECT {} FROM n CROSS JOIN (SELECT * FROM {table} WHERE {key} = $2) t",
        columns.join(", "),
        values.collect::<Vec<_>>().join(", ")
    );
    let copied = connection.execute(&sql, rusqlite::params![rows, original])?;
    anyhow::ensure!(copied + 1 == usize::try_from(rows)?, "{copied} rows of {table}");
    Ok(())
}
