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
use crate::value::{ToValue, Value};

macro_rules! parts {
    () => {
        concat!(engagement_columns!(), ", ", delivery_columns!())
    };
}

macro_rules! from {
    ($rest:literal) => {
        concat!(
            " FROM tasks t \
             LEFT JOIN engagements e ON e.task_id = t.task_id AND e.version = t.selections \
             LEFT JOIN deliveries d ON d.task_id = t.task_id AND d.version = t.deliveries ",
            $rest
        )
    };
}

/// How many cases are read at once at most.
pub const MOST_CASES: usize = 101;

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
        self.find(
            concat!("SELECT ", task_columns!(), ", ", parts!(), from!("WHERE t.task_id = $1")),
            params![task],
        )
    }

    /// The cases of up to [`MOST_CASES`] tasks, newest first, in one statement.
    pub fn find_cases(&mut self, tasks: &[TaskId]) -> Result<Vec<Case>> {
        if tasks.is_empty() {
            return Ok(Vec::new());
        }
        // One text for every number of ids: what is left of the list is filled with what names nothing.
        let ids = tasks.iter().map(ToValue::to_value);
        let nothing = std::iter::repeat_with(|| Value::Text(String::new()));
        self.rows(
            concat!(
                "SELECT ",
                task_columns!(),
                ", ",
                parts!(),
                from!(
                    "WHERE t.task_id IN ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, \
                     $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, \
                     $35, $36, $37, $38, $39, $40, $41, $42, $43, $44, $45, $46, $47, $48, $49, $50, $51, $52, \
                     $53, $54, $55, $56, $57, $58, $59, $60, $61, $62, $63, $64, $65, $66, $67, $68, $69, $70, \
                     $71, $72, $73, $74, $75, $76, $77, $78, $79, $80, $81, $82, $83, $84, $85, $86, $87, $88, \
                     $89, $90, $91, $92, $93, $94, $95, $96, $97, $98, $99, $100, $101) \
                     ORDER BY t.task_id DESC"
                )
            ),
            ids.chain(nothing).take(MOST_CASES).collect(),
        )
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
            _ => self.find::<Parts>(
                concat!("SELECT ", parts!(), from!("WHERE t.task_id = $1")),
                params![task],
            )?,
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
                next.engagement = Some(self.save_part(held.engagement.as_ref(), step)?);
            }
            None => {}
        }
        if let Some(step) = turn.superseded {
            self.save_part(held.delivery.as_ref(), step)?;
        }
        match turn.delivery {
            Some(Change::New(delivery)) => next.delivery = Some(delivery),
            Some(Change::Moved(step)) => {
                next.delivery = Some(self.save_part(held.delivery.as_ref(), step)?);
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
