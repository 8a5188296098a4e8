//! How the words of an agent are spelled, whatever it says.

use super::matrix::{GATES, play};
use attache_protocol::v1::{
    CreateElicitationRequest, InitializeResponse, NewSessionResponse, RequestPermissionRequest,
    SessionNotification,
};
use attache_protocol::{Wire, decode, encode};
use serde_json::Value;

/// Every line of a client that is offered everything, and of one that is offered nothing.
async fn said() -> Vec<(String, Value)> {
    let mut said = play(0).await.1;
    said.extend(play((1 << GATES.len()) - 1).await.1);
    said
}

/// The members whose strings are words of the protocol, and not a person's or an author's.
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

/// The keys and words that are spelled otherwise; what stands under `_meta` and the names of a
/// form's fields are nobody's but the author's.
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

/// What is left of a message when everything that the protocol does not name is taken away.
fn named<T: Wire>(line: &Value) -> Value {
    let read: T = decode(&line.to_string()).unwrap();
    serde_json::from_str(&encode(&read)).unwrap()
}

/// META-03: what an agent adds to the protocol stands under `_meta`.
#[tokio::test(start_paused = true)]
async fn nothing_is_said_that_the_protocol_has_no_name_for() {
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

/// META-04, META-07: what this kit says of its own under `_meta` stands under its name and a
/// stroke, and no key of W3C's trace context is used for it.
#[tokio::test(start_paused = true)]
async fn metadata_of_our_own_stands_under_one_name() {
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
