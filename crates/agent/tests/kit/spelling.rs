//! The spelling of keys and words in all messages of an agent.

use super::matrix::{GATES, play};
use attache_protocol::v1::{
    CreateElicitationRequest, InitializeResponse, NewSessionResponse, RequestPermissionRequest,
    SessionNotification,
};
use attache_protocol::{Wire, decode, encode};
use serde_json::Value;

/// All messages to a client with every capability, and to one without capabilities.
async fn said() -> Vec<(String, Value)> {
    let mut said = play(0).await.1;
    said.extend(play((1 << GATES.len()) - 1).await.1);
    said
}

/// The members whose strings are words of the protocol, not texts of a person or an author.
const WORDS: &[&str] = &[
    "sessionUpdate",
    "type",
    "kind",
    "status",
    "priority",
    "mode",
    "outcome",
    "severity",
    "state",
    "stopReason",
];

fn is_camel_case(key: &str) -> bool {
    key.starts_with(|first: char| first.is_ascii_lowercase())
        && key.chars().all(|c| c.is_ascii_alphanumeric())
}

fn is_snake_case(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// Collects the keys that are not in camel case and the words that are not in snake case. Members
/// of `_meta` and the names of a form's fields belong to the author and are skipped.
fn misspelled(value: &Value, found: &mut Vec<String>) {
    for member in value.as_array().into_iter().flatten() {
        misspelled(member, found);
    }
    for (key, member) in value.as_object().into_iter().flatten() {
        if key == "_meta" {
            continue;
        }
        if !is_camel_case(key) {
            found.push(key.clone());
        }
        if let Some(word) =
            member.as_str().filter(|word| WORDS.contains(&key.as_str()) && !is_snake_case(word))
        {
            found.push(format!("{key}: {word}"));
        }
        match (key.as_str(), member) {
            ("properties", Value::Object(fields)) => {
                fields.values().for_each(|field| misspelled(field, found));
            }
            (_, member) => misspelled(member, found),
        }
    }
}

/// RPC-30.
#[tokio::test(start_paused = true)]
async fn keys_are_in_camel_case_and_words_in_snake_case() {
    for (method, line) in said().await {
        let mut found = Vec::new();
        misspelled(&line, &mut found);
        assert_eq!(found, [] as [String; 0], "{method}: {line}");
    }
}

/// The message with only the members that the protocol defines.
fn named<T: Wire>(line: &Value) -> Value {
    let read: T = decode(&line.to_string()).unwrap();
    serde_json::from_str(&encode(&read)).unwrap()
}

/// META-03: an agent's additions to the protocol are in `_meta`.
#[tokio::test(start_paused = true)]
async fn messages_contain_only_members_of_the_protocol() {
    let mut compared = 0;
    for (method, line) in said().await {
        let known = match method.as_str() {
            "initialize" => named::<InitializeResponse>(&line),
            "session/new" => named::<NewSessionResponse>(&line),
            "session/update" => named::<SessionNotification>(&line),
            "session/request_permission" => named::<RequestPermissionRequest>(&line),
            "elicitation/create" => named::<CreateElicitationRequest>(&line),
            _ => continue,
        };
        assert_eq!(line, known, "{method}");
        compared += 1;
    }
    assert!(compared > 30, "{compared}");
}

/// META-04, META-07: the kit's own metadata has keys with its name and a slash, and uses no key of
/// the W3C trace context.
#[tokio::test(start_paused = true)]
async fn own_metadata_has_keys_with_one_prefix() {
    fn keys(value: &Value, found: &mut Vec<String>) {
        for member in value.as_array().into_iter().flatten() {
            keys(member, found);
        }
        for (key, member) in value.as_object().into_iter().flatten() {
            if key == "_meta" {
                found.extend(member.as_object().into_iter().flatten().map(|(key, _)| key.clone()));
            }
            keys(member, found);
        }
    }
    let mut found = Vec::new();
    for (_, line) in said().await {
        keys(&line, &mut found);
    }
    found.dedup();
    assert!(!found.is_empty() && found.iter().all(|key| key.starts_with("attache/")), "{found:?}");
}
