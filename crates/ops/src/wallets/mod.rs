//! Wallets: whose signatures count as an account's, and how they come to.

mod challenge;
mod complete_link;
mod create_link;
mod link;
mod list;
mod request;
pub(crate) mod signed;
pub(crate) mod typed_data;
mod unlink;
mod view;

pub(crate) use challenge::CreateWalletChallenge;
pub(crate) use complete_link::CompleteWalletLink;
pub(crate) use create_link::CreateWalletLink;
pub(crate) use link::LinkWallet;
pub(crate) use list::ListWallets;
pub(crate) use signed::Signed;
pub(crate) use typed_data::typed_data;
pub(crate) use unlink::UnlinkWallet;
pub(crate) use view::LinkedWallet;
