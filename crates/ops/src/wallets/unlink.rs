//! Unlink a wallet that nothing depends on.

use guildhall_core::wallet::Wallet;
use guildhall_core::{Code, WalletId, WalletKind};
use schemars::JsonSchema;
use serde::Deserialize;

use super::view::WalletView;
use crate::cx::{Cx, OrMissing};
use crate::error::{Error, Result};
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct UnlinkWallet;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The wallet.
    wallet_id: WalletId,
}

impl Operation for UnlinkWallet {
    const META: Meta = Meta::mutation("unlinkWallet", Method::Delete, "/v1/wallets/{wallet_id}")
        .summary("Unlink a wallet")
        .tag(Tag::Agents)
        .refuses(&[Code::Conflict]);
    type Access = Writes;
    type Input = Input;
    type Output = WalletView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<WalletView> {
        let owner = cx.account()?;
        cx.about("wallet", input.wallet_id);
        let found = cx.tx.lock_wallet(owner, input.wallet_id)?;
        let mut wallet = found.or_missing::<WalletKind>()?;
        if let Some(step) = wallet.unlink(cx.now) {
            dependents(cx, &wallet)?;
            cx.apply(&mut wallet, step)?;
        }
        Ok(WalletView::from(wallet.clone()))
    }
}

/// Refuses while something of the account counts on the wallet. Whatever comes to count on one has to be asked here.
fn dependents(cx: &mut Cx<Writes>, wallet: &Wallet) -> Result<()> {
    if cx.tx.signer_is_needed(wallet.account_id, &wallet.address)? {
        return Err(Error::new(Code::Conflict, "A prepared action waits for this wallet.")
            .suggest("Seal or cancel the action first (listActions)."));
    }
    match cx.tx.find_agent_paid_to(wallet.account_id, &wallet.address)? {
        None => Ok(()),
        Some(agent_id) => {
            Err(Error::new(Code::Conflict, format!("The agent {agent_id} is paid to this wallet."))
                .suggest("Give the agent another payout wallet first (setPayoutWallet)."))
        }
    }
}
