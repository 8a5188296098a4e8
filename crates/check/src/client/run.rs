//! A run of the judge over one client: it starts the client with the judge as its agent, runs
//! probes and records all messages.

use crate::ClientTask;
use crate::agent::run::LINES_SHOWN;
use crate::client::client_talk::{ClientTalk, ClientTurn, Scenarios};
use crate::client::scenario::Scenario;
use crate::client::started_client::StartedClient;
use crate::judging::boxed::Boxed;
use crate::judging::probe::Probe;
use crate::judging::probe_run::ProbeRun;
use crate::judging::support::Support;
use crate::judging::traffic::{Traffic, short};
use crate::judging::verdict::{Outcome, Probed, Verdict, not_tested};
use crate::peer::line::Line;
use attache_host::StartError;
use attache_protocol::method::{Initialize, Side};
use attache_protocol::v1::ProtocolVersion;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The reason why a client did not start a task.
#[derive(Debug)]
#[non_exhaustive]
pub enum ClientRunError {
    /// No command is set for this task.
    NoCommand,
    /// The client cannot be started.
    Start(StartError),
    /// The judge cannot listen for connections from the program that the client starts as its
    /// agent.
    Listen(std::io::Error),
    /// The client started but sent no prompt, for this reason.
    NoPrompt(String),
    /// The client asked for this version, which is lower than the one to judge.
    LowerVersion(u64),
}

impl fmt::Display for ClientRunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCommand => f.write_str("no command is set for this task of the client"),
            Self::Start(error) => error.fmt(f),
            Self::LowerVersion(asked) => write!(
                f,
                "the client asked for version {asked} of the protocol: start it with its option for version 2, such as --protocol 2"
            ),
            Self::NoPrompt(why) => write!(f, "the client sends no prompt: {why}"),
            Self::Listen(error) => {
                write!(f, "the judge cannot listen for the client's agent: {error}")
            }
        }
    }
}

impl std::error::Error for ClientRunError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NoCommand | Self::NoPrompt(_) | Self::LowerVersion(_) => None,
            Self::Start(error) => Some(error),
            Self::Listen(error) => Some(error),
        }
    }
}

/// The task that every client supports.
pub(super) const PROMPT: &str = "prompt";

type Start = Box<dyn FnMut(&ClientTask) -> Result<StartedClient, ClientRunError> + Send>;

/// A run over one client.
pub struct ClientRun {
    pub(super) start: Start,
    folder: PathBuf,
    patience: Duration,
    now: Option<ClientTalk>,
    pub(super) seed: u64,
    pub(super) version: ProtocolVersion,
    watched: Traffic,
    /// The number of nonces generated so far.
    nonces: usize,
    /// Whether the client printed none of the agent's text while a turn ran.
    pub(crate) is_unreadable: bool,
    /// Whether the client closes the connection when its turn ends.
    ends_with_turn: bool,
}

impl fmt::Debug for ClientRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientRun")
            .field("folder", &self.folder)
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

impl ClientRun {
    /// Creates a run over a client. The run calls `start` for each task. Sessions use `folder`,
    /// which should be empty. The client may take 10 s per answer.
    pub fn new(
        folder: impl Into<PathBuf>,
        start: impl FnMut(&ClientTask) -> Result<StartedClient, ClientRunError> + Send + 'static,
    ) -> Self {
        Self {
            start: Box::new(start),
            folder: folder.into(),
            patience: Duration::from_secs(10),
            now: None,
            seed: 0,
            version: ProtocolVersion::V1,
            watched: Traffic::of(Side::Client),
            nonces: 0,
            is_unreadable: false,
            ends_with_turn: false,
        }
    }

    /// Sets how long the client may take per answer. It may take three times as long for its first
    /// message.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Runs the probes in an order that depends on this seed; 0 keeps the order in which they are
    /// declared.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the version of the protocol that the judge speaks: 1, which is the default, or 2.
    #[must_use]
    pub fn protocol(mut self, version: ProtocolVersion) -> Self {
        self.version = version;
        self.watched.support.protocol = version.0;
        self
    }

    /// Returns the parts of the protocol that the client supports, as observed so far.
    pub fn support(&self) -> &Support {
        &self.watched.support
    }

