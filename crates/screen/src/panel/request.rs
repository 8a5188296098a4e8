//! What panels ask the screen to do.

use crate::services::SessionChange;
use attache_client::{Decision, Effect, FormReply, ListedSession, QueuedPromptId, UrlReply};
use attache_protocol::v1::{SessionConfigOptionValue, SessionId};
use attache_view::RuleReach;

/// Something that a panel asks the screen to do.
#[derive(Debug)]
pub(crate) enum Request {
    /// Open a session of the list, or show it if it is open.
    Open(Box<ListedSession>),
    /// Start a new session with this agent.
    NewSession { agent: String },
    /// Show the question of this open session here.
    AnswerHere { agent: String, id: SessionId },
    /// Show this open session.
    Show { agent: String, id: SessionId },
    /// Change a session of the list.
    Change(Box<ListedSession>, SessionChange),
    /// Search the texts of the stored sessions.
    Search(String),
    /// Set an option of the current session.
    SetOption { id: String, value: SessionConfigOptionValue },
    /// Put a waiting prompt into the composer.
    EditQueued(QueuedPromptId),
    /// Remove a waiting prompt.
    RemoveQueued(QueuedPromptId),
    /// Move a waiting prompt to this position.
    MoveQueued(QueuedPromptId, usize),
    /// Send a waiting prompt now.
    SendNow(QueuedPromptId),
    /// Log in to an agent in the terminal.
    LogIn { agent: String },
    /// Start an agent again.
    Restart { agent: String },
    /// Open this page with the person's browser.
    OpenPage(String),
    /// Answer a question.
    Answer(PanelAnswer),
    /// Search this text in the conversation; an empty one ends the search.
    SearchHere(String),
    /// Stop this tool call alone.
    StopCall(String),
    /// Copy a text.
    Copy(String),
    /// End the screen.
    Quit,
}

/// The person's answer to the question that is shown.
#[derive(Debug)]
pub(crate) enum PanelAnswer {
    /// An answer to a permission request.
    Permission(Decision),
    /// Remember the rule with this effect and reach, and decide by it.
    Remember { effect: Effect, reach: RuleReach },
    /// Reject, and tell the agent why.
    RejectSaying(String),
    /// An answer to a form.
    Form(FormReply),
    /// An answer to a page; `open` is the address to open.
    Page { reply: UrlReply, open: Option<String> },
}
