//! One connection in the hands of its worker.

use std::future::{poll_fn, ready};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use futures_util::TryStreamExt;
use tokio::runtime::Runtime;
use tokio::task::{JoinHandle, yield_now};
use tokio::time::timeout;
use tokio_postgres::error::{DbError, SqlState};
use tokio_postgres::{AsyncMessage, Client, Row};

use super::connect::Server;
use super::error::Failure;
use super::flight::{self, Flown, Request};
use super::statement::{Statements, Text};
use crate::error::{Error, Result};
use crate::session::Expect;
use crate::value::Value;

/// After so long without an answer a connection counts as dead, whatever the network says.
const ROUND_TRIP_LIMIT: Duration = Duration::from_secs(14);
/// How long a goodbye may take.
const GOODBYE_LIMIT: Duration = Duration::from_secs(1);

/// One thing to ask of the server.
#[derive(Debug)]
pub(super) enum Step {
    /// A command of the transaction itself.
    Command(&'static str),
    /// A write of the closure.
    Write { text: Text, params: Vec<Value>, expect: Expect },
    /// A statement whose rows the closure waits for; always the last of its flight.
    Query { text: Text, params: Vec<Value> },
}

/// A connection, its statements, and the end of its last transaction if that is still on its way.
pub(super) struct Link {
    client: Rc<Client>,
    driver: JoinHandle<()>,
    statements: Statements,
    /// A COMMIT or ROLLBACK that nobody had to wait for.
    trailing: Option<Request<'static, Vec<Row>>>,
    /// Set when the server warned of a commit.
    doubtful: Arc<AtomicBool>,
    flights: u64,
}

impl Step {
    fn text(&self) -> Option<Text> {
        match self {
            Self::Command(_) => None,
            Self::Write { text, .. } | Self::Query { text, .. } => Some(*text),
        }
    }

    /// The statement's name in an error, and what it promised.
    fn origin(&self) -> (&'static str, Expect) {
        match self {
            Self::Command(sql) => (sql, Expect::Any),
            Self::Write { text, expect, .. } => (text.sql, *expect),
            Self::Query { text, .. } => (text.sql, Expect::Any),
        }
    }
}

impl Link {
    pub(super) fn open(runtime: &Runtime, server: &Server, patience: Duration) -> Result<Self> {
        let doubtful = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&doubtful);
        let hear = move |message| {
            if let AsyncMessage::Notice(notice) = message
                && is_doubtful(&notice)
            {
                seen.store(true, Ordering::Relaxed);
            }
        };
        let connected = runtime.block_on(async { timeout(patience, server.connect(hear)).await });
        let (client, driver) = connected.unwrap_or_else(|_| {
            Err(Error::Unavailable("the database did not answer in time".into()))
        })?;
        Ok(Self {
            client: Rc::new(client),
            driver,
            statements: Statements::default(),
            trailing: None,
            doubtful,
            flights: 0,
        })
    }

    /// How many round trips were waited for since this was last asked.
    pub(super) fn take_flights(&mut self) -> u64 {
        std::mem::take(&mut self.flights)
    }

    /// Sends the steps in one round trip and gives the rows of the last one.
    pub(super) fn fly(&mut self, runtime: &Runtime, steps: Vec<Step>) -> Result<Vec<Row>, Failure> {
        self.prepare(runtime, &steps)?;
        self.launch(runtime, steps).1
    }

    /// Sends the steps and COMMIT in one round trip.
    pub(super) fn commit(
        &mut self,
        runtime: &Runtime,
        mut steps: Vec<Step>,
    ) -> Result<(), Failure> {
        self.prepare(runtime, &steps)?;
        self.notice_death(runtime)?;
        self.doubtful.store(false, Ordering::Relaxed);
        steps.push(Step::Command("COMMIT"));
        match self.launch(runtime, steps) {
            (true, Err(Failure::Lost(why))) => Err(Failure::Unknown(why)),
            (_, Err(failure)) => Err(failure),
            (_, Ok(_)) if self.doubtful.load(Ordering::Relaxed) => {
                Err(Failure::Unknown("the server answered the commit with a warning".into()))
            }
            (_, Ok(_)) => Ok(()),
        }
    }

    /// Ends the transaction without waiting for the answer, which the next flight collects.
    pub(super) fn end(&mut self, runtime: &Runtime, command: &'static str) {
        let mut request = command_request(Rc::clone(&self.client), command);
        let polled = runtime.block_on(async {
            // The first poll hands the command over; the connection's own task writes it while this one steps aside.
            let polled = poll_fn(|cx| Poll::Ready(request.as_mut().poll(cx))).await;
            yield_now().await;
            polled
        });
        self.trailing = Some(match polled {
            Poll::Pending => request,
            Poll::Ready(answer) => Box::pin(ready(answer)),
        });
    }

    /// Waits for the end of the last transaction. False means that the connection is of no more use.
    pub(super) fn settle(&mut self, runtime: &Runtime) -> bool {
        let Some(request) = self.trailing.take() else { return true };
        let ended = runtime.block_on(async { timeout(ROUND_TRIP_LIMIT, request).await });
        matches!(ended, Ok(Ok(_)))
    }

