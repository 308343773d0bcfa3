//! A peer that answers as a test wants it to.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// What the peer is, in PEM; valid for `localhost` alone.
pub(crate) const CERTIFICATE: &[u8] = include_bytes!("certificates/certificate.pem");
const KEY: &[u8] = include_bytes!("certificates/key.pem");

/// What a peer sends once it has read a request.
#[derive(Clone)]
pub(crate) enum Script {
    /// These bytes, and then the end.
    Say(Vec<u8>),
    /// These bytes, and then nothing more while the connection stays open.
    Stall(&'static str),
    /// These bytes, and then zeros without end.
    Flood(&'static str),
}

/// A peer, and what it was sent.
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    heard: tokio::sync::mpsc::UnboundedReceiver<String>,
}

impl Peer {
    /// A peer in the clear.
    pub(crate) async fn plain(script: Script) -> Self {
        Self::start(script, None).await
    }

    /// A peer behind TLS.
    pub(crate) async fn secure(script: Script) -> Self {
        let certificate = CertificateDer::from_pem_slice(CERTIFICATE).unwrap();
        let key = PrivateKeyDer::from_pem_slice(KEY).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .unwrap();
        Self::start(script, Some(TlsAcceptor::from(Arc::new(config)))).await
    }

    async fn start(script: Script, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (tell, heard) = tokio::sync::mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (script, tls, tell) = (script.clone(), tls.clone(), tell.clone());
                tokio::spawn(async move { serve(stream, script, tls, tell).await });
            }
        });
        Self { address, heard }
    }

    /// A URL of the peer, by its address.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A URL of the peer, by its name and behind TLS.
    pub(crate) fn secure_url(&self, path: &str) -> String {
        format!("https://localhost:{}{path}", self.address.port())
    }

    /// The next request as it came.
    pub(crate) async fn heard(&mut self) -> String {
        let next = tokio::time::timeout(Duration::from_secs(10), self.heard.recv());
        next.await.expect("a request within the time").expect("a request")
    }

    /// Whether nobody has asked it anything.
    pub(crate) fn is_untouched(&mut self) -> bool {
        self.heard.try_recv().is_err()
    }
}

async fn serve(
    stream: TcpStream,
    script: Script,
    tls: Option<TlsAcceptor>,
    tell: tokio::sync::mpsc::UnboundedSender<String>,
) {
    match tls {
        None => answer(stream, script, tell).await,
        Some(tls) => {
            if let Ok(stream) = tls.accept(stream).await {
                answer(stream, script, tell).await;
            }
        }
    }
}

async fn answer(
    mut stream: impl AsyncReadExt + AsyncWriteExt + Unpin,
    script: Script,
    tell: tokio::sync::mpsc::UnboundedSender<String>,
) {
    let request = read_request(&mut stream).await;
    let _ = tell.send(request);
    match script {
        Script::Say(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
        }
        Script::Stall(text) => {
            let _ = stream.write_all(text.as_bytes()).await;
            let _ = stream.flush().await;
            // The other side ends this by hanging up.
            let _ = stream.read_to_end(&mut Vec::new()).await;
        }
        Script::Flood(text) => {
            let _ = stream.write_all(text.as_bytes()).await;
            while stream.write_all(&[0; 16 * 1_024]).await.is_ok() {}
        }
    }
}

/// Head and body, as far as Content-Length says.
async fn read_request(stream: &mut (impl AsyncReadExt + Unpin)) -> String {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return text;
            }
        }
        let mut more = [0; 4_096];
        match stream.read(&mut more).await {
            Ok(read @ 1..) => bytes.extend_from_slice(&more[..read]),
            _ => return text,
        }
    }
}
