use super::{body, headers};
use crate::message::{
    AssistantMessage, AssistantPart, Message, ModelId, Part, Request, Thinking, ToolReply,
};
use crate::provider::Provider;
use crate::secret::Secret;
use crate::testing::replay::{full, request, thinking, thought};
use crate::wire::Wire;
use serde_json::{Value, json};

fn picture() -> Value {
    json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}})
}

#[test]
fn a_full_request_matches_the_documentation() {
    let mark = json!({"type": "ephemeral"});
    let expected = json!({
        "model": "m",
        "max_tokens": 4000,
        "stream": true,
        "system": [{"type": "text", "text": "Be short.", "cache_control": mark}],
        "tools": [{"name": "read", "description": "Reads a file",
            "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}}}],
        "messages": [
            {"role": "user", "content": [
                {"type": "text", "text": "look"},
                picture(),
                {"type": "text", "text": "[a sound that this model cannot hear]"},
                {"type": "document", "title": "a.pdf", "cache_control": mark,
                    "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"}},
            ]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "Über ", "signature": "EqQ+/="},
                {"type": "text", "text": "I read."},
                {"type": "tool_use", "id": "call_1", "name": "read", "input": {"path": "a"}},
                {"type": "tool_use", "id": "ID", "name": "read", "input": {"unreadable_arguments": "{\"path"}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "call_1", "content": [{"type": "text", "text": "one"}, picture()]},
                {"type": "tool_result", "tool_use_id": "ID", "is_error": true, "cache_control": mark,
                    "content": [{"type": "text", "text": "no path"}]},
            ]},
        ],
    });
    let mut body = body(&full(Some(thought("Über ", json!({"signature": "EqQ+/="})))));
    // Ids of tool calls may contain only letters, digits, `_` and `-`.
    let id = body["messages"][1]["content"][3]["id"].take();
    let named = body["messages"][2]["content"][1]["tool_use_id"].take();
    assert!(
        id == named && id.as_str().unwrap().bytes().all(|byte| byte.is_ascii_alphanumeric()),
        "{id} {named}"
    );
    body["messages"][1]["content"][3]["id"] = json!("ID");
    body["messages"][2]["content"][1]["tool_use_id"] = json!("ID");
    assert_eq!(body, expected);
}

/// Signed thoughts are sent back unchanged, even after they were serialized and deserialized.
#[test]
fn a_hidden_thought_is_sent_back_unchanged_and_an_unsigned_one_is_not() {
    let sent = |part: AssistantPart| {
        let mut messages = full(Some(part)).messages;
        for message in &mut messages {
            if let Message::Assistant(said) = message {
                let stored = serde_json::to_string(&said).unwrap();
                *said = serde_json::from_str(&stored).unwrap();
            }
        }
        body(&request(messages))["messages"][1]["content"][0].clone()
    };
    assert_eq!(
        sent(thought("", json!({"redacted": "ZZZ"}))),
        json!({"type": "redacted_thinking", "data": "ZZZ"})
    );
    assert_eq!(
        sent(thought("", json!({"signature": "s"}))),
        json!({"type": "thinking", "thinking": "", "signature": "s"})
    );
    let text = json!({"type": "text", "text": "I read."});
    assert_eq!(sent(AssistantPart::Thought { text: "hm".into(), sealed: None }), text);
    assert_eq!(sent(thought("hm", json!({"field": "reasoning"}))), text);
}

#[test]
fn the_thinking_budget_fits_into_the_answer() {
    let asked = |thinks: Thinking, max_output| {
        let signed = thought("hm", json!({"signature": "s"}));
        let request = thinking(Request { max_output, ..full(Some(signed)) }, thinks);
        let body = body(&request);
        let beta = headers(&request).iter().any(|(name, _)| name == "anthropic-beta");
        (
            body["thinking"].clone(),
            body.get("output_config").cloned(),
            body["max_tokens"].clone(),
            beta,
        )
    };
    let enabled = |tokens: u64| json!({"type": "enabled", "budget_tokens": tokens});
    let disabled = json!({"type": "disabled"});
    assert_eq!(
        asked(Thinking::Budget(4096), Some(64000)),
        (enabled(4096), None, json!(64000), true)
    );
    assert_eq!(asked(Thinking::Budget(40_000), None), (enabled(7168), None, json!(8192), true));
    assert_eq!(asked(Thinking::Budget(0), None), (disabled.clone(), None, json!(8192), false));
    assert_eq!(
        asked(Thinking::Budget(4096), Some(1000)).0,
        disabled,
        "the answer has no room for thoughts"
    );
    let adaptive = json!({"type": "adaptive", "display": "summarized"});
    let effort = Some(json!({"effort": "high"}));
    assert_eq!(
        asked(Thinking::Effort("high".into()), None),
        (adaptive, effort.clone(), json!(8192), false)
    );
    let between = json!({"type": "between_tools"});
    assert_eq!(
        asked(Thinking::BetweenTools("high".into()), None),
        (between, effort, json!(8192), false)
    );
}

