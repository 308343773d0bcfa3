//! What the parts of the authorization server share.

use std::sync::Arc;

use guildhall_core::Secret;
use guildhall_core::remote::Fetch;
use guildhall_store::Sealer;
use tokio::sync::Semaphore;

use super::access::AccessTokens;
use crate::keys::Keys;
use crate::service::Settings;

/// How many clients' documents are fetched at once: whoever names them must not make the service call the whole world.
const FETCHES: usize = 8;

/// The authorization server's own things.
pub(crate) struct Oauth {
    pub(crate) access: AccessTokens,
    /// Seals the successor of a refresh token with the token itself.
    pub(super) successors: Sealer,
    pub(super) fetch: Arc<dyn Fetch>,
    pub(super) fetches: Semaphore,
    pub(super) allow_local: bool,
}

impl Oauth {
    pub(crate) fn new(
        keys: Arc<Keys>,
        server_key: &Secret<[u8; 32]>,
        settings: &Settings,
        fetch: Arc<dyn Fetch>,
    ) -> Self {
        Self {
            access: AccessTokens::new(keys, &settings.auth_url, &settings.base_url),
            successors: Sealer::new(server_key, "refresh tokens"),
            fetch,
            fetches: Semaphore::new(FETCHES),
            allow_local: settings.allow_local,
        }
    }
}
