//! The state of the session: a later list replaces the previous one, and fields that an update
//! omits stay (TOOL-05, PLAN-03, CONF-04).

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol::v1::schema::{
    SessionConfigOption, SessionConfigOptionCategory, SessionId, SessionModeState,
    SessionNotification, SessionUpdate, ToolCallUpdate,
};
use serde_json::{Map, Value, json};

use official_peers::client::events::Events;

pub(crate) struct State {
    events: Arc<Events>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// The opened session, and the children that it announced.
    sessions: HashSet<SessionId>,
    /// Updates that arrived before the id of the session (SESS-26).
    early: Vec<SessionNotification>,
    modes: Option<SessionModeState>,
    options: Vec<SessionConfigOption>,
    calls: BTreeMap<String, Map<String, Value>>,
    plans: BTreeMap<String, Value>,
    /// The status and the summary of each compaction.
    compactions: BTreeMap<String, (Value, Vec<Value>)>,
    children: BTreeMap<String, Map<String, Value>>,
}

impl State {
    pub(crate) fn new(events: Arc<Events>) -> Self {
        Self { events, known: Mutex::default() }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Selects the session to show, and applies its updates that arrived earlier.
    pub(crate) fn is_of(&self, session: SessionId) {
        let early = {
            let mut known = self.known();
            known.sessions.insert(session);
            std::mem::take(&mut known.early)
        };
        for notification in early {
            self.receive(notification);
        }
    }

    /// Applies the result of new, load, resume or fork.
    pub(crate) fn opened(
        &self,
        modes: Option<SessionModeState>,
        options: Option<Vec<SessionConfigOption>>,
    ) {
        self.known().modes = modes;
        if let Some(options) = options {
            self.replace_options(options);
        }
    }

    pub(crate) fn replace_options(&self, options: Vec<SessionConfigOption>) {
        let shown: Vec<Value> = options
            .iter()
            .map(|option| {
                let option = json!(option);
                json!({"id": option["id"], "name": option["name"], "currentValue": option["currentValue"]})
            })
            .collect();
        self.known().options = options;
        self.events.print("options", json!({"options": shown}));
    }

    pub(crate) fn option(&self, id: &str) -> Option<SessionConfigOption> {
        self.known().options.iter().find(|option| &*option.id.0 == id).cloned()
    }

    /// If there are config options, only they count (MODE-06). The first one in the category `mode`
    /// is the mode.
    pub(crate) fn mode_option(&self) -> Option<String> {
        let known = self.known();
        let is_mode = |option: &&SessionConfigOption| {
            option.category == Some(SessionConfigOptionCategory::Mode)
        };
        known.options.iter().find(is_mode).map(|option| option.id.to_string())
    }

    pub(crate) fn has_mode(&self, id: &str) -> bool {
        let known = self.known();
        let modes = known.modes.iter().flat_map(|modes| &modes.available_modes);
        modes.into_iter().any(|mode| &*mode.id.0 == id)
    }

    /// Applies an update. Ignores updates of unknown sessions (SESS-28). A child is known once its
    /// parent has announced it.
    pub(crate) fn receive(&self, notification: SessionNotification) {
        {
            let mut known = self.known();
            if known.sessions.is_empty() {
                known.early.push(notification);
                return;
            }
            if !known.sessions.contains(&notification.session_id) {
                return;
            }
            if let SessionUpdate::SubagentUpdate(child) = &notification.update {
                known.sessions.insert(child.session_id.clone());
            }
        }
        self.events.print("update", json!({"update": notification.update}));
        self.apply(notification.update);
        self.events.seen.send_modify(|seen| seen.updates += 1);
    }

    fn apply(&self, update: SessionUpdate) {
        match update {
            SessionUpdate::ToolCall(call) => {
                self.known().calls.remove(&*call.tool_call_id.0);
                let defaults = json!({"kind": "other", "status": "pending", "content": []});
                self.call(&call.tool_call_id.0, [defaults, json!(call)]);
            }
            SessionUpdate::ToolCallUpdate(call) => self.asked(&call),
            SessionUpdate::Plan(plan) => self.plan("", Some(json!(plan.entries))),
            SessionUpdate::PlanUpdate(update) => {
                let plan = json!(update.plan);
                self.plan(plan["planId"].as_str().unwrap_or_default(), Some(plan.clone()));
            }
            SessionUpdate::PlanRemoved(removed) => self.plan(&removed.plan_id.0, None),
            SessionUpdate::AvailableCommandsUpdate(update) => {
                let names: Vec<String> = update
                    .available_commands
                    .iter()
                    .map(|command| format!("/{}", command.name))
                    .collect();
                self.events.print("commands", json!({"commands": names}));
            }
            SessionUpdate::CurrentModeUpdate(update) => {
                if let Some(modes) = &mut self.known().modes {
                    modes.current_mode_id = update.current_mode_id;
                }
            }
            SessionUpdate::ConfigOptionUpdate(update) => {
                self.replace_options(update.config_options)
            }
            SessionUpdate::UsageUpdate(usage) => {
                let percent = usage
                    .used
                    .saturating_mul(100)
                    .checked_div(usage.size)
                    .map(|percent| percent.min(100));
                let body = json!({"used": usage.used, "size": usage.size, "percent": percent});
                self.events.print("usage", body);
            }
            SessionUpdate::CompactionUpdate(update) => self.compaction(&json!(update)),
            SessionUpdate::CompactionSummaryChunk(chunk) => self.compaction(&json!(chunk)),
            SessionUpdate::SubagentUpdate(update) => self.child(&json!(update)),
            _ => {}
        }
    }

    /// Omitted fields stay, and null clears them (COMP-05). A summary replaces its pieces
    /// (COMP-06).
    fn compaction(&self, update: &Value) {
        let id = update["compactionId"].as_str().unwrap_or_default();
        let (status, summary) = {
            let mut known = self.known();
            let begun = || (json!("in_progress"), Vec::new());
            let (status, summary) = known.compactions.entry(id.into()).or_insert_with(begun);
            if !update["status"].is_null() {
                *status = update["status"].clone();
            }
            match update.get("summary") {
                Some(whole) => *summary = whole.as_array().cloned().unwrap_or_default(),
                None => summary.extend(update.get("content").cloned()),
            }
            (status.clone(), summary.clone())
        };
        self.events
            .print("compaction", json!({"compactionId": id, "status": status, "summary": summary}));
    }

    /// Null clears the state of a child, and a new state replaces the previous one (SUB-03).
    fn child(&self, update: &Value) {
        let id = update["sessionId"].as_str().unwrap_or_default();
        let child = {
            let mut known = self.known();
            let child = known.children.entry(id.into()).or_default();
            let fields = update.as_object().into_iter().flatten();
            child.extend(fields.map(|(name, value)| (name.clone(), value.clone())));
            child.clone()
        };
        self.events.print("child", json!(child));
    }

    /// Applies a change of a call, from an update or a permission request (PERM-10). A change of an
    /// unknown call creates one only if it has a title (TOOL-04).
    pub(crate) fn asked(&self, call: &ToolCallUpdate) {
        let is_known = self.known().calls.contains_key(&*call.tool_call_id.0);
        if is_known || call.fields.title.is_some() {
            self.call(&call.tool_call_id.0, [json!(call)]);
        }
    }

    fn call(&self, id: &str, patches: impl IntoIterator<Item = Value>) {
        let call = {
            let mut known = self.known();
            let call = known.calls.entry(id.into()).or_default();
            for patch in patches {
                let members = patch.as_object().into_iter().flatten();
                call.extend(members.map(|(name, value)| (name.clone(), value.clone())));
            }
            call.clone()
        };
        self.show(id, &call, None);
    }

    fn show(&self, id: &str, call: &Map<String, Value>, status: Option<&str>) {
        let member = |name: &str| call.get(name).cloned().unwrap_or_default();
        let status = status.map_or_else(|| member("status"), Value::from);
        let body = json!({"toolCallId": id, "title": member("title"), "kind": member("kind"), "status": status, "content": member("content")});
        self.events.print("call", body);
    }

    fn plan(&self, id: &str, plan: Option<Value>) {
        let plans = {
            let mut known = self.known();
            match plan {
                Some(plan) => drop(known.plans.insert(id.into(), plan)),
                None => drop(known.plans.remove(id)),
            }
            known.plans.clone()
        };
        self.events.print("plans", json!({"plans": plans}));
    }

    /// Unfinished calls are shown as cancelled; later updates for them are shown too (CANCEL-06,
    /// CANCEL-07).
    pub(crate) fn cancelled(&self) {
        let calls = self.known().calls.clone();
        for (id, call) in &calls {
            if ["pending", "in_progress"]
                .iter()
                .any(|open| call.get("status").is_some_and(|status| status == open))
            {
                self.show(id, call, Some("cancelled"));
            }
        }
    }
}
