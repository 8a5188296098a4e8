//! Reads a program's stderr continuously, so that the program never blocks on it, and keeps its
//! last bytes.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Mutex, PoisonError};

use tokio::sync::watch;

use crate::launch::StderrHook;
use crate::process::system::output::Output;
use crate::process::tail::Tail;

/// The number of bytes of stderr that are kept.
const KEPT: usize = 64 * 1024;

/// The part of a program's stderr that is kept.
#[derive(Debug)]
pub(crate) struct Stderr {
    tail: Mutex<Tail>,
    drained: watch::Sender<bool>,
}

impl Stderr {
    pub(crate) fn new() -> Stderr {
        Stderr { tail: Mutex::new(Tail::new(KEPT)), drained: watch::Sender::new(false) }
    }

    /// The last bytes as text.
    pub(crate) fn text(&self) -> String {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner).text()
    }

    /// Waits until stderr is read to its end. Cancel-safe.
    pub(crate) async fn drained(&self) {
        let mut changes = self.drained.subscribe();
        // The sender is in `self`, so waiting cannot fail.
        let _never_fails = changes.wait_for(|drained| *drained).await;
    }

    /// Reads stderr to its end. Reading counts as finished when this future ends or is dropped.
    pub(crate) async fn drain(&self, mut output: Output, mut hook: Option<StderrHook>) {
        let _done = Done(&self.drained);
        let mut buffer = vec![0; 8 * 1024];
        while let Some(count) = output.read(&mut buffer).await {
            self.keep(buffer.get(..count).unwrap_or_default(), &mut hook);
        }
    }

    fn keep(&self, bytes: &[u8], hook: &mut Option<StderrHook>) {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
        if let Some(call) = hook
            && panic::catch_unwind(AssertUnwindSafe(|| call(bytes))).is_err()
        {
            *hook = None;
        }
    }
}

struct Done<'a>(&'a watch::Sender<bool>);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.send_replace(true);
    }
}
