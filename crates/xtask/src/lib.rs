//! The repository's chores, as a library so that the tests run them too.

pub mod tidy;
