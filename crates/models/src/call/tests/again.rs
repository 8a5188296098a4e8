//! Retries of answers that are cut off.

use super::*;
use crate::call::retry_wait;
use serde_json::json;
use tokio::time::Instant;

/// Returns, for each `Waiting` event, whether the next attempt replaces the text so far.
fn replaces(events: &[ModelEvent]) -> Vec<bool> {
    let replaces = |event: &ModelEvent| match event {
        ModelEvent::Waiting { replaces, .. } => Some(*replaces),
        _ => None,
    };
    events.iter().filter_map(replaces).collect()
}

#[tokio::test]
async fn an_answer_that_stops_before_its_end_is_retried() {
    let part = "data: {\"choices\":[{\"delta\":{\"content\":\"hel\"}}]}\n\n";
    let usage =
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":20,\"completion_tokens\":1}}\n\n";
    let stalls = Limits { idle: Duration::from_millis(200), ..limits() };
    let limits = limits();
    for (reply, limits) in [
        (Reply::stream(part), limits),
        (Reply::broken(part), limits),
        (Reply::stream(&format!("{part}data: {{\"choi")), limits),
        (Reply::stream(&format!("{part}{CALL_BEGUN}")), limits),
        (Reply::stream(&format!("{part}{CALL_BEGUN}data: [DONE]\n\n")), limits),
        (Reply::stream(&format!("{part}{BUSY}")), limits),
        (Reply::stream(part).then_hang(), stalls),
    ] {
        let server = Server::start(vec![reply, hello()]).await;
        let mut call = call(&server.url, limits);
        let (events, error) = all(&mut call).await;
        assert!(error.is_none() && is_done(&events), "{events:?} {error:?}");
        assert_eq!((text(&events).as_str(), replaces(&events)), ("helhello", vec![true]));
        let Some(ModelEvent::Done { message, .. }) = events.last() else { panic!("{events:?}") };
        assert_eq!(
            message.parts,
            [AssistantPart::Text { text: "hello".into(), sealed: None }],
            "an incomplete call is left out"
        );
        assert!(call.partial().is_none(), "the message has the whole text");
        let requests = server.requests();
        assert!(requests.len() == 2 && requests[0] == requests[1], "the request is repeated");
    }
    let (events, _, _) = served(vec![Reply::stream(&format!("{part}{usage}")), hello()]).await;
    let lost = events.iter().find_map(|event| match event {
        ModelEvent::Waiting { lost, .. } => Some((lost.input, lost.output)),
        _ => None,
    });
    assert_eq!(lost, Some((20, 1)), "{events:?}");
}

