//! Who one is to the service.

mod get_me;
mod update_me;
mod view;

pub(crate) use get_me::GetMe;
pub(crate) use update_me::UpdateMe;
