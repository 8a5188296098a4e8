//! One terminal: a command, the end of its output, and how it ended.

use crate::lock::lock;
use crate::race::{Raced, race};
use crate::terminals::editor_terminals::EditorTerminal;
use crate::terminals::terminal_meta::TerminalEvent;
use attache_host::{Command, Exit, Tail};
use attache_protocol::Error;
use attache_protocol::v1::{TerminalExitStatus, TerminalOutputResponse};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, watch};

/// How many bytes of a released terminal's output are kept.
const SHOWN: usize = 256 * 1024;

/// How often the output of an editor's terminal is read, so that others see it.
const PERIOD: Duration = Duration::from_millis(250);

/// The output of an editor's terminal is read for at most this fraction of the time.
const SHARE: u32 = 4;

/// How long an editor may take to report the end of a command that it has killed.
const PATIENCE: Duration = Duration::from_secs(30);

/// How a command ended. An error says why that is not known.
type Ended = Result<TerminalExitStatus, Error>;

/// The state of one terminal. Its command belongs to the task that runs it.
pub(crate) struct Terminal {
    kept: Mutex<Kept>,
    exit: watch::Sender<Option<Ended>>,
    killed: Notify,
    /// Whether the agent runs the command itself and reports its output.
    is_of_agent: bool,
    /// The terminal of the editor that runs the command, until it is released.
    editor: Mutex<Option<Arc<dyn EditorTerminal>>>,
}

/// The end of the output; the start is dropped first (TERM-05).
struct Kept {
    tail: Tail,
    /// The limit of the tail, in bytes.
    limit: usize,
    /// Whether output was already missing from the longer tail that this one replaced.
    dropped: bool,
}

