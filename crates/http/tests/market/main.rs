//! The market from end to end, over HTTP, on both engines: each story ends with the books verified and nothing left held
//! or reserved that no live work explains.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod agent_hires;
mod books;
mod codes;
mod earn;
mod feed;
mod hammer;
mod hires;
mod late;
mod nodes;
mod person_buys;
mod races;
mod rulings;
mod second_thoughts;
mod wrong;
