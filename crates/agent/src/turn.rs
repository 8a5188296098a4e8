//! One turn, as its author sees it.

pub(crate) mod command;
pub(crate) mod compaction;
pub(crate) mod elicitation;
mod files;
mod form;
mod form_text;
#[cfg(feature = "host")]
mod host;
mod message;
pub(crate) mod permission;
mod plan;
mod remember;
pub(crate) mod subagent;
pub(crate) mod terminal;
pub(crate) mod tool_call;
mod usage;

use crate::session::accepted_prompt::AcceptedPrompt;
use crate::session::config_options::OptionNotice;
use crate::session::open_session::OpenSession;
use crate::session::statement::Statement;
use crate::{Error, Result, SessionHandle};
use attache_connection::End;
use attache_protocol::Meta;
use attache_protocol::method::Call;
use attache_protocol::v1::{
    AvailableCommand, ClientCapabilities, ContentBlock, Cost, Notice, SessionConfigOption,
    SessionConfigOptionValue, SessionId, SessionModeId, ToolCallId,
};
use attache_session::{EventBody, Labels};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

/// One prompt and all that can be done about it. Cheap to clone; tasks that the author starts and
/// owns may each have one.
///
/// Every function that sends waits first until the client has taken most of what was sent before,
/// so a slow client slows the agent down and fills no memory. Then what happened becomes part of
/// the session and a line to the client in one step. Once the turn is cancelled these functions say
/// [`Error::Cancelled`]; once its reply is queued, [`Error::Over`]: nothing of a turn ever follows
/// its reply (PROMPT-08).
#[derive(Clone)]
pub struct Turn(Arc<Inner>);

struct Inner {
    session: Arc<OpenSession>,
    accepted: AcceptedPrompt,
    prompt: Vec<ContentBlock>,
    text: String,
    /// The turn that this one is a child of.
    parent: Option<Turn>,
    /// The tool call that stands for it where the client takes no subagents: only its own tool
    /// calls and questions are shown then, in the session of its parent.
    stand_in: Option<ToolCallId>,
}

impl Turn {
    pub(crate) fn new(
        session: Arc<OpenSession>,
        accepted: AcceptedPrompt,
        prompt: Vec<ContentBlock>,
    ) -> Self {
        let texts: Vec<&str> = prompt.iter().filter_map(ContentBlock::as_text).collect();
        let text = texts.join("\n");
        Self(Arc::new(Inner { session, accepted, prompt, text, parent: None, stand_in: None }))
    }

    /// The turn of a subagent: cancelled with this one, in a session of its own.
    pub(crate) fn child(&self, session: Arc<OpenSession>) -> Self {
        self.derived(session, None)
    }

    /// The turn of a subagent for a client that takes none, for which this tool call stands.
    pub(crate) fn muted_child(&self, stand_in: ToolCallId) -> Self {
        self.derived(Arc::clone(self.open_session()), Some(stand_in))
    }

    fn derived(&self, session: Arc<OpenSession>, stand_in: Option<ToolCallId>) -> Self {
        let (accepted, parent) = (self.0.accepted.clone(), Some(self.clone()));
        Self(Arc::new(Inner {
            session,
            accepted,
            prompt: Vec::new(),
            text: String::new(),
            parent,
            stand_in,
        }))
    }

    /// The text blocks of the prompt, one after the other, each on a line of its own. A slash
    /// command comes here (CMD-04).
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The whole prompt: text and resource links, and the kinds that
    /// [`About::prompts`](crate::About::prompts) names.
    pub fn prompt(&self) -> &[ContentBlock] {
        &self.0.prompt
    }

    /// The session's id.
    pub fn session_id(&self) -> &SessionId {
        &self.open_session().id
    }

    /// The session's working directory (SESS-03).
    pub fn cwd(&self) -> &Path {
        self.roots().first().map_or(Path::new("/"), PathBuf::as_path)
    }

    /// The working directory and the further roots: what tools on files keep to (SESS-05).
    pub fn roots(&self) -> &[PathBuf] {
        &self.open_session().roots
    }

    /// The session as a whole, which outlives the turn; of a subagent's turn, the session it works
    /// for.
    pub fn session(&self) -> SessionHandle {
        SessionHandle::of(self.root().open_session())
    }

