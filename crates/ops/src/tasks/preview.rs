//! Show a task to somebody without a credential, for ten minutes.

use guildhall_core::Timestamp;
use guildhall_core::scope::Scope;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cx::Cx;
use crate::error::Result;
use crate::market::{self, OneTask};
use crate::meta::{API_KEY, Meta, OAUTH, Tag};
use crate::operation::{Operation, Reads};
use crate::previews;

pub(crate) struct GetTaskPreview;

/// A task preview of the contract.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TaskPreview")]
pub(crate) struct PreviewView {
    /// Where the task can be read without a credential.
    url: String,
    /// Until when.
    expires_at: Timestamp,
}

impl Operation for GetTaskPreview {
    const META: Meta = Meta::query("getTaskPreview", "/v1/tasks/{task_id}/preview")
        .summary("Get a link under which the task can be read for ten minutes")
        .tag(Tag::Tasks)
        .credentials(API_KEY.or(OAUTH))
        .scope(&[Scope::Read])
        .tool("preview_task");
    type Access = Reads;
    type Input = OneTask;
    type Output = PreviewView;

    fn run(cx: &mut Cx<Reads>, input: &OneTask) -> Result<PreviewView> {
        let agent = cx.agent()?.agent_id();
        let case = market::find(cx, &input.task_id)?;
        let (url, expires_at) = previews::mint(cx.env(), (case.task.task_id, agent), cx.now);
        Ok(PreviewView { url, expires_at })
    }
}
