//! Who is who: accounts, the sessions they sign in to, and the tokens that speak for them.
//!
//! Everything costly (hashing, signing, opening sealed keys) happens outside transactions. No HTTP is known here: an
//! adapter carries cookies and answers, and [`Identity`] decides.

mod account;
mod admin;
mod confirmation;
mod email;
mod error;
mod forms;
mod hashing;
mod jws;
mod key;
mod keys;
mod mail;
pub mod oauth;
mod passkey_sign_in;
mod passkeys;
mod password;
mod random;
mod reset;
mod seen;
mod service;
mod session;
mod throttle;
mod tokens;
mod verifier;
mod wallet;

pub use account::{AccountView, SignedIn};
pub use email::Email;
pub use error::{Error, Result};
pub use forms::Forms;
pub use hashing::{HashCost, Passwords};
pub use keys::Keys;
pub use mail::{Mail, Mailer};
pub use oauth::{
    AccessClaims, AccessTokens, Authorization, Client, NewCode, NotAuthorized, Prompt,
};
pub use passkeys::{NewPasskey, PasskeyOptions, PasskeyView};
pub use service::{Clock, Identity, Settings};
pub use session::SessionView;
pub use tokens::{SessionClaims, SessionToken, Tokens};
pub use verifier::Invalid;
pub use wallet::WalletMessage;
