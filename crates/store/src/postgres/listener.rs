//! Wake-ups from other nodes: one connection that listens.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::time::sleep;
use tokio_postgres::{AsyncMessage, Client};

use super::worker::Shared;
use crate::error::{Error, Result};

const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How often the queue is searched for jobs that waited too long.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// The listening thread; it ends when this is dropped.
pub(super) struct Listener {
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Listener {
    /// Starts to listen, and returns once the server has let us in or refused to.
    pub(super) async fn start(shared: Arc<Shared>, runtime: Runtime) -> Result<Self> {
        let (stop, stopped) = oneshot::channel();
        let (ready, first) = oneshot::channel();
        let thread = thread::Builder::new()
            .name("store-listen".into())
            .spawn(move || {
                runtime.block_on(async {
                    tokio::select! {
                        _ = stopped => {}
                        () = listen(&shared, ready) => {}
                        () = refuse_overdue(&shared) => {}
                    }
                });
            })
            .map_err(|error| Error::Unavailable(format!("no thread to listen on: {error}")))?;
        let listener = Self { stop: Some(stop), thread: Some(thread) };
        first.await.unwrap_or_else(|_| Err(Error::Unavailable("the listener ended".into())))?;
        Ok(listener)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            super::join(thread);
        }
    }
}

/// Answers, for ever, the jobs that no worker got to in time. A server that hangs holds up every worker, and none of them
/// can look after the queue then.
async fn refuse_overdue(shared: &Shared) {
    loop {
        sleep(LOOK_EVERY).await;
        shared.queue.refuse_overdue(shared.queue_deadline);
    }
}

/// Listens for ever, once the first connection stands.
async fn listen(shared: &Shared, ready: oneshot::Sender<Result<()>>) {
    let mut connection = match subscribe(shared).await {
        Ok(connection) => {
            let _ = ready.send(Ok(()));
            connection
        }
        Err(error) => {
            let _ = ready.send(Err(error));
            return;
        }
    };
    loop {
        let (client, driver) = connection;
        let _ = driver.await;
        drop(client);
        tracing::info!("the connection that listens for wake-ups broke; connecting again");
        connection = subscribe_again(shared).await;
        // What was announced in the meantime was missed.
        shared.wakes.wake_all();
    }
}

async fn subscribe_again(shared: &Shared) -> (Client, tokio::task::JoinHandle<()>) {
    let mut pause = SHORTEST_PAUSE;
    loop {
        match subscribe(shared).await {
            Ok(connection) => return connection,
            Err(error) => tracing::debug!(%error, "cannot listen for wake-ups"),
        }
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

async fn subscribe(shared: &Shared) -> Result<(Client, tokio::task::JoinHandle<()>)> {
    let wakes = Arc::clone(&shared.wakes);
    let hear = move |message| {
        if let AsyncMessage::Notification(notification) = message {
            wakes.wake(notification.payload());
        }
    };
    let (client, driver) = shared.server.connect(hear).await?;
    client
        .batch_execute("LISTEN guildhall")
        .await
        .map_err(|error| Error::Unavailable(format!("cannot listen: {error}")))?;
    Ok((client, driver))
}
