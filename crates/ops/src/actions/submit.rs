//! Send a sealed action to the chain. On credits there is none: sealing is all.

use guildhall_core::action::Status;
use guildhall_core::{ActionId, Code};
use schemars::JsonSchema;
use serde::Deserialize;

use super::lock;
use super::view::ActionView;
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::meta::{ACTION, Meta, Method, SESSION, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct SubmitAction;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The action.
    action_id: ActionId,
    /// The transaction that carries it, where the wallet has sent one.
    #[serde(default)]
    #[schemars(extend("pattern" = "^0x[0-9a-f]{64}$"))]
    tx_hash: Option<String>,
}

impl Operation for SubmitAction {
    const META: Meta =
        Meta::mutation("submitAction", Method::Post, "/v1/actions/{action_id}/submit")
            .summary("Send a sealed action to the chain")
            .tag(Tag::Tasks)
            .credentials(SESSION.or(ACTION))
            .refuses(&[Code::ActionNotSealed, Code::WrongRail]);
    type Access = Writes;
    type Input = Input;
    type Output = ActionView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<ActionView> {
        let (_, action) = lock(cx, input.action_id)?;
        if action.status(cx.now) == Status::Prepared {
            return Err(Error::new(Code::ActionNotSealed, "The action has not been sealed."));
        }
        let what = if input.tx_hash.is_some() { "takes no transaction" } else { "needs no chain" };
        Err(Error::new(Code::WrongRail, format!("An action on credits {what}."))
            .suggest("Nothing is left to do: sealing it was all."))
    }
}
