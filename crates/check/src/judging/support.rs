//! What a peer supports, recorded from its traffic.

mod topic;

pub use topic::Topic;

use crate::peer::line::Line;
use attache_protocol::method::{
    FIELDS, Gate, Initialize, METHODS, Method, Row, Side, Stability, UPDATES, UpdateRow, v2,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The error code for an unknown method (RPC-19).
const METHOD_NOT_FOUND: i64 = -32601;
/// How many names of one kind are kept. Without a limit a peer could make the judge use any amount
/// of memory.
const NAMES: usize = 200;
/// The length limit of a name, in characters.
const NAME: usize = 100;

/// The parts of the protocol that a peer supports, as observed in its conversations with the judge.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Support {
    /// The side of the peer.
    pub side: Side,
    /// The version of the protocol that was judged.
    pub protocol: u16,
    /// The peer's name in `initialize`.
    pub name: Option<String>,
    /// The peer's version in `initialize`.
    pub version: Option<String>,
    /// The paths of the peer's enabled capabilities, below `agentCapabilities` or
    /// `clientCapabilities`.
    pub capabilities: BTreeSet<String>,
    /// The protocol's methods that the judge called, and the peer's answers.
    pub answered: BTreeMap<String, Calls>,
    /// The methods that the peer called, and the judge's answers.
    pub called: BTreeMap<String, Calls>,
    /// The kinds that the peer sent, by topic, with their counts.
    pub sent: BTreeMap<Topic, BTreeMap<String, usize>>,
    /// The kinds that the peer accepted, by topic, with their counts. A kind is accepted if the
    /// peer returns no error and keeps the connection open.
    pub taken: BTreeMap<Topic, BTreeMap<String, usize>>,
}

/// The number of calls of a method and their outcomes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Calls {
    /// The number of calls or notifications.
    pub times: usize,
    /// The number of results.
    pub results: usize,
    /// The number of errors, by code.
    pub errors: BTreeMap<i64, usize>,
}

/// How a peer answers a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answering {
    /// The peer returned a result, or accepted a notification.
    Works,
    /// The peer knows the method but returned only errors.
    Errors,
    /// The peer does not know the method.
    Unknown,
    /// The method was not called, or the peer never answered.
    Untold,
}

impl Calls {
    fn add(&mut self, other: Self) {
        self.times += other.times;
        self.results += other.results;
        for (code, times) in other.errors {
            *self.errors.entry(code).or_default() += times;
        }
    }

    /// Returns how the peer answered these calls.
    pub fn answering(&self) -> Answering {
        let others = self.errors.keys().any(|code| *code != METHOD_NOT_FOUND);
        match (self.results > 0, others, self.errors.is_empty()) {
            (true, ..) => Answering::Works,
            (false, true, _) => Answering::Errors,
            (false, false, false) => Answering::Unknown,
            (false, false, true) => Answering::Untold,
        }
    }
}

/// A call without a reply.
struct Open<'l> {
    method: &'l str,
    params: &'l Value,
}

impl Support {
    /// Creates an empty record of a peer on this side.
    pub fn of(side: Side) -> Self {
        Self {
            side,
            protocol: 1,
            name: None,
            version: None,
            capabilities: BTreeSet::new(),
            answered: BTreeMap::new(),
            called: BTreeMap::new(),
            sent: BTreeMap::new(),
            taken: BTreeMap::new(),
        }
    }

    /// Returns how the peer answers this method.
    pub fn answering(&self, method: &str) -> Answering {
        self.answered.get(method).map_or(Answering::Untold, Calls::answering)
    }

    /// Whether the peer sent a call or a notification of this method.
    pub fn calls(&self, method: &str) -> bool {
        self.called.contains_key(method)
    }

    /// Adds the record of another run against the same peer.
    pub fn join(&mut self, other: Self) {
        self.protocol = other.protocol;
        self.name = other.name.or(self.name.take());
        self.version = other.version.or(self.version.take());
        self.capabilities.extend(other.capabilities);
        for (methods, others) in
            [(&mut self.answered, other.answered), (&mut self.called, other.called)]
        {
            for (method, calls) in others {
                methods.entry(method).or_default().add(calls);
            }
        }
        for (topics, others) in [(&mut self.sent, other.sent), (&mut self.taken, other.taken)] {
            for (topic, names) in others {
                let known = topics.entry(topic).or_default();
                names
                    .into_iter()
                    .for_each(|(name, times)| *known.entry(name).or_default() += times);
            }
        }
    }

    /// Records a whole connection. `went_well` means that the peer did not fail, so that it also
    /// accepted the last notification.
    pub fn learn(&mut self, lines: &[Line], went_well: bool) {
        let last = lines.iter().rposition(|line| line.from == self.side).unwrap_or_default();
        let mut open: HashMap<(Side, String), Open<'_>> = HashMap::new();
        for (index, line) in lines.iter().enumerate() {
            let method = line.get("method").and_then(Value::as_str);
            let (id, params) = (line.get("id"), line.get("params").unwrap_or(&Value::Null));
            match (method, id) {
                (Some(method), Some(id)) => {
                    self.called(line.from, method, params);
                    open.insert((line.from, id.to_string()), Open { method, params });
                }
                (Some(method), None) => {
                    self.notified(line.from, method, params, went_well || index < last)
                }
                (None, Some(id)) => {
                    if let Some(call) = open.remove(&(line.from.other(), id.to_string())) {
                        self.replied(line, &call);
                    }
                }
                (None, None) => {}
            }
        }
    }

