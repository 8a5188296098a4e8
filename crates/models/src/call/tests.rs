use super::Call;
mod again;
mod changed;

use crate::error::ModelError;
use crate::event::{ModelEvent, ModelStop};
use crate::http::{Http, Limits};
use crate::message::{AssistantPart, Message, Part, Request};
use crate::model::EventStream as _;
use crate::provider::Provider;
use crate::secret::Secret;
use crate::testing::replay::request;
use crate::testing::server::{Reply, Server};
use crate::wire::Wire;
use std::time::Duration;

const KEY: &str = "sk-very-secret-key";

const HELLO: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"hello\"}}]}\n\n";
const STOP: &str =
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

/// Limits for tests, with very short waits.
fn limits() -> Limits {
    Limits { attempts: 3, backoff: Duration::from_millis(1), ..Limits::default() }
}

fn asked() -> Request {
    request(vec![Message::user(vec![Part::Text("hi".into())])])
}

fn provider(url: &str) -> Provider {
    Provider::new("p", "Provider", Wire::Chat, url).key(Some("P_API_KEY"), KEY)
}

fn call(url: &str, limits: Limits) -> Call {
    Call::new(&provider(url), &Http::new(&|_| None, limits), asked(), 7)
}

/// Returns all events of a call, and the error if it failed.
async fn all(call: &mut Call) -> (Vec<ModelEvent>, Option<ModelError>) {
    let mut events = Vec::new();
    while let Some(event) = call.next().await {
        match event {
            Ok(event) => events.push(event),
            Err(error) => {
                assert!(call.next().await.is_none(), "an error is the last event");
                let told = format!("{error} {error:?} {call:?}");
                assert!(!told.contains(KEY), "{told}");
                return (events, Some(error));
            }
        }
    }
    (events, None)
}

async fn served(replies: Vec<Reply>) -> (Vec<ModelEvent>, Option<ModelError>, Vec<String>) {
    let server = Server::start(replies).await;
    let (events, error) = all(&mut call(&server.url, limits())).await;
    (events, error, server.requests())
}

fn text(events: &[ModelEvent]) -> String {
    events
        .iter()
        .filter_map(
            |event| if let ModelEvent::Text(text) = event { Some(text.as_str()) } else { None },
        )
        .collect()
}

fn waits(events: &[ModelEvent]) -> Vec<(Duration, u32)> {
    let wait = |event: &ModelEvent| match event {
        ModelEvent::Waiting { wait, attempt, .. } => Some((*wait, *attempt)),
        _ => None,
    };
    events.iter().filter_map(wait).collect()
}

fn is_done(events: &[ModelEvent]) -> bool {
    matches!(events.last(), Some(ModelEvent::Done { stop: ModelStop::End, .. }))
}

fn hello() -> Reply {
    Reply::stream(&format!("{HELLO}{STOP}"))
}

#[tokio::test]
async fn a_request_has_the_key_and_the_headers() {
    let server = Server::start(vec![hello()]).await;
    let mut provider = provider(&server.url);
    provider.headers =
        vec![("X-Team".into(), Secret::from("blue")), ("User-Agent".into(), Secret::from("me"))];
    let mut call = Call::new(&provider, &Http::new(&|_| None, limits()), asked(), 7);
    let (events, error) = all(&mut call).await;
    assert!(
        error.is_none() && is_done(&events) && text(&events) == "hello",
        "{events:?} {error:?}"
    );
    let requests = server.requests();
    let request = requests[0].to_lowercase();
    assert!(request.starts_with("post /v1/chat/completions http/1.1\r\n"), "{request}");
    for line in [
        &format!("authorization: bearer {KEY}"),
        "x-team: blue",
        "user-agent: me",
        "content-type: application/json",
    ] {
        assert!(request.contains(&format!("\r\n{line}\r\n")), "{line} is not in {request}");
    }
    assert!(requests[0].ends_with('}') && requests[0].contains("\"stream\":true"));
}

#[tokio::test]
async fn a_busy_provider_is_retried_after_the_time_it_names() {
    let busy =
        Reply::status(429, "retry-after-ms: 2\r\n", "{\"error\":{\"message\":\"slow down\"}}");
    let (events, error, requests) =
        served(vec![busy, Reply::status(503, "", "<html>"), hello()]).await;
    assert!(error.is_none() && is_done(&events), "{error:?}");
    assert_eq!((text(&events).as_str(), requests.len()), ("hello", 3));
    let waits = waits(&events);
    assert_eq!(waits[0], (Duration::from_millis(2), 1));
    assert!(
        waits.len() == 2 && waits[1].1 == 2 && waits[1].0 <= Duration::from_millis(2),
        "{waits:?}"
    );
    let ModelEvent::Waiting { why, .. } = &events[0] else { panic!("{events:?}") };
    assert_eq!(why, "Provider limits the rate of requests (status 429)");
    assert!(requests.windows(2).all(|pair| pair[0] == pair[1]), "each request is the same");
}

