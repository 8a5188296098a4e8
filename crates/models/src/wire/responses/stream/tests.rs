use crate::event::{ModelStop, TokenUsage};
use crate::testing::replay::{events, heard};
use crate::wire::Wire;
use serde_json::{Value, json};

fn completed() -> Value {
    json!({"type": "response.completed", "response": {"status": "completed", "usage": {
        "input_tokens": 100, "input_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 6},
        "output_tokens": 40, "output_tokens_details": {"reasoning_tokens": 25}, "total_tokens": 140}}})
}

#[test]
fn an_answer_with_encrypted_thoughts_text_and_calls_is_read() {
    let reasoning = json!({"type": "reasoning", "id": "rs_1", "encrypted_content": "gAAA=", "status": "completed",
        "summary": [{"type": "summary_text", "text": "**One**"}, {"type": "summary_text", "text": "**Two**"}]});
    let call = json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "read", "arguments": "{\"p\":1}"});
    let part = |index| json!({"type": "response.reasoning_summary_part.added", "output_index": 0, "summary_index": index});
    let summary = |delta| json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": delta});
    let arguments = |delta| json!({"type": "response.function_call_arguments.delta", "output_index": 2, "delta": delta});
    let sent = [
        json!({"type": "response.created", "response": {"id": "resp_1", "usage": null}, "sequence_number": 0}),
        json!({"type": "response.queued", "response": {"id": "resp_1"}, "sequence_number": 1}),
        json!({"type": "response.in_progress", "response": {"id": "resp_1"}, "sequence_number": 2}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "id": "rs_1", "summary": []}}),
        part(0),
        summary("**One**"),
        part(1),
        summary("**Two**"),
        json!({"type": "response.reasoning_summary_text.done", "output_index": 0, "summary_index": 1, "text": "**Two**"}),
        json!({"type": "response.reasoning_summary_part.done", "output_index": 0, "summary_index": 1}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": reasoning}),
        json!({"type": "response.output_item.added", "output_index": 1, "item": {"type": "message", "content": []}}),
        json!({"type": "response.content_part.added", "output_index": 1, "part": {"type": "output_text", "text": ""}}),
        json!({"type": "response.output_text.delta", "output_index": 1, "delta": "I "}),
        json!({"type": "response.output_text.delta", "output_index": 1, "delta": "read."}),
        json!({"type": "response.output_text.done", "output_index": 1, "text": "I read."}),
        json!({"type": "response.content_part.done", "output_index": 1, "part": {"type": "output_text", "text": "I read."}}),
        json!({"type": "response.output_item.done", "output_index": 1,
            "item": {"type": "message", "phase": "commentary", "content": [{"type": "output_text", "text": "I read."}]}}),
        json!({"type": "response.output_item.added", "output_index": 2, "item": {"type": "function_call", "call_id": "call_1", "name": "read", "arguments": ""}}),
        arguments("{\"p\""),
        arguments(":1}"),
        json!({"type": "response.function_call_arguments.done", "output_index": 2, "arguments": "{\"p\":1}"}),
        json!({"type": "response.output_item.done", "output_index": 2, "item": call}),
        completed(),
    ];
    let heard = heard(Wire::Responses, &events(&sent)).unwrap();
    assert_eq!((heard.thought.as_str(), heard.text.as_str()), ("**One**\n\n**Two**", "I read."));
    assert_eq!(heard.began, ["call_1 read"]);
    let mut sealed = reasoning;
    sealed.as_object_mut().unwrap().remove("status");
    let expected = json!([
        {"thought": {"text": "**One**\n\n**Two**", "sealed": sealed}},
        {"text": {"text": "I read.", "sealed": {"phase": "commentary"}}},
        {"call": {"id": "call_1", "name": "read", "arguments": "{\"p\":1}"}},
    ]);
    assert_eq!((heard.parts, heard.stop), (expected, ModelStop::Tools));
    let usage = TokenUsage {
        input: 30,
        output: 40,
        thought: Some(25),
        cached_read: 64,
        cached_write: 6,
        ..TokenUsage::default()
    };
    assert_eq!((heard.usage, heard.usage.total()), (usage, 140));
}

