//! Cases: a task with its engagement and its newest delivery, read at once and held by the task's lock.

use guildhall_core::delivery::Delivery;
use guildhall_core::engagement::Engagement;
use guildhall_core::task::{Case, Change, Task, Turn};
use guildhall_core::{Step, TaskId};

use super::delivery::{DELIVERY_WIDTH, delivery_columns};
use super::engagement::{ENGAGEMENT_WIDTH, engagement_columns};
use super::save::Saved;
use super::task::task_columns;
use crate::error::{Error, Result};
use crate::locked::Locked;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};

macro_rules! parts {
    () => {
        concat!(engagement_columns!(), ", ", delivery_columns!())
    };
}

macro_rules! from {
    () => {
        " FROM tasks t \
         LEFT JOIN engagements e ON e.task_id = t.task_id AND e.version = t.selections \
         LEFT JOIN deliveries d ON d.task_id = t.task_id AND d.version = t.deliveries WHERE t.task_id = $1"
    };
}

/// What belongs to a task.
struct Parts {
    engagement: Option<Engagement>,
    delivery: Option<Delivery>,
}

impl FromRow for Parts {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { engagement: row.part(ENGAGEMENT_WIDTH)?, delivery: row.part(DELIVERY_WIDTH)? })
    }
}

impl FromRow for Case {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let task = Task::from_row(row)?;
        let Parts { engagement, delivery } = Parts::from_row(row)?;
        Ok(Self { task, engagement, delivery })
    }
}

impl ReadTx<'_> {
    /// A case.
    pub fn find_case(&mut self, task: TaskId) -> Result<Option<Case>> {
        self.find(concat!("SELECT ", task_columns!(), ", ", parts!(), from!()), params![task])
    }
}

impl<'c> Tx<'c> {
    /// Holds a case. Its engagement and deliveries are changed under the task's lock alone.
    ///
    /// They are read after the lock is had, in a statement of their own: one that waited for the lock would show them as
    /// they were before the wait.
    pub fn lock_case(&mut self, task: TaskId) -> Result<Option<Locked<'c, Case>>> {
        let sql = concat!("SELECT ", task_columns!(), " FROM tasks t WHERE t.task_id = $1");
        let Some(held) = self.lock::<Task>(sql, params![task])? else { return Ok(None) };
        let parts = match held.selections {
            0 => None,
            _ => self.find::<Parts>(concat!("SELECT ", parts!(), from!()), params![task])?,
        };
        let Parts { engagement, delivery } =
            parts.unwrap_or(Parts { engagement: None, delivery: None });
        let (held, ()) = held.part(|task| (Case { task, engagement, delivery }, ()));
        Ok(Some(held))
    }

    /// Adds a task, and holds it as the case that it is.
    pub fn insert_case(&mut self, task: Task) -> Result<Locked<'c, Case>> {
        self.insert_task(&task)?;
        Ok(Locked::new(Case { task, engagement: None, delivery: None }))
    }

    /// Saves the rows of a turn. The content of a new delivery has to be there already.
    pub fn save_turn(&mut self, held: &mut Locked<'c, Case>, turn: Turn) -> Result<()> {
        let mut next = Case {
            engagement: held.engagement.clone(),
            delivery: held.delivery.clone(),
            task: held.task.clone(),
        };
        next.task = self.save(&held.task, turn.task)?;
        match turn.engagement {
            Some(Change::New(engagement)) => {
                let terms = turn.terms.ok_or(Error::Guard("an engagement needs its terms"))?;
                self.insert_engagement(&engagement, &terms)?;
                next.engagement = Some(engagement);
            }
            Some(Change::Moved(step)) => {
                next.engagement = Some(self.save_part(held.engagement.as_ref(), step)?)
            }
            None => {}
        }
        if let Some(step) = turn.superseded {
            self.save_part(held.delivery.as_ref(), step)?;
        }
        match turn.delivery {
            Some(Change::New(delivery)) => next.delivery = Some(delivery),
            Some(Change::Moved(step)) => {
                next.delivery = Some(self.save_part(held.delivery.as_ref(), step)?)
            }
            None => {}
        }
        held.replace(next);
        Ok(())
    }

    /// Saves a change of the engagement alone: a funding that is prepared, or given up.
    pub fn save_engagement(
        &mut self,
        held: &mut Locked<'c, Case>,
        step: Step<Engagement>,
    ) -> Result<()> {
        let engagement = self.save_part(held.engagement.as_ref(), step)?;
        let next = Case {
            engagement: Some(engagement),
            task: held.task.clone(),
            delivery: held.delivery.clone(),
        };
        held.replace(next);
        Ok(())
    }

    fn save_part<T: Saved>(&mut self, current: Option<&T>, step: Step<T>) -> Result<T> {
        let current = current.ok_or(Error::Guard("a step was taken on a row that is not there"))?;
        self.save(current, step)
    }
}
