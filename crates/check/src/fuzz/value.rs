//! Values of the protocol's shapes. Together they contain every method, kind of update and member.

use super::random_numbers::RandomNumbers;
use crate::json::json;
use attache_protocol::{MemberShape, Shape};
use serde_json::{Map, Value};

/// The placeholder of the open session's id.
pub(super) const SESSION: &str = "{session}";
/// The placeholder of the session's folder.
pub(super) const CWD: &str = "{cwd}";

/// Texts for any string: short, long, or difficult in a terminal or a path.
const TEXTS: &[&str] = &[
    "a",
    "",
    "ünï\u{1F600}\u{0301}",
    "line\nnext\r\t\"quoted\\\"",
    "\u{1b}[2J\u{7}\u{202e}",
    "\u{0}\u{1f}\u{7f}\u{2028}",
    "2026-11-20T10:00:00Z",
    "null",
];

const NUMBERS: &[u64] = &[1, 0, 7, 255, 65_535, 4_294_967_295, 9_007_199_254_740_993, u64::MAX];

/// Returns a valid value of this shape, for the member with this key.
pub(super) fn value(shape: &Shape, key: &str, chance: &mut RandomNumbers) -> Value {
    match shape {
        Shape::Any => match chance.below(4) {
            0 => json!({"a": [1, 2.5, null], "ü": {"type": "text"}}),
            1 => json!([]),
            2 => json!(text(chance)),
            _ => json!(false),
        },
        Shape::String => string(key, chance),
        Shape::Bool => json!(chance.once_in(2)),
        Shape::Integer { format } => integer(format, key, chance),
        Shape::Number => {
            json!(chance.one_of(&[0.5, 100.0, -0.0325, 1.0e300]).copied().unwrap_or_default())
        }
        Shape::Nullable(inner) => {
            if chance.once_in(5) {
                Value::Null
            } else {
                value(inner, key, chance)
            }
        }
        Shape::Array(item) => {
            let length = if key == "mcpServers" { 0 } else { chance.below(4) };
            (0..length).map(|_| value(item, key, chance)).collect()
        }
        Shape::Map(item) => {
            let length = chance.below(3);
            let member = |at| (format!("{}{at}", text(chance)), value(item, "", chance));
            Value::Object((0..length).map(member).collect())
        }
        Shape::OneOf { shapes, .. } => match chance.one_of(shapes) {
            Some(shape) => value(shape, key, chance),
            None => Value::Null,
        },
        Shape::Object { members, .. } => Value::Object(object(members, chance)),
        Shape::Strings { known, .. } => json!(chance.one_of(known).copied().unwrap_or_default()),
        Shape::Union { tag, variants, .. } => {
            let Some((tagged, variant)) = chance.one_of(variants) else { return Value::Null };
            let mut object = match value(variant, key, chance) {
                Value::Object(object) => object,
                _ => Map::new(),
            };
            if !tagged.is_empty() {
                object.insert((*tag).to_owned(), json!(tagged));
            }
            Value::Object(object)
        }
    }
}

fn object(members: &[MemberShape], chance: &mut RandomNumbers) -> Map<String, Value> {
    let mut object = Map::new();
    for member in members {
        if member.mark.starts_with("flat") {
            if let Value::Object(flat) = value(&member.shape, member.key, chance) {
                object.extend(flat);
            }
        } else if member.required || chance.once_in(2) {
            let is_left_out = !member.required && member.mark != "given" && chance.once_in(6);
            let of_member =
                if is_left_out { Value::Null } else { value(&member.shape, member.key, chance) };
            object.insert(member.key.to_owned(), of_member);
        }
    }
    object
}

/// Returns a typical string for this member: an existing id, a path inside the session's folder, a
/// harmless command.
fn string(key: &str, chance: &mut RandomNumbers) -> Value {
    let fitting = match key {
        "sessionId" => SESSION.to_owned(),
        "cwd" => CWD.to_owned(),
        "path" => format!("{CWD}/attache.txt"),
        "uri" => format!("file://{CWD}/attache.txt"),
        "url" | "baseUrl" => "https://attache.invalid/".to_owned(),
        // Commands must have no effect.
        "command" => return json!("true"),
        "toolCallId" | "messageId" | "terminalId" | "planId" | "compactionId" => {
            chance.one_of(&["a", "b", "c"]).copied().unwrap_or_default().to_owned()
        }
        _ => return json!(text(chance)),
    };
    if chance.once_in(8) { json!(text(chance)) } else { json!(fitting) }
}

fn text(chance: &mut RandomNumbers) -> String {
    if chance.once_in(24) {
        return "0123456789abcdef".repeat(1 << chance.below(12));
    }
    chance.one_of(TEXTS).copied().unwrap_or_default().to_owned()
}

fn integer(format: &str, key: &str, chance: &mut RandomNumbers) -> Value {
    if key == "protocolVersion" {
        return json!(1);
    }
    let number = chance.one_of(NUMBERS).copied().unwrap_or_default();
    match format {
        "uint16" => json!(number.min(65_535)),
        "uint32" => json!(number.min(u64::from(u32::MAX))),
        "uint64" => json!(number),
        "int32" => json!(i32::try_from(number).unwrap_or(i32::MIN)),
        _ => json!(i64::try_from(number).unwrap_or(i64::MIN)),
    }
}
