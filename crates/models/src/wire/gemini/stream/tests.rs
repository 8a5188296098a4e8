use crate::event::{ModelStop, TokenUsage};
use crate::testing::replay::{events, heard};
use crate::wire::Wire;
use serde_json::{Value, json};

fn parts(parts: Value) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": parts}}]})
}

fn finished(reason: &str) -> Value {
    json!({"candidates": [{"finishReason": reason}], "usageMetadata": {
        "promptTokenCount": 100, "cachedContentTokenCount": 60, "candidatesTokenCount": 20, "thoughtsTokenCount": 15,
        "toolUsePromptTokenCount": 5, "totalTokenCount": 140}})
}

#[test]
fn an_answer_with_signatures_text_and_calls_is_read() {
    let sent = [
        parts(json!([{"text": "Ü", "thought": true}])),
        parts(json!([{"text": "ber", "thought": true}])),
        parts(json!([{"text": "I "}])),
        parts(json!([{"text": "read."}])),
        parts(json!([
            {"functionCall": {"name": "read", "args": {"p": 1}}, "thoughtSignature": "sig1"},
            {"functionCall": {"id": "f2", "name": "list"}},
        ])),
        finished("STOP"),
    ];
    let heard = heard(Wire::Gemini, &events(&sent)).unwrap();
    assert_eq!((heard.thought.as_str(), heard.text.as_str()), ("Über", "I read."));
    assert_eq!(
        heard.parts,
        json!([
            {"thought": {"text": "Über"}},
            {"text": {"text": "I read."}},
            {"call": {"id": "call_0000000000000007_0", "name": "read", "arguments": "{\"p\":1}", "sealed": {"thoughtSignature": "sig1"}}},
            {"call": {"id": "f2", "name": "list", "arguments": "{}"}},
        ])
    );
    assert_eq!(heard.stop, ModelStop::Tools);
    let usage = TokenUsage {
        input: 45,
        output: 35,
        thought: Some(15),
        cached_read: 60,
        ..TokenUsage::default()
    };
    assert_eq!((heard.usage, heard.usage.total()), (usage, 140));
}

#[test]
fn a_signature_stays_with_its_own_part() {
    let sent = [
        parts(json!([{"text": "a"}])),
        parts(json!([{"text": "", "thoughtSignature": "s"}])),
        finished("STOP"),
    ];
    let seal = json!({"thoughtSignature": "s"});
    let heard_empty = heard(Wire::Gemini, &events(&sent)).unwrap();
    assert_eq!(
        heard_empty.parts,
        json!([{"text": {"text": "a"}}, {"text": {"text": "", "sealed": seal}}])
    );
    let sent = [
        parts(json!([{"text": "a"}])),
        parts(json!([{"text": "b", "thoughtSignature": "s"}])),
        parts(json!([{"text": "c"}])),
        finished("STOP"),
    ];
    let heard = heard(Wire::Gemini, &events(&sent)).unwrap();
    let expected = json!([{"text": {"text": "a"}}, {"text": {"text": "b", "sealed": seal}}, {"text": {"text": "c"}}]);
    assert_eq!((heard.parts, heard.text.as_str()), (expected, "abc"));
}

#[test]
fn every_finish_reason_is_read() {
    for (reason, expected) in [
        ("STOP", ModelStop::End),
        ("MAX_TOKENS", ModelStop::MaxTokens),
        ("SAFETY", ModelStop::Refusal("SAFETY".into())),
        ("RECITATION", ModelStop::Refusal("RECITATION".into())),
        ("BLOCKLIST", ModelStop::Refusal("BLOCKLIST".into())),
        ("PROHIBITED_CONTENT", ModelStop::Refusal("PROHIBITED_CONTENT".into())),
        ("SPII", ModelStop::Refusal("SPII".into())),
        ("MALFORMED_FUNCTION_CALL", ModelStop::BrokenCall),
        ("UNEXPECTED_TOOL_CALL", ModelStop::BrokenCall),
        ("TOO_MANY_TOOL_CALLS", ModelStop::BrokenCall),
        ("LANGUAGE", ModelStop::Refusal("LANGUAGE".into())),
        ("IMAGE_PROHIBITED_CONTENT", ModelStop::Refusal("IMAGE_PROHIBITED_CONTENT".into())),
        ("IMAGE_RECITATION", ModelStop::Refusal("IMAGE_RECITATION".into())),
        // The answer reached the limit of one response.
        ("CONTINUATION", ModelStop::MaxTokens),
        ("OTHER", ModelStop::Other("OTHER".into())),
        ("NEW", ModelStop::Other("NEW".into())),
    ] {
        assert_eq!(
            heard(Wire::Gemini, &events(&[finished(reason)])).unwrap().stop,
            expected,
            "{reason}"
        );
    }
}

#[test]
fn an_explicit_end_completes_an_answer_without_a_finish_reason() {
    let mut bytes = events(&[parts(json!([{"text": "a"}]))]);
    bytes.extend(b"data: [DONE]\n\n");
    assert_eq!(heard(Wire::Gemini, &bytes).unwrap().stop, ModelStop::End);
}

#[test]
fn absurd_counts_do_not_overflow() {
    let mut last = finished("STOP");
    last["usageMetadata"] = json!({"promptTokenCount": u64::MAX, "toolUsePromptTokenCount": 1,
        "candidatesTokenCount": u64::MAX, "thoughtsTokenCount": 1});
    let usage = heard(Wire::Gemini, &events(&[last])).unwrap().usage;
    assert_eq!((usage.input, usage.output), (u64::MAX, u64::MAX));
}

#[test]
fn a_missing_error_is_no_error() {
    let mut text = parts(json!([{"text": "a"}]));
    text["error"] = Value::Null;
    assert_eq!(heard(Wire::Gemini, &events(&[text, finished("STOP")])).unwrap().text, "a");
}

#[test]
fn a_blocked_prompt_an_error_or_a_cut_does_not_complete_an_answer() {
    let blocked = json!({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 1}});
    assert_eq!(heard(Wire::Gemini, &events(&[blocked])).unwrap_err(), "refused SAFETY");
    assert_eq!(heard(Wire::Gemini, &events(&[parts(json!([{"text": "a"}]))])).unwrap_err(), "cut");
    let error = json!({"error": {"code": 503, "message": "m", "status": "UNAVAILABLE"}});
    assert!(
        heard(Wire::Gemini, &events(std::slice::from_ref(&error))).unwrap_err().starts_with("said")
    );
    // Without `alt=sse`, the answer is a JSON list.
    assert!(
        heard(Wire::Gemini, json!([error]).to_string().as_bytes()).unwrap_err().starts_with("said")
    );
    let whole = json!([parts(json!([{"text": "a"}])), finished("STOP")]);
    assert_eq!(heard(Wire::Gemini, whole.to_string().as_bytes()).unwrap().text, "a");
}
