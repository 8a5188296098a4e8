//! A kit for clients of the Agent Client Protocol: start an agent, open sessions, run turns, and
//! show what changes.
//!
//! An [`AgentProcess`] is an agent as a child process, an [`AgentConnection`] one at the other end
//! of any two streams; either way the handshake is done, or a [`StartError`] says whose fault it is
//! that it is not. A [`SessionHandle`] is one session: what arrives is folded into it on the
//! reading task, whoever shows it looks at what changed since. A [`Turn`] is one prompt until its
//! stop reason. A [`Listing`] tells which sessions the agent keeps; they are loaded, resumed,
//! forked, put away or deleted by their ids, as far as the agent offers it.
//!
//! A [`Hub`] is the core of a client for people: many agents, which it watches and starts again,
//! and their sessions, which outlive them, with a log, a queue of prompts, drafts, and one list of
//! everything. Faces show it; it knows none.
//!
//! Agents that people use are known by name: a [`KnownAgent`] says how it is started, installed and
//! logged in to.
//!
//! The kit serves what it advertises and nothing else: permission requests by [`Permissions`], the
//! text files of a session's folders, with [`UnsavedText`] as an editor has them, and, where the
//! author switched them on in [`Options`], commands in terminals and elicitations by form or page.
//! It knows no screen and no file format: where logs are kept is up to a
//! [`Store`](attache_session::Store).
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

mod agent;
mod approvals;
mod catalogue;
mod elicitation;
mod file_action;
mod hard_links;
mod hub;
mod lock;
mod observe;
mod pattern;
mod permission;
mod permission_broker;
mod permission_effect;
mod race;
mod session;
mod tasks;
mod terminals;
mod text_files;

pub use agent::agent_connection::AgentConnection;
pub use agent::agent_process::AgentProcess;
pub use agent::evidence::Evidence;
pub use agent::listing::Listing;
pub use agent::login::{Login, LoginError};
pub use agent::options::Options;
pub use agent::start_error::StartError;
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
pub use elicitation::page_address::{Address, AddressError, Completed, Suspicion};
pub use elicitation::{FormHandler, FormReply, FormRequest, UrlHandler, UrlReply, UrlRequest};
pub use file_action::FileAction;
pub use hub::{
    AgentListing, AgentSource, AgentState, Answer, AnswerError, Budget, Day, DecideFirst, Hub,
    HubAgent, HubError, HubOpening, HubOptions, HubSession, ListedSession, Question, QuestionAbout,
    RestartPolicy, SessionFilter, Spent,
};
pub use observe::change::{Change, OpenPermission, TurnChange, UsageChange};
pub use observe::queued_prompt::{HoldReason, QueuedPrompt, QueuedPromptId};
pub use observe::session_state::SessionState;
pub use observe::session_status::{QuestionId, SessionStatus};
pub use observe::watch::{Watch, WatchUpdate};
pub use observe::watch_position::WatchPosition;
pub use permission::{Asked, Decision, PermissionRequest, Permissions, Rejects};
pub use permission_broker::{Audited, BrokerError, DecidedBy, PermissionBroker, Verdict};
pub use session::open_error::OpenError;
pub use session::opening::Opening;
pub use session::outcome::{Outcome, TurnError};
pub use session::prompt::{Prompt, PromptError};
pub use session::session_handle::SessionHandle;
pub use session::set_error::SetError;
pub use session::turn::Turn;
pub use session::turn_tracker::TurnPhase;
pub use terminals::terminal_command::TerminalCommand;
pub use text_files::file_uri::file_uri;
pub use text_files::unsaved_text::UnsavedText;
