//! Anthropic Messages, as it is on 2026-11-28.

use crate::conversation::{self, FILE, Item, Next, THOUGHT, list, number, string};
use crate::names::{has, version};
use crate::server::{Call, Refusal};
use serde_json::{Value, json};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// The longest picture in base64: 5 MiB.
const LONGEST_PICTURE: usize = 5 * 1024 * 1024;

const BINDING_BETA: &str = "thinking-binding-controls-2026-08-01";

fn refuse(message: impl Into<String>) -> Refusal {
    let error = json!({"type": "invalid_request_error", "message": message.into()});
    Refusal { status: 400, body: json!({"type": "error", "error": error}) }
}

fn unknown(name: &str) -> Refusal {
    let error = json!({"type": "not_found_error", "message": format!("model: {name}")});
    Refusal { status: 404, body: json!({"type": "error", "error": error}) }
}

/// What a model accepts.
struct Claude {
    /// Whether requests may set a budget of tokens for thoughts.
    budgets: bool,
    /// Whether requests may set an effort.
    efforts: &'static [&'static str],
    /// Whether thinking can be turned off.
    off: bool,
    /// Whether thoughts are bound to what precedes them.
    binds: bool,
    /// Whether the model thinks if the request says nothing, and omits the text of its thoughts.
    is_new: bool,
    max_output: u64,
}

fn claude(name: &str) -> Option<Claude> {
    let version = version(name);
    if !name.starts_with("claude-") || version < (4, 5) {
        return None;
    }
    let always = has(name, &["fable", "mythos"]) || (has(name, &["opus"]) && version >= (5, 5));
    let between = has(name, &["sonnet"]) && version >= (5, 5);
    Some(Claude {
        budgets: version <= (4, 6),
        efforts: match version {
            (4, 5) => &[],
            (4, 6) => &["low", "medium", "high", "max"],
            _ => &["low", "medium", "high", "xhigh", "max"],
        },
        off: !always && !between,
        binds: version >= (5, 5) || (has(name, &["fable", "mythos"]) && version >= (5, 1)),
        is_new: version >= (4, 7),
        max_output: if version == (4, 5) { 64_000 } else { 128_000 },
    })
}

/// Returns the answer to a request.
pub(crate) fn reply(call: &Call) -> Result<String, Refusal> {
    let (body, name) = (&call.body, string(&call.body, "model"));
    let claude = claude(name).ok_or_else(|| unknown(name))?;
    let thinks = check_thinking(call, &claude)?;
    check_limits(body, &claude)?;
    let by_budget = body.pointer("/thinking/type") == Some(&json!("enabled"));
    check_calls(body, by_budget)?;
    check_thoughts(call, &claude)?;
    let items: Vec<Item> = list(body, "messages").iter().flat_map(items).collect();
    let shows = !claude.is_new || body.pointer("/thinking/display") == Some(&json!("summarized"));
    let thought = thinks.then(|| {
        let signature = signature(body, list(body, "messages").len(), &claude);
        json!({"type": "thinking", "thinking": if shows { THOUGHT } else { "" }, "signature": signature})
    });
    match conversation::next(&items, !list(body, "tools").is_empty()) {
        Next::Overflow => Err(refuse("prompt is too long: 1000001 tokens > 1000000 maximum")),
        Next::Say(text) => Ok(answer(thought, json!({"type": "text", "text": text}), "end_turn")),
        Next::Read => {
            let id = format!("toolu_{}", number());
            let input = json!({"path": FILE});
            let call = json!({"type": "tool_use", "id": id, "name": "read", "input": input});
            Ok(answer(thought, call, "tool_use"))
        }
    }
}

