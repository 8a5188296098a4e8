//! A device logs in, and its requests carry both secrets.

use crate::test_server::{TestServer, client, page_options};
use attache_serve::Scope;
use attache_serve::devices::{CODE_LIFETIME, Clock};
use reqwest::Response;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

async fn log_in(server: &TestServer, code: &str) -> Response {
    let request = client().post(server.url("/login")).header("origin", server.origin());
    request.json(&json!({ "code": code, "name": "my phone" })).send().await.unwrap()
}

async fn body(response: Response) -> Value {
    assert_eq!(response.status(), 200, "{response:?}");
    response.json().await.unwrap()
}

#[tokio::test]
async fn a_code_is_traded_for_a_cookie_and_the_secret_of_a_tab() {
    let server = TestServer::start();
    let code = server.devices.new_code(Scope::Answer).unwrap();
    let response = log_in(&server, code.expose()).await;
    let cookie = response.headers()["set-cookie"].to_str().unwrap().to_owned();
    assert_eq!(response.headers()["cache-control"], "no-store");
    let new = body(response).await;
    assert_eq!((&new["name"], &new["scope"]), (&json!("my phone"), &json!("answer")));
    let (pair, attributes) = cookie.split_once("; ").unwrap();
    assert_eq!(attributes, "Path=/acp; Max-Age=31536000; HttpOnly; SameSite=Strict");
    for secret in [&new["tab"], &new["originKey"]] {
        assert!(!cookie.contains(secret.as_str().unwrap()), "the cookie goes to other ports");
    }

    let request = || {
        let request = client().post(server.url("/acp")).header("cookie", pair);
        request.header("attache-tab", new["tab"].as_str().unwrap())
    };
    let who = body(request().header("origin", server.origin()).send().await.unwrap()).await;
    assert_eq!(who["id"], new["device"]);
    assert_eq!((&who["scope"], &who["attached"]), (&json!("answer"), &json!(1)));
    let headers = who["headers"].as_array().unwrap();
    assert!(!headers.contains(&json!("cookie")) && !headers.contains(&json!("attache-tab")));
    assert!(server.shared.clients().is_empty(), "detached after the request");
    assert_eq!(*server.shared.client_count().borrow(), 0);

    let replayed = log_in(&server, code.expose()).await;
    assert_eq!(replayed.status(), 401);
    assert_eq!(server.devices.list().len(), 1);
}

#[tokio::test]
async fn an_expired_code_is_refused() {
    #[derive(Debug)]
    struct TestClock(Mutex<SystemTime>);
    impl Clock for TestClock {
        fn now(&self) -> SystemTime {
            *self.0.lock().unwrap()
        }
    }
    let clock = Arc::new(TestClock(Mutex::new(SystemTime::UNIX_EPOCH)));
    let server = TestServer::with(page_options(), clock.clone());
    let code = server.devices.new_code(Scope::Answer).unwrap();
    *clock.0.lock().unwrap() += CODE_LIFETIME;
    let response = log_in(&server, code.expose()).await;
    assert_eq!(response.status(), 401);
    assert!(response.text().await.unwrap().contains("older than 5 minutes"));
    assert!(server.devices.list().is_empty());
}

#[tokio::test]
async fn a_new_tab_needs_the_key_of_the_origin() {
    let server = TestServer::start();
    let device = server.device(Scope::Watch);
    let other = server.device(Scope::Control);
    let new_tab = |key: &str, origin: &str| {
        let request = client().post(server.url("/acp/tab")).header("origin", origin);
        let request = request.header("cookie", server.cookie(&device));
        request.header("attache-origin-key", key).send()
    };
    let key = device.origin_key.expose();
    let tab = body(new_tab(key, &server.origin()).await.unwrap()).await;
    let mut request = server.page_request("/acp", &device).build().unwrap();
    let value = tab["tab"].as_str().unwrap().parse().unwrap();
    request.headers_mut().insert("attache-tab", value);
    assert_eq!(client().execute(request).await.unwrap().status(), 200);

    let wrong = [other.origin_key.expose(), device.tab.expose(), ""];
    for key in wrong {
        assert_eq!(new_tab(key, &server.origin()).await.unwrap().status(), 401);
    }
    assert_eq!(new_tab(key, "http://127.0.0.1:1").await.unwrap().status(), 403);
    let bare = client().post(server.url("/acp/tab")).header("cookie", server.cookie(&device));
    let bare = bare.header("attache-origin-key", key).send().await.unwrap();
    assert_eq!(bare.status(), 401, "without an origin, cookies do not count");
}

#[tokio::test]
async fn a_login_needs_the_origin_of_this_server_and_a_short_body() {
    let server = TestServer::start();
    let code = server.devices.new_code(Scope::Control).unwrap();
    let login = json!({ "code": code.expose() });
    let post = || client().post(server.url("/login"));
    assert_eq!(post().json(&login).send().await.unwrap().status(), 401);
    let foreign = post().header("origin", "http://evil.example").json(&login);
    assert_eq!(foreign.send().await.unwrap().status(), 403);
    let own = || post().header("origin", server.origin());
    let long = json!({ "code": code.expose(), "name": "x".repeat(5000) });
    assert_eq!(own().json(&long).send().await.unwrap().status(), 413);
    assert_eq!(own().body("{").send().await.unwrap().status(), 400);
    // None of them used the code up.
    assert_eq!(own().json(&login).send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn a_program_needs_only_the_token() {
    let server = TestServer::start();
    let token = server.devices.token();
    let request = client().get(server.url("/acp")).bearer_auth(token.expose());
    let who = body(request.send().await.unwrap()).await;
    assert_eq!((&who["id"], &who["scope"]), (&json!("programs"), &json!("control")));
    assert!(!who["headers"].as_array().unwrap().contains(&json!("authorization")));

    let http_2 = reqwest::Client::builder().no_proxy().http2_prior_knowledge().build().unwrap();
    let response = http_2.get(server.url("/acp")).bearer_auth(token.expose()).send().await;
    let response = response.unwrap();
    assert_eq!(response.version(), http::Version::HTTP_2);
    assert_eq!(body(response).await["id"], "programs");
}
