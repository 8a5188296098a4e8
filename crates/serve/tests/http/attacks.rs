//! Requests that must not get in.

use crate::test_server::{TestServer, client};
use attache_serve::Scope;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};
use tokio::task::JoinSet;

#[tokio::test]
async fn another_name_of_this_address_is_refused() {
    let server = TestServer::start();
    // The page of evil.example changes the DNS entry of its name to 127.0.0.1, and even knows the
    // token.
    for (host, origin) in [
        (format!("evil.example:{}", server.address.port()), "http://evil.example"),
        ("evil.example".to_owned(), "http://evil.example"),
        (format!("127.0.0.2:{}", server.address.port()), "http://127.0.0.2"),
        ("localhost".to_owned(), "http://localhost"),
        (format!("{}.evil.example", server.address), "http://evil.example"),
    ] {
        let token = server.devices.token();
        let request = format!(
            "GET /acp HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nConnection: close\r\n\
             Authorization: Bearer {}\r\n\r\n",
            token.expose()
        );
        let answer = server.exchange(&request).await;
        assert!(answer.starts_with("HTTP/1.1 421"), "{host}: {answer}");
        assert!(answer.contains("--host NAME"), "{answer}");
        let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        let answer = server.exchange(&request).await;
        assert!(answer.starts_with("HTTP/1.1 421"), "{host}: {answer}");
    }
}

#[tokio::test]
async fn pages_of_other_origins_are_refused_even_with_the_token() {
    let server = TestServer::start();
    let token = server.devices.token();
    let port = server.address.port();
    let origins = [
        "null".to_owned(),
        "http://evil.example".to_owned(),
        format!("http://localhost:{port}"),
        format!("https://127.0.0.1:{port}"),
        "http://127.0.0.1:1".to_owned(),
    ];
    for origin in origins {
        let request = client().post(server.url("/acp")).bearer_auth(token.expose());
        let response = request.header("origin", &origin).send().await.unwrap();
        assert_eq!(response.status(), 403, "{origin}");
        let preflight = client().request(http::Method::OPTIONS, server.url("/acp"));
        let preflight = preflight
            .header("origin", &origin)
            .header("access-control-request-method", "POST")
            .send()
            .await
            .unwrap();
        assert_eq!(preflight.status(), 403);
        assert!(!preflight.headers().contains_key("access-control-allow-origin"));
    }
}

#[tokio::test]
async fn half_wrong_and_foreign_secrets_are_refused() {
    let server = TestServer::start();
    let (device, other) = (server.device(Scope::Watch), server.device(Scope::Control));
    let revoked = server.device(Scope::Control);
    server.devices.revoke(&revoked.device.id).unwrap();
    let post = || client().post(server.url("/acp")).header("origin", server.origin());
    let cookie = server.cookie(&device);
    let (own_tab, others_tab) = (device.tab.expose(), other.tab.expose());
    let requests = [
        ("nothing", post()),
        ("wrong token", post().bearer_auth("x")),
        ("the secret of a tab as token", post().bearer_auth(own_tab)),
        ("cookie without tab", post().header("cookie", &cookie)),
        ("tab without cookie", post().header("attache-tab", own_tab)),
        ("tab of another", post().header("cookie", &cookie).header("attache-tab", others_tab)),
        ("revoked", server.page_request("/acp", &revoked)),
        (
            "no origin",
            client()
                .post(server.url("/acp"))
                .header("cookie", &cookie)
                .header("attache-tab", own_tab),
        ),
        ("wrong token, right cookie", server.page_request("/acp", &device).bearer_auth("x")),
        (
            "cookie of another port",
            post()
                .header("cookie", format!("attache-1={}", device.cookie.expose()))
                .header("attache-tab", own_tab),
        ),
        (
            "token in the query",
            client().get(server.url(&format!("/acp?token={}", server.devices.token().expose()))),
        ),
    ];
    let mut requests: JoinSet<_> = requests
        .into_iter()
        .map(|(what, request)| async move { (what, request.send().await.unwrap()) })
        .collect();
    while let Some(answered) = requests.join_next().await {
        let (what, response) = answered.unwrap();
        assert_eq!(response.status(), 401, "{what}");
    }
    let right = server.page_request("/acp", &device).send().await.unwrap();
    assert_eq!(right.status(), 200);
    assert_eq!(server.shared.clients().len(), 0);
}

