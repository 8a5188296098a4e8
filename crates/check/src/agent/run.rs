//! A run over one agent: it starts it where that is needed, runs the probes, and watches all of
//! their traffic.

mod calibration;
mod conversations;

use crate::agent::judge_client::{Client, capabilities, everything};
use crate::json::json;
use crate::judging::boxed::Boxed;
use crate::judging::conversation::{Conversation, Session};
use crate::judging::probe::Probe;
use crate::judging::probe_run::ProbeRun;
use crate::judging::support::Support;
use crate::judging::traffic::{Traffic, short};
use crate::judging::verdict::{Outcome, Probed, Verdict, not_tested};
use crate::mcp_server::{McpServer, ServerBehavior, Transport};
use crate::peer::line::Line;
use crate::peer::link::Link;
use crate::{McpServers, ModelServer};
use attache_host::StartError;
use attache_protocol::method::{Method, SessionNew, SessionPrompt, Side};
use serde_json::Value;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How many lines a verdict shows.
pub(crate) const LINES_SHOWN: usize = 12;

/// The rules that an agent breaks which opens no session, or takes no prompt: then no other rule is
/// broken that was probed with one.
const OPENED: &str = "SESS-01";
const PROMPTED: &str = "PROMPT-06";

type Start = Box<dyn FnMut() -> Result<Link, StartError> + Send>;

/// A run over one agent.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use attache_check::{Link, Run};
/// use attache_host::Launch;
///
/// let folder = std::env::current_dir()?;
/// let mut run = Run::new(folder, || Link::start(Launch::new("my-agent")));
/// let verdicts = run.judge(None, |_| {}).await?;
/// assert!(!verdicts.iter().any(|verdict| verdict.is_fault()));
/// # Ok(())
/// # }
/// ```
pub struct Run {
    pub(super) start: Start,
    folder: PathBuf,
    patience: Duration,
    words: String,
    login: Option<String>,
    now: Option<Conversation>,
    /// Which client the agent talks with now, if later probes may go on with the conversation.
    client: Option<Client>,
    /// Conversations that later probes may go on with while another one is had.
    parked: Vec<(Client, Conversation)>,
    /// Whether turns do what their prompts tell, or why not, once that was tried.
    driven: Option<Result<(), String>>,
    /// What was seen of the first turn in another session than its own.
    misplaced: Option<String>,
    /// Whether a prompt is answered at all, once that was tried.
    prompted: Option<Probed>,
    /// Whether a session opens at all, once that was tried.
    opened: Option<Probed>,
    /// The first session that had a turn, and when that ended.
    first_spoken: Option<(Session, Instant)>,
    /// Whether `$/cancel_request` was seen to be ignored, as is allowed.
    pub(crate) ignores_cancelled_requests: bool,
    pub(super) seed: u64,
    model: Option<ModelServer>,
    mcp: Option<McpServers>,
    watched: Traffic,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("folder", &self.folder)
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

impl Run {
    /// A run over the agent that `start` starts, as often as needed, with sessions in `folder`,
    /// which should be empty. An answer may take 10 s.
    pub fn new(
        folder: impl Into<PathBuf>,
        start: impl FnMut() -> Result<Link, StartError> + Send + 'static,
    ) -> Self {
        Self {
            start: Box::new(start),
            folder: folder.into(),
            patience: Duration::from_secs(10),
            words: "hi".to_owned(),
            login: None,
            now: None,
            client: None,
            parked: Vec::new(),
            driven: None,
            misplaced: None,
            prompted: None,
            opened: None,
            first_spoken: None,
            ignores_cancelled_requests: false,
            model: None,
            mcp: None,
            seed: 0,
            watched: Traffic::of(Side::Agent),
        }
    }

    /// How long an answer of the agent may take; the first one three times as long.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// What the agent is prompted with where a turn is needed, `hi` unless set.
    #[must_use]
    pub fn prompt(mut self, words: impl Into<String>) -> Self {
        self.words = words.into();
        self
    }

    /// The probes run in an order that this number stands for; 0 is the order in which they are
    /// written.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// What the agent was seen to support while it was judged.
    pub fn support(&self) -> &Support {
        &self.watched.support
    }

    /// A way to log in that asks nobody, by its id among the agent's `authMethods`. With it the
    /// agent is also logged out and in; without it none of that is tried, as it could cost a person
    /// their login.
    #[must_use]
    pub fn login(mut self, method: impl Into<String>) -> Self {
        self.login = Some(method.into());
        self
    }

    /// The model that the agent asks, if it was led to it: it lives as long as the run.
    #[must_use]
    pub fn model(mut self, model: ModelServer) -> Self {
        self.model = Some(model);
        self
    }

    /// The MCP servers that sessions of the agent are opened with. Without them nothing about MCP
    /// servers that work is judged.
    #[must_use]
    pub fn mcp(mut self, servers: McpServers) -> Self {
        self.mcp = Some(servers);
        self
    }

