//! Change how the account is called.

use guildhall_core::text::Line;
use schemars::JsonSchema;
use serde::Deserialize;

use super::view::MyAccount;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct UpdateMe;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// What other people see.
    display_name: Line<1, 100>,
}

impl Operation for UpdateMe {
    const META: Meta = Meta::mutation("updateMe", Method::Patch, "/v1/me")
        .summary("Change the account's display name")
        .tag(Tag::Agents);
    type Access = Writes;
    type Input = Input;
    type Output = MyAccount;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<MyAccount> {
        let account_id = cx.account()?;
        cx.tx.set_display_name(account_id, &input.display_name, cx.now)?;
        cx.about("account", account_id);
        MyAccount::load(cx.tx, account_id, cx.now)
    }
}