    fn called(&mut self, from: Side, method: &str, params: &Value) {
        if from == self.side {
            count(&mut self.called, method, |calls| calls.times += 1);
            self.payload(true, method, params);
        } else if topic::is_known(method) {
            count(&mut self.answered, method, |calls| calls.times += 1);
        }
    }

    fn notified(&mut self, from: Side, method: &str, params: &Value, is_taken: bool) {
        if from == self.side {
            count(&mut self.called, method, |calls| calls.times += 1);
            self.payload(true, method, params);
        } else if is_taken && topic::is_known(method) {
            count(&mut self.answered, method, |calls| {
                (calls.times, calls.results) = (calls.times + 1, calls.results + 1)
            });
            self.payload(false, method, params);
        }
    }

    fn replied(&mut self, line: &Line, call: &Open<'_>) {
        let is_ours = line.from != self.side;
        let calls = if is_ours { &mut self.called } else { &mut self.answered };
        if let Some(result) = line.get("result") {
            if is_ours || topic::is_known(call.method) {
                count(calls, call.method, |calls| calls.results += 1);
            }
            if !is_ours {
                self.payload(false, call.method, call.params);
            }
            self.payload(!is_ours, call.method, result);
        } else if let Some(code) = line.error_code() {
            // Ignore methods that the judge invented.
            if is_ours || topic::is_known(call.method) {
                count(calls, call.method, |calls| *calls.errors.entry(code).or_default() += 1);
            }
        }
    }

    /// Records the kinds in params or a result.
    fn payload(&mut self, is_sent: bool, method: &str, payload: &Value) {
        if is_sent && method == Initialize::ROW.name {
            self.record_initialize(payload);
        }
        let seen = if is_sent { &mut self.sent } else { &mut self.taken };
        topic::in_payload(method, payload, &mut |topic, name| {
            // Ignore names that the judge invented.
            if !is_sent && !topic.known().contains(&name) {
                return;
            }
            let names = seen.entry(topic).or_default();
            if names.len() < NAMES || names.contains_key(name) {
                *names.entry(cut(name)).or_default() += 1;
            }
        });
    }

    fn record_initialize(&mut self, payload: &Value) {
        let (info, capabilities) = match self.side {
            _ if self.protocol > 1 => ("info", "capabilities"),
            Side::Agent => ("agentInfo", "agentCapabilities"),
            Side::Client => ("clientInfo", "clientCapabilities"),
        };
        let text = |key| payload.get(info)?.get(key)?.as_str().map(cut);
        self.name = text("name").or(self.name.take());
        self.version = text("version").or(self.version.take());
        if let Some(offered) = payload.get(capabilities) {
            offers(offered, capabilities, &mut self.capabilities);
        }
    }
}

/// Adds the paths of enabled capabilities to `found`. A capability is enabled unless its value is
/// `false` or null. Even an empty object enables it. An object that only groups capabilities is not
/// a capability itself.
fn offers(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    if matches!(value, Value::Null | Value::Bool(false))
        || found.len() >= NAMES
        || path.len() > NAME
    {
        return;
    }
    // In version 2, a capability that groups others is also one itself.
    if path.starts_with("capabilities.") || !is_group(path) {
        found.insert(cut(path));
    }
    for (key, member) in value.as_object().into_iter().flatten().filter(|(key, _)| *key != "_meta")
    {
        offers(member, &format!("{path}.{key}"), found);
    }
}

/// Whether the protocol has capabilities below this one.
fn is_group(path: &str) -> bool {
    let below = |gate: &str| gate.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
    [Side::Agent, Side::Client]
        .into_iter()
        .any(|side| gates(side, 1).iter().any(|(gate, _)| below(gate)))
}

/// Returns the methods of this version of the protocol.
pub(crate) fn methods(protocol: u16) -> &'static [&'static Row] {
    if protocol > 1 { v2::METHODS } else { METHODS }
}

/// Returns the updates of this version of the protocol.
pub(crate) fn updates(protocol: u16) -> &'static [UpdateRow] {
    if protocol > 1 { v2::UPDATES } else { UPDATES }
}

/// Returns the capabilities of this side in the tables of this version of the protocol, each with
/// the stability of its gated method or member.
pub(crate) fn gates(side: Side, protocol: u16) -> Vec<(&'static str, Stability)> {
    let methods = methods(protocol).iter().map(|row| (&row.gate, row.stability));
    let updates = updates(protocol).iter().map(|row| (&row.gate, row.stability));
    let fields = FIELDS.iter().filter(|_| protocol == 1).map(|row| (&row.gate, row.stability));
    let mut paths: Vec<(&str, Stability)> = Vec::new();
    for (gate, stability) in methods.chain(updates).chain(fields) {
        let path = match (side, gate) {
            (Side::Agent, Gate::Agent(path, _) | Gate::AgentV2(path, _))
            | (Side::Client, Gate::Client(path, _) | Gate::ClientV2(path, _)) => *path,
            _ => continue,
        };
        if paths.iter().all(|(other, _)| *other != path) {
            paths.push((path, stability));
        }
    }
    paths
}

fn count(calls: &mut BTreeMap<String, Calls>, method: &str, counted: impl FnOnce(&mut Calls)) {
    if calls.len() < NAMES || calls.contains_key(method) {
        counted(calls.entry(cut(method)).or_default());
    }
}

fn cut(name: &str) -> String {
    name.chars().take(NAME).collect()
}
