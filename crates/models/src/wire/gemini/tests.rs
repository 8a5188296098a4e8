use super::body;
use crate::message::{AssistantMessage, AssistantPart, Message, ModelId, Request, Thinking};
use crate::testing::replay::{full, request, thinking, thought};
use serde_json::{Value, json};

fn inline(mime: &str) -> Value {
    json!({"inlineData": {"mimeType": mime, "data": "AAAA"}})
}

#[test]
fn a_full_request_matches_the_documentation() {
    let expected = json!({
        "systemInstruction": {"parts": [{"text": "Be short."}]},
        "tools": [{"functionDeclarations": [{"name": "read", "description": "Reads a file",
            "parametersJsonSchema": {"type": "object", "properties": {"path": {"type": "string"}}}}]}],
        "generationConfig": {"maxOutputTokens": 4000, "thinkingConfig": {"includeThoughts": true, "thinkingBudget": 1024}},
        "contents": [
            {"role": "user", "parts": [{"text": "look"}, inline("image/png"), inline("audio/mpeg"), inline("application/pdf")]},
            {"role": "model", "parts": [
                {"text": "I read."},
                {"functionCall": {"id": "call_1", "name": "read", "args": {"path": "a"}},
                    "thoughtSignature": "skip_thought_signature_validator"},
                {"functionCall": {"id": "call:2", "name": "read", "args": {"unreadable_arguments": "{\"path"}}},
            ]},
            // All results come first, because Gemini requires as many results as calls.
            {"role": "user", "parts": [
                {"functionResponse": {"id": "call_1", "name": "read", "response": {"output": "one"}}},
                {"functionResponse": {"id": "call:2", "name": "read", "response": {"error": "no path"}}},
                inline("image/png"),
            ]},
        ],
    });
    let unsigned = AssistantPart::Thought { text: "hm".into(), sealed: None };
    assert_eq!(body(&thinking(full(Some(unsigned)), Thinking::Budget(1024))), expected);
}

/// Only names of models before Gemini 3 are known to need no signature and to reject ids.
#[test]
fn models_before_gemini_3_get_no_placeholder_and_no_ids() {
    for (name, is_new) in [
        ("gemini-3-pro", true),
        ("gemini-4-argon", true),
        ("gemini-flash-latest", true),
        ("gemini-pro-latest", true),
        ("models/gemini-4-argon", true),
        ("gemini-2.5-pro", false),
        ("models/gemini-2.5-flash", false),
        ("gemini-1.5-pro", false),
        ("gemma-4", false),
    ] {
        let mut request = full(None);
        request.model = ModelId::new("gemini", name);
        let contents = body(&request)["contents"].to_string();
        assert_eq!(contents.contains("skip_thought_signature_validator"), is_new, "{name}");
        assert_eq!(contents.contains("\"id\":\"call_1\""), is_new, "{name}");
    }
}

#[test]
fn thinking_is_a_level_a_budget_or_absent() {
    let asked = |thinks| {
        body(&thinking(request(Vec::new()), thinks))["generationConfig"]["thinkingConfig"].clone()
    };
    assert_eq!(
        asked(Thinking::Effort("high".into())),
        json!({"includeThoughts": true, "thinkingLevel": "high"})
    );
    assert_eq!(asked(Thinking::Budget(0)), json!({"thinkingBudget": 0}));
    assert_eq!(body(&request(Vec::new())), json!({"contents": []}));
}

fn parts(model: &str, said_by: &str, sealed: Option<Value>) -> Value {
    let call = |id: &str, sealed| AssistantPart::Call {
        id: id.into(),
        name: "t".into(),
        arguments: "{}".into(),
        sealed,
    };
    let text =
        AssistantPart::Text { text: String::new(), sealed: Some(json!({"thoughtSignature": "t"})) };
    let parts = vec![
        thought("hm", json!({"thoughtSignature": "h"})),
        text,
        call("1", sealed),
        call("2", None),
    ];
    let said =
        Message::Assistant(AssistantMessage { model: ModelId::new("gemini", said_by), parts });
    let request = Request { model: ModelId::new("gemini", model), ..request(vec![said]) };
    body(&request)["contents"][0]["parts"].clone()
}

#[test]
fn every_signature_is_sent_back_with_its_part() {
    let call = |id: &str| json!({"functionCall": {"id": id, "name": "t", "args": {}}});
    let mut signed = call("1");
    signed["thoughtSignature"] = json!("c");
    let expected = json!([
        {"text": "hm", "thought": true, "thoughtSignature": "h"},
        {"text": "", "thoughtSignature": "t"},
        signed,
        call("2"),
    ]);
    let seal = json!({"thoughtSignature": "c"});
    assert_eq!(parts("gemini-3-pro", "gemini-3-pro", Some(seal.clone())), expected);
    // Signatures from another model are not sent, and a model that requires one gets the
    // placeholder.
    signed["thoughtSignature"] = json!("skip_thought_signature_validator");
    assert_eq!(
        parts("gemini-3-pro", "gemini-2.5-pro", Some(seal.clone())),
        json!([signed, call("2")])
    );
    let bare = json!({"functionCall": {"name": "t", "args": {}}});
    assert_eq!(parts("gemini-2.5-pro", "gemini-3-pro", Some(seal)), json!([bare, bare]));
}
