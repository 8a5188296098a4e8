//! What is typed while no line is read.

use super::draft::Draft;
use super::{FOR_EVER, Ready, open, wait};
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::AsRawFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::Notify;

/// How long the rest of a key's sequence may take, in milliseconds.
const SEQUENCE: libc::c_int = 50;

/// Keeps what the person types while no line is read, so that it waits for the next one: it is
/// neither shown nor sent.
pub(crate) struct TypeAhead {
    /// Whether there is a terminal to read.
    is_on: bool,
    kept: Arc<Kept>,
    reading: Option<Reading>,
}

#[derive(Default)]
struct Kept {
    draft: Mutex<Draft>,
    /// Something was typed.
    typed: Notify,
}

/// The thread that reads. It ends when the pipe does.
struct Reading {
    until: PipeWriter,
    thread: JoinHandle<()>,
}

impl TypeAhead {
    /// Reads nothing yet; where `is_on` is false it never does.
    pub(crate) fn new(is_on: bool) -> Self {
        Self { is_on, kept: Arc::default(), reading: None }
    }

    /// Keeps what is typed from now on. Where the terminal cannot be read nothing is kept.
    pub(crate) fn start(&mut self) {
        if self.is_on && self.reading.is_none() {
            self.reading = Reading::begin(self.kept.clone()).ok();
        }
    }

    /// Leaves the keys to another reader. What was typed until now is kept.
    pub(crate) fn stop(&mut self) {
        if let Some(Reading { until, thread }) = self.reading.take() {
            drop(until);
            // It is awake already and ends at once; it cannot panic.
            drop(thread.join());
        }
    }

    /// What was typed; it is no longer kept.
    pub(crate) fn take(&mut self) -> String {
        lock(&self.kept.draft).take()
    }

    /// Waits until something is typed.
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
    fn begin(kept: Arc<Kept>) -> io::Result<Self> {
        let tty = open()?;
        let (ended, until) = io::pipe()?;
        let thread = std::thread::Builder::new()
            .name("type-ahead".to_owned())
            // Without the terminal nothing is typed.
            .spawn(move || drop(read(tty, &ended, &kept)))?;
        Ok(Self { until, thread })
    }
}

fn read(mut tty: File, until: &PipeReader, kept: &Kept) -> io::Result<()> {
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
    // What the terminal holds was typed before: it must not become an answer to what is shown next.
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
