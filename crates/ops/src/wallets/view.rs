//! How wallets are shown.

use guildhall_core::wallet::Wallet;
use guildhall_core::{Timestamp, WalletId};
use guildhall_evm::Address;
use schemars::JsonSchema;
use serde::Serialize;

/// A linked wallet in short.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LinkedWallet {
    wallet_id: WalletId,
    #[schemars(with = "Address")]
    address: String,
    /// The chain of a contract wallet; null for a key's own address, which is the same on every chain.
    chain_id: Option<u64>,
}

/// A wallet, with what waits for it in the escrow.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Wallet")]
pub(crate) struct WalletView {
    wallet_id: WalletId,
    #[schemars(with = "Address")]
    address: String,
    /// The chain of a contract wallet; null for a key's own address, which is the same on every chain.
    chain_id: Option<u64>,
    /// What the wallet can withdraw from the escrow.
    claimable: Usdc,
    created_at: Timestamp,
    /// When the wallet was unlinked; left out while it is linked.
    #[serde(skip_serializing_if = "Option::is_none")]
    unlinked_at: Option<Timestamp>,
}

/// An amount of USDC.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Usdc {
    /// A decimal number with at most six decimals.
    amount: &'static str,
    #[schemars(extend("const" = "USDC"))]
    currency: &'static str,
}

impl From<Wallet> for LinkedWallet {
    fn from(wallet: Wallet) -> Self {
        let Wallet { wallet_id, address, chain_id, .. } = wallet;
        Self { wallet_id, address, chain_id }
    }
}

impl From<Wallet> for WalletView {
    fn from(wallet: Wallet) -> Self {
        let Wallet { wallet_id, address, chain_id, created_at, unlinked_at, .. } = wallet;
        // Without an escrow nothing can wait in it.
        let claimable = Usdc { amount: "0", currency: "USDC" };
        Self { wallet_id, address, chain_id, claimable, created_at, unlinked_at }
    }
}
