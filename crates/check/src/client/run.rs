//! A run over one client: it starts it with the judge in place of its agent, runs the probes, and
//! watches all of their traffic.

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
use attache_protocol::method::Side;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Why a client did not go on a task.
#[derive(Debug)]
#[non_exhaustive]
pub enum ClientRunError {
    /// Nobody said how it is told to do that.
    NoCommand,
    /// It cannot be started.
    Start(StartError),
    /// The judge cannot listen for its agent.
    Listen(std::io::Error),
    /// It was started, and did not come to a turn: why.
    NoPrompt(String),
}

impl fmt::Display for ClientRunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCommand => f.write_str("nobody said how the client is told to do that"),
            Self::Start(error) => error.fmt(f),
            Self::NoPrompt(why) => write!(f, "the client does not come to a turn: {why}"),
            Self::Listen(error) => {
                write!(f, "the judge cannot listen for the client's agent: {error}")
            }
        }
    }
}

impl std::error::Error for ClientRunError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NoCommand | Self::NoPrompt(_) => None,
            Self::Start(error) => Some(error),
            Self::Listen(error) => Some(error),
        }
    }
}

/// The task that every client has.
pub(super) const PROMPT: &str = "prompt";

type Start = Box<dyn FnMut(&ClientTask) -> Result<StartedClient, ClientRunError> + Send>;

/// A run over one client.
pub struct ClientRun {
    pub(super) start: Start,
    folder: PathBuf,
    patience: Duration,
    now: Option<ClientTalk>,
    pub(super) seed: u64,
    watched: Traffic,
    /// How many nonces were given.
    nonces: usize,
    /// Whether a screen was looked at and showed nothing while a turn ran.
    pub(crate) is_unreadable: bool,
    /// Whether the client closes the connection when its turn has ended.
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
    /// A run over the client that `start` starts on a task, as often as needed, with sessions in
    /// `folder`, which should be empty. An answer may take 10 s.
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
            watched: Traffic::of(Side::Client),
            nonces: 0,
            is_unreadable: false,
            ends_with_turn: false,
        }
    }

    /// How long an answer of the client may take; what it does first three times as long.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The probes run in an order that this number stands for; 0 is the order in which they are
    /// written.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// What the client was seen to support while it was judged.
    pub fn support(&self) -> &Support {
        &self.watched.support
    }

    /// The client that was started last, if it has not ended.
    pub(crate) fn now(&mut self) -> Option<&mut ClientTalk> {
        self.now.as_mut()
    }

    /// The folder for sessions.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A text that nobody has said before. It is one word of letters and digits.
    pub(crate) fn nonce(&mut self) -> String {
        self.nonces += 1;
        format!("nonce{:04}check", self.nonces)
    }

    /// So many of them.
    pub(crate) fn several<const N: usize>(&mut self) -> [String; N] {
        std::array::from_fn(|_| self.nonce())
    }

    /// A path in the folder of the session at which nothing is.
    pub(crate) fn new_path(&mut self) -> PathBuf {
        let name = self.nonce();
        self.folder.join(name)
    }

    /// The task of this name, with a prompt.
    pub(crate) fn task(&self, name: &'static str) -> ClientTask {
        ClientTask::new(name, &self.folder).with("prompt", "attache check asks")
    }

    /// Starts the client with an agent that offers everything.
    ///
    /// # Errors
    /// Not tested: there is no such task. A fail: the client does not start its agent.
    pub(crate) fn start<'a>(
        &'a mut self,
        task: ClientTask,
    ) -> Boxed<'a, Probed<&'a mut ClientTalk>> {
        Box::pin(async move {
            let folder = self.folder.clone();
            self.start_with(task, move |_| Scenario::everything(&folder)).await
        })
    }

    /// Starts the client with an agent that is `scenario` on each connection, counted from 0.
    ///
    /// # Errors
    /// As for [`ClientRun::start`].
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
            self.meet(client, &task, scenario).await
        })
    }

    /// A turn of the client on the first of these tasks that it has, with an agent that offers
    /// everything.
    ///
    /// # Errors
    /// Not tested: it has none of them. A fail: it does not prompt.
    pub(crate) fn turn<'a>(
        &'a mut self,
        tasks: &'a [&'static str],
    ) -> Boxed<'a, Probed<(&'a mut ClientTalk, ClientTurn)>> {
        Box::pin(async move {
            let kept = self.leave_open().await;
            let mut launched = not_tested("the client was told nothing");
            for name in tasks {
                let task = self.task(name);
                let task = if kept { task.going_on() } else { task };
                launched = self.launch(&task).map(|client| (client, task));
                if launched.is_ok() {
                    break;
                }
            }
            let (client, task) = launched?;
            let folder = self.folder.clone();
            let talk = match self.now.take() {
                Some(mut talk) => {
                    talk.go_on(client, task.name());
                    self.now.insert(talk)
                }
                None => {
                    self.meet(client, &task, Box::new(move |_| Scenario::everything(&folder)))
                        .await?
                }
            };
            talk.is_usual = true;
            let turn = talk.set_up().await?;
            Ok((talk, turn))
        })
    }

    fn launch(&mut self, task: &ClientTask) -> Probed<StartedClient> {
        let name = task.name();
        (self.start)(task).map_err(|error| match error {
            ClientRunError::NoCommand => Outcome::NotTested(format!(
                "the client has no task {name:?}: name the command that makes it {} by --to {name}=CMD",
                task.told()
            )),
            error => Outcome::NotTested(format!("the client does not start again: {error}")),
        })
    }

    async fn meet(
        &mut self,
        client: StartedClient,
        task: &ClientTask,
        scenario: Scenarios,
    ) -> Probed<&mut ClientTalk> {
        let mut talk = ClientTalk::meet(client, task.name(), scenario, self.patience).await?;
        talk.ends_with_turn = self.ends_with_turn;
        Ok(self.now.insert(talk))
    }

    /// Ends the client, unless a person drives it and the next turn may follow on the same
    /// connection. True if so.
    async fn leave_open(&mut self) -> bool {
        let stays = self.now.as_ref().is_some_and(|talk| talk.is_usual && talk.may_go_on());
        if !stays {
            self.leave().await;
        }
        stays
    }
}

impl ProbeRun for ClientRun {
    type First = StartedClient;
    const REACHED: &'static str = "INIT-01";
    const NOT_REACHED: &'static str = "the client does not prompt";

    async fn first_contact(&mut self, client: StartedClient) -> Probed {
        let folder = self.folder.clone();
        let task = self.task(PROMPT);
        let talk =
            self.meet(client, &task, Box::new(move |_| Scenario::everything(&folder))).await?;
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
        // What went wrong may go on: the next probe is not to suffer from it.
        if is_fail || !self.leave_open().await {
            self.leave().await;
        }
        Verdict::new(probe.rule, outcome, probe.name, lines)
    }

    /// Ends the client, and every connection of it.
    async fn leave(&mut self) {
        if let Some(mut talk) = self.now.take() {
            // One that is still there has lived through all that it was sent.
            let went_well = talk.client.exit().is_none_or(|exit| exit.success());
            for mut wire in talk.ended.into_iter().chain([talk.wire]) {
                wire.peer.stop().await;
                if wire.is_watched {
                    self.watched.learn(&mut wire.peer, wire.patience, went_well);
                }
            }
            // After its agent: a client that waits for an answer ends as soon as nobody is there to
            // give it.
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
