//! Many agents, many sessions, and everyone who watches them.

mod agent_entry;
mod agent_source;
mod change_notifier;
mod housekeeping;
mod hub_agent;
mod hub_error;
mod hub_events;
mod hub_opening;
mod hub_options;
mod hub_session;
mod hub_shared;
mod list_refresh;
mod pending_questions;
mod prompt_queue;
mod prompt_sender;
mod reopening;
mod restart_policy;
mod session_entry;
mod session_list;
mod session_opening;
mod spending;
mod stored_session;
mod supervision;
mod watched_entry;
mod watched_hub;

pub use agent_source::AgentSource;
pub use hub_agent::{AgentState, HubAgent};
pub use hub_error::HubError;
pub use hub_opening::HubOpening;
pub use hub_options::{DecideFirst, HubOptions};
pub use hub_session::HubSession;
pub use pending_questions::{Answer, AnswerError, Question, QuestionAbout};
pub use restart_policy::RestartPolicy;
pub use session_list::{AgentListing, ListedSession, SessionFilter};
pub use spending::{Budget, Day, Spent};

use crate::lock::lock;
use crate::observe::watch::{Watch, WatchUpdate};
use crate::observe::watch_position::WatchPosition;
use crate::tasks::Tasks;
use agent_entry::{AgentEntry, Command, Phase};
use attache_protocol::v1::SessionId;
use attache_session::StoreError;
use change_notifier::{ChangeMark, ChangeNotifier};
use hub_shared::HubShared;
use pending_questions::PendingQuestions;
use restart_policy::Restarts;
use std::path::Path;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;
use tokio::sync::mpsc;

/// How long all agents together may take to end when a hub is closed: each step of their stop
/// sequence is shorter.
const CLOSING: Duration = Duration::from_secs(8);

/// How many requests to the supervisor of one agent may wait.
const COMMANDS: usize = 16;

/// The client's core: agents that are watched and started again, their sessions, and everyone who
/// watches them. Whoever shows it holds handles ([`HubAgent`], [`HubSession`]) and watches
/// ([`Watch`]); the hub owns the rest.
///
/// A session outlives its agent. When that ends, everything in flight is settled at once: the turn
/// has failed, with the reason, and open questions are withdrawn. Then the agent is started again,
/// within a budget ([`RestartPolicy`]), and each session is resumed, else loaded in place of what
/// was known, else it can be read and begun anew ([`HubSession::continue_in_new_session`]). Nothing that was
/// received is lost, prompts that wait and drafts stay, and options are set to what they were.
///
/// Nothing runs detached: [`Hub::close`] ends all agents step by step and stores everything;
/// dropping the hub kills them at once.
///
/// ```no_run
/// use attache_client::{AgentSource, Answer, Decision, Hub, HubOptions, QuestionAbout};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let hub = Hub::new(HubOptions::default());
/// hub.add("gemini", AgentSource::command("gemini --acp")?)?;
/// let session = hub.open("gemini", ".").await?;
/// let mut watch = session.watch();
/// session.send("What is this project?")?;
/// while let Some(update) = watch.next().await {
///     // Show `update.changes`, `session.state()` and `session.queue()`; ask the person what the agent asks.
///     for question in session.questions() {
///         if let QuestionAbout::Permission(_) = question.about {
///             session.answer(question.id, Answer::Permission(Decision::Reject))?;
///         }
///     }
///     # drop(update);
/// }
/// hub.close().await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Hub {
    pub(crate) shared: Arc<HubShared>,
}

