use crate::event::{ModelStop, TokenUsage};
use crate::testing::replay::{events, heard};
use crate::wire::Wire;
use serde_json::{Value, json};

fn start(index: u64, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: u64, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn stop(index: u64) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn finished(reason: &str) -> [Value; 2] {
    [
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 9}}),
        json!({"type": "message_stop"}),
    ]
}

/// A complete answer as the provider sends it, with event names and a ping.
const WHOLE: &str = r#"event: message_start
data: {"type":"message_start","message":{"id":"msg_1","role":"assistant","usage":{"input_tokens":10,"cache_creation_input_tokens":20,"cache_read_input_tokens":30,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Über"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"legt"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQ+/="}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"ZZZ"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"I read."}}

event: content_block_stop
data: {"type":"content_block_stop","index":2}

event: content_block_start
data: {"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_1","name":"read","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"p\":"}}

event: content_block_delta
data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":" 1}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":3}

event: content_block_start
data: {"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"toolu_2","name":"list","input":{}}}

event: content_block_stop
data: {"type":"content_block_stop","index":4}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":57,"output_tokens_details":{"thinking_tokens":12}}}

event: message_stop
data: {"type":"message_stop"}

"#;

#[test]
fn an_answer_with_signed_thoughts_text_and_calls_is_read() {
    let heard = heard(Wire::Anthropic, WHOLE.as_bytes()).unwrap();
    assert_eq!((heard.thought.as_str(), heard.text.as_str()), ("Überlegt", "I read."));
    assert_eq!(heard.began, ["toolu_1 read", "toolu_2 list"]);
    let expected = json!([
        {"thought": {"text": "Überlegt", "sealed": {"signature": "EqQ+/="}}},
        {"thought": {"text": "", "sealed": {"redacted": "ZZZ"}}},
        {"text": {"text": "I read."}},
        {"call": {"id": "toolu_1", "name": "read", "arguments": "{\"p\": 1}"}},
        {"call": {"id": "toolu_2", "name": "list", "arguments": "{}"}},
    ]);
    assert_eq!((heard.parts, heard.stop), (expected, ModelStop::Tools));
    // Later token counts replace earlier ones.
    let usage = TokenUsage {
        input: 10,
        output: 57,
        thought: Some(12),
        cached_read: 30,
        cached_write: 20,
        ..TokenUsage::default()
    };
    assert_eq!((heard.usage, heard.usage.total()), (usage, 117));
}

/// Each token count covers the whole answer so far. Counts of other things in the same object are
/// ignored.
#[test]
fn the_last_counts_are_used_and_citations_are_skipped() {
    let usage = |read: u64, output: u64| {
        json!({"input_tokens": 10, "cache_creation_input_tokens": 20, "cache_read_input_tokens": read, "output_tokens": output,
            "cache_creation": {"ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 0},
            "server_tool_use": {"web_search_requests": 0}, "service_tier": "standard"})
    };
    let cited = json!({"type": "citations_delta", "citation": {"type": "char_location", "cited_text": "x"}});
    let sent = [
        json!({"type": "message_start", "message": {"usage": usage(30, 1)}}),
        start(0, json!({"type": "text", "text": ""})),
        delta(0, json!({"type": "text_delta", "text": "a"})),
        delta(0, cited),
        stop(0),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage(35, 9)}),
        json!({"type": "message_stop"}),
    ];
    let heard = heard(Wire::Anthropic, &events(&sent)).unwrap();
    assert_eq!((&heard.parts, heard.text.as_str()), (&json!([{"text": {"text": "a"}}]), "a"));
    let usage = heard.usage;
    assert_eq!((usage.input, usage.cached_write, usage.cached_read, usage.output), (10, 20, 35, 9));
}

#[test]
fn thoughts_with_only_a_signature_stay_separate() {
    let mut sent = Vec::new();
    for index in 0..2 {
        sent.push(start(index, json!({"type": "thinking", "thinking": ""})));
        sent.push(delta(
            index,
            json!({"type": "signature_delta", "signature": format!("s{index}")}),
        ));
        sent.push(stop(index));
    }
    sent.extend(finished("end_turn"));
    let heard = heard(Wire::Anthropic, &events(&sent)).unwrap();
    let sealed =
        |signature: &str| json!({"thought": {"text": "", "sealed": {"signature": signature}}});
    assert_eq!(heard.parts, json!([sealed("s0"), sealed("s1")]));
}

#[test]
fn a_tool_call_in_one_piece_is_read() {
    let mut sent = vec![
        start(0, json!({"type": "tool_use", "id": "t", "name": "read", "input": {"p": 1}})),
        stop(0),
    ];
    sent.extend(finished("end_turn"));
    let heard = heard(Wire::Anthropic, &events(&sent)).unwrap();
    assert_eq!(
        heard.parts,
        json!([{"call": {"id": "t", "name": "read", "arguments": "{\"p\":1}"}}])
    );
    assert_eq!(heard.stop, ModelStop::Tools, "whatever stop reason the server sends");
}

