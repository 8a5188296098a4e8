//! A run over one agent: it starts it where that is needed, runs the probes, and watches all of their traffic.

use crate::acts;
use crate::conversation::{Conversation, Session, quoted};
use crate::judging::{self, Judging};
use crate::probe::{self, Probe};
use crate::raw_peer::{Line, Link, RawPeer, Script};
use crate::services;
use crate::support::Support;
use crate::verdict::{Outcome, Probed, Verdict, not_tested};
use crate::watched::{Watched, short};
use crate::{ModelServer, Selection};
use attache_host::StartError;
use attache_protocol::method::Side;
use serde_json::{Value, json};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How many lines a verdict shows.
pub(crate) const LINES_SHOWN: usize = 12;

/// What a turn has to say to show that it does what it is told.
const WORD: &str = "attache-word-50917";

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
/// let verdicts = run.judge(None, |_, _, _| {}).await?;
/// assert!(!verdicts.iter().any(|verdict| verdict.is_fault()));
/// # Ok(())
/// # }
/// ```
pub struct Run {
    start: Start,
    folder: PathBuf,
    patience: Duration,
    words: String,
    login: Option<String>,
    now: Option<Conversation>,
    /// Whether the next probe may go on with this conversation.
    is_shared: bool,
    /// Whether turns do what their prompts tell, or why not, once that was tried.
    driven: Option<Result<(), String>>,
    seed: u64,
    model: Option<ModelServer>,
    watched: Watched,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("folder", &self.folder).field("now", &self.now).finish_non_exhaustive()
    }
}

impl Run {
    /// A run over the agent that `start` starts, as often as needed, with sessions in `folder`, which should be empty. An answer may take
    /// 10 s.
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
            is_shared: false,
            driven: None,
            model: None,
            seed: 0,
            watched: Watched::of(Side::Agent),
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

    /// The probes run in an order that this number stands for; 0 is the order in which they are written.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// What the agent was seen to support while it was judged.
    pub fn support(&self) -> &Support {
        &self.watched.support
    }

    /// A way to log in that asks nobody, by its id among the agent's `authMethods`. With it the agent is also logged out and in; without
    /// it none of that is tried, as it could cost a person their login.
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

