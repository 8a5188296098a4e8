//! `/stop`: stops one tool call or one command of an agent of version 2, and not the whole turn.

use crate::say::{println, say};
use crate::show::paint::{DIM, RED};
use crate::show::{tool_call, width};
use crate::terminal;
use attache_client::HubSession;
use attache_connection::CallError;
use attache_protocol::v1::{TerminalId, ToolCallId};
use attache_session::{EntryContent, Session};
use attache_view::sanitize;
use std::future::Future;
use std::pin::Pin;

/// The command.
pub(crate) const STOP: &str = "/stop";

/// Something that the agent can stop by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    ToolCall(ToolCallId),
    Terminal(TerminalId),
}

/// A stop that the agent has not answered.
type Stopping = Pin<Box<dyn Future<Output = Result<(), CallError>> + Send>>;

/// The state of the command.
#[derive(Default)]
pub(crate) struct Stop {
    /// The latest list. The numbers of the person refer to it, even if some of its work has ended.
    listed: Vec<Target>,
    stopping: Option<Stopping>,
}

impl Stop {
    /// Runs the command with these arguments. A stop goes on until [`Stop::done`] completes.
    pub(crate) fn run(&mut self, session: &HubSession, wanted: &str) {
        let snapshot = session.snapshot();
        let works = works(&snapshot);
        // A number refers to a list that the person has seen.
        if wanted.is_empty() || self.listed.is_empty() {
            if works.is_empty() {
                return say(DIM, "Nothing can be stopped alone: Ctrl-C cancels a turn.");
            }
            self.list(works);
            return say(DIM, "Stop one with /stop NUMBER.");
        }
        if self.is_stopping() {
            return say(RED, "The agent has not answered the last /stop yet: wait for its answer.");
        }
        let number = wanted.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let Some(target) = number.and_then(|number| self.listed.get(number)).cloned() else {
            let wanted = sanitize::line(wanted);
            return say(
                RED,
                &format!(
                    "There is nothing to stop with the number {wanted}: /stop lists what there is."
                ),
            );
        };
        say(DIM, "stopping …");
        let session = session.clone();
        self.stopping = Some(Box::pin(async move {
            match &target {
                Target::ToolCall(id) => session.cancel_tool_call(id).await,
                Target::Terminal(id) => session.cancel_terminal(id).await,
            }
        }));
    }

    fn list(&mut self, works: Vec<(Target, String)>) {
        let columns = terminal::columns().unwrap_or(80);
        for (index, (_, line)) in works.iter().enumerate() {
            println(&format!(
                "  {:>2}  {}",
                index + 1,
                width::cut(line, columns.saturating_sub(6))
            ));
        }
        self.listed = works.into_iter().map(|(target, _)| target).collect();
    }

    /// Forgets the list, when a new turn begins.
    pub(crate) fn begin_turn(&mut self) {
        self.listed = Vec::new();
    }

    /// Waits until the agent has answered the stop, and shows the answer. Never completes if
    /// nothing is being stopped.
    pub(crate) async fn done(&mut self) {
        let Some(stopping) = &mut self.stopping else { return std::future::pending().await };
        let stopped = stopping.await;
        self.stopping = None;
        match stopped {
            Ok(()) => say(DIM, "The agent stops it."),
            Err(error) => say(RED, &format!("It was not stopped: {error}")),
        }
    }

    /// Whether the agent has not answered a stop yet.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.is_some()
    }
}

/// Whether something can be stopped alone.
pub(crate) fn is_possible(session: &Session) -> bool {
    !works(session).is_empty()
}

/// Returns the tool calls and commands that can be stopped, each with a line for people.
fn works(session: &Session) -> Vec<(Target, String)> {
    let calls = session.entries().iter().filter_map(|entry| match &entry.content {
        EntryContent::ToolCall(call) if call.can_cancel() => {
            let line =
                format!("{:<8} {}", tool_call::kind(call.kind()), sanitize::line(&call.title));
            Some((Target::ToolCall(call.tool_call_id.clone()), line))
        }
        _ => None,
    });
    let terminals = session.terminals().iter().filter(|terminal| terminal.can_cancel());
    let terminals = terminals.map(|terminal| {
        let command = terminal.command.as_deref().unwrap_or(terminal.terminal_id.as_str());
        let line = format!("{:<8} {}", "command", sanitize::line(command));
        (Target::Terminal(terminal.terminal_id.clone()), line)
    });
    calls.chain(terminals).collect()
}