/// llama.cpp answers with status 503 while it loads its model, which can take minutes.
#[tokio::test]
async fn a_model_that_is_loading_is_awaited_for_the_time_of_the_first_byte() {
    let loading = || {
        let error = json!({"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}});
        Reply::status(503, "retry-after: 0\r\n", &error.to_string())
    };
    let mut replies: Vec<Reply> = (0..6).map(|_| loading()).collect();
    replies.push(hello());
    let server = Server::start(replies).await;
    let (events, error) = all(&mut call(&server.url, limits())).await;
    assert!(error.is_none() && is_done(&events), "{error:?}");
    let whys: Vec<&str> = events
        .iter()
        .filter_map(|event| match event {
            ModelEvent::Waiting { why, .. } => Some(why.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(whys, ["Provider is loading the model (status 503)"; 6]);
    assert!(waits(&events).iter().all(|(wait, _)| *wait >= limits().backoff), "{events:?}");

    let error = ModelError::Overloaded {
        provider: "Provider".to_owned(),
        status: Some(503),
        attempts: 3,
        said: "Loading model".to_owned(),
    };
    let waits = |first_byte| {
        retry_wait::for_loading(&error, Instant::now(), Limits { first_byte, ..limits() })
    };
    assert!(waits(Duration::from_secs(300)) && !waits(Duration::ZERO));
}

#[tokio::test]
async fn an_answer_that_always_stops_is_an_error_with_the_last_text() {
    let cut = || Reply::broken(&format!("{HELLO}{CALL_BEGUN}"));
    let server = Server::start(vec![cut(), cut(), cut(), hello()]).await;
    let mut call = call(&server.url, limits());
    let (events, error) = all(&mut call).await;
    assert!(matches!(error, Some(ModelError::Cut { .. })), "{error:?}");
    assert_eq!((replaces(&events), server.requests().len()), (vec![true, true], 3));
    assert_eq!(
        call.partial().unwrap().parts,
        [AssistantPart::Text { text: "hello".into(), sealed: None }]
    );
}

/// A broken event in the middle of an answer is retried. One at its beginning shows that the
/// address is wrong.
#[tokio::test]
async fn a_broken_event_in_the_middle_of_an_answer_is_retried() {
    let broken = |begin: &str| Reply::stream(&format!("{begin}data: {{broken\n\n{STOP}"));
    let (events, error, requests) = served(vec![broken(HELLO), hello()]).await;
    assert!(error.is_none() && is_done(&events), "{error:?}");
    assert_eq!((replaces(&events), requests.len()), (vec![true], 2));
    let (_, error, requests) = served((0..4).map(|_| broken(HELLO)).collect()).await;
    let error = error.unwrap().to_string();
    assert_eq!(requests.len(), 3);
    assert!(error.contains("cannot be read") && error.ends_with("choose another model"), "{error}");
    let (_, error, requests) = served(vec![broken(""), hello()]).await;
    let error = error.unwrap().to_string();
    assert!(requests.len() == 1 && error.contains("check the base URL"), "{error}");
}

/// Text that the user has seen is kept, even if the next attempt sends none.
#[tokio::test]
async fn a_permanent_error_after_a_cut_ends_the_call() {
    let denied = "data: {\"error\":{\"code\":401,\"message\":\"no\"}}\n\n";
    for (replies, attempts) in [
        (vec![Reply::stream(&format!("{HELLO}{denied}"))], 1),
        (vec![Reply::broken(HELLO), Reply::status(401, "", "{}")], 2),
    ] {
        let server = Server::start(replies).await;
        let mut call = call(&server.url, limits());
        let (_, error) = all(&mut call).await;
        assert!(matches!(error, Some(ModelError::Auth { status: 401, .. })), "{error:?}");
        assert_eq!(server.requests().len(), attempts);
        assert_eq!(
            call.partial().unwrap().parts,
            [AssistantPart::Text { text: "hello".into(), sealed: None }]
        );
    }
}

#[tokio::test]
async fn an_error_inside_an_answer_is_retried_within_the_limits() {
    let (events, error, requests) = served(vec![Reply::stream(BUSY), hello()]).await;
    assert!(error.is_none() && is_done(&events) && requests.len() == 2, "{error:?}");
    assert_eq!(replaces(&events), [false], "no text arrived");
    let busy = || Reply::stream(&format!("{HELLO}{BUSY}"));
    let (_, error, requests) = served(vec![busy(), busy(), busy(), hello()]).await;
    assert_eq!(requests.len(), 3);
    assert!(
        matches!(error, Some(ModelError::Overloaded { status: Some(503), attempts: 3, .. })),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_provider_that_never_answers_is_an_error() {
    let short = Duration::from_millis(30);
    for (reply, limits) in [
        (Reply::nothing().then_hang(), Limits { first_byte: short, ..limits() }),
        (Reply::stream("").then_hang(), Limits { first_byte: short, ..limits() }),
        (Reply::stream(HELLO).then_hang(), Limits { idle: short, attempts: 1, ..limits() }),
    ] {
        let mut server = Server::start(vec![reply, hello()]).await;
        let (_, error) = all(&mut call(&server.url, limits)).await;
        assert!(matches!(error, Some(ModelError::Hung { .. })), "{error:?}");
        server.closed.recv().await.unwrap();
    }
}

/// On every wire, an answer that is cut off or interrupted by an error is retried, and the whole
/// answer arrives.
#[tokio::test]
async fn every_wire_retries_after_a_partial_answer() {
    let event = |data: &str| format!("data: {data}\n\n");
    let anthropic = [
        r#"{"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hello"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c","name":"read"}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"p"}}"#,
    ];
    let responses = [
        r#"{"type":"response.output_text.delta","delta":"hello"}"#,
        r#"{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","call_id":"c","name":"read"}}"#,
    ];
    let gemini = [
        r#"{"candidates":[{"content":{"parts":[{"text":"hello"}]}}],"usageMetadata":{"promptTokenCount":9}}"#,
    ];
    for (wire, begun, rest, error) in [
        (
            Wire::Anthropic,
            &anthropic[..],
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"busy"}}"#,
        ),
        (
            Wire::Responses,
            &responses[..],
            r#"{"type":"response.completed","response":{}}"#,
            r#"{"type":"response.failed","response":{"error":{"code":"server_error","message":"x"},"usage":{"input_tokens":9}}}"#,
        ),
        (
            Wire::Gemini,
            &gemini[..],
            r#"{"candidates":[{"finishReason":"STOP"}]}"#,
            r#"{"error":{"code":503,"status":"UNAVAILABLE","message":"x"}}"#,
        ),
    ] {
        let begun: String = begun.iter().map(|data| event(data)).collect();
        let text_only: String = match wire {
            Wire::Anthropic => anthropic[..4].iter().map(|data| event(data)).collect(),
            Wire::Responses => event(responses[0]),
            _ => begun.clone(),
        };
        for cut in [Reply::broken(&begun), Reply::stream(&format!("{begun}{}", event(error)))] {
            let whole = Reply::stream(&format!("{text_only}{}", event(rest)));
            let server = Server::start(vec![cut, whole]).await;
            let provider = Provider::new("p", "P", wire, &server.url).key(None, KEY);
            let mut call = Call::new(&provider, &Http::new(&|_| None, limits()), asked(), 7);
            let (events, error) = all(&mut call).await;
            assert!(
                error.is_none() && replaces(&events) == [true],
                "{wire:?}: {events:?} {error:?}"
            );
            let Some(ModelEvent::Done { message, .. }) = events.last() else {
                panic!("{events:?}")
            };
            assert_eq!((message.text().as_str(), message.calls()), ("hello", false), "{wire:?}");
        }
    }
}
