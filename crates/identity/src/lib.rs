//! Who is who: accounts, the sessions they sign in to, and the tokens that speak for them.
//!
//! Everything costly (hashing, signing, opening sealed keys) happens outside transactions. No HTTP is known here: an
//! adapter carries cookies and answers, and [`Identity`] decides.

mod account;
mod admin;
mod email;
mod error;
mod hashing;
mod jws;
mod key;
mod keys;
mod mail;
mod password;
mod random;
mod reset;
mod seen;
mod service;
mod session;
mod throttle;
mod tokens;
mod wallet;

pub use account::{AccountView, SignedIn};
pub use email::Email;
pub use error::{Error, Result};
pub use hashing::{HashCost, Passwords};
pub use keys::Keys;
pub use mail::{Mail, Mailer};
pub use service::{Clock, Identity, Settings};
pub use session::SessionView;
pub use tokens::{Invalid, SessionClaims, SessionToken, Tokens};
pub use wallet::WalletMessage;
