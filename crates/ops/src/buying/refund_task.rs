//! Take back what the escrow contract holds after a deadline. Credits come back by themselves.

use guildhall_core::Code;

use super::lock_bought;
use crate::actions::ActionView;
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::market::OneTask;
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct RefundTask;

impl Operation for RefundTask {
    const META: Meta = Meta::mutation("refundTask", Method::Post, "/v1/tasks/{task_id}/refund")
        .summary("Prepare a refund from the escrow contract")
        .tag(Tag::Tasks)
        .creates()
        .refuses(&[Code::WrongRail]);
    type Access = Writes;
    type Input = OneTask;
    type Output = ActionView;

    fn run(cx: &mut Cx<Writes>, input: &OneTask) -> Result<ActionView> {
        lock_bought(cx, input.task_id.known()?)?;
        Err(Error::new(Code::WrongRail, "Held credits come back by themselves at the deadline.")
            .suggest("Read the task; due_at says when."))
    }
}
