//! One terminal: a command, the end of its output, and how it ended.

use crate::race::{Raced, race};
use crate::terminals::terminal_meta::TerminalEvent;
use attache_host::{Command, Exit, Tail};
use attache_protocol::v1::{TerminalExitStatus, TerminalOutputResponse};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, watch};

/// How many bytes of a released terminal's output are kept.
const SHOWN: usize = 256 * 1024;

/// The state of one terminal. Its command belongs to the task that runs it.
pub(crate) struct Terminal {
    kept: Mutex<Kept>,
    exit: watch::Sender<Option<TerminalExitStatus>>,
    killed: Notify,
}

/// The end of the output; the start is dropped first (TERM-05).
struct Kept {
    tail: Tail,
    /// Whether output was already missing from the longer tail that `shrink` replaced with this
    /// one.
    dropped: bool,
}

impl Terminal {
    /// Makes a terminal that keeps at most `limit` bytes of output.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            kept: Mutex::new(Kept { tail: Tail::new(limit), dropped: false }),
            exit: watch::Sender::new(None),
            killed: Notify::new(),
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the command to its end. Dropping the future kills the command.
    pub(crate) async fn run(self: Arc<Self>, mut command: Command) {
        let ending = Ending(self);
        let terminal = &ending.0;
        loop {
            // The kill is checked first: a command that never stops writing must not delay it.
            match race(terminal.killed.notified(), command.chunk()).await {
                Raced::First(()) => command.kill(),
                Raced::Second(Some(bytes)) => terminal.kept().tail.push(bytes),
                Raced::Second(None) => break,
            }
        }
        terminal.exit.send_replace(command.try_exit().map(status));
    }

    /// Kills the command with everything it started, if it runs. Returns at once.
    pub(crate) fn kill(&self) {
        self.killed.notify_one();
    }

    /// Waits until the command has ended, for any number of waiters (TERM-07).
    pub(crate) async fn ended(&self) -> TerminalExitStatus {
        let mut exit = self.exit.subscribe();
        let ended = exit.wait_for(Option::is_some).await;
        ended.ok().and_then(|exit| exit.clone()).unwrap_or_else(TerminalExitStatus::new)
    }

    /// The output so far, and how the command ended if it has (TERM-06).
    pub(crate) fn output(&self) -> TerminalOutputResponse {
        // The exit is read first, because the output of a command that has ended is complete.
        let exit = self.exit.borrow().clone();
        let kept = self.kept();
        let mut response =
            TerminalOutputResponse::new(kept.tail.text(), kept.dropped || kept.tail.truncated());
        response.exit_status = exit;
        response
    }

    /// Keeps less of the output, because from now on the output is only displayed.
    pub(crate) fn shrink(&self) {
        let mut kept = self.kept();
        let mut tail = Tail::new(SHOWN);
        tail.push(kept.tail.text().as_bytes());
        *kept = Kept { dropped: kept.dropped || kept.tail.truncated(), tail };
    }

    /// Applies an event of a terminal that the agent runs itself.
    pub(crate) fn apply(&self, event: &TerminalEvent) {
        match event {
            TerminalEvent::Began => {}
            TerminalEvent::Output(data) => self.kept().tail.push(data.as_bytes()),
            TerminalEvent::Exit(status) => drop(self.exit.send_replace(Some(status.clone()))),
        }
    }
}

/// Answers the waiters even if the task ends before the command. The exit status is then unknown
/// (TERM-14).
struct Ending(Arc<Terminal>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.exit.send_if_modified(|exit| {
            let unknown = exit.is_none();
            if unknown {
                *exit = Some(TerminalExitStatus::new());
            }
            unknown
        });
    }
}

/// Either a code or a signal (TERM-08).
fn status(exit: Exit) -> TerminalExitStatus {
    let mut status = TerminalExitStatus::new();
    status.exit_code = exit.code.and_then(|code| u32::try_from(code).ok());
    let name = |number: i32| exit.signal_name().map_or_else(|| number.to_string(), str::to_owned);
    status.signal = exit.signal.map(name);
    status
}
