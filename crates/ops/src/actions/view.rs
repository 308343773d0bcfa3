//! How an action is shown.

use guildhall_core::action::{Action, Line, Status};
use guildhall_core::canonical::hex;
use guildhall_core::task::Rail;
use guildhall_core::{ActionId, TaskId, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::cx::Env;
use crate::market::TaskView;

/// A prepared action of the contract.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PreparedAction")]
pub(crate) struct ActionView {
    action_id: ActionId,
    #[schemars(extend("examples" = ["task_create", "select", "fund", "release", "revoke", "hire", "settle", "rule"]))]
    kind: String,
    status: Status,
    task_id: TaskId,
    #[schemars(extend("examples" = ["credits", "usdc"]), with = "String")]
    rail: Rail,
    /// The wallet that has to sign, or `passkey`: the account has no wallet, and any of its passkeys signs the digest.
    signer: String,
    chain_id: u64,
    payload: PayloadView,
    /// Where the wallet's owner reviews and signs. In the answer that prepares the action its fragment is the action's own
    /// token.
    signing_url: String,
    expires_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    sealed_at: Option<Timestamp>,
    created_at: Timestamp,
    /// What the action is about, as it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<ResultView>,
}

/// What is signed, and what the signer reads.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ActionPayload")]
struct PayloadView {
    #[serde(rename = "type")]
    #[schemars(extend("examples" = ["eip712"]))]
    form: &'static str,
    /// The document for `eth_signTypedData_v4`.
    typed_data: Value,
    /// Its digest, which is also the challenge that a passkey signs.
    digest: String,
    summary: Vec<Line>,
    /// The calls that carry it to the chain; none on credits.
    calls: Vec<Value>,
}

/// The subject of an action.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ActionResult")]
struct ResultView {
    task: TaskView,
}

impl ActionView {
    pub(crate) fn new(action: &Action, env: &Env, now: Timestamp, task: Option<TaskView>) -> Self {
        Self {
            action_id: action.action_id,
            kind: action.intent.kind().to_owned(),
            status: action.status(now),
            task_id: action.task_id,
            rail: action.rail,
            signer: action.signer.clone(),
            chain_id: action.chain_id,
            payload: PayloadView {
                form: "eip712",
                typed_data: action.typed_data.clone(),
                digest: format!("0x{}", hex(&action.digest)),
                summary: action.summary.clone(),
                calls: Vec::new(),
            },
            signing_url: format!("{}/actions/{}", env.base_url, action.action_id),
            expires_at: action.expires_at,
            sealed_at: action.sealed_at,
            created_at: action.created_at,
            result: task.map(|task| ResultView { task }),
        }
    }

    /// The view with the action's own token: shown once, to whoever prepared it.
    pub(crate) fn with_token(mut self, token: &str) -> Self {
        self.signing_url = format!("{}#{token}", self.signing_url);
        self
    }
}

/// Either the task, which has moved, or an action that will move it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(clippy::large_enum_variant, reason = "one is made for each answer, and not kept")]
pub(crate) enum Moved {
    /// The task as it stands now.
    Task(TaskView),
    /// An action that waits for its signature.
    Action(ActionView),
}

impl Moved {
    /// The status of an answer that prepares an action: something was made.
    pub(crate) fn status(&self) -> Option<u16> {
        matches!(self, Self::Action(_)).then_some(201)
    }
}
