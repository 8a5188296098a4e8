//! Gemini's `streamGenerateContent`, as it is on 2026-11-28.

use crate::conversation::{self, FILE, Item, Next, THOUGHT, list, number, string};
use crate::names::{has, version};
use crate::server::{Call, Refusal};
use serde_json::{Value, json};

/// The models that have ended.
const RETIRED: &[&str] = &["gemini-3-pro-preview", "gemini-2.0-flash", "gemini-1.5-pro"];

/// The longest answer in tokens.
const LONGEST_ANSWER: u64 = 65_536;

fn refuse(status: u16, message: impl Into<String>) -> Refusal {
    let name = if status == 404 { "NOT_FOUND" } else { "INVALID_ARGUMENT" };
    let error = json!({"code": status, "message": message.into(), "status": name});
    Refusal { status, body: json!([{"error": error}]) }
}

/// Whether the model needs signatures: all except those of the generations 1 and 2.
fn is_signed(name: &str) -> bool {
    !["gemini-1", "gemini-2", "gemma"].iter().any(|old| name.starts_with(old))
}

/// Returns the levels that a model offers; none if it has budgets.
fn levels(name: &str) -> &'static [&'static str] {
    match version(name) {
        _ if !is_signed(name) => &[],
        (4, _) if has(name, &["hydrogen"]) => &["low", "medium", "high", "xhigh"],
        (3, 6) => &["minimal", "low", "medium", "high"],
        (3, minor) if minor < 7 && !has(name, &["pro"]) => &["minimal", "low", "medium", "high"],
        _ => &["low", "medium", "high"],
    }
}

/// Returns the answer to a request.
pub(crate) fn reply(call: &Call) -> Result<String, Refusal> {
    let body = &call.body;
    let name = call.path.rsplit('/').next().and_then(|last| last.split(':').next());
    let name = name.unwrap_or_default();
    if !name.starts_with("gemini-") || RETIRED.contains(&name) {
        return Err(refuse(
            404,
            format!(
                "models/{name} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods."
            ),
        ));
    }
    check_generation(name, &body["generationConfig"])?;
    check_calls(name, list(body, "contents"))?;
    let items: Vec<Item> = list(body, "contents").iter().flat_map(items).collect();
    let shows = body.pointer("/generationConfig/thinkingConfig/includeThoughts").is_some();
    let signature = is_signed(name).then(|| format!("signed-{}", number()));
    let mut parts = Vec::new();
    if shows {
        parts.push(json!({"text": THOUGHT, "thought": true}));
    }
    match conversation::next(&items, !list(body, "tools").is_empty()) {
        Next::Overflow => {
            return Err(refuse(
                400,
                "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).",
            ));
        }
        Next::Say(text) => parts.push(json!({"text": text})),
        Next::Read => {
            let id = format!("call_{}", number());
            parts.push(json!({"functionCall": {"id": id, "name": "read", "args": {"path": FILE}}}));
        }
    }
    if let (Some(signature), Some(last)) =
        (signature, parts.last_mut().and_then(Value::as_object_mut))
    {
        last.insert("thoughtSignature".to_owned(), json!(signature));
    }
    let usage = json!({"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15});
    let candidate = json!({
        "index": 0, "content": {"role": "model", "parts": parts}, "finishReason": "STOP",
    });
    Ok(conversation::events(&[json!({"candidates": [candidate], "usageMetadata": usage})]))
}

fn check_generation(name: &str, generation: &Value) -> Result<(), Refusal> {
    if generation["maxOutputTokens"].as_u64().is_some_and(|most| most > LONGEST_ANSWER) {
        return Err(refuse(
            400,
            format!(
                "Unable to submit request because it has a maxOutputTokens value that is above the supported range of 1 (inclusive) to {} (exclusive).",
                LONGEST_ANSWER + 1
            ),
        ));
    }
    let thinking = &generation["thinkingConfig"];
    if let Some(level) = thinking["thinkingLevel"].as_str()
        && !levels(name).contains(&level.to_ascii_lowercase().as_str())
    {
        let what = format!(
            "Thinking level {} is not supported for this model.",
            level.to_ascii_uppercase()
        );
        return Err(refuse(400, what));
    }
    if thinking["thinkingBudget"] == 0 && (is_signed(name) || has(name, &["pro"])) {
        return Err(refuse(400, "Budget 0 is invalid. This model only works in thinking mode."));
    }
    Ok(())
}

/// Checks that results follow their calls, and that each step of the current turn is signed.
fn check_calls(name: &str, contents: &[Value]) -> Result<(), Refusal> {
    let of = |content: &Value, kind: &str| -> Vec<Value> {
        list(content, "parts").iter().filter(|part| part.get(kind).is_some()).cloned().collect()
    };
    for (at, content) in contents.iter().enumerate() {
        let calls = of(content, "functionCall").len();
        let results = contents.get(at + 1).map_or(0, |next| of(next, "functionResponse").len());
        if calls != results {
            return Err(refuse(
                400,
                "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
            ));
        }
    }
    if !is_signed(name) {
        return Ok(());
    }
    let is_prompt = |content: &Value| {
        content["role"] == "user"
            && list(content, "parts").iter().any(|part| part.get("functionResponse").is_none())
            && of(content, "functionResponse").is_empty()
    };
    let turn = contents.iter().rposition(is_prompt).unwrap_or(0);
    for (at, content) in contents.iter().enumerate().skip(turn) {
        let Some(first) = of(content, "functionCall").into_iter().next() else { continue };
        let signature = string(&first, "thoughtSignature");
        if signature.is_empty() {
            let call = string(&first["functionCall"], "name");
            return Err(refuse(
                400,
                format!(
                    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:{call}` , position {at}."
                ),
            ));
        }
        if !signature.starts_with("signed-") && signature != "skip_thought_signature_validator" {
            return Err(refuse(400, "Thought signature is not valid."));
        }
    }
    Ok(())
}

fn items(content: &Value) -> Vec<Item> {
    let parts = list(content, "parts");
    let count = |kind: &str| parts.iter().filter(|part| part.get(kind).is_some()).count();
    let text = conversation::text(&content["parts"]);
    if content["role"] == "model" {
        return vec![Item::Model { text, calls: count("functionCall") }];
    }
    let results = (0..count("functionResponse")).map(|_| Item::Result);
    let said = (!text.is_empty()).then(|| Item::User { text, pictures: count("inlineData") });
    results.chain(said).collect()
}
