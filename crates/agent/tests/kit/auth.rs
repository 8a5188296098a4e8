use super::client::{new, prompt};
use super::{Client, Notes, acts};
use attache_agent::{
    About, AuthStatusHandle, Author, Error, Login, Opening, OptionalParts, Result, StopReason,
    Turn, serve,
};
use attache_protocol::v1::{
    AuthAccount, AuthMethodAgent, AuthMethodId, AuthMethodTerminal, AuthState,
};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

#[derive(Clone)]
struct Guarded {
    notes: Notes,
    state: Arc<Mutex<AuthState>>,
    handle: Arc<Mutex<Option<AuthStatusHandle>>>,
    tells: bool,
}

impl Guarded {
    fn new(state: AuthState) -> Self {
        Self {
            notes: Notes::default(),
            state: Arc::new(Mutex::new(state)),
            handle: Arc::default(),
            tells: true,
        }
    }
}

impl Author for Guarded {
    type Memory = ();

    fn about(&self) -> About {
        let about =
            About::new("guarded", "1").auth_method(AuthMethodAgent::new("key", "API key")).logout();
        let about = about.auth_method(AuthMethodTerminal::new("shell", "Login shell"));
        if self.tells { about.auth_status() } else { about }
    }

    async fn open(&self, _: Opening<'_>) -> Result<()> {
        Ok(())
    }

    async fn turn(&self, _: &mut (), _: &Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    fn parts(self: Arc<Self>) -> OptionalParts {
        OptionalParts::new().login(self)
    }
}

impl Login for Guarded {
    fn auth_state(&self) -> AuthState {
        self.state.lock().unwrap().clone()
    }

    fn accounts(&self) -> Vec<AuthAccount> {
        match self.auth_state() {
            AuthState::Authenticated => vec![AuthAccount::new("Ada")],
            _ => Vec::new(),
        }
    }

    fn auth_status_handle(&self, handle: AuthStatusHandle) {
        *self.handle.lock().unwrap() = Some(handle);
    }

    async fn authenticate(&self, method: &AuthMethodId) -> Result<()> {
        self.notes.add(format!("authenticate {method}"));
        *self.state.lock().unwrap() = AuthState::Authenticated;
        Ok(())
    }