#[tokio::test]
async fn the_requested_wait_is_shown_and_used() {
    let server = Server::start(vec![Reply::status(429, "retry-after: 7\r\n", "{}")]).await;
    let mut call = call(&server.url, limits());
    let event = call.next().await.unwrap().unwrap();
    let ModelEvent::Waiting { wait, attempt: 1, .. } = event else { panic!("{event:?}") };
    assert_eq!(wait, Duration::from_secs(7));
}

#[tokio::test]
async fn a_wait_of_hours_is_an_error_at_once() {
    let server = Server::start(vec![Reply::status(429, "retry-after: 7300\r\n", "{}")]).await;
    let error = call(&server.url, limits()).next().await.unwrap().unwrap_err();
    assert!(matches!(&error, ModelError::Quota { again_in: Some(_), .. }), "{error:?}");
    assert!(error.to_string().contains("for another 3 hours"), "{error}");
}

#[tokio::test]
async fn retries_are_limited() {
    let failed = || Reply::status(500, "", "{\"error\":{\"message\":\"oh no\"}}");
    let (events, error, requests) = served(vec![failed(), failed(), failed(), hello()]).await;
    assert_eq!((waits(&events).len(), requests.len()), (2, 3));
    let error = error.unwrap();
    assert!(
        matches!(&error, ModelError::Overloaded { status: Some(500), attempts: 3, .. }),
        "{error:?}"
    );
    assert!(error.to_string().contains("oh no"), "{error}");
}

#[tokio::test]
async fn the_providers_advice_on_retries_is_followed() {
    let failed = Reply::status(500, "x-should-retry: false\r\n", "{}");
    let (events, error, requests) = served(vec![failed, hello()]).await;
    assert!(events.is_empty() && error.is_some() && requests.len() == 1);
    let failed = Reply::status(400, "x-should-retry: true\r\n", "{}");
    let (events, error, requests) = served(vec![failed, hello()]).await;
    assert!(error.is_none() && is_done(&events) && requests.len() == 2, "{error:?}");
}

/// Each wire must send the address and the key in the form that its vendor requires.
#[tokio::test]
async fn every_wire_has_its_address_and_its_key() {
    for (wire, address, key) in [
        (Wire::Chat, "/v1/chat/completions", format!("authorization: bearer {KEY}")),
        (Wire::Responses, "/v1/responses", format!("authorization: bearer {KEY}")),
        (Wire::Anthropic, "/v1/messages", format!("x-api-key: {KEY}")),
        (
            Wire::Gemini,
            "/v1beta/models/m:streamgeneratecontent?alt=sse",
            format!("x-goog-api-key: {KEY}"),
        ),
    ] {
        let server = Server::start(vec![Reply::status(401, "", "{}")]).await;
        let provider = Provider::new("p", "P", wire, &server.url).key(None, KEY);
        let _ = all(&mut Call::new(&provider, &Http::new(&|_| None, limits()), asked(), 7)).await;
        let request = server.requests()[0].to_lowercase();
        assert!(request.starts_with(&format!("post {address} http/1.1")), "{request}");
        assert!(request.contains(&format!("\r\n{key}\r\n")), "{request}");
        assert_eq!(
            request.contains("\r\nanthropic-version: 2023-06-01\r\n"),
            wire == Wire::Anthropic
        );
    }
}

#[tokio::test]
async fn a_connection_that_breaks_before_an_answer_is_retried() {
    let (events, error, requests) =
        served(vec![Reply::nothing(), Reply::stream(""), Reply::stream(": hi\n\n")]).await;
    assert_eq!((waits(&events).len(), requests.len()), (2, 3));
    assert!(matches!(error, Some(ModelError::Cut { .. })), "{error:?}");
    let (events, error, _) = served(vec![Reply::nothing(), hello()]).await;
    assert!(error.is_none() && is_done(&events) && waits(&events).len() == 1, "{error:?}");
}

