//! A run of the judge over one agent: it starts the agent when needed, runs probes and records all
//! messages.

mod calibration;
mod conversations;
mod version;

use crate::agent::basic_rules::BasicRules;
use crate::agent::judge_client::{Client, initialize_params_of};
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
use attache_protocol::v1::ProtocolVersion;
use serde_json::Value;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The maximum number of recorded lines in a verdict.
pub(crate) const LINES_SHOWN: usize = 12;

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
    version: ProtocolVersion,
    /// The reason why the agent cannot be judged by the chosen version, if it speaks another one.
    other_version: Option<String>,
    now: Option<Conversation>,
    /// The client that the judge plays in the current conversation, if later probes may continue
    /// the conversation.
    client: Option<Client>,
    /// Conversations that later probes may continue while another one is active.
    parked: Vec<(Client, Conversation)>,
    /// `Ok` if the agent's turns do what their prompts say, otherwise the reason why this is
    /// unknown. `None` until tried.
    driven: Option<Result<(), String>>,
    /// What the first turn sent under the id of another session, if anything.
    misplaced: Option<String>,
    /// Whether the agent answers prompts. `None` until tried.
    prompted: Option<Probed>,
    /// Whether the agent opens sessions. `None` until tried.
    opened: Option<Probed>,
    /// The first session that had a turn, and the time when that turn ended.
    first_spoken: Option<(Session, Instant)>,
    /// Whether the agent ignores `$/cancel_request`, which is allowed.
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
    /// Creates a run over an agent. The run calls `start` whenever it needs a new process. Sessions
    /// use `folder`, which should be empty. The agent may take 10 s per answer.
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
            version: ProtocolVersion::V1,
            other_version: None,
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

    /// Sets how long the agent may take per answer. It may take three times as long for the first
    /// answer.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Sets the text of prompts that only need a turn. The default is `hi`.
    #[must_use]
    pub fn prompt(mut self, words: impl Into<String>) -> Self {
        self.words = words.into();
        self
    }

    /// Runs the probes in an order that depends on this seed; 0 keeps the order in which they are
    /// declared.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the version of the protocol that the judge's client requests and judges: version 1,
    /// which is the default, or version 2. Version 2 is a draft.
    #[must_use]
    pub fn protocol(mut self, version: ProtocolVersion) -> Self {
        self.version = version;
        self.watched.support.protocol = version.0;
        self
    }

    /// Returns a sentence about the version of the protocol that the agent speaks, if this is
    /// another version than the chosen one. No rule was judged then.
    pub fn other_version(&self) -> Option<&str> {
        self.other_version.as_deref()
    }

    /// Returns the parts of the protocol that the agent supports, as observed so far.
    pub fn support(&self) -> &Support {
        &self.watched.support
    }

    /// Sets a login method that works without user interaction, by its id in the agent's
    /// `authMethods`. The judge then tests logging out and in. Without such a method it does
    /// neither, so that you do not lose a login.
    #[must_use]
    pub fn login(mut self, method: impl Into<String>) -> Self {
        self.login = Some(method.into());
        self
    }

    /// Sets the model server that the agent uses. The run keeps it alive.
    #[must_use]
    pub fn model(mut self, model: ModelServer) -> Self {
        self.model = Some(model);
        self
    }

    /// Sets the MCP servers for the agent's sessions. Without them, rules that need working MCP
    /// servers are not tested.
    #[must_use]
    pub fn mcp(mut self, servers: McpServers) -> Self {
        self.mcp = Some(servers);
        self
    }

    /// Returns the folder for sessions.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the login method that the judge may use.
    pub(crate) fn method(&self) -> Probed<Value> {
        match &self.login {
            Some(method) => Ok(json!(method)),
            None => not_tested("the login method is not set: use --login METHOD"),
        }
    }

    /// Returns the prompt for a turn.
    pub(crate) fn words(&self) -> Value {
        json!([{"type": "text", "text": self.words}])
    }

    /// Returns how many answers the judge's model has given, if there is a model.
    pub(crate) fn asked(&self) -> Option<usize> {
        self.model.as_ref().map(ModelServer::answers)
    }

    /// Returns the URL of the judge's model, if there is one.
    pub(crate) fn model_url(&self) -> Option<String> {
        self.model.as_ref().map(ModelServer::url)
    }

    /// Adds an MCP server to those of the judge and returns it.
    pub(crate) fn mcp_server(
        &self,
        transport: Transport,
        manner: ServerBehavior,
    ) -> Probed<Arc<McpServer>> {
        match &self.mcp {
            Some(servers) => Ok(servers.add(transport, manner)),
            None => not_tested("the judge has no command that starts it as an MCP server"),
        }
    }

    /// Returns the first session that had a turn, after waiting until that turn ended at least
    /// `age` ago.
    pub(crate) fn session_with_turn_before<'a>(
        &'a mut self,
        age: Duration,
    ) -> Boxed<'a, Option<Session>> {
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
    const NOT_REACHED: &'static str = "the agent does not answer initialize";

    fn reached(&self) -> &'static str {
        self.basic_rules().initialized
    }

    fn not_reached(&self, contact: &Outcome) -> Outcome {
        match &self.other_version {
            Some(why) => Outcome::NotTested(why.clone()),
            None => Outcome::NotTested(format!("{}: {}", Self::NOT_REACHED, contact.seen())),
        }
    }

    async fn first_contact(&mut self, link: Link) -> Probed {
        self.start_conversation(link);
        let capabilities = self.capabilities();
        let params = initialize_params_of(self.version, capabilities.clone());
        let reply = self.now().initialize(params).await?;
        self.agrees_on_version(&reply)?;
        self.client = Some(Client { capabilities, is_watched: true });
        Ok(())
    }

    async fn probe(&mut self, probe: &Probe<Self>) -> Option<Verdict> {
        if let Some(talk) = &mut self.now {
            talk.begin_probe();
        }
        let mut outcome = (probe.run)(self).await.err().unwrap_or(Outcome::Pass);
        let lines = self.shown();
        // Read these values now, because the checks below may switch to another conversation.
        let (opens, prompts) = (self.has_asked::<SessionNew>(), self.has_asked::<SessionPrompt>());
        let BasicRules { opened, prompted, .. } = self.basic_rules();
        if outcome.is_fail() && probe.rule != prompted && self.was_refused_a_prompt() {
            outcome = Outcome::NotTested(format!(
                "the agent refuses a prompt of the probe, which breaks {prompted}"
            ));
        }
        if outcome.is_fail() && probe.rule != opened && opens {
            outcome = self.opens_sessions().await.err().unwrap_or(outcome);
        }
        if outcome.is_fail() && probe.rule != prompted && prompts {
            outcome = self.answers_prompts().await.err().unwrap_or(outcome);
        }
        // The next probe must not continue a conversation with open calls, or one in which the
        // observer was off and this probe did not pass.
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

    /// Ends every conversation and the agent process of each.
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
    /// Whether the agent refused a prompt of this probe that it must accept.
    fn was_refused_a_prompt(&self) -> bool {
        let prompted = self.basic_rules().prompted;
        self.now.as_ref().is_some_and(|talk| {
            let mut findings = talk.peer.findings().iter();
            findings.any(|finding| finding.rule.id == prompted && finding.line > talk.probe_began())
        })
    }

    /// Whether the judge called this method in this probe.
    fn has_asked<M: Method>(&self) -> bool {
        let is_asked = |line: &Line| {
            !line.is_theirs && line.get("method").is_some_and(|method| method == M::ROW.name)
        };
        self.now
            .as_ref()
            .is_some_and(|talk| talk.peer.lines().iter().skip(talk.probe_began()).any(is_asked))
    }
}
