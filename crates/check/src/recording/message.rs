//! Messages put together again where a recording keeps their parts only.

use serde_json::value::RawValue;
use std::collections::HashMap;

/// The members of a JSON object, as text.
pub(super) type Members<'t> = HashMap<String, &'t RawValue>;

/// The text of a member.
pub(super) fn member<'t>(members: &Members<'t>, key: &str) -> Option<&'t str> {
    members.get(key).map(|value| value.get())
}

/// The string that a member is.
pub(super) fn string(members: &Members<'_>, key: &str) -> Option<String> {
    serde_json::from_str(member(members, key)?).ok()
}

/// A call, or without an id a notification. Params that are `null` are those that were not there.
pub(super) fn asked(id: Option<&str>, method: &str, params: Option<&str>) -> String {
    let id = id.map(|id| format!(r#""id":{id},"#)).unwrap_or_default();
    let params = params.filter(|params| *params != "null");
    let params =
        params.map(|params| format!(r#","params":{}"#, on_one_line(params))).unwrap_or_default();
    format!(r#"{{"jsonrpc":"2.0",{id}"method":{method}{params}}}"#)
}

/// A reply.
pub(super) fn replied(id: &str, is_error: bool, payload: &str) -> String {
    let key = if is_error { "error" } else { "result" };
    format!(r#"{{"jsonrpc":"2.0","id":{id},"{key}":{}}}"#, on_one_line(payload))
}

/// JSON without the white space between its tokens.
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
