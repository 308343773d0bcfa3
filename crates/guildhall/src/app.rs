//! What the node answers: everything it is made of, put together into one router.

use axum::Router;
use guildhall_store::Db;

use crate::config::{Config, MasterKey};

/// What the service is made of.
#[expect(dead_code, reason = "each part is taken up by the service that uses it")]
pub(crate) struct App {
    pub(crate) config: Config,
    pub(crate) key: MasterKey,
    pub(crate) db: Db,
    /// How far the clock of a development instance is ahead.
    pub(crate) clock_offset_seconds: i64,
}

impl App {
    /// The routes of the service.
    #[expect(clippy::unused_self, reason = "the routes are made from the parts")]
    pub(crate) fn router(self) -> Router {
        Router::new()
    }
}
