//! What the screen needs from the program around it.

use crate::composer::Piece;
use attache_client::{Hub, HubAgent, HubError, HubSession, ListedSession, Prompt};
use attache_protocol::v1::{ContentBlock, PromptCapabilities, SessionId};
use attache_session::Session;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::process::Command;

pub use attache_view::{AgentChoice, FoundText, SessionChange};

/// A future that a service returns.
pub type Served<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// What the screen needs from the program around it: its agents, its rules, its store. All texts
/// may come from outside; the screen sanitizes them.
pub trait Services: Send + Sync + 'static {
    /// Returns the agents that the person can choose, the built-in one first.
    fn agents(&self) -> Vec<AgentChoice>;

    /// Adds the agent with this name or command line to the hub, unless it is there, and returns
    /// its name in the hub.
    ///
    /// # Errors
    /// Returns a message for the person if there is no such agent.
    fn add_agent(&self, hub: &Hub, agent: &str) -> Result<String, String>;

    /// Turns the parts of a prompt into its content, with the files that they mention. Pasted text
    /// mentions no files.
    fn prompt(&self, pieces: &[Piece], cwd: &Path, takes: &PromptCapabilities) -> PreparedPrompt;

    /// Says what a person must know before they begin with this agent, such as whether it costs
    /// money and how to add a key.
    fn hints(&self, agent: &str, session: &Session) -> Vec<String>;

    /// Says why a session was not opened, and what to do.
    fn not_opened(&self, agent: &str, error: &HubError) -> String;

    /// Returns the command that continues a session.
    fn resume_command(&self, agent: &str, id: &SessionId) -> String;

    /// Returns the program that logs the person in to an agent, in the terminal.
    fn login(&self, agent: &str) -> Command;

    /// Changes a session that may not be open.
    fn change(&self, session: ListedSession, change: SessionChange) -> Served<Result<(), String>>;

    /// Stores a setting of the screen for the next start.
    ///
    /// # Errors
    /// Returns a message for the person if it cannot be stored.
    fn store_setting(&self, key: &str, value: &str) -> Result<(), String>;

    /// Finds the stored sessions with this text.
    fn search(&self, text: String) -> Served<Result<Vec<FoundText>, String>>;
}

/// A shared hub, which keeps the sessions that the screen shows: other front ends use them at the
/// same time. The hub of the screen passes on what ACP carries; this does the rest.
pub trait SharedSessions: Send + Sync + 'static {
    /// Opens a session with the conversation of this one up to a position of its stored log.
    fn rewind(&self, session: HubSession, position: u64) -> Served<Result<HubSession, String>>;

    /// Tells the agent with the next prompt what the person decided about its changes. Returns
    /// whether there is anything to tell.
    fn tell_decisions(&self, session: HubSession) -> Served<Result<bool, String>>;

    /// Waits until the checkpoints that are being taken of a session are stored.
    fn checkpoints_stored(&self, session: HubSession) -> Served<()>;

    /// Returns the text that was not sent in a session, and how many prompts wait in the shared
    /// hub.
    fn unsent(&self, session: HubSession) -> Served<Result<(String, usize), String>>;

    /// Stores the text that is not sent yet, for other front ends and for later. An error means
    /// that the text is only here.
    fn keep_draft(&self, session: HubSession, draft: String) -> Served<Result<(), String>>;

    /// Sends prompts in this order, after those that wait in the shared hub.
    fn send(&self, session: HubSession, prompts: Vec<Prompt>) -> Served<Result<(), String>>;

    /// Lets the prompts that wait in the shared hub go on, if they are held.
    fn release(&self, session: HubSession) -> Served<Result<(), String>>;

    /// Starts an agent again.
    fn restart(&self, agent: HubAgent) -> Served<Result<(), String>>;
}

/// The content of a prompt.
#[derive(Debug, Clone, Default)]
pub struct PreparedPrompt {
    /// The content.
    pub blocks: Vec<ContentBlock>,
    /// Files that were not attached, and why.
    pub warnings: Vec<String>,
}