/// Returns whether the model thinks.
fn check_thinking(call: &Call, claude: &Claude) -> Result<bool, Refusal> {
    let (body, name) = (&call.body, string(&call.body, "model"));
    let thinking = &body["thinking"];
    let effort = body.pointer("/output_config/effort").and_then(Value::as_str);
    if let Some(effort) = effort.filter(|effort| !claude.efforts.contains(effort)) {
        let what = format!("output_config.effort: '{effort}' is not supported for {name}");
        return Err(refuse(what));
    }
    let has_beta = call.header("anthropic-beta").is_some_and(|betas| betas.contains(BINDING_BETA));
    if thinking.get("block_binding").is_some() && !has_beta {
        return Err(refuse("thinking.block_binding: Extra inputs are not permitted"));
    }
    match thinking["type"].as_str() {
        None => Ok(claude.is_new),
        Some("enabled") => {
            if !claude.budgets {
                return Err(refuse(format!(
                    "\"thinking.type.enabled\" is not supported for {name}. Use \"thinking.type.adaptive\" and \"output_config.effort\" to control thinking behavior."
                )));
            }
            let budget = thinking["budget_tokens"].as_u64().unwrap_or(0);
            match (1024..body["max_tokens"].as_u64().unwrap_or(0)).contains(&budget) {
                true => Ok(true),
                false => Err(refuse("`max_tokens` must be greater than `thinking.budget_tokens`")),
            }
        }
        Some("disabled") if !claude.off => {
            Err(refuse(format!("\"thinking.type.disabled\" is not supported for {name}")))
        }
        Some("disabled") => Ok(false),
        Some("adaptive") if claude.efforts.is_empty() => {
            Err(refuse(format!("adaptive thinking is not supported on {name}")))
        }
        Some("between_tools")
            if !has(name, &["sonnet"]) || matches!(effort, Some("xhigh" | "max")) =>
        {
            Err(refuse(format!("\"thinking.type.between_tools\" is not supported for {name}")))
        }
        Some("adaptive" | "between_tools") => Ok(true),
        Some(other) => Err(refuse(format!("thinking.type: unknown value {other}"))),
    }
}

fn check_limits(body: &Value, claude: &Claude) -> Result<(), Refusal> {
    let most = body["max_tokens"].as_u64().unwrap_or(0);
    if !(1..=claude.max_output).contains(&most) {
        return Err(refuse(format!(
            "max_tokens: {most} > {}, which is the maximum allowed number of output tokens",
            claude.max_output
        )));
    }
    for block in list(body, "messages").iter().flat_map(|message| list(message, "content")) {
        if block["type"] == "text" && string(block, "text").trim().is_empty() {
            return Err(refuse("messages: text content blocks must contain non-whitespace text"));
        }
        let parts = std::iter::once(block).chain(list(block, "content"));
        let mut pictures = parts.filter(|part| part["type"] == "image");
        if pictures.any(|part| string(&part["source"], "data").len() > LONGEST_PICTURE) {
            return Err(refuse(
                "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum",
            ));
        }
    }
    Ok(())
}

/// Checks that the results of calls follow them, and that a turn that thinks with a budget begins
/// with a thought.
fn check_calls(body: &Value, must_think: bool) -> Result<(), Refusal> {
    let messages = list(body, "messages");
    let of = |message: &Value, kind: &str, id: &str| -> Vec<String> {
        let blocks = list(message, "content").iter().filter(|block| block["type"] == kind);
        blocks.map(|block| string(block, id).to_owned()).collect()
    };
    for (at, message) in messages.iter().enumerate() {
        let calls = of(message, "tool_use", "id");
        let after = messages.get(at + 1).map(|next| of(next, "tool_result", "tool_use_id"));
        if !calls.is_empty() && after.unwrap_or_default() != calls {
            return Err(refuse(
                "messages: `tool_use` ids were found without `tool_result` blocks immediately after",
            ));
        }
    }
    let is_prompt = |message: &Value| {
        message["role"] == "user" && of(message, "tool_result", "tool_use_id").is_empty()
    };
    let turn = messages.iter().rposition(is_prompt).unwrap_or(0);
    let bare = |message: &Value| {
        !of(message, "tool_use", "id").is_empty()
            && !list(message, "content")[0]["type"]
                .as_str()
                .unwrap_or_default()
                .contains("thinking")
    };
    if must_think && messages.iter().skip(turn).any(bare) {
        return Err(refuse(
            "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block",
        ));
    }
    Ok(())
}

