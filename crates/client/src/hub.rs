//! The core of a front end: many agents, their sessions, and their watchers.

mod agent_entry;
mod agent_source;
mod change_notifier;
#[cfg(feature = "checkpoints")]
mod checkpoints;
mod earlier_entries;
mod first_title;
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
mod sent_prompt;
mod session_entry;
mod session_list;
mod session_opening;
mod session_prompts;
mod session_questions;
mod spending;
mod stored_session;
mod supervision;
mod watched_entry;
mod watched_hub;

pub use agent_source::AgentSource;
#[cfg(feature = "checkpoints")]
pub use checkpoints::{
    CheckpointError, CheckpointOptions, RecoveryReport, RewindMethod, RewoundConversation,
    UndoneTurn, checkpoint_owner, checkpoint_session,
};
pub use hub_agent::{AgentState, HubAgent};
pub use hub_error::HubError;
pub use hub_opening::HubOpening;
pub use hub_options::{DecideFirst, HubOptions};
pub use hub_session::HubSession;
pub use pending_questions::{Answer, AnswerError, Question, QuestionAbout};
pub use restart_policy::RestartPolicy;
pub use sent_prompt::SentPrompt;
pub use session_list::{AgentListing, ListedSession, SessionFilter};
pub use spending::{Budget, DailySpending, Day};

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
use tracing::Instrument;

/// How long all agents together may take to end when a hub is closed. Each step of their stop
/// sequence is shorter.
const CLOSING: Duration = Duration::from_secs(8);

/// The largest number of commands that wait for the supervisor of one agent.
const COMMANDS: usize = 16;

