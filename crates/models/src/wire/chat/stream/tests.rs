use crate::event::{ModelStop, TokenUsage};
use crate::testing::replay::{Heard, heard};
use crate::wire::Wire;
use serde_json::{Value, json};

/// Returns an answer with these deltas that ends with the finish reason `reason`.
fn answer(deltas: &[Value], reason: &str) -> Vec<u8> {
    let mut bytes = String::new();
    for delta in deltas {
        bytes.push_str(&format!(
            "data: {}\n\n",
            json!({"id": "x", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
        ));
    }
    bytes.push_str(&format!(
        "data: {}\n\n",
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    ));
    bytes.push_str("data: [DONE]\n\n");
    bytes.into_bytes()
}

fn read(deltas: &[Value], reason: &str) -> Heard {
    heard(Wire::Chat, &answer(deltas, reason)).unwrap()
}

fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({"call": {"id": id, "name": name, "arguments": arguments}})
}

fn piece(index: Option<u64>, id: Option<&str>, name: Option<&str>, arguments: &str) -> Value {
    let mut piece = json!({"function": {"arguments": arguments}});
    if let Some(index) = index {
        piece["index"] = json!(index);
    }
    if let Some(id) = id {
        piece["id"] = json!(id);
    }
    if let Some(name) = name {
        piece["function"]["name"] = json!(name);
    }
    json!({"tool_calls": [piece]})
}

#[test]
fn text_arrives_in_pieces_and_ends_with_a_reason() {
    let deltas = [
        json!({"role": "assistant", "content": ""}),
        json!({"content": "Grüße "}),
        json!({"content": "€😀"}),
    ];
    for (reason, stop) in [
        ("stop", ModelStop::End),
        ("length", ModelStop::MaxTokens),
        ("content_filter", ModelStop::Refusal("content_filter".into())),
        // The finish reason is `tool_calls`, but there are none.
        ("tool_calls", ModelStop::End),
        ("odd", ModelStop::Other("odd".into())),
    ] {
        let heard = read(&deltas, reason);
        assert_eq!(
            (heard.text.as_str(), &heard.parts, &heard.stop),
            ("Grüße €😀", &json!([{"text": {"text": "Grüße €😀"}}]), &stop)
        );
    }
}

/// A refusal has its own field, but an ordinary finish reason.
#[test]
fn a_refusal_is_shown_and_ends_the_answer() {
    let heard =
        read(&[json!({"content": null, "refusal": "I "}), json!({"refusal": "cannot."})], "stop");
    assert_eq!((heard.text.as_str(), heard.stop), ("I cannot.", ModelStop::Refusal(String::new())));
}

/// Byte streams of four kinds of servers: other line ends, no space after the colon, comments, no
/// empty line at the end.
#[test]
fn deviating_byte_streams_are_read() {
    let one = r#"{"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}"#;
    for bytes in [
        format!("data: {one}\r\n\r\ndata: [DONE]\r\n\r\n"),
        format!("data:{one}\n\ndata:[DONE]\n\n"),
        format!(": PROCESSING\n\n: PROCESSING\n\ndata: {one}\n\ndata: [DONE]"),
        format!("event: message\rdata: {one}\r\rdata: [DONE]\r\r"),
        // An answer without an end event, but with a finish reason.
        format!("data: {one}\n\n"),
        format!("\n\ndata: {one}"),
        // A complete answer from a server that does not stream.
        r#"{"choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}"#
            .to_owned(),
        r#"{"error":null,"choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":null}]}"#
            .to_owned(),
    ] {
        let heard = heard(Wire::Chat, bytes.as_bytes()).unwrap();
        assert_eq!((heard.text.as_str(), heard.stop), ("hi", ModelStop::End), "{bytes}");
    }
}

#[test]
fn an_incomplete_answer_and_other_content_are_errors() {
    let begun = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n";
    for (bytes, words) in [
        (begun.to_owned(), "cut"),
        (String::new(), "cut"),
        ("data: [DONE]\n\n".to_owned(), "cut"),
        (
            "data: {\"choices\":[{\"delta\":{\"reasoning\":\"hm\"}}]}\n\ndata: [DONE]\n\n".to_owned(),
            "cut",
        ),
        ("<html>".to_owned(), "malformed"),
        (format!("{begun}data: {{\"choi\n\n"), "malformed"),
        ("{\"choices\":".to_owned(), "cut"),
        ("{\"choices\";".to_owned(), "malformed"),
        (format!("{begun}data: {{\"error\":{{\"message\":\"m\",\"code\":502}}}}\n\n"), "said"),
        (format!("{begun}event: error\ndata: {{\"message\":\"m\"}}\n\n"), "said"),
        ("{\"error\":{\"message\":\"m\"}}".to_owned(), "said"),
        // OpenRouter.
        (
            r#"data: {"choices":[{"delta":{},"finish_reason":"error","error":{"code":502,"message":"m"}}]}"#
                .to_owned()
                + "\n\n",
            "said",
        ),
    ] {
        let error = heard(Wire::Chat, bytes.as_bytes()).unwrap_err();
        assert!(error.starts_with(words), "{bytes:?} gave {error}");
    }
}

/// The server of llama-cpp-cffi sends no finish reason.
#[test]
fn an_explicit_end_completes_an_answer_without_a_finish_reason() {
    let sent = |delta: Value| {
        let event = json!({"error": null, "choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
        heard(Wire::Chat, format!("data: {event}\n\ndata: [DONE]\n\n").as_bytes())
    };
    let text = sent(json!({"content": "hi"})).unwrap();
    assert_eq!((text.text.as_str(), text.stop), ("hi", ModelStop::End));
    assert_eq!(sent(json!({"content": "<th"})).unwrap().text, "<th");
    let whole = sent(piece(Some(0), Some("c1"), Some("read"), "{\"p\":1}")).unwrap();
    assert_eq!(
        (whole.parts, whole.stop),
        (json!([call("c1", "read", "{\"p\":1}")]), ModelStop::Tools)
    );
    assert_eq!(sent(piece(Some(0), Some("c1"), Some("read"), "{\"p\"")).unwrap_err(), "cut");
}

#[test]
fn tool_calls_are_assembled_from_every_known_form() {
    let one = call("c1", "read", r#"{"p":1}"#);
    let two = call("c2", "read", r#"{"p":2}"#);
    let made = |index: u8, arguments: &str| {
        call(&format!("call_0000000000000007_{index}"), "read", arguments)
    };
    for (what, deltas, expected) in [
        (
            "the standard form",
            vec![
                piece(Some(0), Some("c1"), Some("read"), ""),
                piece(Some(0), None, None, "{\"p\""),
                piece(Some(0), None, None, ":1}"),
                piece(Some(1), Some("c2"), Some("read"), ""),
                piece(Some(1), None, None, "{\"p\":2}"),
            ],
            json!([one, two]),
        ),
        (
            "two calls with mixed pieces",
            vec![
                piece(Some(0), Some("c1"), Some("read"), "{\"p\""),
                piece(Some(1), Some("c2"), Some("read"), "{\"p\":"),
                piece(Some(0), None, None, ":1}"),
                piece(Some(1), None, None, "2}"),
            ],
            json!([one, two]),
        ),
        (
            "the id and name in every piece",
            vec![
                piece(Some(0), Some("c1"), Some("read"), "{\"p\""),
                piece(Some(0), Some("c1"), Some("read"), ":1}"),
            ],
            json!([one]),
        ),
        (
            "without an index",
            vec![
                piece(None, Some("c1"), Some("read"), "{\"p\""),
                piece(None, None, None, ":1}"),
                piece(None, Some("c2"), Some("read"), "{\"p\":2}"),
            ],
            json!([one, two]),
        ),
        (
            "without an index, the id in every piece",
            vec![
                piece(None, Some("c1"), Some("read"), "{\"p\""),
                piece(None, Some("c1"), None, ":1}"),
            ],
            json!([one]),
        ),
        (
            "whole, in one piece",
            vec![json!({"tool_calls": [
                {"id": "c1", "function": {"name": "read", "arguments": "{\"p\":1}"}},
                {"id": "c2", "function": {"name": "read", "arguments": "{\"p\":2}"}},
            ]})],
            json!([one, two]),
        ),
        (
            "whole, all with the index 0",
            vec![
                piece(Some(0), Some("c1"), Some("read"), "{\"p\":1}"),
                piece(Some(0), Some("c2"), Some("read"), "{\"p\":2}"),
            ],
            json!([one, two]),
        ),
        (
            "whole, without id and index",
            vec![
                piece(None, None, Some("read"), "{\"p\":1}"),
                piece(None, None, Some("read"), "{\"p\":2}"),
            ],
            json!([made(0, "{\"p\":1}"), made(1, "{\"p\":2}")]),
        ),
        (
            "with empty ids",
            vec![
                piece(Some(0), Some(""), Some("read"), "{\"p\""),
                piece(Some(0), Some(""), None, ":1}"),
            ],
            json!([made(0, "{\"p\":1}")]),
        ),
        (
            "the same id twice",
            vec![
                piece(Some(0), Some("c1"), Some("read"), "{\"p\":1}"),
                piece(Some(1), Some("c1"), Some("read"), "{\"p\":2}"),
            ],
            json!([one, made(1, "{\"p\":2}")]),
        ),
        (
            "arguments as an object",
            vec![
                json!({"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "read", "arguments": {"p": 1}}}]}),
            ],
            json!([one]),
        ),
        (
            "no arguments",
            vec![piece(Some(0), Some("c1"), Some("read"), "")],
            json!([call("c1", "read", "{}")]),
        ),
        (
            "broken arguments stay as they are",
            vec![piece(Some(0), Some("c1"), Some("read"), "{\"p\"")],
            json!([call("c1", "read", "{\"p\"")]),
        ),
        (
            "the deprecated form",
            vec![
                json!({"function_call": {"name": "read", "arguments": "{\"p\""}}),
                json!({"function_call": {"arguments": ":1}"}}),
            ],
            json!([made(0, "{\"p\":1}")]),
        ),
        (
            "the data of a call is kept",
            vec![
                json!({"tool_calls": [{"index": 0, "id": "c1", "extra_content": {"google": {"thought_signature": "s"}},
                "function": {"name": "read", "arguments": "{\"p\":1}"}}]}),
            ],
            json!([{"call": {"id": "c1", "name": "read", "arguments": "{\"p\":1}",
                "sealed": {"google": {"thought_signature": "s"}}}}]),
        ),
    ] {
        // Some servers send the finish reason `stop` with tool calls.
        for reason in ["tool_calls", "stop", "function_call"] {
            let heard = read(&deltas, reason);
            assert_eq!((&heard.parts, &heard.stop), (&expected, &ModelStop::Tools), "{what}");
            assert_eq!(heard.began.len(), expected.as_array().unwrap().len(), "{what}");
        }
    }
}

#[test]
fn a_tool_call_cut_by_the_length_limit_is_left_out() {
    let deltas = [
        piece(Some(0), Some("c1"), Some("read"), "{\"p\":1}"),
        piece(Some(1), Some("c2"), Some("read"), "{\"p\":"),
    ];
    let heard = read(&deltas, "length");
    assert_eq!(
        (heard.parts, heard.stop),
        (json!([call("c1", "read", "{\"p\":1}")]), ModelStop::MaxTokens)
    );
}

#[test]
fn thoughts_are_read_in_every_form_and_keep_it() {
    let said = json!({"text": {"text": "yes"}});
    let details = json!([
        {"type": "reasoning.text", "index": 0, "text": "hmm", "signature": "sig", "format": "f"},
        {"type": "reasoning.encrypted", "index": 1, "data": "xyz"},
    ]);
    for (what, deltas, sealed) in [
        (
            "reasoning_content",
            vec![
                json!({"reasoning_content": "h"}),
                json!({"reasoning_content": "mm", "content": null}),
            ],
            json!({"field": "reasoning_content"}),
        ),
        (
            "reasoning",
            vec![json!({"reasoning": "h"}), json!({"reasoning": "mm"})],
            json!({"field": "reasoning"}),
        ),
        (
            "both with the same",
            vec![json!({"reasoning_content": "hmm", "reasoning": "hmm"})],
            json!({"field": "reasoning_content"}),
        ),
        (
            "details with the text",
            vec![
                json!({"reasoning": "h", "reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "h", "format": "f", "signature": null}]}),
                json!({"reasoning": "mm", "reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "mm"}]}),
                json!({"reasoning_details": [{"type": "reasoning.text", "index": 0, "signature": "sig"}, {"type": "reasoning.encrypted", "index": 1, "data": "xyz"}]}),
            ],
            json!({"details": details}),
        ),
        (
            "only details",
            vec![json!({"reasoning_details": [{"type": "reasoning.summary", "summary": "hmm"}]})],
            json!({"details": [{"type": "reasoning.summary", "summary": "hmm"}]}),
        ),
        (
            "parts of the content",
            vec![
                json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hmm"}]}]}),
            ],
            json!({"field": "content"}),
        ),
        (
            "tags",
            vec![
                json!({"content": "<th"}),
                json!({"content": "ink>hmm</thi"}),
                json!({"content": "nk>\n\n"}),
            ],
            Value::Null,
        ),
    ] {
        let deltas: Vec<Value> = deltas.into_iter().chain([json!({"content": "yes"})]).collect();
        let heard = read(&deltas, "stop");
        assert_eq!((heard.thought.as_str(), heard.text.as_str()), ("hmm", "yes"), "{what}");
        let mut thought = json!({"thought": {"text": "hmm"}});
        if !sealed.is_null() {
            thought["thought"]["sealed"] = sealed;
        }
        assert_eq!(heard.parts, json!([thought, said]), "{what}");
    }
}

#[test]
fn a_thought_without_text_is_sent_back() {
    let hidden = json!({"type": "reasoning.encrypted", "index": 0, "data": "xyz"});
    let heard = read(&[json!({"content": "yes"}), json!({"reasoning_details": [hidden]})], "stop");
    let expected = json!([{"thought": {"text": "", "sealed": {"details": [hidden]}}}, {"text": {"text": "yes"}}]);
    assert_eq!((heard.parts, heard.thought.as_str()), (expected, ""));
}

#[test]
fn the_cached_tokens_of_every_vendor_are_counted_once() {
    let usage = |input, cached_read, cached_write, output, thought, billed| TokenUsage {
        input,
        output,
        thought,
        cached_read,
        cached_write,
        cached_write_1h: 0,
        billed,
    };
    for (vendor, sent, expected) in [
        (
            "OpenAI",
            json!({"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
                "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 10, "audio_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 15}}),
            usage(30, 60, 10, 20, Some(15), None),
        ),
        (
            "DeepSeek",
            json!({"prompt_tokens": 100, "completion_tokens": 20, "prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 36}),
            usage(36, 64, 0, 20, None, None),
        ),
        (
            "Moonshot",
            json!({"prompt_tokens": 100, "completion_tokens": 20, "cached_tokens": 40}),
            usage(60, 40, 0, 20, None, None),
        ),
        (
            "OpenRouter",
            json!({"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": null, "cost": 0.0125}),
            usage(100, 0, 0, 20, None, Some(0.0125)),
        ),
        (
            "nobody's",
            json!({"prompt_tokens": 5, "completion_tokens": null, "prompt_cache_hit_tokens": 9}),
            usage(0, 9, 0, 0, None, None),
        ),
    ] {
        let stop = json!({"choices": [{"delta": {"content": "x"}, "finish_reason": "stop"}]});
        // llama.cpp also sends timings.
        let last =
            json!({"choices": [], "usage": sent, "timings": {"prompt_n": 3, "predicted_n": 2}});
        let bytes = format!("data: {stop}\n\ndata: {last}\n\ndata: [DONE]\n\n");
        let heard = heard(Wire::Chat, bytes.as_bytes()).unwrap();
        assert_eq!(heard.usage, expected, "{vendor}");
        let total = expected.input + expected.output + expected.cached_read + expected.cached_write;
        assert_eq!(heard.usage.total(), total);
    }
    let in_choice = json!({"choices": [{"delta": {}, "finish_reason": "stop", "usage": {"prompt_tokens": 7, "completion_tokens": 2}}]});
    assert_eq!(
        heard(Wire::Chat, format!("data: {in_choice}\n\n").as_bytes()).unwrap().usage.input,
        7
    );
}

/// Some servers cut text between UTF-16 code units.
#[test]
fn split_surrogate_pairs_are_joined() {
    let halves = r#"data: {"choices":[{"delta":{"content":"a\ud83d"}}]}

data: {"choices":[{"delta":{"content":"\ude00b"}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"t","arguments":"{\"p\":\"\ud83d"}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\ude00\"}"}}]},"finish_reason":"tool_calls"}]}

"#;
    let heard = heard(Wire::Chat, halves.as_bytes()).unwrap();
    assert_eq!(heard.parts, json!([{"text": {"text": "a😀b"}}, call("c", "t", "{\"p\":\"😀\"}")]));
    assert_eq!(heard.text, "a😀b");
}