/// The requests that a Claude model which binds its thoughts accepts.
#[test]
fn stale_thoughts_of_models_that_bind_them_are_dropped() {
    let asked = |name: &str, thinks: Option<Thinking>, without_thoughts| {
        let model = ModelId::new("p", name);
        let mut request = full(Some(thought("hm", json!({"signature": "s"}))));
        for message in &mut request.messages {
            if let Message::Assistant(said) = message {
                said.model = model.clone();
            }
        }
        let request = Request { model, thinking: thinks, without_thoughts, ..request };
        let betas: Vec<String> = headers(&request)
            .iter()
            .filter(|(name, _)| name == "anthropic-beta")
            .map(|(_, value)| value.expose().to_owned())
            .collect();
        let body = body(&request);
        let has_thought = body["messages"].to_string().contains("\"signature\":\"s\"");
        (body.get("thinking").cloned(), betas.join(" and "), has_thought)
    };
    let high = || Some(Thinking::Effort("high".into()));
    let adaptive = json!({"type": "adaptive", "display": "summarized"});
    let mut drops = adaptive.clone();
    drops["block_binding"] = json!({"prefix_mismatch_behavior": "drop_block"});
    let beta = || "thinking-binding-controls-2026-08-01".to_owned();
    let (bound, unbound) = ("claude-opus-5-5-20260915", "claude-opus-5");
    for (name, thinks, without, expected) in [
        (bound, high(), false, (Some(drops.clone()), beta(), true)),
        // A model about which nothing is known thinks, too.
        (bound, None, false, (Some(drops.clone()), beta(), true)),
        // The provider may have refused the setting, or the kind of thinking.
        (bound, None, true, (None, String::new(), false)),
        // A gateway's own name may stand for any model.
        ("claude", None, false, (None, String::new(), true)),
        ("team-claude", None, false, (None, String::new(), true)),
        ("claude-sonnet", None, false, (None, String::new(), true)),
        ("claude-sonnet", high(), false, (Some(drops), beta(), true)),
        (bound, high(), true, (Some(adaptive.clone()), String::new(), false)),
        (
            bound,
            Some(Thinking::Budget(0)),
            false,
            (Some(json!({"type": "disabled"})), String::new(), false),
        ),
        (
            bound,
            Some(Thinking::BetweenTools("low".into())),
            false,
            (Some(json!({"type": "between_tools"})), String::new(), false),
        ),
        (unbound, high(), false, (Some(adaptive), String::new(), true)),
        (unbound, None, false, (None, String::new(), true)),
        (
            unbound,
            Some(Thinking::BetweenTools("low".into())),
            false,
            (Some(json!({"type": "between_tools"})), String::new(), true),
        ),
        (
            unbound,
            Some(Thinking::Budget(0)),
            false,
            (Some(json!({"type": "disabled"})), String::new(), true),
        ),
    ] {
        assert_eq!(asked(name, thinks.clone(), without), expected, "{name} {thinks:?} {without}");
    }
}

/// A turn that another model began contains calls without thoughts. The provider accepts these only
/// if thinking is off.
#[test]
fn thinking_is_off_in_a_turn_that_another_model_began() {
    let of = |model: &str| {
        let mut messages = full(Some(thought("hm", json!({"signature": "s"})))).messages;
        if let Message::Assistant(said) = &mut messages[1] {
            said.model = ModelId::new("other", model);
        }
        messages
    };
    let asked = |messages| {
        body(&thinking(request(messages), Thinking::Budget(2000)))["thinking"]["type"].clone()
    };
    assert_eq!(asked(of("m")), "disabled");
    let mut next_turn = of("m");
    next_turn.push(Message::user(vec![Part::Text("go on".into())]));
    assert_eq!(asked(next_turn), "enabled");
}

#[test]
fn adjacent_messages_are_joined_and_empty_ones_left_out() {
    let person = |text: &str| Message::user(vec![Part::Text(text.into())]);
    let call = |id: &str| AssistantPart::Call {
        id: id.into(),
        name: "t".into(),
        arguments: "{}".into(),
        sealed: None,
    };
    let blank = AssistantPart::Text { text: "\n".into(), sealed: None };
    let model = |parts: Vec<AssistantPart>| {
        Message::Assistant(AssistantMessage { model: ModelId::new("p", "m"), parts })
    };
    let answer = Message::ToolReply(ToolReply {
        call_id: "1".into(),
        name: "t".into(),
        text: String::new(),
        images: vec![],
        failed: false,
        data: None,
    });
    let messages = vec![
        person("a"),
        model(vec![blank]),
        person(""),
        person("b"),
        model(vec![call("1")]),
        answer,
        person("c"),
    ];
    let body = body(&request(messages));
    let roles: Vec<_> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].clone())
        .collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
    assert_eq!(body["messages"][0]["content"].as_array().unwrap().len(), 2);
    assert_eq!(
        body["messages"][2]["content"][0],
        json!({"type": "tool_result", "tool_use_id": "1", "content": []})
    );
    assert_eq!(body["messages"][2]["content"][1]["text"], "c");
}

/// The user's own beta features do not replace those that the request needs.
#[test]
fn beta_features_are_joined_in_one_header() {
    let mut provider = Provider::new("p", "P", Wire::Anthropic, "http://p");
    provider.headers = vec![("Anthropic-Beta".into(), Secret::from("mine-2026-01-01"))];
    let asked = |name: &str| {
        let model = ModelId::new("p", name);
        let headers = provider.request_headers(&Request { model, ..request(Vec::new()) });
        let betas = headers.iter().filter(|(name, _)| name == "anthropic-beta");
        betas.map(|(_, value)| value.expose().to_owned()).collect::<Vec<_>>()
    };
    let both = "mine-2026-01-01,thinking-binding-controls-2026-08-01";
    assert_eq!(asked("claude-opus-5-5"), [both]);
    assert_eq!(asked("claude-opus-5"), ["mine-2026-01-01"]);
}