#[test]
fn texts_of_two_blocks_are_two_parts() {
    let mut sent = Vec::new();
    for (index, text) in [(0, "a"), (1, "b")] {
        sent.extend([
            start(index, json!({"type": "text", "text": ""})),
            delta(index, json!({"type": "text_delta", "text": text})),
            stop(index),
        ]);
    }
    sent.extend(finished("end_turn"));
    let heard = heard(Wire::Anthropic, &events(&sent)).unwrap();
    assert_eq!(heard.parts, json!([{"text": {"text": "a"}}, {"text": {"text": "b"}}]));
}

#[test]
fn every_finish_reason_is_read() {
    for (reason, expected) in [
        ("end_turn", ModelStop::End),
        ("stop_sequence", ModelStop::End),
        ("max_tokens", ModelStop::MaxTokens),
        ("model_context_window_exceeded", ModelStop::Window),
        ("pause_turn", ModelStop::Paused),
        ("refusal", ModelStop::Refusal(String::new())),
        ("new", ModelStop::Other("new".into())),
    ] {
        assert_eq!(
            heard(Wire::Anthropic, &events(&finished(reason))).unwrap().stop,
            expected,
            "{reason}"
        );
    }
}

#[test]
fn a_refusal_is_explained() {
    for (details, expected) in [
        (
            json!({"type": "refusal", "category": "cyber", "explanation": "It asks for an exploit."}),
            "cyber: It asks for an exploit.",
        ),
        (json!({"type": "refusal", "category": "bio", "explanation": null}), "bio"),
        (json!({"type": "refusal", "category": null, "explanation": "No."}), "No."),
        (json!({"type": "refusal", "category": null, "explanation": null}), ""),
        (json!(null), ""),
    ] {
        let end = json!({"type": "message_delta",
            "delta": {"stop_reason": "refusal", "stop_details": details}});
        let heard =
            heard(Wire::Anthropic, &events(&[end, json!({"type": "message_stop"})])).unwrap();
        assert_eq!(heard.stop, ModelStop::Refusal(expected.into()));
    }
}

#[test]
fn tokens_that_the_cache_keeps_for_an_hour_are_counted_apart() {
    let usage = json!({"input_tokens": 1, "output_tokens": 2, "cache_creation_input_tokens": 30,
        "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20}});
    let mut sent = vec![json!({"type": "message_start", "message": {"usage": usage}})];
    sent.extend(finished("end_turn"));
    let usage = heard(Wire::Anthropic, &events(&sent)).unwrap().usage;
    assert_eq!((usage.cached_write, usage.cached_write_1h, usage.total()), (30, 20, 40));
}

/// The answer that LiteLLM sends for a mocked response.
#[test]
fn a_whole_answer_in_one_json_value_is_read() {
    let usage = json!({"input_tokens": 7, "output_tokens": 3});
    let content = json!([
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "text", "text": "I read."},
        {"type": "tool_use", "id": "t", "name": "read", "input": {"p": 1}},
    ]);
    let whole = json!({"id": "msg", "type": "message", "role": "assistant", "content": content,
        "stop_reason": "tool_use", "error": null, "usage": usage});
    let answer = heard(Wire::Anthropic, whole.to_string().as_bytes()).unwrap();
    assert_eq!(
        answer.parts,
        json!([
            {"thought": {"text": "hm", "sealed": {"signature": "s"}}},
            {"text": {"text": "I read."}},
            {"call": {"id": "t", "name": "read", "arguments": "{\"p\":1}"}},
        ])
    );
    assert_eq!((answer.stop, answer.usage.total()), (ModelStop::Tools, 10));
    let error = json!({"type": "error", "error": {"type": "api_error", "message": "m"}});
    assert!(heard(Wire::Anthropic, error.to_string().as_bytes()).unwrap_err().starts_with("said"));
}

#[test]
fn an_explicit_end_completes_an_answer_without_a_stop_reason() {
    let text = start(0, json!({"type": "text", "text": "a"}));
    let stop = json!({"type": "message_stop"});
    assert_eq!(heard(Wire::Anthropic, &events(&[text.clone(), stop])).unwrap().text, "a");
    let mut bytes = events(&[text]);
    bytes.extend(b"data: [DONE]\n\n");
    assert_eq!(heard(Wire::Anthropic, &bytes).unwrap().stop, ModelStop::End);
    let call = start(0, json!({"type": "tool_use", "id": "t", "name": "read", "input": {}}));
    let part = delta(0, json!({"type": "input_json_delta", "partial_json": "{\"p"}));
    let mut bytes = events(&[call, part]);
    bytes.extend(b"data: [DONE]\n\n");
    assert_eq!(heard(Wire::Anthropic, &bytes).unwrap_err(), "cut");
}

#[test]
fn an_error_or_a_cut_does_not_complete_an_answer() {
    let begun = [start(0, json!({"type": "text", "text": "a"}))];
    assert_eq!(heard(Wire::Anthropic, &events(&begun)).unwrap_err(), "cut");
    let without_reason = [json!({"type": "message_stop"})];
    assert_eq!(heard(Wire::Anthropic, &events(&without_reason)).unwrap_err(), "cut");
    let bytes = b"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
    assert!(heard(Wire::Anthropic, bytes).unwrap_err().starts_with("said"));
}
