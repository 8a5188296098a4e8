//! Input that is typed while no line is being read.

use super::draft::Draft;
use super::{FOR_EVER, Ready, open, wait};
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::AsRawFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::Notify;

/// The time limit for the rest of a key's sequence, in milliseconds.
const SEQUENCE: libc::c_int = 50;

/// Stores input that is typed while no line is being read. The input becomes the start of the next
/// line; until then, it is neither shown nor sent.
pub(crate) struct TypeAhead {
    /// Whether a terminal can be read.
    is_on: bool,
    kept: Arc<StoredInput>,
    reading: Option<Reading>,
}

#[derive(Default)]
struct StoredInput {
    draft: Mutex<Draft>,
    /// Notifies of new input.
    typed: Notify,
}

/// The reading thread. It ends when the pipe is closed.
struct Reading {
    until: PipeWriter,
    thread: JoinHandle<()>,
}

impl TypeAhead {
    /// Creates an idle reader; if `is_on` is false, it never reads.
    pub(crate) fn new(is_on: bool) -> Self {
        Self { is_on, kept: Arc::default(), reading: None }
    }

    /// Starts to read. If the terminal cannot be read, nothing is stored.
    pub(crate) fn start(&mut self) {
        if self.is_on && self.reading.is_none() {
            self.reading = Reading::begin(self.kept.clone()).ok();
        }
    }

    /// Stops reading, so that another reader gets the keys. Earlier input is kept.
    pub(crate) fn stop(&mut self) {
        if let Some(Reading { until, thread }) = self.reading.take() {
            drop(until);
            // The closed pipe wakes the thread, which then ends at once. It cannot panic.
            drop(thread.join());
        }
    }

    /// Takes the stored input.
    pub(crate) fn take(&mut self) -> String {
        lock(&self.kept.draft).take()
    }

    /// Takes the first complete line of the stored input if it is this command, and returns the
    /// arguments.
    pub(crate) fn take_command(&mut self, command: &str) -> Option<String> {
        lock(&self.kept.draft).take_command(command)
    }

    /// Waits for new input.
    pub(crate) async fn typed(&self) {
        self.kept.typed.notified().await;
    }
}

impl Drop for TypeAhead {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Reading {
    fn begin(kept: Arc<StoredInput>) -> io::Result<Self> {
        let tty = open()?;
        let (ended, until) = io::pipe()?;
        let thread = std::thread::Builder::new()
            .name("type-ahead".to_owned())
            // An error is ignored: if the terminal is gone, no input arrives.
            .spawn(move || drop(read(tty, &ended, &kept)))?;
        Ok(Self { until, thread })
    }
}

fn read(mut tty: File, until: &PipeReader, kept: &StoredInput) -> io::Result<()> {
    let mut bytes = [0; 1024];
    loop {
        let limit = if lock(&kept.draft).is_within() { SEQUENCE } else { FOR_EVER };
        match wait(tty.as_raw_fd(), until.as_raw_fd(), limit)? {
            Ready::Nothing => lock(&kept.draft).end_sequence(),
            Ready::Until => break,
            Ready::Tty => {
                let count = tty.read(&mut bytes)?;
                if count == 0 {
                    return Ok(());
                }
                let mut draft = lock(&kept.draft);
                draft.push(bytes.get(..count).unwrap_or_default());
                if !draft.is_empty() {
                    kept.typed.notify_one();
                }
            }
        }
    }
    // Input in the terminal was typed before the next question and must not answer it.
    while super::is_readable(&tty)? {
        let count = tty.read(&mut bytes)?;
        if count == 0 {
            break;
        }
        lock(&kept.draft).push(bytes.get(..count).unwrap_or_default());
    }
    lock(&kept.draft).end_sequence();
    Ok(())
}

fn lock(draft: &Mutex<Draft>) -> std::sync::MutexGuard<'_, Draft> {
    draft.lock().unwrap_or_else(PoisonError::into_inner)
}
