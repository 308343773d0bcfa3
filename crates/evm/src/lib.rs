//! What an Ethereum signature is: addresses, the digests that wallets sign, and who signed them.
//!
//! Nothing here does IO or knows a chain. Whether a contract stands behind an address is a question for one, and is asked
//! elsewhere.

mod address;
mod digest;
mod recover;
mod signature;
pub mod siwe;

pub use address::Address;
pub use digest::{Digest, NotTypedData, eip191_digest, typed_data_digest};
pub use recover::{Unrecoverable, recover};
pub use signature::Signature;
