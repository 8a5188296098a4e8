//! A hub with a certificate of a private authority, and this program as its client.

use super::hub::Home;
use crate::project::Ended;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use std::fs;
use std::path::{Path, PathBuf};

/// Writes the certificate of a new authority, and a certificate of it for 127.0.0.1 with its key.
fn certificates(folder: &Path) -> [PathBuf; 3] {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(DnType::CommonName, "Authority of a test");
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    let certificate = params.signed_by(&key, &authority).unwrap();
    let write = |name: &str, text: String| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path
    };
    [
        write("authority.pem", authority.as_ref().pem()),
        write("certificate.pem", certificate.pem()),
        write("key.pem", key.serialize_pem()),
    ]
}

#[test]
fn a_certificate_of_a_private_authority_is_accepted_when_the_authority_is_named() {
    let home = Home::new();
    let folder = home.path();
    let [authority, certificate, key] = certificates(&folder);
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let (certificate, key, folder) = (text(&certificate), text(&key), text(&folder));
    let hub = home.start(&[
        "serve",
        "--port",
        "0",
        "--json",
        "--folder",
        &folder,
        "--tls-cert",
        &certificate,
        "--tls-key",
        &key,
    ]);
    let described = hub.first_line();
    let (url, token) = (described["url"].as_str().unwrap(), described["token"].as_str().unwrap());
    assert!(url.starts_with("https://127.0.0.1:"), "{url}");
    let run = |address: &str, authority: Option<&Path>| {
        let mut command = home.attache(&["run", "--agent", address, "what can you do?"]);
        command.env("ATTACHE_TOKEN", token).env_remove("SSL_CERT_DIR").env_remove("SSL_CERT_FILE");
        if let Some(authority) = authority {
            command.env("SSL_CERT_FILE", authority);
        }
        Ended::from(command.output().unwrap())
    };
    for address in [format!("{url}/acp"), format!("{}/acp", url.replacen("http", "ws", 1))] {
        let ended = run(&address, Some(&authority));
        assert_eq!(ended.code, Some(0), "{address}: {ended:?}");
        assert!(ended.stdout.contains("offline"), "{address}: {ended:?}");
        let refused = run(&address, None);
        assert_ne!(refused.code, Some(0), "{address}: {refused:?}");
        assert!(refused.stderr.contains("no secure connection to 127.0.0.1"), "{refused:?}");
        assert!(refused.stderr.contains("SSL_CERT_FILE"), "{refused:?}");
        // The port serves nothing without TLS.
        let plain = run(&address.replacen("s://", "://", 1), None);
        assert_ne!(plain.code, Some(0), "{address}: {plain:?}");
    }
}
