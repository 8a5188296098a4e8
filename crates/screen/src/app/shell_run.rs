//! A shell command of the person, and its output.

use attache_host::{Exit, Launch};
use attache_view::sanitize;
use attache_view::{CallStatus, Line, Output, Role, Row, RowContent, TerminalScreen, ToolCallRow};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;

/// The lines of output that are kept.
const LINES: usize = 2000;

/// A shell command of the person.
pub(crate) struct ShellRun {
    /// The number of rows of the session when it began: it is shown behind them.
    pub(crate) after: usize,
    pub(crate) row: Arc<Row>,
    line: String,
    output: Arc<ShellOutput>,
}

/// What a command wrote so far.
pub(crate) struct ShellOutput {
    screen: Mutex<TerminalScreen>,
    ended: Mutex<Option<(i64, Result<Exit, String>)>>,
    grew: AtomicBool,
    stop: Notify,
}

impl ShellRun {
    /// Makes the row of a command that begins now.
    pub(crate) fn new(line: &str, after: usize, number: usize, now: i64) -> Self {
        let output = Arc::new(ShellOutput {
            screen: Mutex::new(TerminalScreen::new(LINES, 24)),
            ended: Mutex::new(None),
            grew: AtomicBool::new(true),
            stop: Notify::new(),
        });
        let call = ToolCallRow {
            id: format!("shell-{number}"),
            kind: "execute".to_owned(),
            title: Line::of(format!("! {}", sanitize::visible_line(line)), Role::Code),
            effect: Vec::new(),
            status: CallStatus::Running,
            ended_at: None,
            places: Vec::new(),
            outputs: Vec::new(),
            quiet: false,
            can_cancel: true,
        };
        let content = RowContent::ToolCall(Box::new(call));
        let row = Arc::new(Row { id: usize::MAX - number, at: now, depth: 0, content });
        Self { after, row, line: line.to_owned(), output }
    }

    pub(crate) fn output(&self) -> Arc<ShellOutput> {
        self.output.clone()
    }

    /// Whether the command wrote something, or ended, since the last refresh.
    pub(crate) fn grew(&self) -> bool {
        self.output.grew.load(Ordering::Acquire)
    }

    /// Stops the command; `false` if it has ended.
    pub(crate) fn stop(&self) -> bool {
        let runs = lock(&self.output.ended).is_none();
        if runs {
            self.output.stop.notify_one();
        }
        runs
    }

    /// Takes the output so far into the row; `false` if there is nothing new.
    pub(crate) fn refresh(&mut self) -> bool {
        if !self.output.grew.swap(false, Ordering::AcqRel) {
            return false;
        }
        let RowContent::ToolCall(call) = &self.row.content else { return false };
        let mut call = call.clone();
        let ended = lock(&self.output.ended).clone();
        let mut words = String::new();
        match ended {
            None => {}
            Some((at, result)) => {
                call.ended_at = Some(at);
                call.can_cancel = false;
                call.status = match &result {
                    Ok(exit) if exit.success() => CallStatus::Completed,
                    _ => CallStatus::Failed,
                };
                words = match result {
                    Ok(exit) if exit.success() => String::new(),
                    Ok(exit) => exit.to_string(),
                    Err(why) => sanitize::visible_line(&why),
                };
            }
        }
        let screen = lock(&self.output.screen);
        let lines = screen.lines();
        call.outputs = vec![Output::Terminal {
            id: call.id.clone(),
            command: Line::default(),
            lines,
            omitted: screen.omitted(),
            ended: Line::of(words, Role::Error),
        }];
        drop(screen);
        let row = Row { content: RowContent::ToolCall(call), ..Row::clone(&self.row) };
        self.row = Arc::new(row);
        true
    }

    pub(crate) fn line(&self) -> &str {
        &self.line
    }
}

/// Runs a command in a terminal of its own until it ends or is stopped. Wakes the loop when there
/// is output.
pub(crate) async fn run(
    line: String,
    folder: &Path,
    size: (u16, u16),
    output: Arc<ShellOutput>,
    wake: Arc<Notify>,
    now: impl Fn() -> i64,
) {
    let started = Launch::shell(&line).cwd(folder).run_in_terminal(size.1, size.0);
    let result = match started {
        Ok(mut command) => loop {
            tokio::select! {
                () = output.stop.notified() => command.kill(),
                chunk = command.chunk() => match chunk {
                    Some(chunk) => {
                        lock(&output.screen).push(chunk);
                        output.grew.store(true, Ordering::Release);
                        wake.notify_one();
                    }
                    None => break Ok(command.wait().await),
                },
            }
        },
        Err(error) => Err(error.to_string()),
    };
    *lock(&output.ended) = Some((now(), result));
    output.grew.store(true, Ordering::Release);
    wake.notify_one();
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for ShellRun {
    /// Nothing else can stop the command.
    fn drop(&mut self) {
        self.stop();
    }
}
