//! One turn, as its author sees it. The modules below add the functions of a turn, by topic.

mod client_extension;
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
mod user_wait;

use crate::session::accepted_prompt::AcceptedPrompt;
use crate::session::config_options::OptionNotice;
use crate::session::open_session::OpenSession;
use crate::session::statement::Statement;
use crate::{Error, Result, SessionHandle};
use attache_connection::ConnectionEnd;
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

/// One prompt, and everything that the author can do to answer it. Cheap to clone: each task that
/// the author starts and owns can have a clone.
///
/// Before a function sends anything, it waits until the client has received most of what was sent
/// earlier. A slow client therefore slows the agent down and does not fill memory. After the wait,
/// the session changes and the line to the client is queued in one step. Once the turn is
/// cancelled, these functions return [`Error::Cancelled`]; once its reply is queued,
/// [`Error::Over`]. No update of a turn follows its reply.
// PROMPT-08.
#[derive(Clone)]
pub struct Turn(Arc<Inner>);

struct Inner {
    session: Arc<OpenSession>,
    accepted: AcceptedPrompt,
    prompt: Vec<ContentBlock>,
    text: String,
    /// The parent turn.
    parent: Option<Turn>,
    /// For a client without subagents, the tool call that represents this subagent. Only the
    /// subagent's own tool calls and questions are then shown, in the session of its parent.
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

    /// Creates the turn of a subagent, which has its own session and is cancelled with this turn.
    pub(crate) fn child(&self, session: Arc<OpenSession>) -> Self {
        self.derived(session, None)
    }

    /// Creates the turn of a subagent for a client without subagents; `stand_in` is the tool call
    /// that represents it.
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

    /// Returns the text blocks of the prompt, joined by newlines. A slash command is part of this
    /// text.
    // CMD-04.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Returns the whole prompt: text, resource links, and the kinds of content that
    /// [`About::prompts`](crate::About::prompts) lists.
    pub fn prompt(&self) -> &[ContentBlock] {
        &self.0.prompt
    }

    /// Returns the id of the session.
    pub fn session_id(&self) -> &SessionId {
        &self.open_session().id
    }

    /// Returns the working directory of the session.
    // SESS-03.
    pub fn cwd(&self) -> &Path {
        self.roots().first().map_or(Path::new("/"), PathBuf::as_path)
    }

    /// Returns the working directory and the additional directories. File tools should stay inside
    /// them.
    // SESS-05.
    pub fn roots(&self) -> &[PathBuf] {
        &self.open_session().roots
    }

    /// Returns a handle to the session, which outlives the turn. In a subagent's turn, the handle
    /// is that of the session the subagent works for.
    pub fn session(&self) -> SessionHandle {
        SessionHandle::of(self.root().open_session())
    }

    /// Returns the config options with their current values. The client can change them while the
    /// turn runs. A subagent has the options of the session it works for.
    // CONF-18.
    pub fn options(&self) -> Vec<SessionConfigOption> {
        self.root().open_session().state().session.config().options().to_vec()
    }

    /// Returns the current value of the option with this id, or else of the first option of this
    /// category.
    pub fn option(&self, id: &str) -> Option<SessionConfigOptionValue> {
        self.root().open_session().state().session.config().value(id)
    }

    /// Returns the current mode, if the session has modes.
    // MODE-03.
    pub fn mode(&self) -> Option<SessionModeId> {
        self.root().open_session().state().session.config().current_mode()
    }

    /// Returns what the client supports.
    pub fn client(&self) -> Arc<ClientCapabilities> {
        self.open_session().peer.client_capabilities().unwrap_or_default()
    }

    /// Sets a title that the agent made up. It does not replace a title that the user set. If
    /// titles and metadata change often, the client receives at most ten updates a second, and the
    /// last one no later than the end of the turn.
    ///
    /// # Errors
    /// Returns the same errors as [`Turn::say`], or [`Error::Invalid`] if the title is blank.
    // TITLE-03.
    pub async fn title(&self, title: &str) -> Result<()> {
        self.tell(Statement::Title(title.to_owned())).await
    }

    /// Sets a title that the user asked for in a prompt, like `session/set_title`: the agent's own
    /// titles no longer replace it.
    ///
    /// # Errors
    /// Returns the same errors as [`Turn::title`].
    // TITLE-03.
    pub async fn title_by_person(&self, title: &str) -> Result<()> {
        self.tell(Statement::TitleByUser(title.to_owned())).await
    }

    /// Returns whether the user set the title, so that the agent must not replace it.
    // TITLE-03.
    pub fn titled_by_person(&self) -> bool {
        self.root().open_session().state().session.info().titled_by_person()
    }

