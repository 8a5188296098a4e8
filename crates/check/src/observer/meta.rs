//! Metadata: the names under `_meta` (META-04, META-07).

use super::finding::Report;
use super::seen::{Body, Seen, quoted};
use attache_protocol::method::Side;
use serde_json::Value;
use std::collections::HashSet;

/// The largest number of different names that are reported.
const TOLD: usize = 256;

/// Members with opaque content. A `_meta` inside such a member does not belong to the protocol.
const OPAQUE: [&str; 3] = ["rawInput", "rawOutput", "data"];

/// Names that several vendors share. They belong to no vendor.
const SHARED: [&str; 4] = ["terminal-auth", "terminal_info", "terminal_output", "terminal_exit"];

/// The reported names. Each is reported once, because a peer sends it repeatedly.
#[derive(Debug, Default)]
pub(super) struct Judge {
    reported: HashSet<(Side, String)>,
}

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        let value = match &seen.body {
            Body::Asked(asked) if asked.row.is_some() => &asked.params,
            Body::Replied { to, outcome: Ok(result), .. } if to.row.is_some() => result,
            _ => return,
        };
        let mut bare = Vec::new();
        self.walk(value, seen.from, &mut bare, report);
        for name in bare {
            report.breaks("META-07", format!("the name {name} under _meta has no domain prefix"));
        }
    }

    fn walk(&mut self, value: &Value, from: Side, bare: &mut Vec<String>, report: &mut Report) {
        match value {
            Value::Object(members) => {
                for (key, value) in members {
                    match value {
                        Value::Object(names) if key == "_meta" => {
                            names.iter().for_each(|(name, value)| {
                                self.name(name, value, from, bare, report)
                            });
                        }
                        value if !OPAQUE.contains(&key.as_str()) => {
                            self.walk(value, from, bare, report)
                        }
                        _ => {}
                    }
                }
            }
            Value::Array(entries) => {
                entries.iter().for_each(|entry| self.walk(entry, from, bare, report))
            }
            _ => {}
        }
    }

    fn name(
        &mut self,
        name: &str,
        value: &Value,
        from: Side,
        bare: &mut Vec<String>,
        report: &mut Report,
    ) {
        match name {
            "traceparent" => {
                report.keeps("META-04", value.as_str().is_some_and(is_trace_parent), || {
                    format!(
                        "traceparent is {}, which is not a W3C trace context",
                        quoted(&value.to_string())
                    )
                })
            }
            "tracestate" | "baggage" => report.keeps("META-04", value.is_string(), || {
                format!("{name} is not a string, which W3C trace context requires")
            }),
            name if SHARED.contains(&name) => {}
            // A name with a dot or a slash has a prefix that names its owner.
            name if name.contains(['.', '/']) => report.tests(&["META-07"]),
            name if self.reported.len() < TOLD && self.reported.insert((from, name.to_owned())) => {
                bare.push(quoted(name));
            }
            _ => {}
        }
    }
}

/// Whether this is a W3C trace context: a version, a trace, a span and flags in lower-case
/// hexadecimal.
fn is_trace_parent(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut part = |length: usize| {
        parts.next().is_some_and(|part| {
            part.len() == length
                && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        })
    };
    part(2) && part(32) && part(16) && part(2)
}