#[tokio::test]
async fn guesses_are_slow_and_do_not_keep_others_out() {
    let server = TestServer::start();
    let guesser = || {
        let address = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
        reqwest::Client::builder().no_proxy().local_address(address).build().unwrap()
    };
    drop(client());
    let url = server.url("/acp");
    let mut guesses: JoinSet<_> = (0..16)
        .map(|guess| guesser().get(&url).bearer_auth(format!("guess {guess}")).send())
        .collect();
    assert_eq!(guesses.join_next().await.unwrap().unwrap().unwrap().status(), 401);
    // Without delays, all guesses are answered during these requests. Half of them come from the
    // address of the guesser, as behind a tunnel.
    let token = server.devices.token();
    for _ in 0..20 {
        for person in [client(), guesser()] {
            let response = person.get(&url).bearer_auth(token.expose()).send().await.unwrap();
            assert_eq!(response.status(), 200);
        }
    }
    while guesses.try_join_next().is_some() {}
    assert!(!guesses.is_empty(), "the guesses were not slowed down");
}

#[tokio::test]
async fn ambiguous_requests_are_refused() {
    let server = TestServer::start();
    let own = server.address.to_string();
    for (line, headers) in [
        ("POST /acp/body HTTP/1.1", "Content-Length: 5\r\nContent-Length: 6\r\n".to_owned()),
        ("POST /acp/body HTTP/1.1", "Transfer-Encoding: gzip\r\n".to_owned()),
        ("GET /acp HTTP/1.1", "Host: evil.example\r\n".to_owned()),
        ("GET http://evil.example/acp HTTP/1.1", String::new()),
        ("GET /acp HTTP/1.1", "Origin : http://evil.example\r\n".to_owned()),
        ("GET /acp HTTP/1.1", "X: a\rOrigin: b\r\n".to_owned()),
    ] {
        let token = server.devices.token();
        let request = format!(
            "{line}\r\nHost: {own}\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\
             {headers}\r\nhello!",
            token.expose()
        );
        let answer = server.exchange(&request).await;
        assert!(answer.starts_with("HTTP/1.1 400"), "{headers:?}: {answer}");
        assert_eq!(answer.matches("HTTP/1.1").count(), 1, "{answer}");
    }
}

#[tokio::test]
async fn no_secret_reaches_the_log() {
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);
    impl io::Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    // The servers of other tests write to the log, too.
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let server = TestServer::start();
    let code = server.devices.new_code(Scope::Answer).unwrap();
    let login = serde_json::json!({ "code": code.expose(), "name": "phone" });
    let request = client().post(server.url("/login")).header("origin", server.origin());
    let new = request.json(&login).send().await.unwrap();
    let new: serde_json::Value = new.json().await.unwrap();
    let device = server.device(Scope::Watch);
    let query = format!("/acp?code={}", code.expose());
    assert_eq!(server.page_request(&query, &device).send().await.unwrap().status(), 200);
    let token = server.devices.token();
    let program = client().get(server.url("/acp")).bearer_auth(token.expose());
    assert_eq!(program.send().await.unwrap().status(), 200);

    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let id = &device.device.id.0;
    let access: Vec<_> = log
        .lines()
        .filter(|line| line.contains("attache_serve::access") && line.contains(id))
        .collect();
    assert_eq!(access.len(), 1, "{access:?}");
    assert!(access[0].contains("path=\"/acp\" status=200"), "{access:?}");
    // Other crates of this process may log what a client sends.
    let own: String = log.lines().filter(|line| line.contains("attache_serve")).collect();
    let secrets = [
        code.expose(),
        token.expose(),
        device.tab.expose(),
        device.cookie.expose(),
        new["tab"].as_str().unwrap(),
        new["originKey"].as_str().unwrap(),
    ];
    for secret in secrets {
        assert!(!own.contains(secret), "{own}");
    }
}