impl Terminal {
    /// Makes a terminal that keeps at most `limit` bytes of output.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            kept: Mutex::new(Kept { tail: Tail::new(limit), limit, dropped: false }),
            exit: watch::Sender::new(None),
            killed: Notify::new(),
            is_of_agent: false,
            editor: Mutex::default(),
        }
    }

    /// Makes a terminal whose command the agent runs itself.
    pub(crate) fn of_agent(limit: usize) -> Self {
        Self { is_of_agent: true, ..Self::new(limit) }
    }

    /// Makes a terminal whose command runs in this terminal of an editor.
    pub(crate) fn in_editor(editor: Arc<dyn EditorTerminal>, limit: usize) -> Self {
        Self { editor: Mutex::new(Some(editor)), ..Self::new(limit) }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the command runs in a terminal of an editor.
    pub(crate) fn is_in_editor(&self) -> bool {
        lock(&self.editor).is_some()
    }

    fn editor(&self) -> Option<Arc<dyn EditorTerminal>> {
        lock(&self.editor).clone()
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
        terminal.exit.send_replace(command.try_exit().map(|exit| Ok(status(exit))));
    }

    /// Copies the output of the editor's terminal until the command has ended or the terminal is
    /// released.
    pub(crate) async fn follow_editor(self: Arc<Self>) {
        let ending = Ending(self);
        let terminal = &ending.0;
        let Some(editor) = terminal.editor() else { return };
        let mut exit = editor.wait_for_exit();
        let mut pause = PERIOD;
        let ended = loop {
            let released = terminal.killed.notified();
            let looked = async {
                tokio::time::sleep(pause).await;
                let begun = Instant::now();
                terminal.copy(editor.output().await);
                begun.elapsed()
            };
            match race(race(&mut exit, released), looked).await {
                Raced::First(Raced::First(ended)) => break ended,
                Raced::First(Raced::Second(())) => return,
                Raced::Second(took) => pause = PERIOD.max(took * SHARE),
            }
        };
        // After a failure, the editor has probably gone.
        if ended.is_ok() {
            terminal.copy(editor.output().await);
        }
        terminal.exit.send_replace(Some(ended));
    }

    /// Keeps the output of the editor's terminal. A failure leaves what was kept before.
    fn copy(&self, output: Result<TerminalOutputResponse, Error>) {
        let Ok(output) = output else { return };
        let mut kept = self.kept();
        let mut tail = Tail::new(kept.limit);
        tail.push(output.output.as_bytes());
        *kept = Kept { tail, limit: kept.limit, dropped: output.truncated };
    }

    /// Kills the command with everything it started, if it runs. The returned future waits until it
    /// has ended.
    pub(crate) fn kill(self: Arc<Self>) -> impl Future<Output = Result<(), Error>> + Send {
        let editor = self.editor().filter(|_| self.exit.borrow().is_none());
        let killing = editor.map(|editor| editor.kill());
        if !self.is_in_editor() {
            self.killed.notify_one();
        }
        async move {
            let Some(killing) = killing else { return self.ended().await.map(drop) };
            killing.await?;
            match tokio::time::timeout(PATIENCE, self.ended()).await {
                Ok(ended) => ended.map(drop),
                Err(_) => Err(Error::internal(
                    "the editor that runs the command has killed it, but does not report its end",
                )),
            }
        }
    }

    /// Releases the terminal: kills the command with everything it started, if it runs, and waits
    /// until it has ended. The editor's terminal is taken at once.
    pub(crate) fn release(self: Arc<Self>) -> impl Future<Output = Result<(), Error>> + Send {
        let editor = lock(&self.editor).take();
        if editor.is_none() {
            self.killed.notify_one();
        }
        async move {
            let Some(editor) = editor else {
                self.ended().await?;
                return Ok(());
            };
            if self.exit.borrow().is_none() {
                self.copy(editor.output().await);
            }
            let released = editor.release().await;
            self.killed.notify_one();
            // With an editor that has gone, its terminals are gone too.
            let is_lost = matches!(*self.exit.borrow(), Some(Err(_)));
            if is_lost { Ok(()) } else { released }
        }
    }

    /// Leaves the editor's terminal, which ends its command.
    pub(crate) fn leave_editor(&self) {
        drop(lock(&self.editor).take());
    }

    /// Waits until the command has ended, for any number of waiters (TERM-07).
    ///
    /// # Errors
    /// Returns an error if the editor that ran the command has gone.
    pub(crate) async fn ended(&self) -> Result<TerminalExitStatus, Error> {
        let mut exit = self.exit.subscribe();
        let ended = exit.wait_for(Option::is_some).await;
        ended.ok().and_then(|exit| exit.clone()).unwrap_or_else(|| Ok(TerminalExitStatus::new()))
    }

    /// The output so far, and how the command ended if it has (TERM-06).
    pub(crate) fn output(&self) -> TerminalOutputResponse {
        // The exit is read first, because the output of a command that has ended is complete.
        let exit = self.exit.borrow().clone();
        let kept = self.kept();
        let mut response =
            TerminalOutputResponse::new(kept.tail.text(), kept.dropped || kept.tail.truncated());
        response.exit_status =
            exit.map(|ended| ended.unwrap_or_else(|_| TerminalExitStatus::new()));
        response
    }

    /// The output as the agent gets it: that of an editor's terminal is read now.
    ///
    /// # Errors
    /// Returns an error if the editor that ran the command has gone or refuses.
    pub(crate) async fn output_now(&self) -> Result<TerminalOutputResponse, Error> {
        let exit = self.exit.borrow().clone();
        let editor = match exit {
            Some(Err(error)) => return Err(error),
            Some(Ok(_)) => None,
            None => self.editor(),
        };
        let Some(editor) = editor else { return Ok(self.output()) };
        let read = editor.output().await?;
        let exit_status = read.exit_status.clone();
        self.copy(Ok(read));
        let output = self.output();
        Ok(TerminalOutputResponse { exit_status: output.exit_status.or(exit_status), ..output })
    }

    /// Keeps less of the output, because from now on the output is only displayed.
    pub(crate) fn shrink(&self) {
        let mut kept = self.kept();
        let limit = kept.limit.min(SHOWN);
        let mut tail = Tail::new(limit);
        tail.push(kept.tail.text().as_bytes());
        *kept = Kept { dropped: kept.dropped || kept.tail.truncated(), limit, tail };
    }

    /// Applies an event that the agent reports. It has no effect on the terminals of this client.
    pub(crate) fn apply(&self, event: &TerminalEvent) {
        if !self.is_of_agent {
            return;
        }
        match event {
            TerminalEvent::Began => {}
            TerminalEvent::Output(data) => self.kept().tail.push(data.as_bytes()),
            TerminalEvent::Exit(status) => drop(self.exit.send_replace(Some(Ok(status.clone())))),
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
                *exit = Some(Ok(TerminalExitStatus::new()));
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
