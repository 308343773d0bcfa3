//! Give a connection spending access under the owner's active policy.

use guildhall_core::{Code, PolicyId};
use serde_json::json;

use super::{ConnectionView, OneConnection, lock};
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct BindConnectionSpendPolicy;

impl Operation for BindConnectionSpendPolicy {
    const META: Meta = Meta::mutation(
        "bindConnectionSpendPolicy",
        Method::Post,
        "/v1/connections/{connection_id}/spend-policy",
    )
    .summary("Let a connection spend under the active policy")
    .tag(Tag::Connections)
    .refuses(&[Code::Conflict]);
    type Access = Writes;
    type Input = OneConnection;
    type Output = ConnectionView;

    fn run(cx: &mut Cx<Writes>, input: &OneConnection) -> Result<ConnectionView> {
        // The policy is locked before the connection: deactivating one takes its locks in this order too.
        let policy = lock_active_policy(cx)?;
        let mut held = lock(cx, input.connection_id)?;
        let policy = policy.ok_or_else(no_active_policy)?;
        let step = held.row.bind(cx.now, policy)?;
        cx.apply(&mut held.row, step)?;
        let subject = ("connection", held.row.connection_id);
        cx.notify(held.row.agent_id, "policy.bound", subject, json!({ "policy_id": policy }))?;
        Ok(held.shown(cx.now))
    }
}

fn lock_active_policy(cx: &mut Cx<Writes>) -> Result<Option<PolicyId>> {
    let owner = cx.account()?;
    let policy = cx.tx.lock_active_policy(owner)?;
    Ok(policy.filter(|policy| policy.is_active(cx.now)).map(|policy| policy.policy_id))
}

fn no_active_policy() -> Error {
    Error::new(Code::Conflict, "The account has no active spending policy.")
        .suggest("Create one with createSpendPolicy, then bind again.")
}