/// The core of a front end: it runs agents, restarts them when they die, and keeps their sessions.
/// A front end holds handles ([`HubAgent`], [`HubSession`]) and watches ([`Watch`]); the hub owns
/// the rest.
///
/// A session outlives its agent. When the agent ends, everything in flight is settled at once: the
/// turn fails with the reason, and open questions are withdrawn. The hub then restarts the agent,
/// within the limits of a [`RestartPolicy`], and resumes each session. If the agent cannot resume a
/// session, the hub loads it. If the agent cannot load it either, the session can be read, and
/// continued with [`HubSession::continue_in_new_session`]. The transcript, the waiting prompts and
/// the drafts are kept, and the hub sets the options to their earlier values.
///
/// The hub owns every task and process: [`Hub::close`] ends all agents step by step and stores
/// everything, and dropping the hub kills them at once.
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
///     // Show `update.changes`, `session.state()` and `session.queue()`, and the questions.
///     // This example rejects every request for permission.
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
    /// Makes a hub without agents.
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
            #[cfg(feature = "checkpoints")]
            folder_locks: Arc::default(),
            #[cfg(feature = "checkpoints")]
            takes: Mutex::default(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Adds an agent under this name. The hub starts it when it is needed. Must be called inside a
    /// tokio runtime with I/O and time enabled.
    ///
    /// # Errors
    /// Returns an error if the hub already has an agent with this name.
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
        let span = tracing::debug_span!("hub_agent", agent = entry.name);
        self.shared.tasks.spawn(supervision::supervise(entry.clone(), commands).instrument(span));
        self.shared.notifier.notify(&entry.mark);
        Ok(HubAgent(entry))
    }

    /// Returns the agent with this name.
    pub fn agent(&self, name: &str) -> Option<HubAgent> {
        lock(&self.shared.agents).get(name).cloned().map(HubAgent)
    }

    /// Returns all agents, sorted by name.
    pub fn agents(&self) -> Vec<HubAgent> {
        self.shared.agents().into_iter().map(HubAgent).collect()
    }

    /// Opens a new session in a folder, with the agent of this name. A relative path is resolved
    /// against the current folder of this process. Starts the agent if it does not run. Await the
    /// returned builder.
    ///
    /// # Errors
    /// Returns an error if there is no such agent, it does not start, or it does not open a
    /// session.
    pub fn open(&self, agent: &str, cwd: impl AsRef<Path>) -> HubOpening {
        HubOpening::new(self.shared.clone(), agent, None, Some(cwd.as_ref()))
    }

    /// Opens a stored session, or returns it if it is open. The agent loads the session, or resumes
    /// it if it cannot load sessions; the stored history is kept either way. If the agent can do
    /// neither, or does not start, the stored history can still be read. `cwd` is used as the
    /// folder only if neither the list nor the store knows the session. Await the returned builder.
    ///
    /// # Errors
    /// Returns an error if the session is unknown, another program has it open, or the agent cannot
    /// open it and the store has no history of it.
    pub fn switch(&self, agent: &str, id: impl Into<SessionId>, cwd: Option<&Path>) -> HubOpening {
        HubOpening::new(self.shared.clone(), agent, Some(id.into()), cwd)
    }

    /// Returns the open sessions in the order in which they were opened.
    pub fn sessions(&self) -> Vec<HubSession> {
        HubSession::all(&self.shared)
    }

    /// Watches the hub from now on. The changes name the sessions and agents that changed.
    pub fn watch(&self) -> Watch {
        watched_hub::watch(&self.shared)
    }

    /// Returns which sessions and agents changed since a position, such as that of a
    /// [`WatchUpdate`]; all of them for the default position.
    pub fn changes_since(&self, position: &WatchPosition) -> WatchUpdate {
        watched_hub::changes_since(&self.shared, position)
    }

    /// Returns the open session with this id of the agent with this name.
    pub fn session(&self, agent: &str, id: &SessionId) -> Option<HubSession> {
        self.shared.session(agent, id).map(|entry| HubSession::new(entry, &self.shared))
    }

    /// Returns the spending by agent and by day in UTC. With a store this includes the stored
    /// sessions, otherwise only the open ones. If a session had costs before the hub first saw it,
    /// they count for the day on which the hub saw it. The first call reads the whole store, and
    /// later calls read only new events.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn spent(&self) -> Result<Vec<(String, Day, DailySpending)>, StoreError> {
        let Some(store) = self.shared.options.store.clone() else {
            return Ok(lock(&self.shared.spending).days());
        };
        for session in self.sessions() {
            session.commit().await?;
        }
        let counted = self.shared.counted.clone();
        let reading = tokio::task::spawn_blocking(move || lock(&counted).spending(&*store)).await;
        let spending = reading.map_err(|error| StoreError::Failed {
            message: "the spending could not be read: this program is ending".to_owned(),
            source: Some(Arc::new(error)),
        })?;
        Ok(spending?.days())
    }

    /// Ends all agents step by step, in parallel, and stores the unsaved part of every session.
    /// Kills any agent that is still running after 8 s.
    pub async fn close(self) {
        self.end().await;
    }

    /// Does the same as [`Hub::close`] for a hub that others still hold. The agents do not start
    /// again afterwards.
    pub async fn end(&self) {
        let agents: Vec<Arc<AgentEntry>> = lock(&self.shared.agents).values().cloned().collect();
        agents.iter().for_each(|agent| agent.command(Command::Stop));
        let stopped = async {
            for agent in &agents {
                let mut phases = agent.phase.subscribe();
                drop(phases.wait_for(|phase| matches!(phase, Phase::Stopped)).await);
            }
        };
        drop(tokio::time::timeout(CLOSING, stopped).await);
        #[cfg(feature = "checkpoints")]
        {
            self.shared.finish_takes(CLOSING).await;
            for entry in self.shared.sessions() {
                self.shared.forget_unused(&entry).await;
            }
        }
        for session in self.sessions() {
            // If storing fails, the session shows a notice about that.
            drop(session.commit().await);
        }
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        for session in self.shared.sessions() {
            housekeeping::save(&session);
        }
        #[cfg(feature = "checkpoints")]
        self.shared.stop_takes();
        self.shared.tasks.abort();
        // The connections are dropped with the phases that hold them, and the logs with the
        // sessions.
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