impl Hub {
    /// A hub without agents.
    pub fn new(options: HubOptions) -> Self {
        let shared = HubShared {
            options,
            notifier: ChangeNotifier::default(),
            list_mark: ChangeMark::default(),
            agents: Mutex::default(),
            sessions: Mutex::default(),
            list: Mutex::default(),
            spending: Mutex::default(),
            counted: Arc::default(),
            opening: Mutex::default(),
            tasks: Tasks::default(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Adds an agent under a name of this hub's; it is started when it is needed. Must be called
    /// inside a tokio runtime with I/O and time enabled.
    ///
    /// # Errors
    /// There is an agent with this name.
    pub fn add(&self, name: impl Into<String>, source: AgentSource) -> Result<HubAgent, HubError> {
        let name = name.into();
        let (sender, commands) = mpsc::channel(COMMANDS);
        let pending = Arc::<PendingQuestions>::default();
        let hub: Weak<HubShared> = Arc::downgrade(&self.shared);
        let entry = Arc::new(AgentEntry {
            options: self.shared.client_options(&name, &pending),
            name: name.clone(),
            source,
            phase: tokio::sync::watch::Sender::new(Phase::NotStarted),
            commands: sender,
            restarts: Mutex::new(Restarts::new(self.shared.options.restarts)),
            pending,
            mark: ChangeMark::default(),
            hub,
        });
        {
            let mut agents = lock(&self.shared.agents);
            if agents.contains_key(&name) {
                return Err(HubError::KnownAgent(name));
            }
            agents.insert(name, entry.clone());
        }
        let asked = Arc::downgrade(&entry);
        entry.pending.on_change(move || {
            if let Some((entry, hub)) =
                asked.upgrade().and_then(|entry| Some((entry.clone(), entry.hub.upgrade()?)))
            {
                hub.notify(&entry.mark);
            }
        });
        self.shared.tasks.spawn(supervision::supervise(entry.clone(), commands));
        self.shared.notifier.notify(&entry.mark);
        Ok(HubAgent(entry))
    }

    /// The agent with this name.
    pub fn agent(&self, name: &str) -> Option<HubAgent> {
        lock(&self.shared.agents).get(name).cloned().map(HubAgent)
    }

    /// All agents, by name.
    pub fn agents(&self) -> Vec<HubAgent> {
        self.shared.agents().into_iter().map(HubAgent).collect()
    }

    /// Opens a new session of the agent with this name in a folder; a relative one starts at this
    /// process's own. Starts the agent if it is not. Await the returned builder.
    ///
    /// # Errors
    /// There is no such agent, it does not start, or it opens no session.
    pub fn open(&self, agent: &str, cwd: impl AsRef<Path>) -> HubOpening {
        HubOpening::new(self.shared.clone(), agent, None, Some(cwd.as_ref()))
    }

    /// Goes on with a stored session, of the list or any other: the one that is open already; else
    /// the agent loads it, else resumes it, with what our store has of it; and if the agent can do
    /// neither, or does not start, our history of it can be read and begun anew. `cwd` is for
    /// sessions that neither the list nor the store knows. Await the returned builder.
    ///
    /// # Errors
    /// Nobody knows the session, another program has it open, or the agent cannot open it and
    /// nothing of it is stored here.
    pub fn switch(&self, agent: &str, id: impl Into<SessionId>, cwd: Option<&Path>) -> HubOpening {
        HubOpening::new(self.shared.clone(), agent, Some(id.into()), cwd)
    }

    /// The open sessions, in the order in which they were opened.
    pub fn sessions(&self) -> Vec<HubSession> {
        HubSession::all(&self.shared)
    }

    /// Watches everything in the hub from now on: the changes name the sessions and agents that
    /// changed.
    pub fn watch(&self) -> Watch {
        watched_hub::watch(&self.shared)
    }

    /// Returns which sessions and agents changed since a position, such as that of a
    /// [`WatchUpdate`]; all of them for the default position.
    pub fn changes_since(&self, position: &WatchPosition) -> WatchUpdate {
        watched_hub::changes_since(&self.shared, position)
    }

    /// The open session with this id, of the agent with this name.
    pub fn session(&self, agent: &str, id: &SessionId) -> Option<HubSession> {
        self.shared.session(agent, id).map(|entry| HubSession::new(entry, &self.shared))
    }

    /// What was spent, by agent and by day in UTC, the sessions of this hub's store included; of
    /// the open sessions alone without a store. What a session had cost before this hub first heard
    /// of it counts for the day on which it did. The first call reads the whole store, later calls
    /// what was stored since.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn spent(&self) -> Result<Vec<(String, Day, Spent)>, StoreError> {
        let Some(store) = self.shared.options.store.clone() else {
            return Ok(lock(&self.shared.spending).days());
        };
        for session in self.sessions() {
            session.commit().await?;
        }
        let counted = self.shared.counted.clone();
        let reading = tokio::task::spawn_blocking(move || lock(&counted).spending(&*store)).await;
        let spending = reading.map_err(|error| StoreError::Failed {
            message: "what was spent could not be read: this program is ending".to_owned(),
            source: Some(Arc::new(error)),
        })?;
        Ok(spending?.days())
    }

    /// Ends all agents step by step, all at once, and stores what is left of every session. What
    /// still runs after 8 s is killed.
    pub async fn close(self) {
        let agents: Vec<Arc<AgentEntry>> = lock(&self.shared.agents).values().cloned().collect();
        agents.iter().for_each(|agent| agent.command(Command::Stop));
        let stopped = async {
            for agent in &agents {
                let mut phases = agent.phase.subscribe();
                drop(phases.wait_for(|phase| matches!(phase, Phase::Stopped)).await);
            }
        };
        drop(tokio::time::timeout(CLOSING, stopped).await);
        for session in self.sessions() {
            // A failure was told by the session while it could be shown.
            drop(session.commit().await);
        }
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        for session in self.shared.sessions() {
            housekeeping::save(&session);
        }
        self.shared.tasks.abort();
        // The connections are dropped with the phases that hold them, the logs with the sessions.
        for agent in self.shared.agents() {
            agent.enter(Phase::Stopped);
        }
        for entry in std::mem::take(&mut *lock(&self.shared.sessions)) {
            entry.state().closed = true;
            entry.state().attached = None;
            entry.fold.end_log();
            entry.touch();
        }
    }
}
