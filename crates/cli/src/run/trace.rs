//! `--trace`: every line of both directions in a file, with times and without secrets. The shape is documented in JSON.md.

use super::mask::masked;
use crate::exit::Failure;
use crate::show::json::escaped;
use attache_connection::{Direction, Tap};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A trace that is being written. What is written is in the file at once: it is there also if this process is killed.
pub(super) struct Trace {
    path: PathBuf,
    /// The file, or why it cannot be written any more.
    file: Arc<Mutex<Result<File, io::Error>>>,
}

impl Trace {
    /// Makes the file, which only its owner may read: messages hold the person's files. One that is there is left alone.
    pub(super) fn create(path: &Path) -> Result<Self, Failure> {
        let shown = path.display();
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(|error| {
            Failure::usage(match error.kind() {
                io::ErrorKind::AlreadyExists => {
                    format!("--trace: {shown} exists and is not overwritten: name another file, or remove it first")
                }
                _ => format!("--trace: {shown} cannot be made: {error}; name a file that can be written"),
            })
        })?;
        Ok(Self { path: path.into(), file: Arc::new(Mutex::new(Ok(file))) })
    }

    /// Writes every line that it sees.
    pub(super) fn tap(&self) -> Tap {
        let file = self.file.clone();
        Arc::new(move |direction, line: &[u8]| {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            if let Ok(open) = &mut *file
                && let Err(error) = open.write_all(record(direction, line).as_bytes())
            {
                *file = Err(error);
            }
        })
    }

    /// What is wrong with the trace, if it is not whole.
    pub(super) fn trouble(&self) -> Option<String> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let error = file.as_ref().err()?;
        Some(format!("the trace {} is not whole: it cannot be written: {error}", self.path.display()))
    }
}

/// One line of the file.
fn record(direction: Direction, line: &[u8]) -> String {
    let direction = match direction {
        Direction::Sent => "sent",
        Direction::Received => "received",
    };
    let message = serde_json::from_slice::<&RawValue>(line);
    let (key, json) = match message {
        Ok(message) => ("message", masked(message.get())),
        Err(_) => ("text", Value::from(String::from_utf8_lossy(line)).to_string()),
    };
    let at = jiff::Timestamp::now();
    format!("{{\"at\":\"{at:.6}\",\"direction\":\"{direction}\",\"{key}\":{}}}\n", escaped(&json))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_one_object_whatever_the_line_is() {
        for line in [&b"{\"method\":\"x\"}"[..], b" [1] ", b"Welcome\t\x1b[2J", b"\xff\xfe", b""] {
            let record = record(Direction::Received, line);
            let value: Value = serde_json::from_str(&record).unwrap();
            assert!(value["at"].as_str().unwrap().ends_with('Z') && record.ends_with("}\n"), "{record}");
            assert!(value.get("message").is_some() != value.get("text").is_some(), "{record}");
            assert_eq!(record.matches('\n').count(), 1);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_told_and_stops_nothing() {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let trace = Trace { path: "trace.jsonl".into(), file: Arc::new(Mutex::new(Ok(full))) };
        assert_eq!(trace.trouble(), None);
        let tap = trace.tap();
        tap(Direction::Sent, b"{}");
        tap(Direction::Sent, b"{}");
        let told = trace.trouble().unwrap();
        assert!(told.contains("trace.jsonl is not whole"), "{told}");
    }
}
