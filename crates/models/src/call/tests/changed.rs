//! Requests that are sent again in another form after the provider refused them.

use super::*;
use crate::call::changes::{Changes, KnownChanges};
use crate::call::failure::Refusal;
use crate::message::{AssistantMessage, Thinking, ToolSpec};
use crate::wire::chat::dialect::Dialect;
use serde_json::{Value, json};

/// The message of Anthropic about a thought whose conversation has changed.
const BOUND: &str = "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.";

const NEEDS_RESPONSES: &str = "Function tools with reasoning_effort are not supported for gpt-6-sol in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.";

fn refusal(message: &str) -> Reply {
    Reply::status(400, "", &json!({"error": {"message": message}}).to_string())
}

/// A conversation in which the model thought, spoke and called a tool, all with sealed data.
fn thoughtful(thought: Value, call: Option<Value>) -> Request {
    let model = asked().model;
    let parts = vec![
        AssistantPart::Thought { text: "secret thought".into(), sealed: Some(thought) },
        AssistantPart::Text { text: "spoken text".into(), sealed: None },
        AssistantPart::Call {
            id: "c".into(),
            name: "read".into(),
            arguments: "{}".into(),
            sealed: call,
        },
    ];
    let said = Message::Assistant(AssistantMessage { model, parts });
    let tools = vec![ToolSpec {
        name: "read".into(),
        description: "Reads".into(),
        schema: json!({"type": "object"}),
    }];
    Request { tools, ..request(vec![asked().messages[0].clone(), said]) }
}

