//! From a URL to a connection with an address that was checked.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};

use guildhall_core::remote::{RemoteUrl, is_global};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::ServerName;

use crate::error::Error;
use crate::tls::Trust;

/// How many of a name's addresses are tried.
const MOST_ADDRESSES: usize = 4;

/// An open connection.
pub(crate) enum Stream {
    Plain(TcpStream),
    Secure(Box<TlsStream<TcpStream>>),
}

/// Opens a connection to the URL's host.
pub(crate) async fn open(
    url: &RemoteUrl,
    trust: &Trust,
    allow_local: bool,
) -> Result<Stream, Error> {
    let addresses = resolve(url, allow_local).await?;
    let tcp = connect(&addresses).await?;
    // Small messages must not wait for each other.
    tcp.set_nodelay(true).map_err(|_| Error::Unreachable)?;
    if !url.is_https() {
        return Ok(Stream::Plain(tcp));
    }
    let name = ServerName::try_from(url.host()).map_err(|_| Error::Untrusted)?;
    let secured = trust.connector()?.connect(name, tcp).await;
    secured.map(|stream| Stream::Secure(Box::new(stream))).map_err(|_| Error::Untrusted)
}

/// The host's addresses that may be connected to. Nobody resolves the name a second time, so nobody can change its meaning
/// between the check and the connection.
async fn resolve(url: &RemoteUrl, allow_local: bool) -> Result<Vec<SocketAddr>, Error> {
    let found: Vec<SocketAddr> = match url.address() {
        Some(ip) => vec![SocketAddr::new(ip, url.port())],
        None => tokio::net::lookup_host((url.host(), url.port()))
            .await
            .map_err(|_| Error::Unresolved)?
            .collect(),
    };
    if found.is_empty() {
        return Err(Error::Unresolved);
    }
    let open = found.into_iter().filter(|address| is_open(address.ip(), url, allow_local));
    let open: Vec<_> = open.take(MOST_ADDRESSES).collect();
    if open.is_empty() { Err(Error::NotPublic) } else { Ok(open) }
}

/// Whether an address may be connected to: a public one by https, the loopback where that is allowed.
fn is_open(ip: IpAddr, url: &RemoteUrl, allow_local: bool) -> bool {
    is_global(ip) && url.is_https() || allow_local && ip.is_loopback()
}

async fn connect(addresses: &[SocketAddr]) -> Result<TcpStream, Error> {
    for address in addresses {
        if let Ok(stream) = TcpStream::connect(address).await {
            return Ok(stream);
        }
    }
    Err(Error::Unreachable)
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(cx, buffer),
            Self::Secure(stream) => Pin::new(stream).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Secure(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Self::Secure(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Secure(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open_for(url: &str, allow_local: bool, ip: &str) -> bool {
        is_open(ip.parse().unwrap(), &RemoteUrl::parse(url, true).unwrap(), allow_local)
    }

    /// A name is as good as what it leads to: "blocked after resolution, pinned address".
    #[test]
    fn what_a_name_leads_to_is_judged() {
        let https = "https://rebound.example.com/";
        assert!(open_for(https, false, "8.8.8.8"));
        for ip in ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "fe80::1"]
        {
            assert!(!open_for(https, false, ip), "{ip}");
        }
        assert!(open_for("http://localhost/", true, "127.0.0.1"));
        assert!(!open_for("http://localhost/", true, "8.8.8.8"), "never in the clear to others");
        assert!(!open_for("http://localhost/", true, "10.0.0.1"));
        assert!(!open_for("http://localhost/", false, "127.0.0.1"));
    }

    #[tokio::test]
    async fn a_name_that_leads_home_is_not_public() {
        let url = RemoteUrl::parse("https://localhost/", true).unwrap();
        assert_eq!(resolve(&url, false).await, Err(Error::NotPublic));
        assert!(resolve(&url, true).await.unwrap().iter().all(|found| found.ip().is_loopback()));
    }
}