#[tokio::test]
async fn a_permanent_error_is_not_retried() {
    for (status, body, words) in [
        (
            401,
            r#"{"error":{"message":"Incorrect API key provided: sk-very-secret-key."}}"#,
            "check the environment variable P_API_KEY",
        ),
        (403, r#"{"error":{"message":"no"}}"#, "check the environment variable P_API_KEY"),
        (
            400,
            r#"{"error":{"message":"bad tool"}}"#,
            "rejects the request (status 400) (\"bad tool\")",
        ),
        (404, "not here", "check the base URL"),
        (404, r#"{"error":{"code":"model_not_found","message":"no m"}}"#, "has no model m"),
        (429, r#"{"error":{"code":"insufficient_quota","message":"pay"}}"#, "plan and billing"),
        (402, r#"{"error":{"message":"Insufficient Balance"}}"#, "plan and billing"),
        (
            400,
            r#"{"error":{"code":"context_length_exceeded","message":"maximum context length is 128000 tokens"}}"#,
            "128000 tokens",
        ),
        (302, "", "check the base URL"),
        // LiteLLM sends the error of a stream that fails to begin as an event.
        (
            429,
            "data: {\"error\":{\"code\":\"insufficient_quota\",\"message\":\"pay\"}}\n\ndata: [DONE]\n\n",
            "(\"pay\"): check your plan and billing",
        ),
        (
            413,
            "<html><head><title>413 Request Entity Too Large</title></head><body><hr><center>nginx</center></body></html>",
            "Provider, or a proxy before it, refuses a request of this size (status 413) (\"413 Request Entity Too Large nginx\")",
        ),
    ] {
        let reply = Reply::status(status, "location: http://127.0.0.1:1/\r\n", body);
        let (events, error, requests) = served(vec![reply, hello()]).await;
        assert_eq!((events, requests.len()), (vec![], 1), "{status} {body}");
        let error = error.unwrap().to_string();
        assert!(error.contains(words), "{status} {body}: {error}");
    }
}

const CALL_BEGUN: &str = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"read\",\"arguments\":\"{\"}}]}}]}\n\n";

const BUSY: &str = "data: {\"error\":{\"code\":503,\"message\":\"busy\"}}\n\n";

/// Some servers leave the connection open after they have completed the answer.
#[tokio::test]
async fn a_complete_answer_ends_although_the_connection_stays_open() {
    let server = Server::start(vec![Reply::stream(&format!("{HELLO}{STOP}")).then_hang()]).await;
    assert!(is_done(&all(&mut call(&server.url, limits())).await.0));
    let undone = format!("{HELLO}{}", STOP.replace("data: [DONE]\n\n", ""));
    let server = Server::start(vec![Reply::stream(&undone).then_hang()]).await;
    let limits = Limits { idle: Duration::from_millis(30), ..limits() };
    assert!(is_done(&all(&mut call(&server.url, limits)).await.0));
}

#[tokio::test]
async fn dropping_a_call_ends_its_request() {
    let mut server = Server::start(vec![Reply::stream(HELLO).then_hang()]).await;
    let mut speaking = call(&server.url, limits());
    assert_eq!(speaking.next().await.unwrap().unwrap(), ModelEvent::Text("hello".into()));
    drop(speaking);
    server.closed.recv().await.unwrap();

    let mut server = Server::start(vec![Reply::nothing().then_hang()]).await;
    let mut waiting = call(&server.url, limits());
    let asked = async {
        while server.requests().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        event = waiting.next() => panic!("{event:?}"),
        () = asked => {}
    }
    drop(waiting);
    server.closed.recv().await.unwrap();
}

#[tokio::test]
async fn dropping_the_wait_for_an_event_loses_nothing() {
    let busy = Reply::status(429, "retry-after-ms: 5\r\n", "{}");
    let server = Server::start(vec![busy, hello()]).await;
    let mut call = call(&server.url, limits());
    let mut events = Vec::new();
    loop {
        tokio::select! {
            biased;
            event = call.next() => match event {
                Some(event) => events.push(event.unwrap()),
                None => break,
            },
            () = tokio::task::yield_now() => {}
        }
    }
    assert!(is_done(&events) && text(&events) == "hello", "{events:?}");
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn an_unreachable_server_is_an_error_at_once() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let (events, error) = all(&mut call(&format!("http://{address}/v1"), limits())).await;
    let error = error.unwrap();
    assert!(events.is_empty() && matches!(error, ModelError::NoNetwork { .. }), "{error:?}");
    assert!(error.to_string().contains(&address.to_string()), "{error}");
    assert!(std::error::Error::source(&error).is_some());
}

#[tokio::test]
async fn an_invalid_address_or_key_is_an_error() {
    for url in ["", "ftp://a/v1", "no address", "ftp://user:sk-very-secret-key@a/v1"] {
        let (_, error) = all(&mut call(url, limits())).await;
        assert!(matches!(error, Some(ModelError::NotFound { .. })), "{url}: {error:?}");
    }
    let provider =
        Provider::new("p", "P", Wire::Chat, "http://127.0.0.1:1/v1").key(None, format!("{KEY}\n"));
    let (_, error) =
        all(&mut Call::new(&provider, &Http::new(&|_| None, limits()), asked(), 7)).await;
    assert!(error.unwrap().to_string().contains("the header authorization cannot be sent"));
}

#[tokio::test]
async fn a_password_in_the_address_is_never_shown() {
    let server = Server::start(vec![Reply::status(404, "", "{}")]).await;
    let url = server.url.replace("http://", &format!("http://user:{KEY}@"));
    let (_, error) = all(&mut call(&url, limits())).await;
    assert!(error.unwrap().to_string().contains(&server.url));
    assert!(!format!("{:?}", provider(&url)).contains(KEY));
}

#[tokio::test]
async fn missing_tls_is_an_error() {
    let server = Server::start_any(Reply::status(200, "", "plain")).await;
    let (_, error) = all(&mut call(&server.url.replace("http:", "https:"), limits())).await;
    assert!(matches!(error, Some(ModelError::NoNetwork { .. })), "{error:?}");
}
