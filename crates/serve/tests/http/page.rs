//! The files of the page, and the headers of every response.

use crate::test_server::{TestServer, client};
use reqwest::Response;

async fn get(server: &TestServer, path: &str, headers: &[(&str, &str)]) -> Response {
    let mut request = client().get(server.url(path));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.unwrap()
}

#[tokio::test]
async fn files_have_tags_and_are_compressed_on_request() {
    let server = TestServer::start();
    let page = get(&server, "/", &[]).await;
    assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8");
    let tag = page.headers()["etag"].to_str().unwrap().to_owned();
    assert!(page.text().await.unwrap().contains("Page"));
    let again = get(&server, "/", &[("if-none-match", &tag)]).await;
    assert_eq!((again.status().as_u16(), again.text().await.unwrap().len()), (304, 0));
    assert!(get(&server, "/trace", &[]).await.text().await.unwrap().contains("Trace"));
    assert!(get(&server, "/login", &[]).await.text().await.unwrap().contains("Log in"));

    let plain = get(&server, "/assets/app.js", &[]).await;
    assert!(!plain.headers().contains_key("content-encoding"));
    assert_eq!(plain.bytes().await.unwrap().len(), 4000);
    let short = get(&server, "/assets/app.js", &[("accept-encoding", "br, gzip;q=0.5")]).await;
    assert_eq!(short.headers()["content-encoding"], "gzip");
    assert_eq!(short.headers()["vary"], "Accept-Encoding");
    let bytes = short.bytes().await.unwrap();
    assert!(bytes.len() < 100 && bytes.starts_with(&[0x1f, 0x8b]), "{bytes:?}");
    let refused = get(&server, "/assets/app.js", &[("accept-encoding", "gzip;q=0")]).await;
    assert!(!refused.headers().contains_key("content-encoding"));
    let head = client().head(server.url("/")).send().await.unwrap();
    assert_eq!(head.headers()["content-length"], "34");
    assert_eq!(client().post(server.url("/")).send().await.unwrap().status(), 405);
}

#[tokio::test]
async fn every_response_restricts_what_a_page_may_do() {
    let server = TestServer::start();
    for path in ["/", "/login", "/assets/app.js", "/acp", "/acp/none", "/none"] {
        let response = get(&server, path, &[]).await;
        let value = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
        let policy = value("content-security-policy");
        for part in ["default-src 'none'", "script-src 'self';", "frame-ancestors 'none'"] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(value("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(value("referrer-policy"), "no-referrer", "{path}");
        let cached = ["no-store", "no-cache"];
        assert!(cached.contains(&value("cache-control").as_str()), "{path}");
        assert!(!response.headers().contains_key("access-control-allow-origin"), "{path}");
    }
}

#[tokio::test]
async fn path_tricks_lead_nowhere() {
    let server = TestServer::start();
    for path in [
        "/../index.html",
        "/assets/../index.html",
        "/%2e%2e/index.html",
        "/assets/%2e%2e/index.html",
        "//index.html",
        "/./index.html",
        "/index.html/",
        "/index.html%00",
        "/assets\\app.js",
        "/%69ndex.html",
        "/index.html;x",
        "/etc/passwd",
        "/assets",
        "/assets/",
    ] {
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.address);
        let answer = server.exchange(&request).await;
        let refused = ["HTTP/1.1 404", "HTTP/1.1 400"];
        assert!(refused.iter().any(|status| answer.starts_with(status)), "{path}: {answer}");
    }
    // A path with dots or escapes never reaches a route that needs a login.
    for path in ["/acp/../acp", "/%61cp", "/login/../acp", "//acp", "/acp/"] {
        let request =
            format!("{}Connection: close\r\n\r\n", server.head(&format!("GET {path}"), ""));
        let answer = server.exchange(&request).await;
        assert!(answer.starts_with("HTTP/1.1 404"), "{path}: {answer}");
    }
}