    /// The config options with their values now; the client may change them while the turn runs
    /// (CONF-18). A subagent has those of the session it works for.
    pub fn options(&self) -> Vec<SessionConfigOption> {
        self.root().open_session().state().session.config().options().to_vec()
    }

    /// The value now of the option with this id, else of the first of this category.
    pub fn option(&self, id: &str) -> Option<SessionConfigOptionValue> {
        self.root().open_session().state().session.config().value(id)
    }

    /// The mode now, if the session has modes (MODE-03).
    pub fn mode(&self) -> Option<SessionModeId> {
        self.root().open_session().state().session.config().current_mode()
    }

    /// What the client offers.
    pub fn client(&self) -> Arc<ClientCapabilities> {
        self.open_session().peer.client_capabilities().unwrap_or_default()
    }

    /// Gives the session a title made up by the agent. One that a person set stays (TITLE-03).
    /// Titles and metadata that change often are told ten times a second at most; the last one
    /// always is, at the latest with the end of the turn.
    ///
    /// # Errors
    /// As [`Turn::say`]; [`Error::Invalid`] for a title that is blank.
    pub async fn title(&self, title: &str) -> Result<()> {
        self.tell(Statement::Title(title.to_owned())).await
    }

    /// Gives the session the title that a person asked for in words, as `session/set_title` does:
    /// from now on no title of the agent's own replaces it (TITLE-03).
    ///
    /// # Errors
    /// As [`Turn::title`].
    pub async fn title_by_person(&self, title: &str) -> Result<()> {
        self.tell(Statement::TitleByUser(title.to_owned())).await
    }

    /// Whether a person gave the session its title, so that no other takes its place (TITLE-03).
    pub fn titled_by_person(&self) -> bool {
        self.root().open_session().state().session.info().titled_by_person()
    }

    /// What a new session must know of this one, in Markdown of at most `limit` bytes: see
    /// [`Session::hand_off`](attache_session::Session::hand_off).
    pub fn hand_off(&self, limit: usize) -> String {
        self.root().open_session().state().session.hand_off(limit)
    }

    /// Merges `meta` into the session's metadata: see [`SessionHandle::info`].
    ///
    /// # Errors
    /// As [`Turn::say`]; [`Error::Invalid`] if the metadata would get longer than
    /// [`META_LIMIT`](attache_session::META_LIMIT).
    pub async fn info(&self, meta: Meta) -> Result<()> {
        self.tell(Statement::Meta(meta)).await
    }

    /// Replaces the session's tags, status and progress.
    ///
    /// # Errors
    /// As [`Turn::info`].
    pub async fn labels(&self, labels: Labels) -> Result<()> {
        self.tell(Statement::Labels(labels)).await
    }

    /// Replaces the slash commands, names without the slash (CMD-02, CMD-05).
    ///
    /// # Errors
    /// As [`Turn::say`]; [`Error::Invalid`] for a name that is empty or begins with a slash.
    pub async fn commands(&self, commands: Vec<AvailableCommand>) -> Result<()> {
        self.tell(Statement::Commands(commands)).await
    }

    /// Says how full the context is: see [`SessionHandle::usage`].
    ///
    /// # Errors
    /// As [`Turn::say`]; [`Error::Invalid`] for a cost that is no amount or has no unit.
    pub async fn usage(&self, used: u64, size: u64, cost: Option<Cost>) -> Result<()> {
        self.tell(Statement::Usage { used, size, cost }).await
    }

    /// Tells the person something that is no part of the conversation, where the client takes that
    /// (NOTE-01, NOTE-02).
    ///
    /// # Errors
    /// As [`Turn::say`]; [`Error::Invalid`] as [`SessionHandle::notice`].
    pub async fn notice(&self, notice: Notice) -> Result<()> {
        self.tell(Statement::Notice(notice)).await
    }

    /// Replaces the config options (CONF-03). If the mode is another one then, that is announced
    /// too (MODE-07).
    ///
    /// # Errors
    /// As [`Turn::say`]; [`Error::Failed`] for options that do not fulfil the conditions of
    /// [`Opening::options`](crate::Opening::options).
    pub async fn config(&self, options: Vec<SessionConfigOption>) -> Result<()> {
        self.ready().await?;
        self.check()?;
        let session = self.root().open_session();
        session
            .change_options(
                OptionNotice::Update,
                |_| async { self.check().map(|()| options) },
                |outcome| outcome.map(drop),
            )
            .await
    }

