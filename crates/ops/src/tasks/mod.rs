//! Tasks, to look at: who may see one sees its trail.

mod get;
mod list;
mod list_events;
mod scan;

pub(crate) use get::GetTask;
pub(crate) use list::ListTasks;
pub(crate) use list_events::ListTaskEvents;