/// Checks the signatures of thoughts.
fn check_thoughts(call: &Call, claude: &Claude) -> Result<(), Refusal> {
    let body = &call.body;
    let drops = body.pointer("/thinking/block_binding/prefix_mismatch_behavior")
        == Some(&json!("drop_block"));
    for (at, message) in list(body, "messages").iter().enumerate() {
        let thoughts = list(message, "content").iter().filter(|block| block["type"] == "thinking");
        for (index, thought) in thoughts.enumerate() {
            let given = string(thought, "signature");
            let place =
                format!("messages.{at}.content.{index}: Invalid `signature` in `thinking` block.");
            if !given.starts_with("signed-") {
                return Err(refuse(place));
            }
            if claude.binds && !drops && given != signature(body, at, claude) {
                return Err(refuse(format!(
                    "{place} The block is bound to a different conversation"
                )));
            }
        }
    }
    Ok(())
}

/// Returns the signature of a thought that follows the first messages.
fn signature(body: &Value, messages: usize, claude: &Claude) -> String {
    let name = string(body, "model");
    if !claude.binds {
        return format!("signed-{name}");
    }
    let before = list(body, "messages").iter().take(messages).cloned().collect::<Vec<_>>();
    let before = unmarked(json!([body["system"], body["tools"], before]));
    let mut hasher = DefaultHasher::new();
    before.to_string().hash(&mut hasher);
    format!("signed-{name}-{:x}", hasher.finish())
}

/// Removes the marks for the cache.
fn unmarked(mut value: Value) -> Value {
    match &mut value {
        Value::Object(members) => {
            members.remove("cache_control");
            members.values_mut().for_each(|member| *member = unmarked(member.take()));
        }
        Value::Array(elements) => {
            elements.iter_mut().for_each(|element| *element = unmarked(element.take()));
        }
        _ => {}
    }
    value
}

/// Returns the blocks of a message as items.
fn items(message: &Value) -> Vec<Item> {
    let blocks = list(message, "content");
    let text = conversation::text(&message["content"]);
    let count = |kind: &str| blocks.iter().filter(|block| block["type"] == kind).count();
    if message["role"] == "assistant" {
        return vec![Item::Model { text, calls: count("tool_use") }];
    }
    let results = (0..count("tool_result")).map(|_| Item::Result);
    let said = (!text.is_empty()).then(|| Item::User { text, pictures: count("image") });
    results.chain(said).collect()
}

/// Returns an answer with a thought and another block.
fn answer(thought: Option<Value>, block: Value, reason: &str) -> String {
    let usage = json!({"input_tokens": 10, "output_tokens": 1});
    let mut data = vec![json!({"type": "message_start", "message": {"usage": usage}})];
    for (index, block) in thought.into_iter().chain([block]).enumerate() {
        let (empty, deltas) = match block["type"].as_str().unwrap() {
            "thinking" => (
                json!({"type": "thinking", "thinking": "", "signature": ""}),
                vec![
                    json!({"type": "thinking_delta", "thinking": block["thinking"]}),
                    json!({"type": "signature_delta", "signature": block["signature"]}),
                ],
            ),
            "tool_use" => (
                json!({"type": "tool_use", "id": block["id"], "name": block["name"], "input": {}}),
                vec![
                    json!({"type": "input_json_delta", "partial_json": block["input"].to_string()}),
                ],
            ),
            _ => (
                json!({"type": "text", "text": ""}),
                vec![json!({"type": "text_delta", "text": block["text"]})],
            ),
        };
        data.push(json!({"type": "content_block_start", "index": index, "content_block": empty}));
        data.extend(
            deltas.into_iter().map(
                |delta| json!({"type": "content_block_delta", "index": index, "delta": delta}),
            ),
        );
        data.push(json!({"type": "content_block_stop", "index": index}));
    }
    let usage = json!({"output_tokens": 7});
    data.push(json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}));
    data.push(json!({"type": "message_stop"}));
    conversation::events(&data)
}