    /// Whether the turn was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.accepted.is_cancelled()
    }

    /// Waits until the turn is cancelled or over: for a `select` beside work that this kit does not
    /// know of.
    pub async fn cancelled(&self) {
        self.0.accepted.ended().await;
    }

    pub(crate) fn open_session(&self) -> &Arc<OpenSession> {
        &self.0.session
    }

    /// The turn that this one is a child of.
    pub(crate) fn parent(&self) -> Option<&Self> {
        self.0.parent.as_ref()
    }

    /// The turn of the prompt itself: this one, or the one that this subagent works for.
    pub fn root(&self) -> &Self {
        let mut turn = self;
        while let Some(parent) = turn.parent() {
            turn = parent;
        }
        turn
    }

    /// Whether only tool calls and questions of it are shown.
    pub(crate) fn is_muted(&self) -> bool {
        self.0.stand_in.is_some()
    }

    /// The tool call that stands for this subagent.
    pub(crate) fn stand_in(&self) -> Option<&ToolCallId> {
        self.0.stand_in.as_ref()
    }

    pub(crate) fn accepted(&self) -> &AcceptedPrompt {
        &self.0.accepted
    }

    /// Whether the turn may still say something.
    pub(crate) fn check(&self) -> Result<()> {
        match &self.0.accepted {
            accepted if accepted.is_answered() => Err(Error::Over),
            accepted if accepted.is_cancelled() => Err(Error::Cancelled),
            _ => Ok(()),
        }
    }

    /// Waits for room in the connection and for the store, unless the turn is cancelled. Costs
    /// little when there is room, and lets others run now and then. Whether the turn may still say
    /// something is asked behind it, under the session's lock.
    pub(crate) async fn ready(&self) -> Result<()> {
        tokio::task::coop::consume_budget().await;
        let mut room = pin!(self.open_session().peer.wait_for_room());
        let now = std::future::poll_fn(|context| match room.as_mut().poll(context) {
            Poll::Ready(outcome) => Poll::Ready(Some(outcome)),
            Poll::Pending => Poll::Ready(None),
        });
        match now.await {
            Some(outcome) => outcome?,
            None => self.unless_cancelled::<std::result::Result<(), End>>(room).await??,
        }
        match self.open_session().signals.is_backlogged() {
            true => self.unless_cancelled(self.open_session().wait_for_store()).await?,
            false => Ok(()),
        }
    }

    /// Waits for `future`, unless the turn is cancelled or over first.
    pub(crate) async fn unless_cancelled<T>(&self, future: impl Future<Output = T>) -> Result<T> {
        let mut future = pin!(future);
        let mut ended = pin!(self.0.accepted.ended());
        std::future::poll_fn(|context| {
            if ended.as_mut().poll(context).is_ready() {
                self.check()?;
            }
            future.as_mut().poll(context).map(Ok)
        })
        .await
    }

    pub(crate) async fn post(&self, body: EventBody) -> Result<()> {
        self.ready().await?;
        if self.is_muted() {
            return self.check();
        }
        self.open_session().in_turn(&self.0.accepted, |state| state.post(body))?
    }

    async fn tell(&self, statement: Statement) -> Result<()> {
        let statement = statement.checked()?;
        self.ready().await?;
        if self.is_muted() {
            return self.check();
        }
        let session = self.open_session();
        session.in_turn(&self.0.accepted, |state| state.apply_statement(statement))?
    }

    /// Calls the client, and gives the call up when the turn is cancelled (CANCEL-22).
    pub(crate) async fn call<M: Call>(&self, params: &M::Params) -> Result<M::Result> {
        self.ready().await?;
        let reply = self
            .open_session()
            .in_turn(&self.0.accepted, |_| self.open_session().peer.call::<M>(params))?;
        Ok(self.unless_cancelled(reply).await??)
    }
}

impl std::fmt::Debug for Turn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Turn")
            .field("session", &self.open_session().id)
            .field("prompt", &self.0.accepted.number)
            .finish()
    }
}
