//! Which rules of the observer a line of an agent could have broken: only those may pass without a finding.
//!
//! Rules about what must not be sent at all are not here: a connection in which nothing was sent shows little of them.

use crate::raw_peer::Line;
use attache_protocol::method::{Initialize, Method, SessionList, SessionNew, SessionPrompt, Side};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

const BY_LINE: &[&str] = &["RPC-01", "RPC-03"];
const BY_REPLY: &[&str] = &["RPC-11", "RPC-14", "RPC-15"];
const BY_CALL: &[&str] = &["RPC-12", "RPC-13", "EXT-01"];
/// A result of a method of the protocol, or an update.
const BY_PAYLOAD: &[&str] = &["META-03", "DEC-20"];

/// Results by the method that was called.
const BY_RESULT: &[(&str, &[&str])] = &[
    (Initialize::ROW.name, &["INIT-04"]),
    (SessionNew::ROW.name, &["SESS-01"]),
    (SessionList::ROW.name, &["LIST-02"]),
    (SessionPrompt::ROW.name, &["PROMPT-06", "PROMPT-07"]),
];

/// Updates by their kind.
const BY_UPDATE: &[(&str, &[&str])] = &[
    ("tool_call", &["TOOL-02", "TOOL-09"]),
    ("tool_call_update", &["TOOL-03", "TOOL-08"]),
    ("usage_update", &["USE-02"]),
    ("notice", &["NOTE-06"]),
    ("compaction_update", &["COMP-03", "COMP-08"]),
    ("compaction_chunk", &["COMP-04"]),
    ("config_option_update", &["CONF-21"]),
];

/// Payloads by a member that is there and not empty.
const BY_MEMBER: &[(&str, &[&str])] = &[
    ("configOptions", &["CONF-05", "CONF-06", "CONF-14", "CONF-19"]),
    ("sessions", &["LIST-11"]),
    ("cost", &["USE-04", "USE-05"]),
    ("locations", &["RPC-31", "RPC-32"]),
];

/// The rules that some of these lines could have broken.
pub(crate) fn open(lines: &[Line]) -> BTreeSet<&'static str> {
    let (mut open, mut called) = (BTreeSet::new(), HashMap::new());
    for line in lines {
        match line.from {
            Side::Client => {
                if let (Some(id), Some(method)) = (line.get("id"), text(line.get("method"))) {
                    called.insert(id.to_string(), method);
                }
            }
            Side::Agent => {
                let method = line.get("id").and_then(|id| called.get(&id.to_string()));
                open.extend(by_line(line, method.copied()).into_iter().flatten());
            }
        }
    }
    open
}

/// The lists of rules for a line of the agent; if it is a reply, to a call of this method.
fn by_line(line: &Line, called: Option<&str>) -> Vec<&'static [&'static str]> {
    let mut lists = vec![BY_LINE];
    if line.is_reply() {
        lists.push(BY_REPLY);
    } else if line.get("id").is_some() {
        lists.push(BY_CALL);
    }
    let update = line.get("params").and_then(|params| params.get("update"));
    let is_known = attache_protocol::method::METHODS.iter().any(|row| Some(row.name) == called);
    if let Some(payload) = line.get("result").filter(|_| is_known).or(update) {
        lists.push(BY_PAYLOAD);
        let has = |key| match payload.get(key) {
            None | Some(Value::Null) => false,
            Some(Value::Array(entries)) => !entries.is_empty(),
            Some(_) => true,
        };
        lists.extend(BY_MEMBER.iter().filter(|(key, _)| has(key)).map(|(_, rules)| *rules));
        lists.extend(listed(BY_RESULT, called.filter(|_| update.is_none())));
        lists.extend(listed(BY_UPDATE, text(payload.get("sessionUpdate"))));
    }
    lists
}

fn listed(table: &[(&str, &'static [&'static str])], name: Option<&str>) -> Option<&'static [&'static str]> {
    table.iter().find(|(listed, _)| Some(*listed) == name).map(|(_, rules)| *rules)
}

fn text(value: Option<&Value>) -> Option<&str> {
    value?.as_str()
}
