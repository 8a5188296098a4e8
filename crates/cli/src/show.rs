//! The output of a run: for a terminal, as plain text for a pipe, and as JSON for programs.

mod answer;
pub(crate) mod diff;
pub(crate) mod json;
pub(crate) mod options;
pub(crate) mod paint;
pub(crate) mod plain;
pub(crate) mod plan;
pub(crate) mod progress;
pub(crate) mod terminal;
pub(crate) mod terminal_output;
pub(crate) mod tool_call;
pub(crate) mod usage;
pub(crate) mod waiting;
pub(crate) mod width;

use crate::exit::Exit;
use crate::permission::Verdict;
use crate::run::session::Opened;
use attache_client::{Change, PermissionRequest};
use attache_protocol::v1::{
    CompactionUpdate, ContentBlock, Implementation, Notice, StopReason, TerminalId,
    TerminalOutputResponse, Usage,
};
use attache_session::{ConfigOptions, MessageAuthor, PlanContent, Session, ToolCall, UsageState};
use std::io;

/// One thing to show. Strings are as the agent sent them; each output sanitizes them.
pub(crate) enum Item<'a> {
    /// The agent answered the handshake.
    Agent(Option<&'a Implementation>),
    /// A session is open.
    Session { id: &'a str, cwd: &'a str, opened: Opened, title: Option<&'a str> },
    /// A prompt is sent: its number and the number of prompts.
    Prompt { text: &'a str, number: usize, count: usize },
    /// A warning that stops nothing.
    Warning(&'a str),
    /// A message starts; its text follows.
    Message(MessageAuthor),
    /// Content of a message that is not text.
    Content { author: MessageAuthor, block: &'a ContentBlock },
    /// More text of the answer.
    Text(&'a str),
    /// More reasoning of the agent.
    Thought(&'a str),
    /// A tool call started or changed; its current state.
    ToolCall(&'a ToolCall),
    /// A plan was set or replaced.
    Plan(&'a PlanContent),
    /// A permission request was decided.
    Permission { request: &'a PermissionRequest, verdict: &'a Verdict },
    /// Context or cost changed.
    Usage(&'a UsageState),
    /// The title of the session changed; `None` removes it.
    Title(Option<&'a str>),
    /// Options or modes changed; holds all current ones.
    Config(&'a ConfigOptions),
    /// A notice of the agent, outside the answer.
    Notice(&'a Notice),
    /// A compaction of the conversation began or changed; its current state.
    Compaction(&'a CompactionUpdate),
    /// The turn ended with a stop reason, and this many of its actions were refused.
    Stop {
        reason: &'a StopReason,
        usage: Option<&'a Usage>,
        state: &'a UsageState,
        /// The number of refused actions.
        refused: usize,
    },
    /// The run failed.
    Error { exit: Exit, message: &'a str },
}

/// An output that shows the items of a run in order.
pub(crate) trait Show: Send {
    /// Shows one item; it is written when this returns.
    fn show(&mut self, item: Item<'_>) -> io::Result<()>;

    /// Ends the current line, so that other code can write to the terminal.
    fn pause(&mut self) -> io::Result<()>;

    /// Shows what the session waits for, until the next output. An output without a line for it
    /// shows nothing.
    fn waiting(&mut self, _activity: &str) -> io::Result<()> {
        Ok(())
    }
}

/// Shows a change of a session. `title` is the title that was shown last.
pub(crate) fn change(
    output: &mut dyn Show,
    change: &Change,
    title: &mut Option<String>,
    session: impl FnOnce() -> Session,
    terminal: impl Fn(&TerminalId) -> Option<TerminalOutputResponse>,
) -> io::Result<()> {
    match change {
        Change::Began(author) => output.show(Item::Message(*author)),
        Change::Text(text) => output.show(Item::Text(text)),
        Change::Thought(text) => output.show(Item::Thought(text)),
        // The person's own messages are not repeated.
        Change::Content { author: MessageAuthor::User, .. } => Ok(()),
        Change::Content { author, block } => output.show(Item::Content { author: *author, block }),
        Change::ToolCall(call) => {
            let with_output = terminal_output::shown(call, terminal);
            output.show(Item::ToolCall(with_output.as_ref().unwrap_or(call)))
        }
        Change::Plan { content: Some(content), .. } => output.show(Item::Plan(content)),
        Change::Notice(notice) => output.show(Item::Notice(notice)),
        Change::Compaction(compaction) => output.show(Item::Compaction(compaction)),
        Change::Config(_) => output.show(Item::Config(session().config())),
        Change::Usage(_) => output.show(Item::Usage(session().usage())),
        Change::Info { title: now, .. } if now != title => {
            title.clone_from(now);
            output.show(Item::Title(now.as_deref()))
        }
        _ => Ok(()),
    }
}
