//! JSON helpers that several wires share.

use crate::sse::SseEvent;
use crate::wire::adapter::StreamError;
use crate::wire::surrogates;
use serde_json::Value;

/// Parses the JSON of an event.
pub(crate) fn json(event: &SseEvent) -> Result<Value, StreamError> {
    let parsed = serde_json::from_slice(&event.data).or_else(|error| {
        // The text may contain half of a surrogate pair.
        serde_json::from_slice(&surrogates::kept(&event.data)).map_err(|_| error)
    });
    parsed.map_err(|error| {
        let begin: String = String::from_utf8_lossy(&event.data).chars().take(80).collect();
        StreamError::Malformed(format!("{begin:?} is not JSON ({error})"))
    })
}

/// Returns whether the value reports an error. Some servers send `"error": null` with every event.
pub(crate) fn has_error(value: &Value) -> bool {
    value.get("error").is_some_and(|error| !error.is_null())
}

/// Returns the number at the first of these paths that has one. A path is `a` or `a/b`.
pub(crate) fn count(usage: &Value, paths: &[&str]) -> Option<u64> {
    paths
        .iter()
        .find_map(|path| path.split('/').try_fold(usage, |value, key| value.get(key))?.as_u64())
}
