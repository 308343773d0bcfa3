//! Deliveries: what workers hand in, and what buyers say to it.

mod artifacts;
mod create;
mod get;
mod keep;
mod list;
mod review;
mod surrender;
mod view;
mod worker_action;

pub(crate) use artifacts::{Artifacts, Summary};
pub(crate) use create::CreateDelivery;
pub(crate) use get::GetDelivery;
pub(crate) use list::ListDeliveries;
pub(crate) use review::{RejectDelivery, RequestChanges};
pub(crate) use surrender::SurrenderTask;
pub(crate) use worker_action::PrepareWorkerAction;
