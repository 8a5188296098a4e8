//! The state of the session in version 2: an update of a message or a tool call creates or changes
//! it, omitted fields stay, and null clears a field. `state_update` owns the turn.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol::v2::schema::{
    SessionConfigOption, SessionId, SessionUpdate, ToolCallUpdate, UpdateSessionNotification,
};
use official_peers::client::events::Events;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

/// The progress of the current turn.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turn {
    /// An idle state before the turn has become active belongs to earlier work.
    is_active: bool,
    /// The idle state that ended the turn.
    pub(crate) stop: Option<Value>,
    /// The tool call that offers to be cancelled, if there is one.
    pub(crate) cancellable: Option<String>,
}

#[derive(Default)]
struct Session {
    id: Option<SessionId>,
    /// The updates that arrived before the id of the session was known.
    early: VecDeque<UpdateSessionNotification>,
    options: Vec<SessionConfigOption>,
    calls: Vec<(String, Map<String, Value>)>,
    /// The id, kind and content of each message.
    messages: Vec<(String, String, Vec<Value>)>,
    plans: Vec<Value>,
}

pub(crate) struct State {
    events: Arc<Events>,
    session: Mutex<Session>,
    pub(crate) turn: watch::Sender<Turn>,
}

impl State {
    pub(crate) fn new(events: Arc<Events>) -> Self {
        Self { events, session: Mutex::default(), turn: watch::Sender::default() }
    }

    fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Selects the session to show, and applies its updates that arrived earlier.
    pub(crate) fn is_of(&self, id: SessionId) {
        let early = {
            let mut session = self.session();
            session.id = Some(id);
            std::mem::take(&mut session.early)
        };
        for notification in early {
            self.receive(notification);
        }
    }

    pub(crate) fn receive(&self, notification: UpdateSessionNotification) {
        {
            let mut session = self.session();
            match &session.id {
                None => return session.early.push_back(notification),
                Some(id) if *id != notification.session_id => return,
                Some(_) => {}
            }
        }
        let update = notification.update;
        let value = json!(update);
        self.events.print("update", json!({"update": value}));
        let is_work =
            !matches!(update, SessionUpdate::StateUpdate(_) | SessionUpdate::UserMessage(_));
        self.apply(&update, &value);
        if is_work {
            self.events.seen.send_modify(|seen| seen.updates += 1);
        }
    }

    /// Starts a turn.
    pub(crate) fn begin(&self) {
        self.turn.send_replace(Turn::default());
    }

    pub(crate) fn replace_options(&self, options: Vec<SessionConfigOption>) {
        let shown = options.iter().map(|option| {
            let value = json!(option);
            json!({"configId": option.config_id, "name": option.name, "currentValue": value["currentValue"]})
        });
        self.events.print("options", json!({"options": shown.collect::<Vec<_>>()}));
        self.session().options = options;
    }

    pub(crate) fn option(&self, id: &str) -> Option<SessionConfigOption> {
        self.session().options.iter().find(|option| &*option.config_id.0 == id).cloned()
    }

    pub(crate) fn mode_option(&self) -> Option<String> {
        let session = self.session();
        let option =
            session.options.iter().find(|option| json!(option.category) == json!("mode"))?;
        Some(option.config_id.0.to_string())
    }

    /// Prints all messages so far, in the order of their creation.
    pub(crate) fn print_messages(&self) {
        let messages: Vec<Value> = self
            .session()
            .messages
            .iter()
            .map(|(_, kind, content)| {
                let text: String =
                    content.iter().filter_map(|block| block["text"].as_str()).collect();
                json!({"kind": kind, "text": text})
            })
            .collect();
        self.events.print("messages", json!({"messages": messages}));
    }

