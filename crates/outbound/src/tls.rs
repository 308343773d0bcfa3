//! Whose word about a host's name is believed.

use std::sync::{Arc, OnceLock};

use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::error::Error;

/// Certificate authorities, read when they are first needed.
pub(crate) struct Trust(OnceLock<Result<TlsConnector, Error>>);

impl Trust {
    /// The authorities of this machine.
    pub(crate) fn of_machine() -> Self {
        Self(OnceLock::new())
    }

    /// These authorities and no others.
    pub(crate) fn of_authorities(pem: &[u8]) -> Result<Self, Error> {
        let authorities: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
        let connector = connector(authorities.map_err(|_| Error::NoAuthorities)?)?;
        Ok(Self(OnceLock::from(Ok(connector))))
    }

    /// How to make a secure connection.
    pub(crate) fn connector(&self) -> Result<TlsConnector, Error> {
        let read = || connector(rustls_native_certs::load_native_certs().certs);
        self.0.get_or_init(read).clone()
    }
}

fn connector(authorities: Vec<CertificateDer<'static>>) -> Result<TlsConnector, Error> {
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(authorities);
    if added == 0 {
        return Err(Error::NoAuthorities);
    }
    let provider = Arc::new(aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|_| Error::NoAuthorities)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}
