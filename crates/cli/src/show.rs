//! What a run shows, and the faces that show it: a terminal, a pipe for people, a pipe for
//! programs.

pub(crate) mod diff;
pub(crate) mod json;
pub(crate) mod options;
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
use attache_client::{Change, PermissionRequest};
use attache_protocol::v1::{
    ContentBlock, Implementation, Notice, StopReason, TerminalId, TerminalOutputResponse, ToolCall,
    Usage,
};
use attache_session::{ConfigOptions, MessageAuthor, PlanContent, Session, UsageState};
use std::io;

/// One thing to show. Strings are as the agent sent them: each face makes them harmless for where
/// they go.
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
    /// The turn ended with a stop reason. So many actions of it were refused.
    Stop { reason: &'a StopReason, usage: Option<&'a Usage>, state: &'a UsageState, refused: usize },
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

/// Shows what changed in a session. `title` is the one that was shown last.
pub(crate) fn change(
    face: &mut dyn Show,
    change: &Change,
    title: &mut Option<String>,
    session: impl FnOnce() -> Session,
    terminal: impl Fn(&TerminalId) -> Option<TerminalOutputResponse>,
) -> io::Result<()> {
    match change {
        Change::Began(author) => face.show(Item::Message(*author)),
        Change::Text(text) => face.show(Item::Text(text)),
        Change::Thought(text) => face.show(Item::Thought(text)),
        // The person knows what they said.
        Change::Content { author: MessageAuthor::User, .. } => Ok(()),
        Change::Content { author, block } => face.show(Item::Content { author: *author, block }),
        Change::ToolCall(call) => {
            let with_output = terminal_output::shown(call, terminal);
            face.show(Item::ToolCall(with_output.as_ref().unwrap_or(call)))
        }
        Change::Plan { content: Some(content), .. } => face.show(Item::Plan(content)),
        Change::Notice(notice) => face.show(Item::Notice(notice)),
        Change::Config(_) => face.show(Item::Config(session().config())),
        Change::Usage(_) => face.show(Item::Usage(session().usage())),
        Change::Info { title: now, .. } if now != title => {
            title.clone_from(now);
            face.show(Item::Title(now.as_deref()))
        }
        _ => Ok(()),
    }
}
