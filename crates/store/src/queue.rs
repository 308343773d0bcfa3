//! The bounded queue between callers and the threads that own a connection.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::job::Job;

/// Jobs waiting for a worker. Full means refused at once, never slower and slower.
pub(crate) struct Queue {
    state: Mutex<State>,
    arrived: Condvar,
    capacity: usize,
}

struct State {
    jobs: VecDeque<Box<dyn Job>>,
    closed: bool,
}

impl Queue {
    pub(crate) fn new(capacity: usize) -> Self {
        let state = Mutex::new(State { jobs: VecDeque::new(), closed: false });
        Self { state, arrived: Condvar::new(), capacity }
    }

    /// Puts a job at the end of the queue; a job that does not fit is dropped, and its caller told.
    pub(crate) fn push(&self, job: Box<dyn Job>) -> Result<()> {
        let mut state = self.state();
        if state.closed {
            return Err(Error::Unavailable("the store is shutting down".into()));
        }
        if state.jobs.len() >= self.capacity {
            return Err(Error::Unavailable("the queue of the store is full".into()));
        }
        state.jobs.push_back(job);
        drop(state);
        self.arrived.notify_one();
        Ok(())
    }

    /// Waits for jobs and takes up to `most`, or `None` once the queue is closed and empty.
    pub(crate) fn take(&self, most: usize) -> Option<Vec<Box<dyn Job>>> {
        let mut state = self.state();
        while state.jobs.is_empty() {
            if state.closed {
                return None;
            }
            state = self.arrived.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let count = state.jobs.len().min(most);
        Some(state.jobs.drain(..count).collect())
    }

    /// Answers the jobs that have waited longer than `deadline`: whoever should serve them is held up.
    pub(crate) fn refuse_overdue(&self, deadline: Duration) {
        let overdue: Vec<_> = {
            let mut state = self.state();
            let waited_too_long = state.jobs.iter().map(|job| job.queued_at().elapsed() > deadline);
            let count = waited_too_long.take_while(|overdue| *overdue).count();
            state.jobs.drain(..count).collect()
        };
        for job in overdue {
            job.answer(Err(Error::Unavailable("the store did not get to the job in time".into())));
        }
    }

    /// Lets the workers finish what is queued, and then stop.
    pub(crate) fn close(&self) {
        self.state().closed = true;
        self.arrived.notify_all();
    }

    pub(crate) fn len(&self) -> usize {
        self.state().jobs.len()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
