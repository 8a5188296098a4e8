//! `--trace`: records every line in both directions.

use crate::exit::Failure;
use crate::record::{create, record};
use attache_connection::{Direction, Tap};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A recording in progress. Lines are written to the file at once, so that none is lost if this
/// process is killed.
pub(crate) struct Trace {
    path: PathBuf,
    /// The file, or the reason why writing stopped.
    file: Arc<Mutex<Result<File, io::Error>>>,
}

impl Trace {
    /// Creates the file.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let file = create("--trace", path)?;
        Ok(Self { path: path.into(), file: Arc::new(Mutex::new(Ok(file))) })
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the observer that writes every line.
    pub(crate) fn tap(&self) -> Tap {
        let file = self.file.clone();
        Arc::new(move |direction, line: &[u8]| {
            let direction = match direction {
                Direction::Sent => "sent",
                Direction::Received => "received",
            };
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            if let Ok(open) = &mut *file
                && let Err(error) = open.write_all(
                    record(("direction", direction), jiff::Timestamp::now(), line, "").as_bytes(),
                )
            {
                *file = Err(error);
            }
        })
    }

    /// Returns the reason if the recording is incomplete.
    pub(crate) fn trouble(&self) -> Option<String> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let error = file.as_ref().err()?;
        Some(format!(
            "the trace {} is incomplete: it cannot be written: {error}",
            self.path.display()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::OpenOptions;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_reported_and_stops_nothing() {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let trace = Trace { path: "trace.jsonl".into(), file: Arc::new(Mutex::new(Ok(full))) };
        assert_eq!(trace.trouble(), None);
        let tap = trace.tap();
        tap(Direction::Sent, b"{}");
        tap(Direction::Sent, b"{}");
        let message = trace.trouble().unwrap();
        assert!(message.contains("trace.jsonl is incomplete"), "{message}");
    }
}