    /// Says goodbye, so that the server does not have to find out.
    pub(super) fn close(self, runtime: &Runtime) {
        let Self { client, mut driver, statements, trailing, .. } = self;
        drop((client, statements, trailing));
        runtime.block_on(async {
            if timeout(GOODBYE_LIMIT, &mut driver).await.is_err() {
                end_task(driver).await;
            }
        });
    }

    /// Closes the socket at once: a broken connection must not keep its locks while this thread waits for work.
    pub(super) fn cut(self, runtime: &Runtime) {
        runtime.block_on(end_task(self.driver));
    }

    /// Prepares what this connection has not seen yet, in a round trip of its own.
    fn prepare(&mut self, runtime: &Runtime, steps: &[Step]) -> Result<(), Failure> {
        let missing = self.statements.missing(steps.iter().filter_map(Step::text));
        if missing.is_empty() {
            return Ok(());
        }
        self.flights += 1;
        let preparing = self.statements.prepare(&self.client, &missing);
        match runtime.block_on(async { timeout(ROUND_TRIP_LIMIT, preparing).await }) {
            Ok(Ok(())) => Ok(()),
            Ok(Err((place, error))) => {
                let sql = missing.get(place).map_or("", |text| text.sql);
                Err(Failure::of_answer(&error, sql, Expect::Any))
            }
            Err(_) => Err(no_answer()),
        }
    }

    /// Lets the connection's task look at the socket, so that a connection that died between two flights is found
    /// before COMMIT is sent on it, while running again is still safe.
    fn notice_death(&mut self, runtime: &Runtime) -> Result<(), Failure> {
        runtime.block_on(async {
            // The first turn learns from the kernel that there is something to read, the second reads it.
            yield_now().await;
            yield_now().await;
        });
        if self.client.is_closed() {
            return Err(Failure::Lost("the connection was closed".into()));
        }
        Ok(())
    }

    /// One round trip. Also says whether the last step was sent.
    fn launch(&mut self, runtime: &Runtime, steps: Vec<Step>) -> (bool, Result<Vec<Row>, Failure>) {
        self.flights += 1;
        let origins: Vec<_> = steps.iter().map(Step::origin).collect();
        let Some(requests) =
            steps.into_iter().map(|step| self.request(step)).collect::<Option<Vec<_>>>()
        else {
            let missed = Error::Database("a statement was sent before it was prepared".into());
            return (false, Err(Failure::Final(missed)));
        };
        let trailing = self.trailing.take();
        let ahead = usize::from(trailing.is_some());
        let last = ahead + requests.len();
        let requests = trailing.into_iter().chain(requests);
        let flying = async { timeout(ROUND_TRIP_LIMIT, flight::fly(requests)).await };
        let Ok(Flown { answers, sent }) = runtime.block_on(flying) else {
            return (true, Err(no_answer()));
        };
        let result = answers.map(|mut answers| answers.pop().unwrap_or_default());
        let result = result.map_err(|(place, error)| {
            let Some(&(sql, expect)) = place.checked_sub(ahead).and_then(|at| origins.get(at))
            else {
                // The transaction before did not end as told, so this one did not begin as told.
                return Failure::Lost(format!("the end of a transaction failed: {error}"));
            };
            if place < sent {
                Failure::of_answer(&error, sql, expect)
            } else {
                Failure::of_unsent(&error, sql)
            }
        });
        (sent == last, result)
    }

    fn request(&self, step: Step) -> Option<Request<'static, Vec<Row>>> {
        let client = Rc::clone(&self.client);
        Some(match step {
            Step::Command(sql) => command_request(client, sql),
            Step::Write { text, params, .. } => {
                let statement = self.statements.get(text)?;
                Box::pin(async move {
                    client.execute_raw(&statement, params).await?;
                    Ok(Vec::new())
                })
            }
            Step::Query { text, params } => {
                let statement = self.statements.get(text)?;
                Box::pin(
                    async move { client.query_raw(&statement, params).await?.try_collect().await },
                )
            }
        })
    }
}

fn command_request(client: Rc<Client>, command: &'static str) -> Request<'static, Vec<Row>> {
    Box::pin(async move {
        client.batch_execute(command).await?;
        Ok(Vec::new())
    })
}

async fn end_task(task: JoinHandle<()>) {
    task.abort();
    // Cancelled or ended, the socket is closed.
    let _ = task.await;
}

fn no_answer() -> Failure {
    Failure::Lost(format!("no answer in {} seconds", ROUND_TRIP_LIMIT.as_secs()))
}

/// Whether the server warns that a commit is not what it seems: it stands here but no standby confirmed it, or there was
/// no transaction to commit. The routine's name is looked at because the message may come in any language.
fn is_doubtful(notice: &DbError) -> bool {
    *notice.code() == SqlState::NO_ACTIVE_SQL_TRANSACTION
        || notice.routine() == Some("SyncRepWaitForLSN")
        || notice.message().contains("wait for synchronous replication")
}
