//! Turns: the acts in a prompt, one after the other.

use super::tool::Tool;
use super::{Correct, Refusal, error, invalid};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};

/// A running turn.
pub(super) struct Turn {
    /// The id of the prompt.
    pub(super) request: Value,
    acts: VecDeque<Value>,
    /// The open tool calls, by id.
    pub(super) tools: BTreeMap<String, Tool>,
    is_hanging: bool,
    stop_reason: &'static str,
}

/// Returns the acts in a text, if there are any.
fn acts(text: &str) -> Option<VecDeque<Value>> {
    let start = text.find(r#"{"acts":"#)?;
    let script =
        serde_json::Deserializer::from_str(text.get(start..)?).into_iter::<Value>().next()?.ok()?;
    script["acts"].as_array().map(|acts| acts.iter().cloned().collect())
}

/// Returns the default acts, for a prompt that contains none.
fn usual(text: &str, cwd: &str) -> VecDeque<Value> {
    if text.starts_with("/help") {
        return VecDeque::from([json!({"say": "Say what is to be done."})]);
    }
    if text.starts_with("/compact") {
        return VecDeque::from([json!({"compact": true}), json!({"say": "It is shorter now."})]);
    }
    let look = json!({"call": [{"tool": "look", "path": format!("{cwd}/a")}]});
    VecDeque::from([look, json!({"say": "hello"})])
}

impl Correct {
    pub(super) fn prompt(&mut self, request: &Value, params: &Value) -> Result<(), Refusal> {
        let blocks =
            params["prompt"].as_array().filter(|blocks| !blocks.is_empty()).ok_or_else(invalid)?;
        let is_taken = |block: &Value| match block["type"].as_str() {
            Some("text") => block["text"].is_string(),
            Some("resource_link") => block["uri"].is_string() && block["name"].is_string(),
            _ => false,
        };
        if !blocks.iter().all(is_taken) {
            return Err(invalid());
        }
        let id = self.opened(params)?;
        if self.turns.contains_key(&id) {
            return Err((-32600, Value::Null));
        }
        let text: String = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
        let session = self.store.session(&id);
        session.is_listed = true;
        let acts = acts(&text).unwrap_or_else(|| usual(&text, &session.cwd));
        let message = self.store.id("m");
        let session = self.store.session(&id);
        for block in blocks {
            let chunk = json!({"sessionUpdate": "user_message_chunk", "messageId": message, "content": block});
            session.history.push(chunk);
        }
        let turn = Turn {
            request: request.clone(),
            acts,
            tools: BTreeMap::new(),
            is_hanging: false,
            stop_reason: "end_turn",
        };
        self.turns.insert(id.clone(), turn);
        if self.version == 2 {
            self.begin_work(&id, request, &message, blocks);
        }
        self.report_usage(&id, None);
        self.advance(&id);
        Ok(())
    }

    /// Continues a turn until it waits or ends.
    pub(super) fn advance(&mut self, id: &str) {
        while !self.waits(id) {
            let Some(turn) = self.turns.get_mut(id) else { return };
            if turn.is_hanging || !turn.tools.is_empty() {
                return;
            }
            match turn.acts.pop_front() {
                Some(act) => self.act(id, &act),
                None => {
                    let usage = json!({"totalTokens": 2, "inputTokens": 1, "outputTokens": 1});
                    let result = json!({"stopReason": turn.stop_reason, "usage": usage});
                    self.end_turn(id, Ok(result));
                }
            }
        }
    }

    fn act(&mut self, id: &str, act: &Value) {
        for (key, kind) in [("think", "agent_thought_chunk"), ("say", "agent_message_chunk")] {
            if let Some(text) = act[key].as_str() {
                let message = self.store.id("m");
                for _ in 0..act["repeat"].as_u64().unwrap_or(1) {
                    for piece in pieces(text) {
                        let content = json!({"type": "text", "text": piece});
                        self.update(
                            id,
                            json!({"sessionUpdate": kind, "messageId": message, "content": content}),
                        );
                    }
                }
            }
        }
        if let Some(text) = act["recall"].as_str() {
            let says =
                if self.store.session(id).recalls(text) { "recalled yes" } else { "recalled no" };
            let content = json!({"type": "text", "text": says});
            let message = self.store.id("m");
            self.update(
                id,
                json!({"sessionUpdate": "agent_message_chunk", "messageId": message, "content": content}),
            );
        }
        if act["compact"] == true {
            self.compact(id);
        }
        if act["update"].is_object() {
            self.update(id, act["update"].clone());
        }
        if let Some(method) = act["client"]["method"].as_str() {
            let row = attache_protocol::method::METHODS.iter().find(|row| row.name == method);
            let method = row.map_or("_attache/no_such_method", |row| row.name);
            self.ask(method, id, None, act["client"]["params"].clone());
        }
        if act["usage"].is_object() {
            self.report_usage(id, Some(&act["usage"]));
        }
        if !act["fail"].is_null() || act["cut"] == true {
            self.end_turn(id, Err(-32603));
        }
        for call in act["call"].as_array().into_iter().flatten() {
            self.start_tool(id, call);
        }
        if let Some(turn) = self.turns.get_mut(id) {
            turn.is_hanging = act["hang"] == true;
            turn.stop_reason = match act["end"].as_str() {
                Some("length") => "max_tokens",
                Some("refusal") => "refusal",
                _ => "end_turn",
            };
        }
    }

    fn compact(&mut self, id: &str) {
        if !self.client_has("/session/compaction") {
            return;
        }
        self.compactions += 1;
        let compaction = format!("compaction-{}", self.compactions);
        let state = |status: &str| json!({"sessionUpdate": "compaction_update", "compactionId": compaction, "status": status});
        let content = json!({"type": "text", "text": "Little was said."});
        self.update(id, state("in_progress"));
        self.update(
            id,
            json!({"sessionUpdate": "compaction_summary_chunk", "compactionId": compaction, "content": content}),
        );
        self.update(id, state("completed"));
    }

    /// Reports the usage of the context and of the turn so far.
    fn report_usage(&mut self, id: &str, used: Option<&Value>) {
        let count = |key: &str| used.and_then(|used| used[key].as_u64()).unwrap_or(1);
        let session = self.store.session(id);
        session.cost += 0.5;
        let cost = json!({"amount": session.cost, "currency": "USD"});
        let used = count("input") + count("output");
        let update =
            json!({"sessionUpdate": "usage_update", "used": used, "size": 1000, "cost": cost});
        session.usage = update.clone();
        self.update(id, update);
    }

    /// Answers the prompt and closes everything that the turn left open.
    fn end_turn(&mut self, id: &str, result: Result<Value, i64>) {
        let Some(turn) = self.turns.remove(id) else { return };
        self.withdraw(id);
        self.commands.kill(id);
        for (tool, open) in turn.tools {
            let mut update = json!({"sessionUpdate": "tool_call_update", "toolCallId": tool, "status": "failed"});
            if self.version == 2 {
                update["status"] = json!("cancelled");
                update["capabilities"] = Value::Null;
            }
            self.update(id, update);
            match open.terminal {
                Some(terminal) if self.version == 2 => self.end_terminal(id, &terminal, false),
                Some(terminal) => self.release(id, &terminal),
                None => {}
            }
        }
        let stop_reason = match &result {
            Ok(result) if result["stopReason"] == "cancelled" => "cancelled",
            Ok(_) => turn.stop_reason,
            Err(_) => "",
        };
        self.last_turn = (id.to_owned(), turn.request.clone(), stop_reason);
        if self.version == 2 {
            return self.end_work(id, result);
        }
        match result {
            Ok(result) => self.give(&turn.request, result),
            Err(code) => self.said.push(error(&turn.request, code)),
        }
    }

    /// Cancels the turn of a session, if one is running.
    pub(super) fn cancel(&mut self, id: &str) {
        if self.deaf.as_deref() == Some(id) {
            return;
        }
        self.end_turn(id, Ok(json!({"stopReason": "cancelled"})));
    }
}

/// Returns the text in chunks, like a streaming model.
fn pieces(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters
        .chunks(characters.len().div_ceil(3).max(1))
        .map(|piece| piece.iter().collect())
        .collect()
}
