//! What the client prints about a session: text when it arrives, and everything else as a whole
//! after each change.

use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The shown state of a session.
#[derive(Debug, Default)]
pub(crate) struct Screen {
    pub(crate) calls: BTreeMap<String, Value>,
    pub(crate) plan: Vec<Value>,
    /// Plans with an id.
    pub(crate) plans: BTreeMap<String, Value>,
    pub(crate) commands: Vec<Value>,
    pub(crate) compactions: BTreeMap<String, Value>,
    pub(crate) children: BTreeMap<String, Value>,
    pub(crate) info: Map<String, Value>,
    pub(crate) usage: Value,
    /// The id and the kind of the latest message.
    message: (String, Value),
    /// The kinds of updates so far.
    pub(crate) seen: BTreeSet<String>,
}

impl Screen {
    pub(crate) fn is_child(&self, session: &str) -> bool {
        self.children.contains_key(session)
    }

    /// Returns the output for an update. A malformed update has no output.
    pub(crate) fn update(&mut self, update: &Value, has_everything: bool) -> Option<String> {
        let kind = update["sessionUpdate"].as_str()?;
        self.seen.insert(kind.to_owned());
        match kind {
            "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk" => {
                self.chunk(kind, update)
            }
            "tool_call" => {
                update["title"].as_str()?;
                self.calls.remove(update["toolCallId"].as_str()?);
                self.tool_call(update)
            }
            "tool_call_update" => self.tool_call(update),
            "state_update" => Some(format!("state {}\n", update["state"].as_str()?)),
            "plan" => {
                self.plan = entries(update.get("entries")?);
                Some(format!("plan {}\n", json!(self.plan)))
            }
            "available_commands_update" => self.available_commands(update),
            "config_option_update" => Some(format!("options {}\n", update.get("configOptions")?)),
            "current_mode_update" => Some(format!("mode {}\n", update["currentModeId"].as_str()?)),
            "session_info_update" => {
                patch(&mut self.info, update, &["title", "updatedAt"], Value::is_string);
                Some(format!("info {}\n", json!(self.info)))
            }
            "usage_update" => {
                let (used, size) = (update["used"].as_u64()?, update["size"].as_u64()?);
                self.usage = json!({"used": used, "size": size});
                if update["cost"]["amount"].is_number() && update["cost"]["currency"].is_string() {
                    self.usage["cost"] = update["cost"].clone();
                }
                Some(format!("usage {}\n", self.usage))
            }
            _ if !has_everything => None,
            "notice" => {
                let (severity, title) = (update["severity"].as_str()?, update["title"].as_str()?);
                let more = update["description"].as_str().unwrap_or_default();
                Some(format!("{severity}: {title} {more}\n"))
            }
            "compaction_update" | "compaction_summary_chunk" => self.compaction(kind, update),
            "plan_update" | "plan_removed" => self.plan_with_id(update),
            "subagent_update" => self.child(update),
            _ => None,
        }
    }

    fn chunk(&mut self, kind: &str, update: &Value) -> Option<String> {
        let content = block(&update["content"])?;
        let id = &update["messageId"];
        let begun = (kind.to_owned(), if id.is_string() { id.clone() } else { Value::Null });
        let is_new = self.message != begun;
        self.message = begun;
        let sign = match kind {
            "user_message_chunk" => "you: ",
            "agent_thought_chunk" => "thought: ",
            _ => "",
        };
        Some(if is_new { format!("\n{sign}{content}") } else { content })
    }

    /// Applies a tool call or its update. An update of an unknown call needs a title.
    pub(crate) fn tool_call(&mut self, update: &Value) -> Option<String> {
        const KINDS: [&str; 10] = [
            "read",
            "edit",
            "delete",
            "move",
            "search",
            "execute",
            "think",
            "fetch",
            "switch_mode",
            "other",
        ];
        const STATUSES: [&str; 4] = ["pending", "in_progress", "completed", "failed"];
        let id = update["toolCallId"].as_str()?;
        if !self.calls.contains_key(id) {
            update["title"].as_str()?;
            self.calls.insert(id.to_owned(), json!({"kind": "other", "status": "pending"}));
        }
        let call = self.calls.get_mut(id)?;
        for (key, known) in [("kind", &KINDS[..]), ("status", &STATUSES[..])] {
            if update[key].as_str().is_some_and(|value| known.contains(&value)) {
                call[key] = update[key].clone();
            }
        }
        for key in ["title", "name"] {
            if update[key].is_string() {
                call[key] = update[key].clone();
            }
        }
        if let Some(content) = update["content"].as_array() {
            let kept = content.iter().filter(|item| match item["type"].as_str() {
                Some("content") => block(&item["content"]).is_some(),
                Some("diff") => item["path"].is_string() && item["newText"].is_string(),
                Some("terminal") => item["terminalId"].is_string(),
                _ => false,
            });
            call["content"] = kept.cloned().collect();
        }
        if let Some(locations) = update["locations"].as_array() {
            call["locations"] =
                locations.iter().filter(|place| place["path"].is_string()).cloned().collect();
        }
        Some(format!("tool {call}\n"))
    }

