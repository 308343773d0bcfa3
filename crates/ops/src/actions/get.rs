//! Read an action.

use guildhall_core::ActionKind;
use guildhall_core::scope::Scope;

use super::view::ActionView;
use super::{OneAction, is_visible};
use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::market;
use crate::meta::{ACTION, API_KEY, Meta, OAUTH, SESSION, Tag};
use crate::operation::{Operation, Reads};

pub(crate) struct GetAction;

impl Operation for GetAction {
    const META: Meta = Meta::query("getAction", "/v1/actions/{action_id}")
        .summary("Read a prepared action")
        .tag(Tag::Tasks)
        .credentials(SESSION.or(API_KEY).or(OAUTH).or(ACTION))
        .scope(&[Scope::Read])
        .tool("get_action")
        .told("A prepared action: its status, and the signing_url where a wallet signs it.")
        .own()
        .single();
    type Access = Reads;
    type Input = OneAction;
    type Output = ActionView;

    fn run(cx: &mut Cx<Reads>, input: &OneAction) -> Result<ActionView> {
        let caller = cx.caller();
        let action = cx.tx.find_action(input.action_id)?;
        let action =
            action.filter(|action| is_visible(caller, action)).or_missing::<ActionKind>()?;
        let case = cx.tx.find_case(action.task_id)?;
        let task = case.map(|case| market::show(caller, &case));
        Ok(ActionView::new(&action, cx.env(), cx.now, task))
    }
}
