//! Absolute paths and line numbers from 1 (RPC-31, RPC-32, TOOL-10, SESS-02, DIR-02).

use super::finding::Report;
use super::seen::{Body, Seen, quoted};
use attache_protocol::method::Side;
use serde_json::Value;

/// Objects whose `path` is not a file path, and opaque values.
const OPAQUE: [&str; 5] = ["_meta", "rawInput", "rawOutput", "text", "requestedSchema"];

/// Judges every path and line number in a message.
pub(super) fn judge(seen: &Seen<'_>, report: &mut Report) {
    let value = match &seen.body {
        Body::Asked(asked) if asked.row.is_some() => &asked.params,
        Body::Replied { to, outcome: Ok(result), .. } if to.row.is_some() => result,
        _ => return,
    };
    walk(value, "", seen.from, report);
}

fn walk(value: &Value, key: &str, from: Side, report: &mut Report) {
    match value {
        Value::Object(members) => {
            for (key, value) in members.iter().filter(|(key, _)| !OPAQUE.contains(&key.as_str())) {
                member(key, value, from, report);
            }
        }
        Value::Array(entries) => {
            for entry in entries {
                match (key, entry) {
                    ("additionalDirectories", Value::String(path)) => {
                        absolute("DIR-02", path, report)
                    }
                    _ => walk(entry, key, from, report),
                }
            }
        }
        _ => {}
    }
}

fn member(key: &str, value: &Value, from: Side, report: &mut Report) {
    match (key, value) {
        ("cwd", Value::String(path)) if from == Side::Client => absolute("SESS-02", path, report),
        ("cwd" | "path", Value::String(path)) => absolute("RPC-31", path, report),
        ("line", Value::Number(line)) => {
            let is_counted = line.as_u64() != Some(0);
            report.keeps("RPC-32", is_counted, || "line 0: lines are counted from 1".to_owned());
        }
        (key, value) => walk(value, key, from, report),
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
