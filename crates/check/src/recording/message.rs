//! Messages reconstructed from the parts that a recording keeps.

use serde_json::value::RawValue;
use std::collections::HashMap;

/// The members of a JSON object, as text.
pub(super) type Members<'t> = HashMap<String, &'t RawValue>;

/// Returns the text of a member.
pub(super) fn member<'t>(members: &Members<'t>, key: &str) -> Option<&'t str> {
    members.get(key).map(|value| value.get())
}

/// Returns the string value of a member.
pub(super) fn string(members: &Members<'_>, key: &str) -> Option<String> {
    serde_json::from_str(member(members, key)?).ok()
}

/// Reconstructs a call, or a notification if there is no id. Null params count as absent.
pub(super) fn asked(id: Option<&str>, method: &str, params: Option<&str>) -> String {
    let id = id.map(|id| format!(r#""id":{id},"#)).unwrap_or_default();
    let params = params.filter(|params| *params != "null");
    let params =
        params.map(|params| format!(r#","params":{}"#, on_one_line(params))).unwrap_or_default();
    format!(r#"{{"jsonrpc":"2.0",{id}"method":{method}{params}}}"#)
}

/// Reconstructs a reply.
pub(super) fn replied(id: &str, is_error: bool, payload: &str) -> String {
    let key = if is_error { "error" } else { "result" };
    format!(r#"{{"jsonrpc":"2.0","id":{id},"{key}":{}}}"#, on_one_line(payload))
}

/// Returns JSON without white space between its tokens.
fn on_one_line(json: &str) -> String {
    let (mut out, mut in_string, mut is_escaped) =
        (String::with_capacity(json.len()), false, false);
    for character in json.chars() {
        match character {
            '"' if !is_escaped => in_string = !in_string,
            character if !in_string && character.is_ascii_whitespace() => continue,
            _ => {}
        }
        is_escaped = character == '\\' && !is_escaped;
        out.push(character);
    }
    out
}
