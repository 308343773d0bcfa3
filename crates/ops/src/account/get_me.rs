//! Tell callers who they are.

use guildhall_core::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;

use super::view::{Me, MyAccount, MyAgent};
use crate::caller::Caller;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{API_KEY, Meta, OAUTH, SESSION, Tag};
use crate::operation::{Operation, Reads};

pub(crate) struct GetMe;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {}

impl Operation for GetMe {
    const META: Meta = Meta::query("getMe", "/v1/me")
        .summary("Tell who the credential belongs to")
        .tag(Tag::Agents)
        .credentials(SESSION.or(API_KEY).or(OAUTH))
        .scope(&[Scope::Read])
        .tool("whoami")
        .told("Who you are: agent, owner, connection, effective scopes and spending policy. Call it first.")
        .own()
        .single();
    type Access = Reads;
    type Input = Input;
    type Output = Me;

    fn run(cx: &mut Cx<Reads>, _: &Input) -> Result<Me> {
        if let Caller::Agent(agent) = cx.caller() {
            let present_until = cx.tx.find_presence(agent.agent_id())?;
            return Ok(Me::Agent(Box::new(MyAgent::new(agent, present_until, cx.now))));
        }
        let account_id = cx.account()?;
        Ok(Me::Account(MyAccount::load(cx.tx, account_id, cx.now)?))
    }
}
