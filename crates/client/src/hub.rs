//! Many agents, many sessions, and everyone who watches them.

mod hub_agent;
mod agent_source;
mod change_notifier;
mod changes;
mod prompt_sender;
mod hub_error;
mod housekeeping;
mod hub_options;
mod stored_session;
mod session_list;
mod list_refresh;
mod hub_opening;
mod pending_questions;
mod prompt_queue;
mod reopening;
mod restart_policy;
mod hub_session;
mod session_entry;
mod spending;
mod session_state;
mod supervision;
mod hub_watch;

pub use hub_agent::{AgentState, HubAgent};
pub use agent_source::AgentSource;
pub use changes::SessionChanges;
pub use hub_error::HubError;
pub use hub_options::{DecideFirst, HubOptions};
pub use session_list::{AgentListing, ListedSession, SessionFilter};
pub use hub_opening::HubOpening;
pub use pending_questions::{Answer, AnswerError, Question, QuestionAbout, QuestionId};
pub use prompt_queue::{Hold, Queued, QueuedId};
pub use restart_policy::RestartPolicy;
pub use hub_session::HubSession;
pub use spending::{Budget, Day, Spent};
pub use session_state::SessionState;
pub use hub_watch::{HubLook, HubWatch, SessionWatch};

use crate::elicitation::{Elicited, ElicitedForm};
use crate::agent::options::Options;
use crate::permission::Permissions;
use crate::tasks::Tasks;
use hub_agent::{AgentEntry, Phase};
use attache_protocol::method::Side;
use attache_protocol::v1::SessionId;
use attache_session::{Event, SessionKey, StoreError};
use change_notifier::{Bell, Rung};
use session_list::List;
use pending_questions::Desk;
use restart_policy::Restarts;
use session_entry::SessionEntry;
use spending::Spending;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::mpsc;

/// How long all agents together may take to end when a hub is closed: each step of their stop
/// sequence is shorter.
const CLOSING: Duration = Duration::from_secs(8);

/// How many requests to the supervisor of one agent may wait.
const COMMANDS: usize = 16;

/// The client's core: agents that are watched and started again, their sessions, and everyone who
/// watches them. Whoever shows it holds handles ([`HubAgent`], [`HubSession`]) and watches
/// ([`HubWatch`], [`SessionWatch`]); the hub owns the rest.
///
/// A session outlives its agent. When that ends, everything in flight is settled at once: the turn
/// has failed, with the reason, and open questions are withdrawn. Then the agent is started again,
/// within a budget ([`RestartPolicy`]), and each session is resumed, else loaded in place of what
/// was known, else it can be read and begun anew ([`HubSession::begin_anew`]). Nothing that was
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
/// while let Some(look) = watch.next().await {
///     // Show `look.changes`, `session.state()` and `session.queue()`; ask the person what the agent asks.
///     for question in session.questions() {
///         if let QuestionAbout::Permission(_) = question.about {
///             session.answer(question.id, Answer::Permission(Decision::Reject))?;
///         }
///     }
///     # drop(look);
/// }
/// hub.close().await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Hub {
    pub(crate) shared: Arc<HubShared>,
}

/// What a hub and its handles share.
pub(crate) struct HubShared {
    pub(crate) options: HubOptions,
    pub(crate) bell: Bell,
    pub(crate) list_rung: Rung,
    agents: Mutex<BTreeMap<String, Arc<AgentEntry>>>,
    sessions: Mutex<Vec<Arc<SessionEntry>>>,
    pub(crate) list: Mutex<List>,
    spending: Mutex<Spending>,
    /// What the stored sessions took; locked only where blocking is fine.
    counted: Arc<Mutex<stored_session::Counted>>,
    /// The stored sessions that are being opened, each held by who does it, so that none is opened
    /// twice.
    opening: Mutex<HashMap<SessionKey, Weak<tokio::sync::Mutex<()>>>>,
    pub(crate) tasks: Tasks,
}

impl std::fmt::Debug for HubShared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HubShared")
            .field("agents", &self.agents())
            .field("sessions", &self.sessions())
            .finish()
    }
}

impl Hub {
    /// A hub without agents.
    pub fn new(options: HubOptions) -> Self {
        let shared = HubShared {
            options,
            bell: Bell::default(),
            list_rung: Rung::default(),
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
        let desk = Arc::<Desk>::default();
        let entry = Arc::new(AgentEntry {
            options: self.shared.client_options(&name, &desk),
            name: name.clone(),
            source,
            phase: tokio::sync::watch::Sender::new(Phase::NotStarted),
            commands: sender,
            restarts: Mutex::new(Restarts::new(self.shared.options.restarts)),
            desk,
            rung: Rung::default(),
            hub: Arc::downgrade(&self.shared),
        });
        {
            let mut agents = lock(&self.shared.agents);
            if agents.contains_key(&name) {
                return Err(HubError::KnownAgent(name));
            }
            agents.insert(name, entry.clone());
        }
        let asked = Arc::downgrade(&entry);
        entry.desk.on_change(move || {
            if let Some((entry, hub)) =
                asked.upgrade().and_then(|entry| Some((entry.clone(), entry.hub.upgrade()?)))
            {
                hub.bell.ring(&entry.rung);
            }
        });
        self.shared.tasks.spawn(supervision::supervise(entry.clone(), commands));
        self.shared.bell.ring(&entry.rung);
        Ok(HubAgent(entry))
    }

    /// The agent with this name.
    pub fn agent(&self, name: &str) -> Option<HubAgent> {
        lock(&self.shared.agents).get(name).cloned().map(HubAgent)
    }

    /// All agents, by name.
    pub fn agents(&self) -> Vec<HubAgent> {
        self.shared.agents()
    }

    /// Opens a new session of the agent with this name in a folder; a relative one starts at this
    /// process's own. Starts the agent if it is not. Await the returned builder.
    ///
    /// # Errors
    /// There is no such agent, it does not start, or it opens no session.
    pub fn open(&self, agent: &str, cwd: impl AsRef<Path>) -> HubOpening {
        HubOpening::new(self, agent, None, Some(cwd.as_ref()))
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
        HubOpening::new(self, agent, Some(id.into()), cwd)
    }

    /// The open sessions, in the order in which they were opened.
    pub fn sessions(&self) -> Vec<HubSession> {
        self.shared.sessions()
    }

    /// Watches everything in the hub from now on.
    pub fn watch(&self) -> HubWatch {
        HubWatch::new(self)
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
        agents.iter().for_each(|agent| agent.command(supervision::Command::Stop));
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
            housekeeping::save(&session.0);
        }
        self.shared.tasks.abort();
        // The connections are dropped with the phases that hold them, the logs with the sessions.
        for agent in self.shared.agents() {
            agent.0.enter(Phase::Stopped);
        }
        for entry in std::mem::take(&mut *lock(&self.shared.sessions)) {
            entry.state().closed = true;
            entry.state().attached = None;
            entry.fold.end_log();
            entry.touch();
        }
    }
}

