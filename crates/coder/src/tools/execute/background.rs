//! Background commands, which outlive their turn.

use super::clean::OutputCleaner;
use super::end::{OUTPUT_GIVEN, OUTPUT_KEPT, end_words};
use super::running_command::{CommandLine, RunningCommand};
use crate::tools::fit::{MESSAGE_TEXT, code_block, counted, end_within, one_line};
use crate::tools::tool_result::{Finding, ToolResult};
use attache_agent::{Result, ToolCallHandle};
use attache_host::Bounded;
use attache_protocol::v1::ContentBlock;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// The maximum number of running background commands of a session.
const MAX_RUNNING: usize = 8;

/// The maximum number of background commands that a session remembers, including those that have
/// ended.
const MAX_KNOWN: usize = 32;

/// The background commands of a session. Dropping this value kills all of them.
#[derive(Debug, Default)]
pub(crate) struct Background {
    known: BTreeMap<u32, Arc<Process>>,
    last: u32,
    /// For each command, the task that reads its output and owns its processes.
    tasks: JoinSet<()>,
}

/// One background command.
#[derive(Debug)]
pub(super) struct Process {
    command: String,
    /// The time limit.
    time: Option<Duration>,
    state: Mutex<State>,
    /// Notified when the state changes.
    changed: watch::Sender<()>,
    kill: watch::Sender<bool>,
}

#[derive(Debug)]
struct State {
    /// The output that the model has not seen yet.
    unread: Bounded,
    /// The whole output, for the file of a long output.
    all: Bounded,
    /// How the command ended, in words.
    ended: Option<String>,
    /// Whether the model knows that the command ended.
    told: bool,
}

impl Process {
    fn state<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        let done = work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.send_replace(());
        done
    }

    fn ended(&self) -> Option<String> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).ended.clone()
    }

    /// Kills the command, and waits until it has ended.
    pub(super) async fn kill(&self) {
        self.kill.send_replace(true);
        let mut changes = self.changed.subscribe();
        while self.ended().is_none() && changes.changed().await.is_ok() {}
    }

    /// Shows the output that the model has not seen yet, and completes the call.
    pub(super) async fn show(&self, mut handle: ToolCallHandle) -> Result<ToolResult> {
        let (text, how, file) = self.state(|state| state.take_output());
        let text = match text.is_empty() {
            true => "(nothing new)\n".to_owned(),
            false => text,
        };
        let shown = ContentBlock::text(code_block(end_within(&text, MESSAGE_TEXT)));
        handle.replace_content(vec![shown.into(), ContentBlock::text(how.as_str()).into()]).await?;
        handle.complete().await?;
        let file = file
            .map(|file| format!("; its whole output is in {}", file.display()))
            .unwrap_or_default();
        Ok(ToolResult::done(
            format!("{}\n[{how}{file}]", text.trim_end_matches('\n')),
            Finding::Nothing,
        ))
    }

    /// Waits until the command has written something or has ended.
    pub(super) async fn has_news(&self) {
        let mut changes = self.changed.subscribe();
        loop {
            {
                let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                if state.ended.is_some() || state.unread.total_bytes() > 0 {
                    return;
                }
            }
            if changes.changed().await.is_err() {
                return;
            }
        }
    }

    /// Reads the output to its end, and records how the command ended.
    async fn run(
        self: Arc<Self>,
        mut running_command: RunningCommand,
        mut clean: Option<OutputCleaner>,
    ) {
        let mut killed = self.kill.subscribe();
        loop {
            let bytes = tokio::select! {
                biased;
                _ = killed.wait_for(|killed| *killed) => break,
                chunk = running_command.command.chunk() => match chunk {
                    None => break,
                    Some(chunk) => match &mut clean {
                        Some(clean) => clean.push(chunk),
                        None => chunk.to_vec(),
                    },
                },
            };
            self.state(|state| state.push(&bytes));
        }
        running_command.command.kill();
        let exit = running_command.command.wait().await;
        let time = self.time.filter(|_| running_command.command.timed_out());
        let mut end = end_words(exit, time, false);
        if let Some(watch) = running_command.watch.take()
            && let Ok(Some(changed)) = tokio::task::spawn_blocking(move || watch.report()).await
        {
            end.push_str("; ");
            end.push_str(&changed);
        }
        self.state(|state| {
            if let Some(clean) = &clean {
                state.push(clean.open_line());
            }
            state.ended = Some(end);
        });
    }
}

