//! Recordings: each line of a connection is a JSON object with its time and without secrets.
//! JSON.md documents the format.

use crate::exit::Failure;
use crate::show::json::escaped;
use attache_check::masked;
use jiff::Timestamp;
use serde_json::Value;
use serde_json::value::RawValue;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Creates the file that `option` names. Only its owner can read it, because messages contain the
/// person's files. An existing file is an error.
pub(crate) fn create(option: &str, path: &Path) -> Result<File, Failure> {
    let shown = path.display();
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(|error| {
        Failure::usage(match error.kind() {
            io::ErrorKind::AlreadyExists => {
                format!("{option}: {shown} already exists: name another file, or remove it first")
            }
            _ => format!("{option}: {shown} cannot be created: {error}; name another file"),
        })
    })
}

/// Formats a recorded line. `who` is the member for the sender; `more` contains further members,
/// each preceded by a comma.
pub(crate) fn record(who: (&str, &str), at: Timestamp, line: &[u8], more: &str) -> String {
    let (key, json) = match serde_json::from_slice::<&RawValue>(line) {
        Ok(message) => ("message", masked(message.get())),
        // Secrets are masked here too: the line can be a message followed by other text, or the
        // start of a message.
        Err(_) => ("text", Value::from(masked(&String::from_utf8_lossy(line))).to_string()),
    };
    let (who, is) = who;
    format!("{{\"at\":\"{at:.6}\",\"{who}\":\"{is}\",\"{key}\":{}{more}}}\n", escaped(&json))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_one_object_for_any_line() {
        for line in [&b"{\"method\":\"x\"}"[..], b" [1] ", b"Welcome\t\x1b[2J", b"\xff\xfe", b""] {
            let record = record(("from", "agent"), Timestamp::now(), line, "");
            let value: Value = serde_json::from_str(&record).unwrap();
            assert!(
                value["at"].as_str().unwrap().ends_with('Z') && record.ends_with("}\n"),
                "{record}"
            );
            assert!(value.get("message").is_some() != value.get("text").is_some(), "{record}");
            assert_eq!(record.matches('\n').count(), 1);
        }
    }

    #[test]
    fn an_incomplete_message_hides_its_secrets() {
        let line =
            br#"{"env":[{"name":"K","value":"s3cret"}],"token":"s3cret"} and more, or {"apiKey":"s3cr"#;
        let record = record(("from", "client"), Timestamp::UNIX_EPOCH, line, ",\"length\":9");
        assert!(!record.contains("s3cr") && record.ends_with(",\"length\":9}\n"), "{record}");
    }
}