/// A complete answer of a wire, which says `hello`.
fn hello_on(wire: Wire) -> Reply {
    let events: &[&str] = match wire {
        Wire::Chat => return hello(),
        Wire::Anthropic => &[
            r#"{"type":"content_block_start","content_block":{"type":"text","text":"hello"}}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
            r#"{"type":"message_stop"}"#,
        ],
        Wire::Responses => &[
            r#"{"type":"response.output_text.delta","delta":"hello"}"#,
            r#"{"type":"response.completed","response":{}}"#,
        ],
        Wire::Gemini => {
            &[r#"{"candidates":[{"content":{"parts":[{"text":"hello"}]},"finishReason":"STOP"}]}"#]
        }
    };
    Reply::stream(&events.iter().map(|data| format!("data: {data}\n\n")).collect::<String>())
}

struct Outcome {
    events: Vec<ModelEvent>,
    error: Option<ModelError>,
    requests: Vec<String>,
}

/// Calls a model of a plain provider as often as the server replies with an answer.
async fn called(
    wire: Wire,
    dialect: Dialect,
    request: &Request,
    replies: Vec<Reply>,
    calls: usize,
) -> Outcome {
    let server = Server::start(replies).await;
    let mut provider = Provider::new("p", "P", wire, &server.url).key(None, KEY);
    provider.dialect = dialect;
    let known = KnownChanges::default();
    let (mut events, mut error) = (Vec::new(), None);
    for _ in 0..calls {
        let http = Http::new(&|_| None, limits());
        let mut call = Call::new(&provider, &http, request.clone(), 7);
        call = call.with_known_changes(known.clone());
        let (more, failed) = all(&mut call).await;
        events.extend(more);
        error = error.or(failed);
    }
    Outcome { events, error, requests: server.requests() }
}

fn reasons(events: &[ModelEvent]) -> Vec<&str> {
    fn why(event: &ModelEvent) -> Option<&str> {
        match event {
            ModelEvent::Waiting { why, .. } => Some(why.as_str()),
            _ => None,
        }
    }
    events.iter().filter_map(why).collect()
}

/// On every wire, refused thoughts are left out, and nothing else. The next call of the session
/// leaves them out at once.
#[tokio::test]
async fn refused_thoughts_are_left_out_on_every_wire() {
    let item =
        json!({"type": "reasoning", "id": "rs_1", "encrypted_content": "seal", "summary": []});
    let vertex = json!({"error": {"message": BOUND, "type": "invalid_request_error"}}).to_string();
    for (wire, thought, call, message) in [
        (Wire::Anthropic, json!({"signature": "seal"}), None, BOUND),
        (Wire::Anthropic, json!({"signature": "seal"}), None, vertex.as_str()),
        (
            Wire::Anthropic,
            json!({"signature": "seal"}),
            None,
            "messages.1.content.0.thinking.signature: Field required",
        ),
        (
            Wire::Responses,
            item.clone(),
            None,
            "The encrypted content for item rs_1 could not be verified.",
        ),
        (
            Wire::Responses,
            item,
            None,
            "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
        ),
        (
            Wire::Gemini,
            json!({"thoughtSignature": "seal"}),
            Some(json!({"thoughtSignature": "seal"})),
            "Thought signature is not valid.",
        ),
        (
            Wire::Chat,
            json!({"details": [{"type": "reasoning.encrypted", "data": "seal"}]}),
            None,
            "Provider returned error: messages.1.content.0: Invalid `signature` in `thinking` block",
        ),
    ] {
        let request = thoughtful(thought, call);
        let replies = vec![refusal(message), hello_on(wire), hello_on(wire)];
        let outcome = called(wire, Dialect::Plain, &request, replies, 2).await;
        assert!(outcome.error.is_none(), "{wire:?}: {:?}", outcome.error);
        assert_eq!(text(&outcome.events), "hellohello", "{wire:?}");
        let why = "P refuses the earlier thoughts of this conversation, so they are left out";
        assert_eq!(reasons(&outcome.events), [why]);
        let has = |words: &str| {
            outcome.requests.iter().map(|sent| sent.contains(words)).collect::<Vec<_>>()
        };
        assert_eq!(has("\"seal\""), [true, false, false], "{wire:?}");
        assert_eq!(has("spoken text"), [true; 3], "no text is lost");
        assert_eq!(has("\"read\""), [true; 3], "no call is lost");
    }
}

#[tokio::test]
async fn a_refusal_without_remedy_ends_the_call() {
    let signed = || thoughtful(json!({"signature": "seal"}), None);
    for (request, message, attempts) in [
        // There are no thoughts to leave out.
        (asked(), BOUND, 1),
        (signed(), BOUND, 2),
        (signed(), "tools.0: bad", 1),
    ] {
        let replies = (0..3).map(|_| refusal(message)).collect();
        let outcome = called(Wire::Anthropic, Dialect::Plain, &request, replies, 1).await;
        assert!(matches!(outcome.error, Some(ModelError::BadRequest { .. })), "{message}");
        assert_eq!(outcome.requests.len(), attempts, "{message}");
    }
}

/// A change that did not help is not made in the next call.
#[tokio::test]
async fn only_a_change_that_helped_is_remembered() {
    let request = thoughtful(json!({"signature": "seal"}), None);
    let replies = vec![refusal(BOUND), refusal("tools.0: bad"), hello_on(Wire::Anthropic)];
    let outcome = called(Wire::Anthropic, Dialect::Plain, &request, replies, 2).await;
    let sealed: Vec<bool> =
        outcome.requests.iter().map(|request| request.contains("\"seal\"")).collect();
    assert_eq!(sealed, [true, false, true]);
}

/// A gateway that does not know the setting which drops stale thoughts gets requests without it. If
/// no level is chosen, it gets no kind of thinking either.
#[tokio::test]
async fn a_refused_setting_for_stale_thoughts_is_left_out() {
    let high = || Some(Thinking::Effort("high".into()));
    for (thinking, message, thinks_later) in [
        (None, "thinking.adaptive.block_binding: Extra inputs are not permitted", false),
        (high(), "thinking.adaptive.block_binding: Extra inputs are not permitted", true),
        (high(), "invalid beta flag", true),
        (None, "Unexpected value(s) `thinking-x` for the `anthropic-beta` header", false),
        (None, "thinking: Input tag 'adaptive' does not match any of the expected tags", false),
    ] {
        let model = crate::message::ModelId::new("p", "claude-opus-5-5");
        let request = Request { model, thinking, ..asked() };
        let replies = vec![refusal(message), hello_on(Wire::Anthropic), hello_on(Wire::Anthropic)];
        let outcome = called(Wire::Anthropic, Dialect::Plain, &request, replies, 2).await;
        assert_eq!(text(&outcome.events), "hellohello", "{message}: {:?}", outcome.error);
        let has = |words: &str| {
            outcome.requests.iter().map(|request| request.contains(words)).collect::<Vec<_>>()
        };
        assert_eq!(has("binding"), [true, false, false], "{message}");
        assert_eq!(has("\"adaptive\""), [true, thinks_later, thinks_later], "{message}");
    }
}

/// What one kind of thinking refuses, another may accept.
#[test]
fn left_out_thoughts_are_remembered_for_each_kind_of_thinking() {
    let provider = provider("http://p/v1");
    let with = |thinking| Request { thinking, ..thoughtful(json!({"signature": "seal"}), None) };
    let refused = with(Some(Thinking::BetweenTools("high".into())));
    let said = |text: &str| Refusal { status: Some(400), text: text.to_lowercase() };
    let known = KnownChanges::default();
    let changes = Changes::default();
    let (changes, _) = changes.after(&said(NEEDS_RESPONSES), &provider, &refused).unwrap();
    let (changes, _) = changes.after(&said(BOUND), &provider, &refused).unwrap();
    known.keep(&provider, &refused, changes);
    let other_effort = with(Some(Thinking::BetweenTools("low".into())));
    assert_eq!(known.of(&provider, &other_effort), changes);
    for thinking in [Some(Thinking::Effort("high".into())), Some(Thinking::Budget(0)), None] {
        let found = known.of(&provider, &with(thinking));
        let (mut provider, mut request) = (provider.clone(), with(None));
        found.apply(&mut provider, &mut request);
        assert_eq!((provider.wire, request.without_thoughts), (Wire::Responses, false));
    }
    let other = Request { session: "other".into(), ..refused };
    assert_eq!(known.of(&provider, &other), Changes::default());
}

/// A server that misses thoughts, and then refuses them.
#[test]
fn the_dialect_that_sends_thoughts_is_taken_back_if_they_are_refused() {
    let mut provider = provider("http://p/v1");
    let mut request = thoughtful(json!({"field": "reasoning_content"}), None);
    let said = |text: &str| Refusal { status: Some(400), text: text.to_owned() };
    let mut changes = Changes::default();
    for (text, dialect) in [
        ("the reasoning_content must be passed back", Dialect::DeepSeek),
        ("reasoning_content is not permitted", Dialect::Plain),
    ] {
        changes = changes.after(&said(text), &provider, &request).unwrap().0;
        changes.apply(&mut provider, &mut request);
        assert_eq!(provider.dialect, dialect, "{text}");
    }
    assert!(request.without_thoughts);
    let missing = said("the reasoning_content must be passed back");
    assert_eq!(changes.after(&missing, &provider, &request), None, "there is no endless loop");
}

/// A server that passes requests on to OpenAI gets them on the Responses wire if it asks for it.
#[tokio::test]
async fn the_responses_wire_is_used_if_the_server_wants_it() {
    let request = thoughtful(json!({"field": "reasoning_content"}), None);
    let replies =
        vec![refusal(NEEDS_RESPONSES), hello_on(Wire::Responses), hello_on(Wire::Responses)];
    let outcome = called(Wire::Chat, Dialect::Plain, &request, replies, 2).await;
    assert!(
        outcome.error.is_none() && text(&outcome.events) == "hellohello",
        "{:?}",
        outcome.error
    );
    assert_eq!(reasons(&outcome.events), ["P wants the Responses API for this model"]);
    let paths: Vec<&str> =
        outcome.requests.iter().filter_map(|request| request.split(' ').nth(1)).collect();
    assert_eq!(paths, ["/v1/chat/completions", "/v1/responses", "/v1/responses"]);
    assert!(!outcome.requests[1].contains("secret thought"), "{}", outcome.requests[1]);
}

#[tokio::test]
async fn a_refused_maximum_gets_its_other_name() {
    let request = Request { max_output: Some(500), ..asked() };
    let message = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    let replies = vec![refusal(message), refusal(NEEDS_RESPONSES), hello_on(Wire::Responses)];
    let outcome = called(Wire::Chat, Dialect::Plain, &request, replies, 1).await;
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    for (request, name) in outcome.requests.iter().zip([
        "\"max_tokens\":500",
        "\"max_completion_tokens\":500",
        "\"max_output_tokens\":500",
    ]) {
        assert!(request.contains(name), "{name} is not in {request}");
    }
}

/// DeepSeek behind a server that is not known to be DeepSeek.
#[tokio::test]
async fn thoughts_are_sent_back_if_the_server_misses_them() {
    let mut request = thoughtful(json!({"field": "reasoning_content"}), None);
    request.messages.push(asked().messages[0].clone());
    let message = "The `reasoning_content` in the thinking mode must be passed back to the API.";
    let replies = vec![refusal(message), hello(), hello()];
    let outcome = called(Wire::Chat, Dialect::Plain, &request, replies, 2).await;
    assert_eq!(text(&outcome.events), "hellohello", "{:?}", outcome.error);
    let sent: Vec<bool> =
        outcome.requests.iter().map(|request| request.contains("secret thought")).collect();
    assert_eq!(sent, [false, true, true]);
}
