//! Values with an encoding of their own: base64 and the URIs of icons (V2-47, V2-50).

use super::super::finding::Report;
use super::super::seen::{Body, Seen, entries, is_named, quoted, text};
use attache_protocol::method::v2::{ElicitationCreate, McpMessage};
use serde_json::Value;

/// Opaque values, which are not judged.
const OPAQUE: [&str; 4] = ["_meta", "rawInput", "rawOutput", "requestedSchema"];

/// Judges every encoded value in a message.
pub(super) fn judge(seen: &Seen<'_>, report: &mut Report) {
    match &seen.body {
        Body::Asked(asked) if asked.row.is_some() && !is_named::<McpMessage>(&asked.method) => {
            walk(&asked.params, report);
        }
        // The person chooses the names of the members in an answer to an elicitation.
        Body::Replied { to, outcome: Ok(result), .. }
            if to.row.is_some()
                && !is_named::<ElicitationCreate>(&to.method)
                && !is_named::<McpMessage>(&to.method) =>
        {
            walk(result, report);
        }
        Body::Asked(_) | Body::Replied { .. } => {}
    }
}

fn walk(value: &Value, report: &mut Report) {
    let Value::Object(members) = value else {
        return entries_of(value).iter().for_each(|entry| walk(entry, report));
    };
    let kind = ["type", "sessionUpdate"].iter().find_map(|key| text(value, key)).unwrap_or("");
    if kind.starts_with('_') {
        return;
    }
    let encoded = match kind {
        "image" | "audio" | "terminal_output_chunk" => text(value, "data"),
        "resource" => value.pointer("/resource/blob").and_then(Value::as_str),
        "terminal_update" => value.pointer("/output/data").and_then(Value::as_str),
        _ => None,
    };
    if let Some(encoded) = encoded {
        report.keeps("V2-47", is_base64(encoded), || format!("{} is not base64", quoted(encoded)));
    }
    for source in entries(value, "icons").iter().filter_map(|icon| text(icon, "src")) {
        let is_right = ["https:", "data:"].iter().any(|scheme| {
            source.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        });
        report.keeps("V2-50", is_right, || {
            format!("the icon {} is neither an https: nor a data: URI", quoted(source))
        });
    }
    for (_, member) in members.iter().filter(|(key, _)| !OPAQUE.contains(&key.as_str())) {
        walk(member, report);
    }
}

fn entries_of(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Whether a text is base64 with padding, as JSON Schema defines it.
fn is_base64(text: &str) -> bool {
    let digits = text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text);
    text.len().is_multiple_of(4)
        && digits.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}
