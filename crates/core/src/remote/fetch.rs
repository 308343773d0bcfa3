//! Documents at addresses that other people have named. Who goes out for them is not of this crate.

use std::pin::Pin;

use bytes::Bytes;

/// Fetches documents, from public hosts only.
pub trait Fetch: Send + Sync {
    /// Fetches a document of at most `max_bytes`, or says in words for whoever named the address why not.
    fn fetch<'a>(&'a self, url: &'a str, max_bytes: usize) -> Fetching<'a>;
}

/// A document on its way.
pub type Fetching<'a> = Pin<Box<dyn Future<Output = Result<Fetched, String>> + Send + 'a>>;

/// A document that was fetched whole.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// What the sender says it is, if it says so.
    pub media_type: Option<String>,
    /// What the sender says about keeping it, if it says anything.
    pub cache_control: Option<String>,
    /// The document.
    pub bytes: Bytes,
}
