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
        (Dialect::DeepSeek, 500, json!({"thinking": {"type": "enabled"}})),
        (Dialect::DeepSeek, 0, json!({"thinking": {"type": "disabled"}})),
        (Dialect::Moonshot, 0, json!({"thinking": {"type": "disabled"}})),
        (Dialect::Mistral, 0, json!({"reasoning_effort": "none"})),
        (Dialect::OpenAi, 0, json!({"reasoning_effort": "none"})),
        (Dialect::Plain, 500, json!({})),
    ] {
        let without = body(dialect, &request(Vec::new()));
        let mut with = body(dialect, &thinking(request(Vec::new()), Thinking::Budget(tokens)));
        with.as_object_mut().unwrap().retain(|name, _| without.get(name).is_none());
        assert_eq!(with, expected, "{dialect:?} {tokens}");
    }
}

#[test]
fn each_vendor_gets_its_own_efforts() {
    let asked = |dialect, thinks: Thinking| {
        let without = body(dialect, &request(Vec::new()));
        let mut with = body(dialect, &thinking(request(Vec::new()), thinks));
        with.as_object_mut().unwrap().retain(|name, _| without.get(name).is_none());
        with
    };
    let effort = |effort: &str| Thinking::Effort(effort.into());
    for (dialect, thinks, expected) in [
        (Dialect::OpenRouter, effort("max"), json!({"reasoning": {"effort": "xhigh"}})),
        (Dialect::OpenRouter, effort("low"), json!({"reasoning": {"effort": "low"}})),
        (
            Dialect::OpenRouter,
            Thinking::BetweenTools("high".into()),
            json!({"reasoning": {"effort": "high"}}),
        ),
        (
            Dialect::DeepSeek,
            effort("max"),
            json!({"thinking": {"type": "enabled"}, "reasoning_effort": "max"}),
        ),
        (Dialect::DeepSeek, effort("none"), json!({"thinking": {"type": "disabled"}})),
        (Dialect::Mistral, effort("none"), json!({"reasoning_effort": "none"})),
        (Dialect::Moonshot, effort("max"), json!({"reasoning_effort": "max"})),
    ] {
        assert_eq!(asked(dialect, thinks.clone()), expected, "{dialect:?} {thinks:?}");
    }
}

/// DeepSeek and Moonshot reject a conversation in which a thought is missing, even in earlier
/// turns, and even if another model made the calls.
#[test]
fn some_vendors_get_a_thought_with_every_message() {
    let person = || Message::user(vec![Part::Text("a".into())]);
    let call = AssistantPart::Call {
        id: "c".into(),
        name: "t".into(),
        arguments: "{}".into(),
        sealed: None,
    };
    let said = |parts: Vec<AssistantPart>| {
        Message::Assistant(AssistantMessage { model: ModelId::new("p", "m"), parts })
    };
    let plain = thought("hm", json!({"field": "reasoning_content"}));
    let text = AssistantPart::Text { text: "b".into(), sealed: None };
    let messages = vec![
        person(),
        said(vec![plain, call.clone()]),
        said(vec![call]),
        said(vec![text]),
        person(),
    ];
    let sent = |dialect, thinks: Option<Thinking>, without_thoughts| {
        let request = Request { thinking: thinks, without_thoughts, ..request(messages.clone()) };
        let messages = body(dialect, &request)["messages"].take();
        let thought = |message: &Value| message.get("reasoning_content").cloned();
        let of_model =
            messages.as_array().unwrap().iter().filter(|message| message["role"] == "assistant");
        of_model.map(|message| thought(message).unwrap_or_default()).collect::<Vec<_>>()
    };
    let (none, blank) = (Value::Null, json!(" "));
    let off = Some(Thinking::Budget(0));
    for (dialect, thinks, without, expected) in [
        (Dialect::DeepSeek, None, false, [json!("hm"), blank.clone(), blank.clone()]),
        (Dialect::DeepSeek, None, true, [blank.clone(), blank.clone(), blank.clone()]),
        (Dialect::DeepSeek, off.clone(), false, [none.clone(), none.clone(), none.clone()]),
        (Dialect::Moonshot, off, false, [json!("hm"), blank.clone(), none.clone()]),
        (Dialect::Plain, None, false, [none.clone(), none.clone(), none]),
    ] {
        assert_eq!(sent(dialect, thinks, without), expected, "{dialect:?}");
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
fn models_behind_openrouter_that_cache_by_marks_get_them() {
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
    let marks = |dialect, name: &str| {
        let request = Request { model: ModelId::new("p", name), ..request.clone() };
        body(dialect, &request).to_string().contains("cache_control")
    };
    for (name, expected) in [
        ("~anthropic/claude-opus-latest", true),
        ("google/gemini-3.8-flash", true),
        ("minimax/minimax-m3", true),
        ("z-ai/glm-5.2", true),
        ("openai/gpt-6-sol", false),
        ("deepseek/deepseek-v4-pro", false),
    ] {
        assert_eq!(marks(Dialect::OpenRouter, name), expected, "{name}");
    }
    assert!(!marks(Dialect::Plain, "anthropic/claude"));
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
