//! A kit for clients of the Agent Client Protocol (ACP): start an agent, open sessions, run turns,
//! and show their changes.
//!
//! # A client in 15 lines
//!
//! ```no_run
//! use attache_client::{AgentProcess, Change, Permissions};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let agent = AgentProcess::start("gemini --acp").await?;
//! let session = agent.open(".").permissions(Permissions::Reject).await?;
//! session.set("model", "flash").await?;
//! let mut turn = session.prompt("What is this project?").await?;
//! while let Some(change) = turn.next().await {
//!     if let Change::Text(new) = change {
//!         print!("{new}");
//!     }
//! }
//! println!("{:?}", turn.outcome().await?);
//! # Ok(())
//! # }
//! ```
//!
//! # The main types
//!
//! | Type | Purpose |
//! |---|---|
//! | [`AgentProcess`] | An agent as a child process. Starts it and does the handshake. |
//! | [`AgentConnection`] | The connection to an agent, over any two streams: sessions, lists, logins. |
//! | [`SessionHandle`] | One session of one connection: prompts, options, the transcript. |
//! | [`Turn`] | One prompt: its changes, its [`TurnPhase`] and its [`Outcome`]. |
//! | [`Watch`] | Waits for changes of a session or a hub; see [Changes](#changes). |
//! | [`Permissions`] | How permission requests are decided: reject, allow, ask the person, or apply rules. |
//! | [`Options`] | The features that the client offers to the agent, and its time limits. |
//! | [`Hub`] | Many agents and sessions, with restarts, a log and a queue of prompts. |
//! | [`KnownAgent`], [`Registry`] | Agents by name: how to start them, install them and log in. |
//!
//! # One session or a hub
//!
//! A program that runs one agent and a few prompts uses [`AgentProcess`] and [`SessionHandle`].
//!
//! A front end for people uses a [`Hub`]. The hub restarts an agent that dies, and continues its
//! sessions. It stores their logs in a [`Store`](attache_session::Store), queues prompts, keeps
//! drafts, collects the agents' questions, and lists the stored sessions of all agents. A
//! [`HubSession`] has the functions of a [`SessionHandle`], and outlives the agent's process.
//!
//! # Changes
//!
//! Sessions and hubs are observed in the same way. A [`Watch`] waits until something changes, and
//! then returns a [`WatchUpdate`]: a list of [`Change`]s, and the [`WatchPosition`] after them.
//! `changes_since` returns the changes since any position, without waiting. All these types
//! implement serde's traits, so that a front end can run in another process.
//!
//! Changes are merged until they are requested, and a text change contains only the appended part.
//! A slow front end therefore costs no memory and misses no final state.
//!
//! # The methods that the client serves
//!
//! The client serves exactly the methods that it advertises. These are permission requests, text
//! files in the folders of a session (with the [`UnsavedText`] of an editor) and, if [`Options`]
//! enables them, terminals, forms and pages. Every call that changes something needs permission.
//!
//! # Versions
//!
//! The client asks an agent for version 1 of the protocol, or for version 2, a draft, if
//! [`Options::protocol`] says so. The functions of this crate are the same for both. In version 2,
//! agents have no modes, read and write files and run commands by themselves, and may work without
//! a prompt. [`SessionHandle::cancel_tool_call`] and [`SessionHandle::cancel_terminal`] work only
//! there.
//!
//! # Features
//!
//! None is on by default.
//!
//! | feature | what it adds |
//! |---|---|
//! | `checkpoints` | checkpoints of the folders of a hub's sessions, and restoring them |
//! | `remote` | agents that run elsewhere, over WebSocket and streamable HTTP |
//!
//! # Limits
//!
//! The crate does not draw anything and does not store sessions: front ends draw, and a
//! [`Store`](attache_session::Store) stores. It knows no models.

mod agent;
mod catalogue;
mod elicitation;
mod hub;
mod lock;
mod observe;
mod pattern;
mod permission;
mod race;
#[cfg(feature = "remote")]
mod remote;
mod session;
mod tasks;
mod terminals;
mod text_files;

pub use agent::agent_connection::AgentConnection;
pub use agent::agent_process::AgentProcess;
pub use agent::evidence::Evidence;
pub use agent::listing::Listing;
pub use agent::login::{Login, LoginError};
pub use agent::login_environment::{LoginEnvironment, NoLoginEnvironment};
pub use agent::options::Options;
pub use agent::start_error::StartError;
pub use agent::version_2_answer::Version2Answer;
pub use attache_host::Launch;
pub use attache_policy::Guard;
pub use attache_policy::effect::{self, ToolEffect};
pub use attache_policy::is_invisible;
pub use attache_policy::{Agents, CallPattern, Effect, Rule, RuleFault, RuleScope, Subject};
pub use catalogue::known_agents::{KNOWN_AGENTS, KnownAgent};
pub use catalogue::registry::{
    Registry, RegistryAgent, RegistryBinary, RegistryError, RegistryPackage, RegistryStart,
};
pub use elicitation::form::{Form, FormError};
pub use elicitation::page_address::{AddressError, AddressWarning, PageAddress, PageCompletion};
pub use elicitation::{FormHandler, FormReply, FormRequest, UrlHandler, UrlReply, UrlRequest};
pub use hub::{
    AgentListing, AgentSource, AgentState, Answer, AnswerError, Budget, DailySpending, Day,
    DecideFirst, Hub, HubAgent, HubError, HubOpening, HubOptions, HubSession, ListedSession,
    Question, QuestionAbout, RestartPolicy, SentPrompt, SessionFilter,
};
#[cfg(feature = "checkpoints")]
pub use hub::{
    CheckpointError, CheckpointOptions, RecoveryReport, RewindMethod, RewoundConversation,
    UndoneTurn, checkpoint_owner, checkpoint_session,
};
pub use observe::change::{Change, OpenPermission, TurnChange, UsageChange};
pub use observe::checkpoint_change::{CheckpointChange, CheckpointMoment};
pub use observe::queued_prompt::{HoldReason, QueuedPrompt, QueuedPromptId};
pub use observe::session_state::SessionState;
pub use observe::session_status::{QuestionId, SessionStatus};
pub use observe::watch::{Watch, WatchUpdate};
pub use observe::watch_position::WatchPosition;
pub use permission::broker::{Audited, BrokerError, DecidedBy, PermissionBroker, Verdict};
pub use permission::file_action::FileAction;
pub use permission::{AnsweredBy, Asked, Decision, PermissionRequest, Permissions, Rejects};
#[cfg(feature = "remote")]
pub use remote::remote_error::RemoteError;
pub use session::open_error::OpenError;
pub use session::opening::Opening;
pub use session::outcome::{Outcome, TurnError};
pub use session::prompt::{Prompt, PromptError};
pub use session::session_handle::SessionHandle;
pub use session::set_error::SetError;
pub use session::turn::Turn;
pub use session::turn_tracker::TurnPhase;
pub use terminals::editor_terminals::{EditorReply, EditorTerminal, EditorTerminals};
pub use terminals::terminal_command::{PrepareLaunch, TerminalCommand};
pub use text_files::file_uri::file_uri;
pub use text_files::unsaved_text::UnsavedText;
