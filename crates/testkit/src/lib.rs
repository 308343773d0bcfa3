//! A Guildhall to test: the real server on a free port, over either engine, with a movable clock.
//!
//! Tests are written once and run on both engines with [`on_both_engines`]. PostgreSQL comes from the test command, which
//! says where in `GUILDHALL_TEST_POSTGRES`; without it those tests fail, they are never skipped.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    reason = "tests fail by panicking"
)]

mod answer;
mod books;
mod browser;
mod cluster;
mod credits;
mod database;
mod deal;
mod faulty;
mod market;
mod oauth;
mod passkey;
mod people;
mod receiver;
mod server;
mod tasks;
mod wallet;
mod work;

pub use answer::Answer;
pub use books::{ReservedEntry, Spending};
pub use browser::{Browser, Shown, with_form};
pub use cluster::Cluster;
pub use credits::sqlite_tamper;
pub use database::{Database, Engine, sqlite_faults};
pub use deal::Deal;
pub use market::{Market, task, text};
pub use oauth::{
    Fields, OauthClient, OauthMemory, OauthTokens, REDIRECT_URI, SentCode, allow, authorize_path,
    challenge, changed, fields,
};
pub use passkey::Authenticator;
pub use people::{Agent, PASSWORD, Person, unique};
pub use receiver::{Received, Receiver};
pub use server::{Server, Setup, send};
pub use wallet::Wallet;
pub use work::Work;

/// Runs each named test function, which takes a [`Server`], on both engines.
#[macro_export]
macro_rules! on_both_engines {
    ($($test:ident),* $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    super::$test($crate::Server::start($crate::Engine::Sqlite).await).await;
                }
            )*
        }

        mod postgres {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    super::$test($crate::Server::start($crate::Engine::Postgres).await).await;
                }
            )*
        }
    };
}
