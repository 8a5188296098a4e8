use super::body;
use crate::message::{AssistantMessage, AssistantPart, Message, ModelId, Thinking};
use crate::testing::replay::{full, request, thinking, thought};
use serde_json::json;

#[test]
fn a_full_request_keeps_thoughts_before_their_calls() {
    let reasoning =
        json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA="});
    let request =
        thinking(full(Some(thought("hm", reasoning.clone()))), Thinking::Effort("high".into()));
    let expected = json!({
        "model": "m",
        "instructions": "Be short.",
        "stream": true,
        "store": false,
        "prompt_cache_key": "s",
        "parallel_tool_calls": true,
        "max_output_tokens": 4000,
        "reasoning": {"effort": "high", "summary": "auto"},
        "include": ["reasoning.encrypted_content"],
        "tools": [{"type": "function", "name": "read", "description": "Reads a file", "strict": false,
            "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}],
        "input": [
            {"type": "message", "role": "user", "content": [
                {"type": "input_text", "text": "look"},
                {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
                {"type": "input_text", "text": "[a sound that this model cannot hear]"},
                {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA"},
            ]},
            reasoning,
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I read."}]},
            {"type": "function_call", "call_id": "call_1", "name": "read", "arguments": "{\"path\":\"a\"}"},
            {"type": "function_call", "call_id": "call:2", "name": "read", "arguments": "{\"path"},
            {"type": "function_call_output", "call_id": "call_1", "output": [
                {"type": "input_text", "text": "one"},
                {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
            ]},
            {"type": "function_call_output", "call_id": "call:2", "output": "no path"},
        ],
    });
    assert_eq!(body(&request), expected);
}

#[test]
fn a_model_without_thinking_gets_no_thinking_field() {
    let body = body(&request(Vec::new()));
    assert_eq!(
        body,
        json!({"model": "m", "input": [], "stream": true, "store": false, "prompt_cache_key": "s"})
    );
}

#[test]
fn a_budget_of_zero_turns_thinking_off() {
    let body = body(&thinking(request(Vec::new()), Thinking::Budget(0)));
    assert_eq!(body["reasoning"]["effort"], "none");
}

/// A thought that arrived on the wire of Chat Completions.
#[test]
fn a_thought_of_another_wire_is_left_out() {
    let parts = vec![thought("hm", json!({"field": "reasoning_content"}))];
    let said = Message::Assistant(AssistantMessage { model: ModelId::new("p", "m"), parts });
    assert_eq!(body(&request(vec![said]))["input"], json!([]));
}

#[test]
fn the_phase_of_a_text_is_sent_back() {
    let text =
        AssistantPart::Text { text: "a".into(), sealed: Some(json!({"phase": "final_answer"})) };
    let said =
        Message::Assistant(AssistantMessage { model: ModelId::new("p", "m"), parts: vec![text] });
    assert_eq!(body(&request(vec![said]))["input"][0]["phase"], "final_answer");
}