    async fn logout(&self) -> Result<()> {
        *self.state.lock().unwrap() = AuthState::Unauthenticated;
        Ok(())
    }
}

fn gated(session: &str) -> [(&'static str, Value); 3] {
    [("session/new", new()), ("session/list", json!({})), ("session/prompt", prompt(session, "x"))]
}

/// AUTH-01, AUTH-04, AUTH-11, AUTH-13.
#[tokio::test(start_paused = true)]
async fn gated_calls_name_the_logins_until_a_login_succeeds() {
    let mut client = Client::plain(Guarded::new(AuthState::Unauthenticated)).await;
    for (method, params) in gated("s") {
        let error = client.error(method, params).await;
        assert_eq!(error["code"], -32000, "{method}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("API key") && message.contains("\"key\""), "{message}");
        assert!(!message.contains("Login shell"), "this client cannot do that: {message}");
    }
    assert_eq!(client.result("authenticate", json!({"methodId": "key"})).await, json!({}));
    let session = client.session().await;
    client.turn(&session, "x").await;
    assert_eq!(client.result("logout", json!(null)).await, json!({}));
    for (method, params) in gated(&session) {
        assert_eq!(client.error(method, params).await["code"], -32000, "{method}");
    }
    client.result("session/close", json!({"sessionId": session})).await;
    for method in ["nonsense", "_mine", "providers/list"] {
        assert_eq!(
            client.error(method, json!({})).await["code"],
            -32601,
            "{method}: it does not need a login"
        );
    }
}

/// AUTH-05.
#[tokio::test(start_paused = true)]
async fn a_terminal_login_is_named_to_clients_that_support_it() {
    let author = Guarded::new(AuthState::Unauthenticated);
    let mut client = Client::with(author, json!({"auth": {"terminal": true}})).await;
    let error = client.error("session/new", new()).await;
    assert!(error["message"].as_str().unwrap().contains("Login shell (in a terminal)"));
}

/// AUTHS-01, AUTHS-02, AUTHS-03.
#[tokio::test(start_paused = true)]
async fn the_login_state_can_be_queried_and_its_changes_are_sent_once() {
    let author = Guarded::new(AuthState::Unauthenticated);
    let mut client = Client::plain(author.clone()).await;
    for _ in 0..2 {
        let status = client.result("auth/status", json!(null)).await;
        assert_eq!(status["state"], "unauthenticated");
    }
    for _ in 0..2 {
        client.result("authenticate", json!({"methodId": "key"})).await;
    }
    let status = client.result("auth/status", json!({})).await;
    assert_eq!(status, json!({"state": "authenticated", "accounts": [{"label": "Ada"}]}));
    let handle = author.handle.lock().unwrap().clone().unwrap();
    handle.changed(AuthState::Authenticated, vec![AuthAccount::new("Ada")]).unwrap();
    handle.changed(AuthState::Authenticated, vec![AuthAccount::new("Bob")]).unwrap();
    client.result("logout", json!({})).await;
    client.settle_by("auth/status").await;
    let told: Vec<Value> = client
        .seen
        .drain(..)
        .map(|mut message| {
            assert_eq!(message["method"], "auth/status_update");
            message["params"].take()
        })
        .collect();
    let authenticated =
        |label: &str| json!({"state": "authenticated", "accounts": [{"label": label}]});
    assert_eq!(
        told,
        [authenticated("Ada"), authenticated("Bob"), json!({"state": "unauthenticated"})]
    );
}

/// AUTHS-03, AUTH-10.
#[tokio::test(start_paused = true)]
async fn login_methods_and_updates_that_are_not_advertised_are_not_used() {
    let author = Guarded { tells: false, ..Guarded::new(AuthState::Unauthenticated) };
    let mut client = Client::plain(author.clone()).await;
    assert_eq!(client.error("auth/status", json!({})).await["code"], -32601);
    client.result("authenticate", json!({"methodId": "key"})).await;
    client.settle().await;
    assert!(client.seen.is_empty());
    assert!(author.handle.lock().unwrap().is_none());
    let mut client = Client::plain(acts(|_| async { Ok(()) })).await;
    for method in ["logout", "auth/status", "providers/list", "providers/set", "providers/disable"]
    {
        assert_eq!(client.error(method, json!({})).await["code"], -32601, "{method}");
    }
}

/// AUTH-03, AUTH-06.
#[tokio::test(start_paused = true)]
async fn only_offered_logins_are_performed() {
    let author = Guarded::new(AuthState::Unauthenticated);
    let mut client = Client::plain(author.clone()).await;
    for id in ["nope", "shell", ""] {
        assert_eq!(
            client.error("authenticate", json!({"methodId": id})).await["code"],
            -32602,
            "{id}"
        );
    }
    assert!(author.notes.all().is_empty());
}

struct Panics;

impl Author for Panics {
    type Memory = ();

    fn about(&self) -> About {
        About::new("panics", "1").logout().auth_status()
    }

    async fn open(&self, _: Opening<'_>) -> Result<()> {
        Ok(())
    }

    async fn turn(&self, _: &mut (), _: &Turn) -> Result<StopReason> {
        Err(Error::failed("never"))
    }

    fn parts(self: Arc<Self>) -> OptionalParts {
        OptionalParts::new().login(self)
    }
}

impl Login for Panics {
    async fn authenticate(&self, _: &AuthMethodId) -> Result<()> {
        panic!("as asked")
    }

    fn auth_state(&self) -> AuthState {
        panic!("as asked")
    }

    async fn logout(&self) -> Result<()> {
        panic!("as asked")
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_a_login_fails_only_its_call() {
    let mut client = Client::silent(serve(Panics));
    client.result("initialize", json!({"protocolVersion": 1})).await;
    for method in ["session/new", "auth/status", "logout"] {
        assert_eq!(client.error(method, new()).await["code"], -32603, "{method}");
    }
}
