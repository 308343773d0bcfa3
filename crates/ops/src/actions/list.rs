//! List the account's actions.

use guildhall_core::scope::Scope;
use guildhall_core::{ActionId, Code};

use super::view::ActionView;
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::meta::{API_KEY, Meta, OAUTH, SESSION, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Page, WholeList};

pub(crate) struct ListActions;

impl Operation for ListActions {
    const META: Meta = Meta::query("listActions", "/v1/actions")
        .summary("List prepared actions, newest first")
        .tag(Tag::Tasks)
        .credentials(SESSION.or(API_KEY).or(OAUTH))
        .scope(&[Scope::Read]);
    type Access = Reads;
    type Input = WholeList;
    type Output = Page<ActionView>;

    fn run(cx: &mut Cx<Reads>, input: &WholeList) -> Result<Page<ActionView>> {
        let owner = cx.caller().account_id().ok_or_else(|| {
            Error::new(Code::Forbidden, "This takes an account session or an agent's credential.")
        })?;
        let (env, now) = (cx.env(), cx.now);
        cx.page(
            (input.cursor.as_ref(), input.limit),
            "",
            |tx, before: Option<ActionId>, limit| tx.list_actions(owner, before, limit),
            |action| action.action_id,
            |action| ActionView::new(&action, env, now, None),
        )
    }
}
