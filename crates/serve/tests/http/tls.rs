//! Other addresses, and TLS.

use crate::test_server::{TestServer, client, page_options};
use attache_client::{Hub, HubOptions};
use attache_serve::http::{BindError, HttpOptions, HttpServer, TlsFiles};
use attache_serve::{Scope, SharedHub};
use serde_json::json;
use std::fs;
use std::sync::Arc;
use tempfile::TempDir;

/// Writes a certificate for 127.0.0.1 and its key.
fn files() -> (TempDir, TlsFiles, String) {
    let folder = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let certificate = folder.path().join("certificate.pem");
    let key = folder.path().join("key.pem");
    fs::write(&certificate, made.cert.pem()).unwrap();
    fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    (folder, TlsFiles { certificate, key }, made.cert.pem())
}

fn refusal(options: HttpOptions) -> String {
    let server = TestServer::start();
    let hub = Hub::new(HubOptions::default());
    let shared = Arc::new(SharedHub::new(hub, server.shared.services.clone()));
    HttpServer::bind(options, shared, server.devices.clone()).unwrap_err().to_string()
}

#[tokio::test]
async fn with_tls_browsers_use_http_2_and_a_secure_cookie() {
    let (_folder, tls, pem) = files();
    let server = TestServer::with_options(HttpOptions { tls: Some(tls), ..page_options() });
    drop(client());
    let certificate = reqwest::Certificate::from_pem(pem.as_bytes()).unwrap();
    let client =
        reqwest::Client::builder().no_proxy().tls_certs_only([certificate]).build().unwrap();
    let origin = format!("https://{}", server.address);
    let code = server.devices.new_code(Scope::Answer).unwrap();
    let login = |origin: &str| {
        let request = client.post(format!("https://{}/login", server.address));
        request.header("origin", origin).json(&json!({ "code": code.expose() })).send()
    };
    assert_eq!(login(&server.origin()).await.unwrap().status(), 403, "another scheme");
    let response = login(&origin).await.unwrap();
    assert_eq!((response.status().as_u16(), response.version()), (200, http::Version::HTTP_2));
    let cookie = response.headers()["set-cookie"].to_str().unwrap();
    assert!(cookie.ends_with("; Secure"), "{cookie}");
    assert!(reqwest::get(server.url("/")).await.is_err(), "no plain HTTP on this port");
}

#[tokio::test]
async fn other_addresses_need_flags() {
    let everywhere = HttpOptions { address: "0.0.0.0:0".parse().unwrap(), ..page_options() };
    let error = refusal(everywhere.clone());
    assert!(error.contains("--listen 0.0.0.0"), "{error}");
    let listen = HttpOptions { listen: true, ..everywhere };
    let error = refusal(listen.clone());
    assert!(error.contains("--tls-cert") && error.contains("--insecure"), "{error}");
    let error = refusal(HttpOptions { address: "[::]:0".parse().unwrap(), ..page_options() });
    assert!(error.contains("--listen ::"), "{error}");

    let server = TestServer::with_options(HttpOptions { insecure: true, ..listen.clone() });
    let port = server.address.port();
    // Only the address to which the client connected counts.
    assert!(
        client().get(format!("http://127.0.0.1:{port}/")).send().await.unwrap().status() == 200
    );
    let wrong = client().get(format!("http://127.0.0.1:{port}/")).header("host", "192.0.2.1");
    assert_eq!(wrong.send().await.unwrap().status(), 421);

    let (_folder, tls, _) = files();
    drop(TestServer::with_options(HttpOptions { tls: Some(tls), ..listen }));
}

#[tokio::test]
async fn a_name_for_a_tunnel_makes_the_login_address() {
    let server = TestServer::start();
    let hub = Hub::new(HubOptions::default());
    let shared = Arc::new(SharedHub::new(hub, server.shared.services.clone()));
    let hosts = vec!["work.example".to_owned()];
    let options = HttpOptions { hosts, ..page_options() };
    let tunnel = HttpServer::bind(options, shared, server.devices.clone()).unwrap();
    let code = server.devices.new_code(Scope::Answer).unwrap();
    let address = tunnel.login_address(&code);
    assert_eq!(address, format!("https://work.example/login#{}", code.expose()));
    assert!(!format!("{tunnel:?}").contains(code.expose()));
    let error = refusal(HttpOptions { hosts: vec!["a/b".to_owned()], ..page_options() });
    assert!(error.contains("\"a/b\" is not a host"), "{error}");
}

#[tokio::test]
async fn unusable_files_are_named_without_their_contents() {
    let (folder, tls, pem) = files();
    let missing = TlsFiles { key: folder.path().join("none"), ..tls.clone() };
    let swapped = TlsFiles { certificate: tls.key.clone(), key: tls.certificate.clone() };
    for files in [missing, swapped] {
        let error = refusal(HttpOptions { tls: Some(files), ..page_options() });
        assert!(error.starts_with("TLS cannot be used: "), "{error}");
        assert!(error.contains(&folder.path().display().to_string()), "{error}");
        assert!(pem.lines().filter(|line| line.len() > 40).all(|line| !error.contains(line)));
    }
    let other =
        HttpOptions { address: "192.0.2.1:1".parse().unwrap(), listen: true, ..page_options() };
    let other = HttpOptions { insecure: true, ..other };
    assert!(refusal(other).contains("cannot listen on 192.0.2.1:1"));
    let error: &dyn std::error::Error = &BindError::NotLocal("192.0.2.1:1".parse().unwrap());
    assert!(error.source().is_none());
}
