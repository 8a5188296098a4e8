//! The API of Gemini: `generateContent` and `streamGenerateContent`.

use super::answer::{Answer, Call, End, pieces};
use super::events::{Events, list, model, text_at, text_of};
use super::request::{Item, Request};
use super::tool::{Arguments, Tool};
use crate::json::json;
use hyper::Uri;
use serde_json::{Map, Value};

pub(super) fn read(target: &Uri, body: &Value) -> Request {
    let (model, method) =
        target.path().rsplit_once('/').unwrap_or_default().1.split_once(':').unwrap_or_default();
    let is_sse = target.query().is_some_and(|query| query.split('&').any(|part| part == "alt=sse"));
    let is_streamed = method == "streamGenerateContent";
    let system = body.get("systemInstruction").or_else(|| body.get("system_instruction"));
    let system = system.map(parts).unwrap_or_default();
    let said = list(body, "contents").iter().flat_map(items);
    let declared = list(body, "tools").iter().flat_map(|tool| {
        let camel = list(tool, "functionDeclarations").iter();
        camel.chain(list(tool, "function_declarations"))
    });
    let tools = declared.filter_map(|function| {
        let schema = function.get("parametersJsonSchema").or_else(|| function.get("parameters"));
        let schema = schema.cloned().unwrap_or_else(|| json!({"type": "object"}));
        Some(Tool { name: function.get("name")?.as_str()?.to_owned(), schema })
    });
    Request {
        items: std::iter::once(Item::Other(system)).chain(said).collect(),
        tools: tools.collect(),
        is_streamed,
        is_array: is_streamed && !is_sse,
        model: model.to_owned(),
        size: 0,
    }
}

fn parts(content: &Value) -> String {
    text_of(content.get("parts").unwrap_or(content))
}

/// Returns the parts of a `Content` object as items.
fn items(content: &Value) -> Vec<Item> {
    let is_model = content.get("role").is_some_and(|role| role == "model");
    let item = |part: &Value| {
        let text = text_of(part);
        match (part.get("functionCall"), part.get("functionResponse")) {
            (Some(call), _) => model(String::new(), vec![text_at(call, "id")]),
            (_, Some(response)) => Item::Other(response.to_string()),
            _ if is_model => model(text, Vec::new()),
            _ => Item::Operator(text),
        }
    };
    list(content, "parts").iter().map(item).collect()
}

pub(super) fn whole(request: &Request, answer: &Answer) -> Value {
    let mut parts = Vec::new();
    if !answer.thought.is_empty() {
        parts.push(json!({"text": answer.thought, "thought": true}));
    }
    if !answer.text.is_empty() {
        parts.push(json!({"text": answer.whole_text()}));
    }
    parts.extend(answer.calls.iter().map(function_call));
    response(request, answer, &parts, Some(reason(answer)))
}

pub(super) fn events(request: &Request, answer: &Answer) -> Events {
    let event = |part: Value| response(request, answer, &[part], None);
    let before = pieces(&answer.thought).into_iter();
    let before = before.map(|piece| event(json!({"text": piece, "thought": true}))).collect();
    let text = answer.pieces().into_iter().filter(|piece| !piece.is_empty());
    let text = text.map(|piece| event(json!({"text": piece}))).collect();
    let mut after: Vec<Value> =
        answer.calls.iter().map(|call| event(function_call(call))).collect();
    after.push(response(request, answer, &[json!({"text": ""})], Some(reason(answer))));
    Events { before, text, times: answer.times, after }
}

fn function_call(call: &Call) -> Value {
    let arguments = match &call.arguments {
        Arguments::Object(object) => object.clone(),
        Arguments::Text(text) => json!({ "input": text }),
    };
    json!({"functionCall": {"id": call.id, "name": call.name, "args": arguments}})
}

fn response(request: &Request, answer: &Answer, parts: &[Value], reason: Option<&str>) -> Value {
    let mut candidate = Map::new();
    candidate.insert("content".to_owned(), json!({"role": "model", "parts": parts}));
    if let Some(reason) = reason {
        candidate.insert("finishReason".to_owned(), json!(reason));
    }
    candidate.insert("index".to_owned(), json!(0));
    let usage = answer.usage;
    json!({
        "candidates": [candidate], "modelVersion": request.model, "responseId": format!("attache-{}", answer.number),
        "usageMetadata": {
            "promptTokenCount": usage.input, "cachedContentTokenCount": usage.cached,
            "candidatesTokenCount": usage.output - usage.reasoning, "thoughtsTokenCount": usage.reasoning,
            "totalTokenCount": usage.input + usage.output,
        },
    })
}

fn reason(answer: &Answer) -> &'static str {
    match answer.end {
        End::Length => "MAX_TOKENS",
        End::Refusal => "SAFETY",
        End::Stop => "STOP",
    }
}
