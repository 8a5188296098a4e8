//! What panels ask the screen to do.

use crate::panel::review::{Decidable, ReviewChange};
use crate::services::SessionChange;
use attache_checkpoint::{Choices, Goal, Plan, RestoreRequest};
use attache_client::{
    Decision, Effect, FormReply, HubSession, ListedSession, QueuedPromptId, UrlReply,
};
use attache_protocol::v1::{SessionConfigOptionValue, SessionId};
use attache_view::{Row, RuleReach};
use std::sync::Arc;

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
    /// Change a setting of the screen.
    SetScreen { key: &'static str, value: String },
    /// Put a waiting prompt into the composer.
    EditQueued(QueuedPromptId),
    /// Remove a waiting prompt.
    RemoveQueued(QueuedPromptId),
    /// Move a waiting prompt to this position.
    MoveQueued(QueuedPromptId, usize),
    /// Send a waiting prompt now.
    SendNow(QueuedPromptId),
    /// Send the waiting prompts of a paused queue.
    ResumeQueue,
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
    /// Show the whole of this row.
    Read(Arc<Row>),
    /// Stop this tool call alone.
    StopCall(String),
    /// Find out what a restore would do.
    PlanRestore { session: HubSession, goal: Goal, choices: Box<Choices> },
    /// Restore the files of a plan, and open a session with the conversation up to a position.
    GoBack { session: HubSession, plan: Option<Box<Plan>>, position: Option<u64> },
    /// Find out what rejecting hunks would do.
    PlanRejection(Box<RestoreRequest>),
    /// Store a decision about hunks of a review, and read the review again.
    DecideHunks(Decidable, ReviewChange),
    /// Tell the agent of this session with the next prompt what the person decided. The session is
    /// named by the owner of its checkpoints.
    TellDecisions(String),
    /// Show a message.
    Inform(&'static str),
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