    /// Judges the agent by every rule that is probed, or by those chosen, and gives the verdicts in the order of the rules. `progress` is
    /// told before each probe its name, its number and how many there are.
    ///
    /// If the agent does not answer `initialize` nothing else is tried.
    ///
    /// # Errors
    /// The agent cannot be started at all.
    pub async fn judge(
        &mut self,
        only: impl IntoIterator<Item = Selection>,
        progress: impl FnMut(&'static str, usize, usize),
    ) -> Result<Vec<Verdict>, StartError> {
        let first = (self.start)()?;
        let seed = self.seed;
        Ok(judging::judge(self, first, probe::all(), only, seed, progress).await)
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

    /// A conversation in which both sides have told all that they can do. It may be one that earlier probes had.
    pub(crate) async fn talk(&mut self) -> Probed<&mut Conversation> {
        let is_up = self.now.as_ref().is_some_and(|talk| talk.peer.ended().is_none());
        if !(self.is_shared && is_up) {
            self.fresh().await?;
            let initialized = self.now().initialize(everything()).await.and_then(|reply| reply.result());
            if let Err(Outcome::Fail { seen, .. }) = initialized {
                return Err(Outcome::NotTested(format!(
                    "a new start of the agent does not initialize: {seen}"
                )));
            }
            self.is_shared = true;
        }
        Ok(self.now())
    }

    /// The same, with a session in the folder.
    pub(crate) async fn session(&mut self) -> Probed<(&mut Conversation, Session)> {
        let folder = self.folder.clone();
        let talk = self.talk().await?;
        let session = talk.open(&folder).await?;
        Ok((talk, session))
    }

    /// A new conversation that the observer does not watch, for what an agent answers oddly when it is asked oddly. It ends with the probe.
    pub(crate) async fn unwatched(&mut self) -> Probed<&mut Conversation> {
        self.is_shared = false;
        self.talk().await?;
        self.is_shared = false;
        let talk = self.now();
        talk.is_watched = false;
        Ok(talk)
    }

    /// A conversation with the agent as it has just started, to which nothing was said. It ends with the probe.
    pub(crate) async fn fresh(&mut self) -> Probed<&mut Conversation> {
        self.leave().await;
        let link = (self.start)()
            .map_err(|error| Outcome::NotTested(format!("the agent does not start again: {error}")))?;
        self.meet(link);
        Ok(self.now())
    }

    /// A conversation of its own with a client that has these capabilities. It ends with the probe.
    pub(crate) async fn fresh_with(&mut self, capabilities: Value) -> Probed<&mut Conversation> {
        let talk = self.fresh().await?;
        talk.initialize(initialize_params(capabilities)).await?.result()?;
        Ok(talk)
    }

    /// Whether the agent's turns do what their prompts tell, which every probe of a turn needs. It is tried once a run.
    pub(crate) async fn driven(&mut self) -> Probed {
        if self.driven.is_none() {
            self.driven = Some(self.calibrate().await);
        }
        match &self.driven {
            Some(Err(why)) => not_tested(why.clone()),
            _ => Ok(()),
        }
    }

    /// One turn that is to say a certain word.
    async fn calibrate(&mut self) -> Result<(), String> {
        let why = |run: &Self, seen: String| {
            let is_unasked = run.asked() == Some(0);
            let unasked = if is_unasked { "; the judge's model was not asked" } else { "" };
            format!(
                "the agent has no model that can be told what to do (told to say a word, {seen}{unasked}): --model-env NAME"
            )
        };
        let (talk, session) = match self.session().await {
            Ok(opened) => opened,
            Err(outcome) => return Err(outcome.seen().to_owned()),
        };
        let played = talk.play(&session, acts::say(WORD)).await;
        let said = played.and_then(|played| played.stop_reason().map(|_| played.said()));
        match said {
            Ok(said) if said.contains(WORD) && acts::Acts::read(&said).is_none() => Ok(()),
            Ok(said) if said.is_empty() => Err(why(self, "it says nothing".to_owned())),
            Ok(said) => Err(why(self, format!("it says: {}", quoted(&said)))),
            Err(outcome) => Err(why(self, outcome.seen().to_owned())),
        }
    }

    fn meet(&mut self, link: Link) {
        self.is_shared = false;
        let script = services::script(&self.folder);
        self.now = Some(Conversation::new(RawPeer::new(link, script), self.patience));
    }

    /// The conversation that goes on. One that has ended stands in where there is none.
    fn now(&mut self) -> &mut Conversation {
        let patience = self.patience;
        self.now.get_or_insert_with(|| {
            let nothing = Link::over(tokio::io::empty(), tokio::io::sink());
            Conversation::new(RawPeer::new(nothing, Script::default()), patience)
        })
    }

    /// Ends the agent: the next conversation is with a new process of it.
    pub(crate) async fn restart(&mut self) {
        self.leave().await;
    }

    /// The last lines of the conversation from that index on, for people.
    fn shown_from(&self, first: usize) -> Vec<Line> {
        let lines = self.now.as_ref().map_or(&[][..], |talk| talk.peer.lines());
        let first = first.max(lines.len().saturating_sub(LINES_SHOWN));
        lines.iter().skip(first).map(short).collect()
    }
}

impl Judging for Run {
    type First = Link;
    const REACHED: &'static str = "INIT-05";
    const NOT_REACHED: &'static str = "the agent does not initialize";

    async fn first_contact(&mut self, link: Link) -> Probed {
        self.meet(link);
        self.now().initialize(everything()).await?.result()?;
        self.is_shared = true;
        Ok(())
    }

    async fn probe(&mut self, probe: &Probe) -> Option<Verdict> {
        if let Some(talk) = &mut self.now {
            talk.peer.script.restore();
        }
        let mark = self.now.as_ref().filter(|_| self.is_shared).map_or(0, Conversation::now);
        let outcome = (probe.run)(self).await.err().unwrap_or(Outcome::Pass);
        let is_fail = matches!(outcome, Outcome::Fail { .. });
        let lines = self.shown_from(if self.is_shared { mark } else { 0 });
        // What went wrong may go on: the next probe is not to suffer from it.
        if is_fail || !self.is_shared {
            self.leave().await;
        }
        Verdict::new(probe.rule, outcome, probe.name, lines)
    }

    /// Ends the conversation, and the agent with it.
    async fn leave(&mut self) {
        self.is_shared = false;
        if let Some(mut talk) = self.now.take() {
            talk.peer.stop().await;
            if talk.is_watched {
                self.watched.learn(&mut talk.peer, talk.patience, false);
            }
        }
    }

    fn shown(&self) -> Vec<Line> {
        self.shown_from(0)
    }

    fn watched(&self) -> &Watched {
        &self.watched
    }
}

/// What the judge says of itself: a client that can do everything.
pub(crate) fn everything() -> Value {
    initialize_params(capabilities())
}

/// What the judge can do as a client.
pub(crate) fn capabilities() -> Value {
    json!({
        "fs": {"readTextFile": true, "writeTextFile": true},
        "terminal": true,
        "elicitation": {"form": {}},
        "session": {"notices": {}, "compaction": {}, "configOptions": {"boolean": {}}},
    })
}

/// The params of `initialize` of a client with these capabilities.
pub(crate) fn initialize_params(capabilities: Value) -> Value {
    let info = json!({"name": "attache-check", "version": env!("CARGO_PKG_VERSION")});
    json!({"protocolVersion": 1, "clientInfo": info, "clientCapabilities": capabilities})
}
