//! Why a call failed, in words that whoever named the URL may read: they tell nothing about the network around the service.

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The URL is not one that is called.
    #[error("the url {0}")]
    Refused(String),
    /// The name leads nowhere.
    #[error("the host's name cannot be resolved")]
    Unresolved,
    /// The name leads to addresses that are not public, and nowhere else.
    #[error("the host's address is not a public one")]
    NotPublic,
    /// Nobody answers at the address.
    #[error("no connection to the host")]
    Unreachable,
    /// The host does not prove who it is.
    #[error("no secure connection to the host: its certificate is not valid, or it speaks no TLS")]
    Untrusted,
    /// It took too long.
    #[error("the host did not answer in time")]
    TimedOut,
    /// The document is larger than was asked for.
    #[error("the answer is too large")]
    TooLarge,
    /// The answer is another one than a document.
    #[error("the host answered with status {0}")]
    Status(u16),
    /// What came back is not a whole HTTP answer.
    #[error("the host did not give a whole answer")]
    Broken,
    /// This machine has no certificate authorities to trust, or a list that cannot be read.
    #[error("this service has no certificate authorities to check the host against")]
    NoAuthorities,
}