    fn available_commands(&mut self, update: &Value) -> Option<String> {
        let all = update.get("availableCommands")?.as_array().map_or(&[][..], Vec::as_slice);
        let is_whole =
            |command: &&Value| command["name"].is_string() && command["description"].is_string();
        let read = |command: &Value| {
            let mut command = command.clone();
            if !command["input"]["hint"].is_string() {
                command.as_object_mut()?.remove("input");
            }
            Some(command)
        };
        self.commands = all.iter().filter(is_whole).filter_map(read).collect();
        Some(format!("commands {}\n", json!(self.commands)))
    }

    fn compaction(&mut self, kind: &str, update: &Value) -> Option<String> {
        let id = update["compactionId"].as_str()?;
        let is_chunk = kind == "compaction_summary_chunk";
        let text = if is_chunk { Some(block(&update["content"])?) } else { None };
        let status = if is_chunk { None } else { Some(update["status"].as_str()?) };
        let known = self.compactions.entry(id.to_owned());
        let compaction =
            known.or_insert_with(|| json!({"status": "in_progress", "summary": "", "error": null}));
        if let Some(text) = text {
            compaction["summary"] = json!(format!("{}{text}", compaction["summary"].as_str()?));
        }
        if let Some(status) = status {
            compaction["status"] = json!(status);
            match update.get("summary") {
                Some(Value::Null) => compaction["summary"] = json!(""),
                Some(Value::Array(blocks)) => {
                    compaction["summary"] =
                        blocks.iter().filter_map(block).collect::<String>().into();
                }
                _ => {}
            }
            if let Some(error) =
                update.get("error").filter(|error| error.is_null() || error.is_string())
            {
                compaction["error"] = error.clone();
            }
        }
        Some(format!("compaction {compaction}\n"))
    }

    fn plan_with_id(&mut self, update: &Value) -> Option<String> {
        if update["sessionUpdate"] == "plan_removed" {
            self.plans.remove(update["planId"].as_str()?);
        } else {
            let plan = &update["plan"];
            let id = plan["planId"].as_str()?.to_owned();
            let content = match plan["type"].as_str()? {
                "items" => json!(entries(plan.get("entries")?)),
                "file" => json!(plan["uri"].as_str()?),
                "markdown" => json!(plan["content"].as_str()?),
                _ => return None,
            };
            self.plans.insert(id, content);
        }
        Some(format!("plans {}\n", json!(self.plans)))
    }

    fn child(&mut self, update: &Value) -> Option<String> {
        let child = self
            .children
            .entry(update["sessionId"].as_str()?.to_owned())
            .or_insert_with(|| json!({}));
        let child = child.as_object_mut()?;
        patch(child, update, &["title", "description"], Value::is_string);
        patch(child, update, &["state", "capabilities"], Value::is_object);
        Some(format!("child {}\n", json!(child)))
    }
}

/// Applies the fields of an update. Null clears a field, a value replaces it, and a value of the
/// wrong type counts as absent.
fn patch(
    kept: &mut Map<String, Value>,
    update: &Value,
    keys: &[&str],
    is_right: fn(&Value) -> bool,
) {
    for key in keys {
        match update.get(*key) {
            Some(Value::Null) => drop(kept.remove(*key)),
            Some(value) if is_right(value) => drop(kept.insert((*key).to_owned(), value.clone())),
            _ => {}
        }
    }
}

/// Returns the well-formed entries of a plan.
fn entries(all: &Value) -> Vec<Value> {
    let is_whole = |entry: &&Value| {
        let is_one = |key: &str, known: [&str; 3]| {
            entry[key].as_str().is_some_and(|value| known.contains(&value))
        };
        entry["content"].is_string()
            && is_one("priority", ["high", "medium", "low"])
            && is_one("status", ["pending", "in_progress", "completed"])
    };
    all.as_array().map_or(&[][..], Vec::as_slice).iter().filter(is_whole).cloned().collect()
}

/// Returns the text of a content block, or `None` for an unknown type.
fn block(block: &Value) -> Option<String> {
    match block["type"].as_str()? {
        "text" => block["text"].as_str().map(str::to_owned),
        kind @ ("image" | "audio") => Some(format!("[{kind}]")),
        "resource_link" => Some(format!("[{}]", block["uri"].as_str()?)),
        "resource" => Some(format!("[{}]", block["resource"]["uri"].as_str()?)),
        _ => None,
    }
}
