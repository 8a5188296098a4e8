//! Reading the messages with an agent.

use super::agent_trace::AgentTrace;
use super::frame::Frame;
use std::sync::Arc;
use tokio::sync::watch;

/// About how many bytes of messages are read at once.
const PART: usize = 256 * 1024;

/// A place in the messages with an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TracePosition {
    /// The run of the hub.
    pub(crate) run: i64,
    /// The number of the last message that was read.
    pub(crate) number: u64,
}

/// Reads the messages with an agent. Its latest messages are kept while there is such a reader.
pub(crate) struct TraceWatch {
    trace: Arc<AgentTrace>,
    run: i64,
    number: u64,
    added: watch::Receiver<()>,
}

impl TraceWatch {
    pub(super) fn new(trace: Arc<AgentTrace>, run: i64, after: Option<TracePosition>) -> Self {
        let (last, added) = trace.watch();
        let known = after.filter(|after| after.run == run && after.number <= last);
        Self { trace, run, number: known.map_or(0, |after| after.number), added }
    }

    /// The run of the hub.
    pub(crate) fn run(&self) -> i64 {
        self.run
    }

    /// Waits for messages after those that were returned before, and returns them. Messages whose
    /// numbers are missing are no longer there. Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> Vec<Arc<Frame>> {
        loop {
            // What is added from now on ends the wait below.
            self.added.mark_unchanged();
            let frames = self.trace.after(self.number, PART);
            if let Some(last) = frames.last() {
                self.number = last.number;
                return frames;
            }
            // `self.trace` has the sender.
            if self.added.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

impl Drop for TraceWatch {
    fn drop(&mut self) {
        self.trace.unwatch();
    }
}