impl State {
    fn push(&mut self, bytes: &[u8]) {
        self.unread.push(bytes);
        self.all.push(bytes);
    }

    /// Returns the output that the model has not seen yet, and the state of the command. If a part
    /// of the output is left out, the text names the file that has the whole output.
    fn take_output(&mut self) -> (String, String, Option<PathBuf>) {
        let unread = std::mem::replace(&mut self.unread, Bounded::new(OUTPUT_GIVEN));
        self.told |= self.ended.is_some();
        let how = self.ended.clone().unwrap_or_else(|| "still running".to_owned());
        let file = self.all.spilled().filter(|_| unread.truncated()).map(Into::into);
        (unread.text(), how, file)
    }
}

impl Background {
    /// Keeps a command running in the background and returns its id.
    ///
    /// # Errors
    /// Returns an error if too many background commands are running.
    pub(super) fn begin(
        &mut self,
        line: &CommandLine,
        running_command: RunningCommand,
    ) -> std::result::Result<String, String> {
        while self.tasks.try_join_next().is_some() {}
        if self.tasks.len() >= MAX_RUNNING {
            return Err(format!(
                "{} are already running: end one with `kill` first",
                counted(MAX_RUNNING as u64, "background command")
            ));
        }
        if self.known.len() >= MAX_KNOWN {
            let ended =
                self.known.iter().find(|(_, process)| process.ended().is_some()).map(|(id, _)| *id);
            ended.and_then(|id| self.known.remove(&id));
        }
        self.last += 1;
        let all = Bounded::new(0);
        let all = match &running_command.file {
            Some(file) => all.spill_to(file, OUTPUT_KEPT),
            None => all,
        };
        let state = State { unread: Bounded::new(OUTPUT_GIVEN), all, ended: None, told: false };
        let process = Arc::new(Process {
            command: line.command.clone(),
            time: line.time,
            state: Mutex::new(state),
            changed: watch::Sender::new(()),
            kill: watch::Sender::new(false),
        });
        self.known.insert(self.last, process.clone());
        self.tasks
            .spawn(process.run(running_command, line.in_terminal.then(OutputCleaner::default)));
        Ok(name(self.last))
    }

    pub(super) fn find(&self, id: &str) -> std::result::Result<Arc<Process>, String> {
        let number = id.trim().trim_start_matches("bg").parse::<u32>().ok();
        number.and_then(|number| self.known.get(&number)).cloned().ok_or_else(|| {
            let known: Vec<String> = self.known.keys().map(|number| name(*number)).collect();
            let known = if known.is_empty() {
                "there are no background commands".to_owned()
            } else {
                format!("the background commands are {}", known.join(", "))
            };
            format!("there is no background command {}: {known}", one_line(id, 40))
        })
    }

    /// The note that tells the model which commands have ended since the last such note.
    pub(crate) fn news(&self) -> Option<String> {
        let mut news = Vec::new();
        for (id, process) in &self.known {
            let Some(how) = process.ended() else { continue };
            if process.state(|state| std::mem::replace(&mut state.told, true)) {
                continue;
            }
            let command = one_line(&process.command, 120);
            news.push(format!(
                "[The background command {} ({command}) has ended: {how}. `output` returns its output.]",
                name(*id)
            ));
        }
        (!news.is_empty()).then(|| news.join("\n"))
    }
}

fn name(number: u32) -> String {
    format!("bg{number}")
}
