//! TLS with a certificate that the person supplies.

use super::options::TlsFiles;
use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;

/// The size up to which a file is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// Reads the files. Blocks on the disk.
///
/// # Errors
/// Returns a message that names the file.
pub(super) fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, String> {
    let text = read(&files.certificate)?;
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(text.as_bytes()).collect();
    let certificates = certificates.map_err(|error| of(&files.certificate, error))?;
    if certificates.is_empty() {
        return Err(of(&files.certificate, "the file contains no certificate as PEM"));
    }
    let text = read(&files.key)?;
    let key = PrivateKeyDer::from_pem_slice(text.as_bytes());
    let key = key.map_err(|_| of(&files.key, "the file contains no private key as PEM"))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .map_err(|error| of(&files.certificate, error))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn read(path: &Path) -> Result<String, String> {
    attache_host::read_text_or_pipe(path, LARGEST).map_err(|error| of(path, error))
}

fn of(path: &Path, why: impl Display) -> String {
    format!("{}: {why}", path.display())
}
