//! What a run shows, and the faces that show it: a terminal, a pipe for people, a pipe for programs.

pub(crate) mod diff;
pub(crate) mod json;
pub(crate) mod paint;
pub(crate) mod plain;
pub(crate) mod plan;
pub(crate) mod progress;
pub(crate) mod sanitize;
pub(crate) mod terminal;
pub(crate) mod terminal_output;
pub(crate) mod tool_call;
pub(crate) mod usage;
pub(crate) mod width;

use crate::exit::Exit;
use crate::permission::Verdict;
use crate::run::session::Opened;
use attache_client::PermissionRequest;
use attache_protocol::v1::{ContentBlock, Implementation, Notice, StopReason, ToolCall, Usage};
use attache_session::{ConfigOptions, MessageAuthor, PlanContent, UsageState};
use std::io;

/// One thing to show. Strings are as the agent sent them: each face makes them harmless for where they go.
pub(crate) enum Item<'a> {
    /// The agent answered the handshake.
    Agent(Option<&'a Implementation>),
    /// A session is open.
    Session { id: &'a str, cwd: &'a str, opened: Opened, title: Option<&'a str> },
    /// A prompt is sent: which of how many.
    Prompt { text: &'a str, number: usize, count: usize },
    /// Something that the person should know and that stops nothing.
    Warning(&'a str),
    /// A message begins; its text follows.
    Message(MessageAuthor),
    /// Something in a message that is not text.
    Content { author: MessageAuthor, block: &'a ContentBlock },
    /// More of the agent's answer, a suffix of it.
    Text(&'a str),
    /// More of what the agent thinks, a suffix of it.
    Thought(&'a str),
    /// A tool call began or changed; the call as it is now.
    ToolCall(&'a ToolCall),
    /// A plan was stated or replaced.
    Plan(&'a PlanContent),
    /// A permission was asked and is decided.
    Permission { request: &'a PermissionRequest, verdict: &'a Verdict },
    /// Context or cost changed.
    Usage(&'a UsageState),
    /// The session's title changed; `None` removes it.
    Title(Option<&'a str>),
    /// Options or modes changed; all of them.
    Config(&'a ConfigOptions),
    /// The agent tells something that is no part of the answer.
    Notice(&'a Notice),
    /// The turn ended with a stop reason.
    Stop { reason: &'a StopReason, usage: Option<&'a Usage>, state: &'a UsageState },
    /// The run failed.
    Error { exit: Exit, message: &'a str },
}

/// A face: shows what happens, in order.
pub(crate) trait Show: Send {
    /// Shows one thing, and has it written when it returns.
    fn show(&mut self, item: Item<'_>) -> io::Result<()>;

    /// Leaves the line that is being written, so that others may write to the terminal.
    fn pause(&mut self) -> io::Result<()>;
}
