//! Say where an agent's USDC earnings go.

use guildhall_core::wallet::Wallet;
use guildhall_core::{AccountId, Code, WalletId, WalletKind};
use guildhall_evm::Address;
use guildhall_store::Locked;
use schemars::JsonSchema;
use serde::Deserialize;

use super::view::AgentView;
use super::{AgentRef, lock};
use crate::cx::{Cx, OrMissing};
use crate::error::{Error, Result};
use crate::input::{given, present};
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct SetPayoutWallet;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The agent.
    agent_id: AgentRef,
    /// One of the account's linked wallets; null for none.
    #[serde(default, deserialize_with = "given")]
    wallet_id: Option<Option<WalletId>>,
    /// The same by its address, in place of `wallet_id`.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Address")]
    address: Option<Address>,
}

impl Operation for SetPayoutWallet {
    const META: Meta =
        Meta::mutation("setPayoutWallet", Method::Put, "/v1/me/agents/{agent_id}/payout-wallet")
            .summary("Choose the wallet that an agent is paid to")
            .tag(Tag::Agents)
            .refuses(&[Code::Conflict, Code::WalletNotLinked, Code::OwnerMismatch]);
    type Access = Writes;
    type Input = Input;
    type Output = AgentView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<AgentView> {
        let mut agent = lock(cx, &input.agent_id)?;
        let owner = agent.account_id;
        let wallet = match (input.wallet_id, input.address) {
            (Some(Some(wallet_id)), None) => Some(by_id(cx, owner, wallet_id)?),
            (None, Some(address)) => Some(by_address(cx, owner, address)?),
            (Some(None), None) => None,
            _ => return Err(Error::invalid("wallet_id: send this or `address`, one of the two.")),
        };
        let step = agent.pay_to(cx.now, wallet.map(|wallet| wallet.address.clone()))?;
        cx.apply_some(&mut agent, step)?;
        Ok(AgentView::new(&agent, &cx.env().base_url))
    }
}

/// Holds a wallet of the account, so that it stays linked until the agent counts on it.
fn by_id<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    owner: AccountId,
    wallet_id: WalletId,
) -> Result<Locked<'c, Wallet>> {
    let wallet = cx.tx.lock_wallet(owner, wallet_id)?.or_missing::<WalletKind>()?;
    Ok(wallet.check(Wallet::check_linked)?)
}

fn by_address<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    owner: AccountId,
    address: Address,
) -> Result<Locked<'c, Wallet>> {
    match cx.tx.find_linked_wallet(&address.to_string())? {
        Some(wallet) if wallet.account_id == owner => by_id(cx, owner, wallet.wallet_id),
        Some(_) => Err(Error::new(Code::OwnerMismatch, "The wallet is linked to another account.")
            .suggest("Take one of the account's own wallets (listWallets).")),
        None => Err(Error::new(Code::WalletNotLinked, "No such wallet is linked.")),
    }
}