    fn apply(&self, update: &SessionUpdate, value: &Value) {
        match update {
            SessionUpdate::StateUpdate(_) => self.set_state(value),
            SessionUpdate::UserMessage(_)
            | SessionUpdate::AgentMessage(_)
            | SessionUpdate::AgentThought(_)
            | SessionUpdate::UserMessageChunk(_)
            | SessionUpdate::AgentMessageChunk(_)
            | SessionUpdate::AgentThoughtChunk(_) => self.message(value),
            SessionUpdate::ToolCallUpdate(call) => self.call(call),
            SessionUpdate::ToolCallContentChunk(chunk) => {
                let id = chunk.tool_call_id.clone();
                let mut content = self.content_of(&id.0);
                content.push(json!(chunk.content));
                self.merge(&id.0, &Map::from_iter([("content".into(), content.into())]));
            }
            SessionUpdate::PlanUpdate(_) => self.plan(&value["plan"]),
            SessionUpdate::AvailableCommandsUpdate(_) => {
                let commands = value["availableCommands"].as_array().into_iter().flatten();
                let names: Vec<String> = commands
                    .map(|command| format!("/{}", command["name"].as_str().unwrap_or_default()))
                    .collect();
                self.events.print("commands", json!({"commands": names}));
            }
            SessionUpdate::ConfigOptionUpdate(update) => {
                self.replace_options(update.config_options.clone());
            }
            SessionUpdate::UsageUpdate(usage) => {
                self.events.print("usage", json!({"used": usage.used, "size": usage.size}));
            }
            _ => {}
        }
    }

    fn set_state(&self, value: &Value) {
        let mut state = value.clone();
        if let Value::Object(members) = &mut state {
            members.remove("sessionUpdate");
        }
        self.events.print("state", &state);
        self.turn.send_modify(|turn| {
            if state["state"] != "idle" {
                turn.is_active = true;
            } else if turn.is_active && turn.stop.is_none() {
                turn.stop = Some(state);
            }
        });
    }

    fn message(&self, value: &Value) {
        let id = value["messageId"].as_str().unwrap_or_default().to_owned();
        let given = value["sessionUpdate"].as_str().unwrap_or_default();
        let kind = given.trim_end_matches("_chunk");
        let mut session = self.session();
        let known = session.messages.iter().position(|(known, ..)| *known == id);
        let at = known.unwrap_or(session.messages.len());
        if known.is_none() {
            session.messages.push((id, kind.to_owned(), Vec::new()));
        }
        let content = &mut session.messages[at].2;
        match value.get("content") {
            Some(piece) if given != kind => content.push(piece.clone()),
            Some(Value::Array(all)) => content.clone_from(all),
            Some(_) => content.clear(),
            None => {}
        }
    }

    fn content_of(&self, id: &str) -> Vec<Value> {
        let session = self.session();
        let call = session.calls.iter().find(|(known, _)| known == id);
        call.and_then(|(_, call)| call.get("content")?.as_array().cloned()).unwrap_or_default()
    }

    /// A permission request also changes its call.
    pub(crate) fn asked(&self, call: &ToolCallUpdate) {
        self.call(call);
    }

    fn call(&self, call: &ToolCallUpdate) {
        if let Value::Object(fields) = json!(call) {
            self.merge(&call.tool_call_id.0, &fields);
        }
    }

    fn merge(&self, id: &str, fields: &Map<String, Value>) {
        let (shown, cancellable) = {
            let mut session = self.session();
            let known = session.calls.iter().position(|(known, _)| known == id);
            let at = known.unwrap_or(session.calls.len());
            if known.is_none() {
                let call = json!({"kind": "other", "status": "pending", "content": []});
                session.calls.push((id.to_owned(), call.as_object().cloned().unwrap_or_default()));
            }
            let call = &mut session.calls[at].1;
            for (name, value) in fields {
                match value {
                    Value::Null => drop(call.remove(name)),
                    value => drop(call.insert(name.clone(), value.clone())),
                }
            }
            call.insert("toolCallId".into(), id.into());
            let shown = session.calls[at].1.clone();
            (shown, session.calls.iter().find(|(_, call)| is_cancellable(call)).cloned())
        };
        self.events.print("call", shown);
        self.turn.send_modify(|turn| turn.cancellable = cancellable.map(|(id, _)| id));
    }

    fn plan(&self, plan: &Value) {
        let mut session = self.session();
        session.plans.retain(|known| known["planId"] != plan["planId"]);
        session.plans.push(plan.clone());
        self.events.print("plans", json!({"plans": session.plans}));
    }
}

fn is_cancellable(call: &Map<String, Value>) -> bool {
    let status = call.get("status").and_then(Value::as_str).unwrap_or_default();
    ["pending", "in_progress", "paused"].contains(&status)
        && call.get("capabilities").is_some_and(|capabilities| !capabilities["cancel"].is_null())
}
