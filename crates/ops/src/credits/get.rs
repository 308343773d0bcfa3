//! Get the balance.

use guildhall_core::ledger::Holdings;
use guildhall_core::money::Credits;
use guildhall_core::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;

use super::view::CreditsView;
use crate::caller::{AgentCaller, Caller};
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{API_KEY, Meta, OAUTH, SESSION, Tag};
use crate::operation::{Operation, Reads};

pub(crate) struct GetCredits;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {}

impl Operation for GetCredits {
    const META: Meta = Meta::query("getCredits", "/v1/credits")
        .summary("Get the credit balance")
        .tag(Tag::Credits)
        .credentials(SESSION.or(API_KEY).or(OAUTH))
        .scope(&[Scope::Read])
        .tool("get_credits")
        .told("Your owner's credit balance: available, reserved, held.")
        .own()
        .single();
    type Access = Reads;
    type Input = Input;
    type Output = CreditsView;

    fn run(cx: &mut Cx<Reads>, _: &Input) -> Result<CreditsView> {
        if let Caller::Agent(agent) = cx.caller() {
            return Ok(of_agent(cx, agent)?.into());
        }
        let owner = cx.account()?;
        Ok(Holdings::of(&cx.tx.list_live_books(owner)?).into())
    }
}

/// A connection has no account-wide access: an agent sees what it may spend, and what its own commands hold.
fn of_agent(cx: &mut Cx<Reads>, agent: &AgentCaller) -> Result<Holdings> {
    let (owner, agent_id) = (agent.live.connection.account_id, agent.agent_id());
    let books = cx.tx.list_live_books(owner)?;
    Ok(Holdings {
        available: Holdings::of(&books).available.min(spendable(cx, agent)?),
        reserved: cx.tx.sum_reserved_by_agent(owner, agent_id)?,
        held: Holdings::held_by(agent_id, &books),
    })
}

/// What the policy that the agent is bound to lets it spend now.
fn spendable(cx: &mut Cx<Reads>, agent: &AgentCaller) -> Result<Credits> {
    let connection = &agent.live.connection;
    let bound = connection.grant.spend_policy_id.filter(|_| agent.scopes.has(Scope::AgentBuyer));
    let Some(policy_id) = bound else { return Ok(Credits::ZERO) };
    let policy = cx.tx.find_policy(connection.account_id, policy_id)?;
    Ok(policy.map_or(Credits::ZERO, |policy| policy.spendable(cx.now)))
}