    /// Returns the client that was started last, if it still runs.
    pub(crate) fn now(&mut self) -> Option<&mut ClientTalk> {
        self.now.as_mut()
    }

    /// Returns the version of the protocol that the judge speaks.
    pub(crate) fn version(&self) -> ProtocolVersion {
        self.version
    }

    /// Returns the folder for sessions.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns a unique word of letters and digits.
    pub(crate) fn nonce(&mut self) -> String {
        self.nonces += 1;
        format!("nonce{:04}check", self.nonces)
    }

    /// Returns several unique words.
    pub(crate) fn several<const N: usize>(&mut self) -> [String; N] {
        std::array::from_fn(|_| self.nonce())
    }

    /// Returns an unused path in the session's folder.
    pub(crate) fn new_path(&mut self) -> PathBuf {
        let name = self.nonce();
        self.folder.join(name)
    }

    /// Returns the task of this name, with a prompt.
    pub(crate) fn task(&self, name: &'static str) -> ClientTask {
        ClientTask::new(name, &self.folder).with("prompt", "attache check asks")
    }

    /// Starts the client for this task, with an agent that offers everything.
    ///
    /// # Errors
    /// The rule is not tested if no command is set for the task, and fails if the client does not
    /// start its agent.
    pub(crate) fn start<'a>(
        &'a mut self,
        task: ClientTask,
    ) -> Boxed<'a, Probed<&'a mut ClientTalk>> {
        Box::pin(async move {
            let folder = self.folder.clone();
            self.start_with(task, move |_| Scenario::everything(&folder)).await
        })
    }

    /// Starts the client for this task. Its agent is `scenario(0)` on its first connection,
    /// `scenario(1)` on the next, and so on.
    ///
    /// # Errors
    /// The same as for [`ClientRun::start`].
    pub(crate) fn start_with<'a>(
        &'a mut self,
        task: ClientTask,
        scenario: impl Fn(usize) -> Scenario + Send + 'static,
    ) -> Boxed<'a, Probed<&'a mut ClientTalk>> {
        self.start_with_scenarios(task, Box::new(scenario))
    }

    fn start_with_scenarios<'a>(
        &'a mut self,
        task: ClientTask,
        scenario: Scenarios,
    ) -> Boxed<'a, Probed<&'a mut ClientTalk>> {
        Box::pin(async move {
            self.leave().await;
            let client = self.launch(&task)?;
            self.connect(client, &task, scenario).await
        })
    }

    /// Starts a turn of the client with the first of these tasks that it supports, and an agent
    /// that offers everything.
    ///
    /// # Errors
    /// The rule is not tested if the client supports none of the tasks, and fails if the client
    /// sends no prompt.
    pub(crate) fn turn<'a>(
        &'a mut self,
        tasks: &'a [&'static str],
    ) -> Boxed<'a, Probed<(&'a mut ClientTalk, ClientTurn)>> {
        Box::pin(async move {
            let (talk, turn) = self.open_prompt(tasks).await?;
            talk.begin_turn(&turn);
            Ok((talk, turn))
        })
    }

    /// Like [`turn`](Self::turn), but leaves the call of `session/prompt` open in every version.
    pub(crate) fn open_prompt<'a>(
        &'a mut self,
        tasks: &'a [&'static str],
    ) -> Boxed<'a, Probed<(&'a mut ClientTalk, ClientTurn)>> {
        Box::pin(async move {
            let kept = self.leave_open().await;
            let mut launched = not_tested("the client has no task");
            for name in tasks {
                let task = self.task(name);
                let task = if kept { task.in_open_session() } else { task };
                launched = self.launch(&task).map(|client| (client, task));
                if launched.is_ok() {
                    break;
                }
            }
            let (client, task) = launched?;
            let folder = self.folder.clone();
            let talk = match self.now.take() {
                Some(mut talk) => {
                    talk.begin_task(client, task.name());
                    self.now.insert(talk)
                }
                None => {
                    self.connect(client, &task, Box::new(move |_| Scenario::everything(&folder)))
                        .await?
                }
            };
            talk.is_usual = true;
            let turn = talk.prompted().await?;
            Ok((talk, turn))
        })
    }

    fn launch(&mut self, task: &ClientTask) -> Probed<StartedClient> {
        let name = task.name();
        (self.start)(task).map_err(|error| match error {
            ClientRunError::NoCommand => Outcome::NotTested(format!(
                "the client has no task {name:?}: add --to {name}=CMD with a command that makes it {}",
                task.description()
            )),
            error => Outcome::NotTested(format!("the client does not start: {error}")),
        })
    }

    async fn connect(
        &mut self,
        client: StartedClient,
        task: &ClientTask,
        scenario: Scenarios,
    ) -> Probed<&mut ClientTalk> {
        let scenarios = (scenario, self.version);
        let mut talk = ClientTalk::connect(client, task.name(), scenarios, self.patience).await?;
        talk.ends_with_turn = self.ends_with_turn;
        Ok(self.now.insert(talk))
    }

    /// Connects to a client that was started for the task [`PROMPT`].
    pub(super) async fn reach(&mut self, client: StartedClient) -> Probed {
        let (folder, task) = (self.folder.clone(), self.task(PROMPT));
        let scenario = move |_| Scenario::everything(&folder);
        self.connect(client, &task, Box::new(scenario)).await.map(drop)
    }

    /// Returns the version that the client asks for if it is lower than the one to judge.
    pub(super) async fn lower_version(&mut self) -> Option<u64> {
        let version = u64::from(self.version.0);
        let talk = self.now.as_mut().filter(|_| version > 1)?;
        let line = talk.hears::<Initialize>().await.ok()?;
        let asked = line.get("params")?.get("protocolVersion")?.as_u64()?;
        (asked < version).then_some(asked)
    }

    /// Ends the client, unless a person runs it and the next turn may use the same connection.
    /// Returns `true` if the client keeps running.
    async fn leave_open(&mut self) -> bool {
        let stays =
            self.now.as_ref().is_some_and(|talk| talk.is_usual && talk.may_reuse_connection());
        if !stays {
            self.leave().await;
        }
        stays
    }
}

