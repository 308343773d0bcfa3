//! List the account's linked wallets.

use super::view::WalletView;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{Meta, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Page, WholeList};

pub(crate) struct ListWallets;

impl Operation for ListWallets {
    const META: Meta = Meta::query("listWallets", "/v1/wallets")
        .summary("List the account's linked wallets")
        .tag(Tag::Agents);
    type Access = Reads;
    type Input = WholeList;
    type Output = Page<WalletView>;

    fn run(cx: &mut Cx<Reads>, input: &WholeList) -> Result<Page<WalletView>> {
        let owner = cx.account()?;
        cx.page(
            (input.cursor.as_ref(), input.limit),
            "",
            |tx, before, count| tx.list_wallets(owner, before, count),
            |wallet| wallet.wallet_id,
            WalletView::from,
        )
    }
}