    /// The folder for sessions.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The way to log in and out that may be tried.
    pub(crate) fn method(&self) -> Probed<Value> {
        match &self.login {
            Some(method) => Ok(json!(method)),
            None => not_tested("nobody said how to log in without a person: --login METHOD"),
        }
    }

    /// The prompt for a turn.
    pub(crate) fn words(&self) -> Value {
        json!([{"type": "text", "text": self.words}])
    }

    /// How often the judge's model was asked for an answer, if the agent was led to it.
    pub(crate) fn asked(&self) -> Option<usize> {
        self.model.as_ref().map(ModelServer::answers)
    }

    /// Where the judge's model is, if there is one.
    pub(crate) fn model_url(&self) -> Option<String> {
        self.model.as_ref().map(ModelServer::url)
    }

    /// A new MCP server of the judge.
    pub(crate) fn mcp_server(
        &self,
        transport: Transport,
        manner: ServerBehavior,
    ) -> Probed<Arc<McpServer>> {
        match &self.mcp {
            Some(servers) => Ok(servers.add(transport, manner)),
            None => not_tested("the judge was not told how it is started as an MCP server"),
        }
    }

    /// The first session that had a turn, once that is at least so long ago.
    pub(crate) fn spoken_before<'a>(&'a mut self, age: Duration) -> Boxed<'a, Option<Session>> {
        Box::pin(async move {
            let (session, ended) = self.first_spoken.clone()?;
            tokio::time::sleep_until(ended + age).await;
            Some(session)
        })
    }
}

impl ProbeRun for Run {
    type First = Link;
    const REACHED: &'static str = "INIT-05";
    const NOT_REACHED: &'static str = "the agent does not initialize";

    async fn first_contact(&mut self, link: Link) -> Probed {
        self.meet(link);
        self.now().initialize(everything()).await?.result()?;
        self.client = Some(Client { capabilities: capabilities(), is_watched: true });
        Ok(())
    }

    async fn probe(&mut self, probe: &Probe<Self>) -> Option<Verdict> {
        if let Some(talk) = &mut self.now {
            talk.begin_probe();
        }
        let mut outcome = (probe.run)(self).await.err().unwrap_or(Outcome::Pass);
        let lines = self.shown();
        // Known before anything else is tried, which may be in another conversation.
        let (opens, prompts) = (self.has_asked::<SessionNew>(), self.has_asked::<SessionPrompt>());
        if outcome.is_fail() && probe.rule != PROMPTED && self.was_refused_a_prompt() {
            outcome = Outcome::NotTested(
                "the agent refuses a prompt of the probe, as PROMPT-06 tells".to_owned(),
            );
        }
        if outcome.is_fail() && probe.rule != OPENED && opens {
            outcome = self.opens_sessions().await.err().unwrap_or(outcome);
        }
        if outcome.is_fail() && probe.rule != PROMPTED && prompts {
            outcome = self.answers_prompts().await.err().unwrap_or(outcome);
        }
        // What was left open may go on: the next probe is not to suffer from it. Nor is it to watch
        // what this one did not.
        let is_odd = self.client.as_ref().is_some_and(|client| !client.is_watched)
            && outcome != Outcome::Pass;
        let is_over = is_odd
            || self.client.is_none()
            || self.now.as_ref().is_some_and(|talk| !talk.is_settled());
        if let Some(talk) = self.now.take_if(|_| is_over) {
            self.client = None;
            self.end(talk).await;
        }
        Verdict::new(probe.rule, outcome, probe.name, lines)
    }

    /// Ends every conversation, and each process of the agent with it.
    async fn leave(&mut self) {
        self.client = None;
        let parked = std::mem::take(&mut self.parked).into_iter().map(|(_, talk)| talk);
        for talk in parked.chain(self.now.take()) {
            self.end(talk).await;
        }
    }

    fn shown(&self) -> Vec<Line> {
        let Some(talk) = &self.now else { return Vec::new() };
        let lines = talk.peer.lines();
        let first = talk.probe_began().max(lines.len().saturating_sub(LINES_SHOWN));
        lines.iter().skip(first).map(short).collect()
    }

    fn watched(&self) -> &Traffic {
        &self.watched
    }
}

impl Run {
    /// Whether a prompt of this probe was refused that had to be taken.
    fn was_refused_a_prompt(&self) -> bool {
        self.now.as_ref().is_some_and(|talk| {
            let mut findings = talk.peer.findings().iter();
            findings.any(|finding| finding.rule.id == PROMPTED && finding.line > talk.probe_began())
        })
    }

    /// Whether the judge has called this in this probe.
    fn has_asked<M: Method>(&self) -> bool {
        let is_asked = |line: &Line| {
            !line.is_theirs && line.get("method").is_some_and(|method| method == M::ROW.name)
        };
        self.now
            .as_ref()
            .is_some_and(|talk| talk.peer.lines().iter().skip(talk.probe_began()).any(is_asked))
    }
}
