//! Absolute paths and line numbers from 1 (RPC-31, RPC-32, SESS-02, DIR-02, V2-19).

use super::finding::Report;
use super::seen::{Asked, Body, Seen, is_named, quoted, text};
use attache_protocol::method::v2::{self, ElicitationCreate, McpMessage};
use attache_protocol::method::{Kind, Side};
use serde_json::Value;

/// Objects whose `path` is not a file path, and opaque values.
const OPAQUE: [&str; 5] = ["_meta", "rawInput", "rawOutput", "text", "requestedSchema"];

/// The rules about the paths and line numbers of one version.
struct Rules {
    /// Paths in `additionalDirectories`.
    root: &'static str,
    /// The `cwd` that a client sends.
    cwd: &'static str,
    path: &'static str,
    line: &'static str,
    /// Whether the protocol has custom types of values, whose members are opaque.
    has_extensions: bool,
}

const V1: Rules =
    Rules { root: "DIR-02", cwd: "SESS-02", path: "RPC-31", line: "RPC-32", has_extensions: false };

const V2: Rules =
    Rules { root: "V2-19", cwd: "V2-19", path: "V2-19", line: "V2-19", has_extensions: true };

/// Judges every path and line number in a message of version 1.
pub(super) fn judge(seen: &Seen<'_>, report: &mut Report) {
    let value = match &seen.body {
        Body::Asked(asked) if asked.row.is_some() => &asked.params,
        Body::Replied { to, outcome: Ok(result), .. } if to.row.is_some() => result,
        _ => return,
    };
    walk(value, "", seen.from, &V1, report);
}

/// Judges every path and line number in a message of version 2.
pub(super) fn judge_v2(seen: &Seen<'_>, report: &mut Report) {
    let value = match &seen.body {
        Body::Asked(asked) if is_of_version_2(seen.from, asked) => &asked.params,
        // The person chooses the names of the members in an answer to an elicitation.
        Body::Replied { to, outcome: Ok(result), .. }
            if to.row.is_some()
                && !is_named::<ElicitationCreate>(&to.method)
                && !is_named::<McpMessage>(&to.method) =>
        {
            result
        }
        _ => return,
    };
    walk(value, "", seen.from, &V2, report);
}

fn is_of_version_2(from: Side, asked: &Asked<'_>) -> bool {
    let kind = if asked.is_call { Kind::Call } else { Kind::Notification };
    !is_named::<McpMessage>(&asked.method)
        && v2::received_by(from.other(), &asked.method, kind).is_some()
}

/// Whether the type of an object is an extension.
fn is_extension(value: &Value) -> bool {
    ["type", "sessionUpdate", "operation"]
        .iter()
        .any(|key| text(value, key).is_some_and(|kind| kind.starts_with('_')))
}

fn walk(value: &Value, key: &str, from: Side, rules: &Rules, report: &mut Report) {
    match value {
        Value::Object(_) if rules.has_extensions && is_extension(value) => {}
        Value::Object(members) => {
            for (key, value) in members.iter().filter(|(key, _)| !OPAQUE.contains(&key.as_str())) {
                member(key, value, from, rules, report);
            }
        }
        Value::Array(entries) => {
            for entry in entries {
                match (key, entry) {
                    ("additionalDirectories", Value::String(path)) => {
                        absolute(rules.root, path, report)
                    }
                    _ => walk(entry, key, from, rules, report),
                }
            }
        }
        _ => {}
    }
}

fn member(key: &str, value: &Value, from: Side, rules: &Rules, report: &mut Report) {
    match (key, value) {
        ("cwd", Value::String(path)) if from == Side::Client => absolute(rules.cwd, path, report),
        ("cwd" | "path" | "oldPath", Value::String(path)) => absolute(rules.path, path, report),
        ("line", Value::Number(line)) => {
            let is_counted = line.as_u64() != Some(0);
            report.keeps(rules.line, is_counted, || "line 0: lines are counted from 1".to_owned());
        }
        (key, value) => walk(value, key, from, rules, report),
    }
}

fn absolute(rule: &'static str, path: &str, report: &mut Report) {
    report.keeps(rule, is_absolute(path), || format!("{} is not an absolute path", quoted(path)));
}

/// Whether a path is absolute on any operating system.
pub(crate) fn is_absolute(path: &str) -> bool {
    let drive = |path: &str| {
        let mut bytes = path.bytes();
        bytes.next().is_some_and(|letter| letter.is_ascii_alphabetic())
            && bytes.next() == Some(b':')
            && matches!(bytes.next(), Some(b'/' | b'\\'))
    };
    path.starts_with('/') || path.starts_with("\\\\") || drive(path)
}
