use super::body;
use crate::message::{AssistantMessage, AssistantPart, Message, ModelId, Part, Request, Thinking};
use crate::testing::replay::{full, request, thinking, thought};
use crate::wire::chat::dialect::Dialect;
use serde_json::{Value, json};

const PICTURE: &str = "data:image/png;base64,AAAA";

#[test]
fn a_full_request_matches_the_documentation() {
    let expected = json!({
        "model": "m",
        "stream": true,
        "stream_options": {"include_usage": true},
        "max_tokens": 4000,
        "tools": [{"type": "function", "function": {"name": "read", "description": "Reads a file",
            "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}}],
        "messages": [
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": [
                {"type": "text", "text": "look"},
                {"type": "image_url", "image_url": {"url": PICTURE}},
                {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}},
                {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA"}},
            ]},
            {"role": "assistant", "content": "I read.", "reasoning_content": "hm", "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": "{\"path\":\"a\"}"}},
                // Servers that render the conversation with a template need the arguments to be a
                // JSON object.
                {"id": "call:2", "type": "function", "function": {"name": "read", "arguments": "{\"unreadable_arguments\":\"{\\\"path\"}"}},
            ]},
            {"role": "tool", "tool_call_id": "call_1", "content": "one"},
            {"role": "tool", "tool_call_id": "call:2", "content": "no path"},
            // Images from tools come after all results.
            {"role": "user", "content": [
                {"type": "text", "text": "A picture that the tool read returned:"},
                {"type": "image_url", "image_url": {"url": PICTURE}},
            ]},
        ],
    });
    assert_eq!(
        body(Dialect::Plain, &full(Some(thought("hm", json!({"field": "reasoning_content"}))))),
        expected
    );
}

#[test]
fn plain_text_is_a_string_and_empty_parts_are_left_out() {
    let person = Message::user(vec![Part::Text("a".into()), Part::Text("b".into())]);
    let expected = json!({"model": "m", "stream": true, "stream_options": {"include_usage": true},
        "messages": [{"role": "user", "content": "a\nb"}]});
    assert_eq!(body(Dialect::Plain, &request(vec![person])), expected);
}

#[test]
fn each_vendor_gets_its_own_fields() {
    let request = thinking(full(None), Thinking::Effort("high".into()));
    let plain = body(Dialect::Plain, &request);
    assert_eq!(plain["reasoning_effort"], "high");
    assert_eq!(plain.get("prompt_cache_key"), None);
    let openai = body(Dialect::OpenAi, &request);
    assert_eq!((&openai["max_completion_tokens"], openai.get("max_tokens")), (&json!(4000), None));
    assert_eq!(openai["prompt_cache_key"], "s");
    assert_eq!(body(Dialect::Moonshot, &request)["prompt_cache_key"], "s");
    let openrouter = body(Dialect::OpenRouter, &request);
    assert_eq!(openrouter["reasoning"], json!({"effort": "high"}));
    assert_eq!(
        (&openrouter["usage"], openrouter.get("stream_options")),
        (&json!({"include": true}), None)
    );
    let mistral = body(Dialect::Mistral, &request);
    assert_eq!(mistral.get("stream_options"), None, "it rejects unknown fields");
    let id = mistral["messages"][2]["tool_calls"][0]["id"].as_str().unwrap();
    assert!(id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");
    assert_eq!(mistral["messages"][3]["tool_call_id"], id);
}

#[test]
fn a_thinking_budget_is_sent_only_to_servers_that_have_one() {
    for (dialect, tokens, expected) in [
        (Dialect::OpenRouter, 500, json!({"reasoning": {"max_tokens": 500}})),
        (Dialect::OpenRouter, 0, json!({"reasoning": {"enabled": false}})),
        (Dialect::Qwen, 500, json!({"enable_thinking": true, "thinking_budget": 500})),
        (Dialect::Qwen, 0, json!({"enable_thinking": false})),
        (Dialect::Plain, 500, json!({})),
    ] {
        let without = body(dialect, &request(Vec::new()));
        let mut with = body(dialect, &thinking(request(Vec::new()), Thinking::Budget(tokens)));
        with.as_object_mut().unwrap().retain(|name, _| without.get(name).is_none());
        assert_eq!(with, expected, "{dialect:?} {tokens}");
    }
}

/// Returns how a thought with this data is sent back in the current turn, and in the previous one.
fn sent_back(sealed: &Value) -> [Value; 2] {
    let person = Message::user(vec![Part::Text("a".into())]);
    let said = |sealed: Value| {
        let parts =
            vec![thought("hm", sealed), AssistantPart::Text { text: "b".into(), sealed: None }];
        Message::Assistant(AssistantMessage { model: ModelId::new("p", "m"), parts })
    };
    let messages = vec![person.clone(), said(sealed.clone()), person, said(sealed.clone())];
    let body = body(Dialect::Plain, &request(messages));
    [body["messages"][3].clone(), body["messages"][1].clone()]
}

#[test]
fn thoughts_are_sent_back_in_their_original_field() {
    let bare = json!({"role": "assistant", "content": "b"});
    for field in ["reasoning_content", "reasoning"] {
        let mut with = bare.clone();
        with[field] = json!("hm");
        assert_eq!(sent_back(&json!({"field": field})), [with, bare.clone()], "within the turn");
    }
    let content = json!([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "b"}]);
    assert_eq!(
        sent_back(&json!({"field": "content"})),
        [json!({"role": "assistant", "content": content}), bare.clone()]
    );
    let details = json!([{"type": "reasoning.encrypted", "data": "x"}]);
    let mut with = bare.clone();
    with["reasoning_details"] = details.clone();
    assert_eq!(
        sent_back(&json!({"details": details})),
        [with.clone(), with],
        "signed thoughts are always sent back"
    );
    assert_eq!(sent_back(&json!({"field": "tool_calls"})), [bare.clone(), bare], "no other field");
}

#[test]
fn anthropic_models_behind_openrouter_get_cache_marks() {
    let person = |text: &str| Message::user(vec![Part::Text(text.into())]);
    let messages = vec![person("a"), person("b"), person("c")];
    let request = Request {
        system: "s".into(),
        model: ModelId::new("p", "anthropic/claude"),
        ..request(messages)
    };
    let marked = |text: &str| json!([{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]);
    let contents: Vec<Value> = body(Dialect::OpenRouter, &request)["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|each| each["content"].clone())
        .collect();
    assert_eq!(contents, [marked("s"), json!("a"), marked("b"), marked("c")]);
    assert!(!body(Dialect::Plain, &request).to_string().contains("cache_control"));
}

#[test]
fn the_data_of_a_call_is_sent_back() {
    let extra = json!({"google": {"thought_signature": "s"}});
    let call = AssistantPart::Call {
        id: "c".into(),
        name: "t".into(),
        arguments: "{}".into(),
        sealed: Some(extra.clone()),
    };
    let said =
        Message::Assistant(AssistantMessage { model: ModelId::new("p", "m"), parts: vec![call] });
    let body = body(Dialect::Plain, &request(vec![said]));
    let message = &body["messages"][0];
    assert_eq!(
        (&message["tool_calls"][0]["extra_content"], &message["content"]),
        (&extra, &Value::Null)
    );
}
