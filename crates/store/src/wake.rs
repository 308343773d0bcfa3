//! Wake-ups: whoever waits for a topic is told that something new has committed.
//!
//! They are hints. A waiter looks for itself, and looks again after a while even when nobody woke it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

/// The waiters of this process, by topic.
#[derive(Default)]
pub(crate) struct Wakes {
    topics: Mutex<HashMap<String, Arc<Notify>>>,
}

/// A place in the waiting room of one topic, taken before looking, so that nothing committed since is missed.
pub struct Waiter {
    topic: String,
    notify: Arc<Notify>,
    wakes: Arc<Wakes>,
}

impl Wakes {
    pub(crate) fn waiter(self: &Arc<Self>, topic: &str) -> Waiter {
        let mut topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        let notify = Arc::clone(topics.entry(topic.to_owned()).or_default());
        Waiter { topic: topic.to_owned(), notify, wakes: Arc::clone(self) }
    }

    pub(crate) fn wake(&self, topic: &str) {
        let topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(notify) = topics.get(topic) {
            notify.notify_waiters();
        }
    }

    /// Wakes every topic, when it is not known which ones were announced.
    pub(crate) fn wake_all(&self) {
        let topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        topics.values().for_each(|notify| notify.notify_waiters());
    }
}

impl Waiter {
    /// A future that is registered at once and ends at the next wake-up.
    pub fn woken(&self) -> impl Future<Output = ()> + '_ {
        let mut woken = Box::pin(self.notify.notified());
        woken.as_mut().enable();
        woken
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        let mut topics = self.wakes.topics.lock().unwrap_or_else(PoisonError::into_inner);
        // Two owners are left when this is the last waiter: the map and this waiter itself.
        if Arc::strong_count(&self.notify) <= 2 {
            topics.remove(&self.topic);
        }
    }
}
