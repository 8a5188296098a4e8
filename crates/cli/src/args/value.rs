//! Values of arguments that several commands share.

use attache_protocol::v1::{ProtocolVersion, ToolKind};
use std::time::Duration;

/// Parses an environment variable of an agent.
pub(crate) fn variable(word: &str) -> Result<(String, String), String> {
    let (name, value) = word.split_once('=').unwrap_or_default();
    let starts = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    match starts && name.chars().all(|each| each.is_ascii_alphanumeric() || each == '_') {
        true => Ok((name.to_owned(), value.to_owned())),
        false => Err("expected NAME=VALUE, such as API_KEY=abc".to_owned()),
    }
}

/// Parses a version of the protocol.
pub(crate) fn protocol(word: &str) -> Result<ProtocolVersion, String> {
    match word {
        "1" => Ok(ProtocolVersion::V1),
        "2" => Ok(ProtocolVersion::V2),
        _ => Err("expected 1, or 2 for the draft of version 2".to_owned()),
    }
}

/// Parses a kind of tool call.
pub(crate) fn kind(word: &str) -> Result<ToolKind, String> {
    let known = ToolKind::KNOWN.iter().find(|kind| kind.as_str() == word);
    known.cloned().ok_or_else(|| {
        let kinds: Vec<&str> = ToolKind::KNOWN.iter().map(ToolKind::as_str).collect();
        format!("unknown kind: use one of {}", kinds.join(", "))
    })
}

/// Parses a config option and its value.
pub(crate) fn setting(word: &str) -> Result<(String, String), String> {
    match word.split_once('=') {
        Some((id, value)) if !id.is_empty() => Ok((id.to_owned(), value.to_owned())),
        _ => Err("expected ID=VALUE, such as model=flash".to_owned()),
    }
}

/// Parses a number of seconds above 0.
pub(crate) fn seconds(word: &str) -> Result<Duration, String> {
    let seconds = word.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds
        .filter(|seconds| !seconds.is_zero())
        .ok_or_else(|| "expected a number of seconds above 0, such as 300".to_owned())
}
