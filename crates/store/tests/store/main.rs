//! The store's contract, held by both engines: one source, run once on SQLite and once on PostgreSQL.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod place;
mod tools;

mod attempts;
mod failures;
mod group_commit;
mod ledger;
mod locking;
mod migrations;
mod queueing;
mod search;
mod sqlite_only;
mod transactions;
mod wakes;

/// Runs each named test of the module on both engines.
macro_rules! on_both_engines {
    ($($test:ident),* $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $test() {
                    $crate::place::Place::sqlite().run(super::$test).await;
                }
            )*
        }

        mod postgres {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $test() {
                    $crate::place::Place::postgres().await.run(super::$test).await;
                }
            )*
        }
    };
}
pub(crate) use on_both_engines;
