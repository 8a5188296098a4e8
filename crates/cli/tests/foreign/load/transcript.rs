//! The conversation that a foreign client showed, folded from its output.

use crate::process::Events;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The conversation in order, and the latest value of everything that is replaced as a whole.
#[derive(Debug, Default, Clone)]
pub(super) struct Transcript {
    /// Messages as `{"sessionUpdate":KIND,"text":…}` without their ids, which can differ after a
    /// load (SESS-15), and tool calls with all fields.
    pub(super) entries: Vec<Value>,
    /// By name: `plan`, `usage`, `title`, `configOptions`, `availableModes`, `mode`.
    pub(super) state: BTreeMap<&'static str, Value>,
}

const USER: &str = "user_message_chunk";
const AGENT: &str = "agent_message_chunk";
const THOUGHT: &str = "agent_thought_chunk";

impl Transcript {
    /// Folds the output of a run that sent these prompts in this order.
    pub(super) fn live(events: &Events, prompts: &[&str]) -> Self {
        let mut folding = Folding::default();
        let mut prompts = prompts.iter();
        folding.prompt(prompts.next());
        for event in events.all() {
            folding.event(event);
            if event["event"] == "stop" {
                folding.prompt(prompts.next());
            }
        }
        assert!(prompts.next().is_none(), "every prompt has ended");
        folding.transcript
    }

    /// Folds the output of a load.
    pub(super) fn loaded(events: &Events) -> Self {
        let mut folding = Folding::default();
        events.all().iter().for_each(|event| folding.event(event));
        folding.transcript
    }

    /// Fails the test at the first difference.
    pub(super) fn assert_is(&self, expected: &Self, what: &str) {
        for (place, (shown, expected)) in self.entries.iter().zip(&expected.entries).enumerate() {
            assert_eq!(shown, expected, "{what}: entry {place}");
        }
        assert_eq!(self.entries.len(), expected.entries.len(), "{what}: {:?}", self.entries);
        for (name, expected) in &expected.state {
            assert_eq!(self.state.get(name), Some(expected), "{what}: {name}");
        }
    }

    /// Returns this conversation followed by a later one. The later state overrides the earlier
    /// one.
    pub(super) fn then(mut self, later: &Self) -> Self {
        self.entries.extend_from_slice(&later.entries);
        self.state.extend(later.state.clone());
        self
    }

    /// Returns the texts of the messages of this kind.
    fn texts(&self, kind: &str) -> Vec<&str> {
        let messages = self.entries.iter().filter(|entry| entry["sessionUpdate"] == kind);
        messages.map(|entry| entry["text"].as_str().unwrap()).collect()
    }

    pub(super) fn user(&self) -> Vec<&str> {
        self.texts(USER)
    }

    pub(super) fn agent(&self) -> Vec<&str> {
        self.texts(AGENT)
    }

    pub(super) fn thoughts(&self) -> Vec<&str> {
        self.texts(THOUGHT)
    }

    pub(super) fn tool_calls(&self) -> Vec<&Value> {
        self.entries.iter().filter(|entry| entry["sessionUpdate"] == "tool_call").collect()
    }

    /// Returns the value of this config option.
    pub(super) fn option(&self, id: &str) -> &Value {
        let options = self.state["configOptions"].as_array().unwrap();
        &options.iter().find(|option| option["id"] == id).unwrap()["currentValue"]
    }
}

#[derive(Default)]
struct Folding {
    transcript: Transcript,
    /// The kind and id of each message, by its position among the entries; tool calls by their ids.
    keys: Vec<(String, Option<String>)>,
}

impl Folding {
    fn prompt(&mut self, text: Option<&&str>) {
        if let Some(text) = text {
            self.push(
                USER,
                Some(format!("prompt {}", self.keys.len())),
                json!({"sessionUpdate": USER, "text": text}),
            );
        }
    }

    fn push(&mut self, kind: &str, id: Option<String>, entry: Value) {
        self.keys.push((kind.to_owned(), id));
        self.transcript.entries.push(entry);
    }

    fn event(&mut self, event: &Value) {
        match event["event"].as_str() {
            Some("update") => self.update(&event["update"]),
            // The response that opens a session, or the one to `session/set_config_option`.
            Some("session" | "config") => {
                self.set("configOptions", &event["configOptions"]);
                self.set("availableModes", &event["modes"]["availableModes"]);
                self.set("mode", &event["modes"]["currentModeId"]);
            }
            _ => {}
        }
    }

    fn update(&mut self, update: &Value) {
        match update["sessionUpdate"].as_str().unwrap() {
            kind @ (USER | AGENT | THOUGHT) => self.chunk(kind, update),
            "tool_call" | "tool_call_update" => self.tool_call(update),
            "plan" => self.set("plan", &update["entries"]),
            "usage_update" => {
                self.set("usage", &json!([update["used"], update["size"], update["cost"]]))
            }
            "session_info_update" => self.set("title", &update["title"]),
            "config_option_update" => self.set("configOptions", &update["configOptions"]),
            // Commands are no part of the conversation: they describe the agent, and can arrive
            // after the response that opens the session.
            "available_commands_update" => {}
            "current_mode_update" => self.set("mode", &update["currentModeId"]),
            kind => panic!("an update of this kind was not expected: {kind}"),
        }
    }

    fn set(&mut self, name: &'static str, value: &Value) {
        if !value.is_null() {
            self.transcript.state.insert(name, value.clone());
        }
    }

    /// A message consists of all chunks with its id, or of adjacent chunks without one (MSG-02,
    /// MSG-04).
    fn chunk(&mut self, kind: &str, update: &Value) {
        let text = update["content"]["text"].as_str().unwrap();
        let id = update["messageId"].as_str().map(str::to_owned);
        let key = (kind.to_owned(), id.clone());
        let place = match id {
            Some(_) => self.keys.iter().position(|known| *known == key),
            None => self.keys.len().checked_sub(1).filter(|last| self.keys[*last] == key),
        };
        match place {
            Some(place) => {
                let entry = &mut self.transcript.entries[place]["text"];
                *entry = json!(format!("{}{text}", entry.as_str().unwrap()));
            }
            None => self.push(kind, id, json!({"sessionUpdate": kind, "text": text})),
        }
    }

    /// Each field replaces its previous value (TOOL-05, TOOL-06). A call without a status is
    /// pending.
    fn tool_call(&mut self, update: &Value) {
        let key = ("tool_call".to_owned(), update["toolCallId"].as_str().map(str::to_owned));
        let place = self.keys.iter().position(|known| *known == key).unwrap_or_else(|| {
            self.push(&key.0, key.1.clone(), json!({"status": "pending"}));
            self.keys.len() - 1
        });
        let entry: &mut Map<String, Value> =
            self.transcript.entries[place].as_object_mut().unwrap();
        entry.extend(
            update.as_object().unwrap().clone().into_iter().filter(|(_, value)| !value.is_null()),
        );
        entry.insert("sessionUpdate".into(), json!("tool_call"));
    }
}