#[test]
fn items_in_one_piece_are_read() {
    let done = |index: u64, item: Value| json!({"type": "response.output_item.done", "output_index": index, "item": item});
    let hidden = json!({"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "e"});
    let sent = [
        done(0, hidden.clone()),
        done(1, json!({"type": "message", "content": [{"type": "output_text", "text": "hi"}]})),
        done(
            2,
            json!({"type": "function_call", "call_id": "c", "name": "read", "arguments": "{}"}),
        ),
        completed(),
    ];
    let heard = heard(Wire::Responses, &events(&sent)).unwrap();
    assert_eq!(heard.text, "hi");
    assert_eq!(
        heard.parts,
        json!([
            {"thought": {"text": "", "sealed": hidden}},
            {"text": {"text": "hi"}},
            {"call": {"id": "c", "name": "read", "arguments": "{}"}},
        ])
    );
}

#[test]
fn a_thought_without_encryption_is_shown_but_not_sent_back() {
    let sent = [
        json!({"type": "response.reasoning_text.delta", "delta": "hm"}),
        json!({"type": "response.output_item.done", "item": {"type": "reasoning", "id": "rs", "encrypted_content": null}}),
        completed(),
    ];
    let heard = heard(Wire::Responses, &events(&sent)).unwrap();
    assert_eq!(heard.parts, json!([{"thought": {"text": "hm"}}]));
}

#[test]
fn every_status_is_read() {
    let incomplete = |reason: &str| json!({"type": "response.incomplete", "response": {"incomplete_details": {"reason": reason}}});
    let refusal = json!({"type": "response.refusal.delta", "delta": "I cannot."});
    for (sent, expected) in [
        (vec![completed()], ModelStop::End),
        (vec![incomplete("max_output_tokens")], ModelStop::MaxTokens),
        (vec![incomplete("content_filter")], ModelStop::Refusal("content_filter".into())),
        (vec![refusal, completed()], ModelStop::Refusal(String::new())),
    ] {
        assert_eq!(heard(Wire::Responses, &events(&sent)).unwrap().stop, expected);
    }
}

#[test]
fn a_whole_answer_in_one_json_value_is_read() {
    let whole = |status: &str, output: Value| {
        json!({"id": "resp_1", "object": "response", "status": status, "error": null,
        "incomplete_details": null, "output": output, "usage": {"input_tokens": 9, "output_tokens": 4}})
    };
    let hidden = json!({"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "e"});
    let text = json!({"type": "message", "content": [{"type": "output_text", "text": "hi"}]});
    let call =
        json!({"type": "function_call", "call_id": "c", "name": "read", "arguments": "{\"p\":1}"});
    let read = |whole: Value| heard(Wire::Responses, whole.to_string().as_bytes());
    let answer = read(whole("completed", json!([hidden, text, call]))).unwrap();
    assert_eq!(
        answer.parts,
        json!([
            {"thought": {"text": "", "sealed": hidden}},
            {"text": {"text": "hi"}},
            {"call": {"id": "c", "name": "read", "arguments": "{\"p\":1}"}},
        ])
    );
    assert_eq!((answer.stop, answer.usage.total()), (ModelStop::Tools, 13));
    let refusal =
        json!([{"type": "message", "content": [{"type": "refusal", "refusal": "I cannot."}]}]);
    let refused = read(whole("completed", refusal)).unwrap();
    assert_eq!((refused.text.as_str(), refused.stop), ("I cannot.", ModelStop::Refusal("".into())));
    assert_eq!(read(whole("in_progress", json!([]))).unwrap_err(), "cut");
    let mut failed = whole("failed", json!([]));
    failed["error"] = json!({"code": "server_error", "message": "oh"});
    assert!(read(failed).unwrap_err().starts_with("said"));
}

/// Some servers send `"error": null` with every event.
#[test]
fn a_missing_error_is_no_error() {
    let sent = [
        json!({"error": null, "type": "response.output_text.delta", "delta": "a"}),
        json!({"error": null}),
        completed(),
    ];
    assert_eq!(heard(Wire::Responses, &events(&sent)).unwrap().text, "a");
}

#[test]
fn an_explicit_end_completes_an_answer_without_a_completed_response() {
    let text = json!({"type": "response.output_text.delta", "delta": "a"});
    let call = json!({"type": "response.output_item.added", "item": {"type": "function_call", "call_id": "c", "name": "read"}});
    let part = json!({"type": "response.function_call_arguments.delta", "delta": "{\"p"});
    let read = |sent: &[Value]| {
        let mut bytes = events(sent);
        bytes.extend(b"data: [DONE]\n\n");
        heard(Wire::Responses, &bytes)
    };
    let whole = read(std::slice::from_ref(&text)).unwrap();
    assert_eq!((whole.text.as_str(), whole.stop), ("a", ModelStop::End));
    assert_eq!(read(&[text, call, part]).unwrap_err(), "cut");
    assert_eq!(read(&[]).unwrap_err(), "cut");
}

#[test]
fn an_error_or_a_cut_does_not_complete_an_answer() {
    let text = json!({"type": "response.output_text.delta", "delta": "a"});
    assert_eq!(heard(Wire::Responses, &events(std::slice::from_ref(&text))).unwrap_err(), "cut");
    for error in [
        json!({"type": "error", "code": "rate_limit_exceeded", "message": "slow"}),
        json!({"type": "response.failed", "response": {"error": {"code": "server_error", "message": "oh"}}}),
        json!({"error": {"message": "oh"}}),
    ] {
        assert!(
            heard(Wire::Responses, &events(&[text.clone(), error]))
                .unwrap_err()
                .starts_with("said")
        );
    }
}