impl HubShared {
    pub(crate) fn agents(&self) -> Vec<HubAgent> {
        lock(&self.agents).values().cloned().map(HubAgent).collect()
    }

    /// The agent with this name, or what there is instead.
    pub(crate) fn agent(&self, name: &str) -> Result<Arc<AgentEntry>, HubError> {
        let agents = lock(&self.agents);
        agents.get(name).cloned().ok_or_else(|| HubError::UnknownAgent {
            name: name.to_owned(),
            agents: agents.keys().cloned().collect(),
        })
    }

    pub(crate) fn sessions(&self) -> Vec<HubSession> {
        lock(&self.sessions).iter().cloned().map(HubSession).collect()
    }

    pub(crate) fn sessions_of(&self, agent: &str) -> Vec<Arc<SessionEntry>> {
        lock(&self.sessions).iter().filter(|entry| entry.agent.name == agent).cloned().collect()
    }

    pub(crate) fn session(&self, agent: &str, id: &SessionId) -> Option<Arc<SessionEntry>> {
        lock(&self.sessions)
            .iter()
            .find(|entry| entry.agent.name == agent && entry.id == *id)
            .cloned()
    }

    /// Held by who opens this stored session.
    pub(crate) fn opening(&self, agent: &str, id: &SessionId) -> Arc<tokio::sync::Mutex<()>> {
        let mut opening = lock(&self.opening);
        opening.retain(|_, held| held.strong_count() > 0);
        let held = opening.entry(self.key(agent, id)).or_default();
        held.upgrade().unwrap_or_else(|| {
            let new = Arc::default();
            *held = Arc::downgrade(&new);
            new
        })
    }

    /// Takes a session in and runs it.
    pub(crate) fn adopt(&self, entry: Arc<SessionEntry>) -> HubSession {
        lock(&self.sessions).push(entry.clone());
        self.tasks.spawn(prompt_sender::drive(entry.clone()));
        self.bell.ring(&entry.rung);
        self.bell.ring(&self.list_rung);
        HubSession(entry)
    }

    pub(crate) fn forget(&self, closed: &Arc<SessionEntry>) {
        lock(&self.sessions).retain(|entry| !Arc::ptr_eq(entry, closed));
        self.bell.ring(&self.list_rung);
    }

    pub(crate) fn key(&self, agent: &str, id: &SessionId) -> SessionKey {
        SessionKey { side: Side::Client, agent: agent.to_owned(), session_id: id.clone() }
    }

    /// The permissions of a session: what decides first, and then the person.
    pub(crate) fn permissions(&self, agent: &str, cwd: &Path, desk: &Arc<Desk>) -> Permissions {
        let desk = desk.clone();
        let asking = Permissions::ask(move |request| desk.ask_permission(request));
        match &self.options.decide_first {
            Some(decide) => decide(agent, cwd, asking),
            None => asking,
        }
    }

    pub(crate) fn spent(&self, agent: &str, id: &SessionId, event: &Event) {
        lock(&self.spending).apply(agent, id, event);
    }

    /// The options of one agent: what it asks goes to its sessions, or to itself.
    fn client_options(self: &Arc<Self>, agent: &str, own: &Arc<Desk>) -> Options {
        let mut options = self.options.client.clone();
        options.kept = true;
        (options.form, options.url) = (None, None);
        if !self.options.elicitations {
            return options;
        }
        let (hub, name, own) = (Arc::downgrade(self), agent.to_owned(), own.clone());
        let desk = Arc::new(move |id: Option<&SessionId>| match id {
            None => Some(own.clone()),
            Some(id) => hub.upgrade()?.session(&name, id).map(|entry| entry.desk.clone()),
        });
        let desks = desk.clone();
        options = options.forms(move |request| {
            let asked = desks(request.session_id.as_ref()).map(|desk| desk.ask_form(request));
            async move {
                match asked {
                    Some(asked) => asked.await,
                    None => ElicitedForm::Cancel,
                }
            }
        });
        options.pages(move |request| {
            let asked = desk(request.session_id.as_ref()).map(|desk| desk.ask_page(request));
            async move {
                match asked {
                    Some(asked) => asked.await,
                    None => Elicited::Cancel,
                }
            }
        })
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