impl ProbeRun for ClientRun {
    type First = Probed;
    const REACHED: &'static str = "INIT-01";
    const NOT_REACHED: &'static str = "the client sends no prompt";

    async fn first_contact(&mut self, reached: Probed) -> Probed {
        reached?;
        let Some(talk) = &mut self.now else { return not_tested("the client has ended") };
        let turn = talk.set_up().await?;
        talk.say(&turn, "hello");
        talk.end_turn(&turn, "end_turn");
        talk.is_usual = true;
        self.ends_with_turn =
            talk.client.is_seen() && talk.wire.peer.wait_for_end(talk.wire.patience).await;
        self.leave_open().await;
        Ok(())
    }

    async fn probe(&mut self, probe: &Probe<Self>) -> Option<Verdict> {
        let outcome = (probe.run)(self).await.err().unwrap_or(Outcome::Pass);
        let lines = self.shown();
        let is_fail = matches!(outcome, Outcome::Fail { .. });
        // A failure must not affect the next probe.
        if is_fail || !self.leave_open().await {
            self.leave().await;
        }
        Verdict::new(probe.rule, outcome, probe.name, lines)
    }

    /// Ends the client and all of its connections.
    async fn leave(&mut self) {
        if let Some(mut talk) = self.now.take() {
            // If the client still runs or has exited successfully, no message has made it fail.
            let went_well = talk.client.exit().is_none_or(|exit| exit.success());
            for mut wire in talk.ended.into_iter().chain([talk.wire]) {
                wire.peer.stop().await;
                if wire.is_watched {
                    self.watched.learn(&mut wire.peer, wire.patience, went_well);
                }
            }
            // Stop the client after its agent: a client that waits for an answer ends when the
            // connection does.
            talk.client.stop().await;
        }
    }

    fn shown(&self) -> Vec<Line> {
        let lines = self.now.as_ref().map_or(&[][..], |talk| talk.wire.peer.lines());
        lines.iter().skip(lines.len().saturating_sub(LINES_SHOWN)).map(short).collect()
    }

    fn watched(&self) -> &Traffic {
        &self.watched
    }
}