    /// Returns a summary of this session for a new one, as Markdown of at most `limit` bytes:
    /// see [`Session::hand_off`](attache_session::Session::hand_off).
    pub fn hand_off(&self, limit: usize) -> String {
        self.root().open_session().state().session.hand_off(limit)
    }

    /// Merges `meta` into the metadata of the session: see [`SessionHandle::info`].
    ///
    /// # Errors
    /// Returns the same errors as [`Turn::say`], or [`Error::Invalid`] if the metadata would become
    /// longer than [`META_LIMIT`](attache_session::META_LIMIT).
    pub async fn info(&self, meta: Meta) -> Result<()> {
        self.tell(Statement::Meta(meta)).await
    }

    /// Replaces tags, status and progress of the session.
    ///
    /// # Errors
    /// Returns the same errors as [`Turn::info`].
    pub async fn labels(&self, labels: Labels) -> Result<()> {
        self.tell(Statement::Labels(labels)).await
    }

    /// Replaces the slash commands. Names have no slash.
    ///
    /// # Errors
    /// Returns the same errors as [`Turn::say`], or [`Error::Invalid`] if a name is empty or begins
    /// with a slash.
    // CMD-02, CMD-05.
    pub async fn commands(&self, commands: Vec<AvailableCommand>) -> Result<()> {
        self.tell(Statement::Commands(commands)).await
    }

    /// Reports how full the context window is: see [`SessionHandle::usage`].
    ///
    /// # Errors
    /// Returns the same errors as [`Turn::say`], or [`Error::Invalid`] if the cost is negative, is
    /// not finite or has no unit.
    pub async fn usage(&self, used: u64, size: u64, cost: Option<Cost>) -> Result<()> {
        self.tell(Statement::Usage { used, size, cost }).await
    }

    /// Shows the user a notice that is not part of the conversation, if the client supports
    /// notices.
    ///
    /// # Errors
    /// Returns the same errors as [`Turn::say`], or [`Error::Invalid`] if [`SessionHandle::notice`]
    /// would return it.
    // NOTE-01, NOTE-02.
    pub async fn notice(&self, notice: Notice) -> Result<()> {
        self.tell(Statement::Notice(notice)).await
    }

    /// Replaces the config options. If this changes the mode, the client also receives a mode
    /// update.
    ///
    /// # Errors
    /// Returns the same errors as [`Turn::say`], or [`Error::Failed`] if the options break a
    /// condition of [`Opening::options`](crate::Opening::options).
    // CONF-03, MODE-07.
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

    /// Returns whether the turn was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.accepted.is_cancelled()
    }

    /// Waits until the turn is cancelled or over, for a `select` with work outside of this kit.
    pub async fn cancelled(&self) {
        self.0.accepted.ended().await;
    }

    pub(crate) fn open_session(&self) -> &Arc<OpenSession> {
        &self.0.session
    }

    /// The parent turn.
    pub(crate) fn parent(&self) -> Option<&Self> {
        self.0.parent.as_ref()
    }

    /// Returns the turn of the prompt: this one, or the one that this subagent works for.
    pub fn root(&self) -> &Self {
        let mut turn = self;
        while let Some(parent) = turn.parent() {
            turn = parent;
        }
        turn
    }

    /// Returns whether this turn shows only tool calls and questions.
    pub(crate) fn is_muted(&self) -> bool {
        self.0.stand_in.is_some()
    }

    /// The tool call that represents this subagent.
    pub(crate) fn stand_in(&self) -> Option<&ToolCallId> {
        self.0.stand_in.as_ref()
    }

    pub(crate) fn accepted(&self) -> &AcceptedPrompt {
        &self.0.accepted
    }

    /// Checks that the turn is neither cancelled nor over.
    pub(crate) fn check(&self) -> Result<()> {
        match &self.0.accepted {
            accepted if accepted.is_answered() => Err(Error::Over),
            accepted if accepted.is_cancelled() => Err(Error::Cancelled),
            _ => Ok(()),
        }
    }

    /// Waits for room in the connection and for the store, unless the turn is cancelled. Costs
    /// little when there is room, and sometimes yields to other tasks. The caller checks under the
    /// lock of the session whether the turn still runs.
    pub(crate) async fn ready(&self) -> Result<()> {
        tokio::task::coop::consume_budget().await;
        let mut room = pin!(self.open_session().peer.wait_for_room());
        let now = std::future::poll_fn(|context| match room.as_mut().poll(context) {
            Poll::Ready(outcome) => Poll::Ready(Some(outcome)),
            Poll::Pending => Poll::Ready(None),
        });
        match now.await {
            Some(outcome) => outcome?,
            None => self.unless_cancelled::<std::result::Result<(), ConnectionEnd>>(room).await??,
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

    /// Calls the client, and cancels the call when the turn is cancelled (CANCEL-22).
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
