//! Goes out for documents that others have named.

use std::sync::Arc;

use guildhall_core::remote::{Fetch, Fetched, Fetching};
use guildhall_outbound::Outbound;

/// The service's way to documents outside.
pub(crate) struct Fetcher(pub(crate) Arc<Outbound>);

impl Fetch for Fetcher {
    fn fetch<'a>(&'a self, url: &'a str, max_bytes: usize) -> Fetching<'a> {
        Box::pin(async move {
            let fetched = self.0.get(url, max_bytes).await.map_err(|error| error.to_string())?;
            let guildhall_outbound::Fetched { media_type, cache_control, bytes } = fetched;
            Ok(Fetched { media_type, cache_control, bytes })
        })
    }
}
