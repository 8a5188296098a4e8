//! One turn, as its author sees it.

use crate::open_session::OpenSession;
use crate::options::Told;
use crate::ticket::Ticket;
use crate::{Error, Result};
use attache_connection::End;
use attache_protocol::Patch;
use attache_protocol::method::{Call, FsReadTextFile, FsWriteTextFile};
use attache_protocol::v1::{
    AvailableCommand, ClientCapabilities, ContentBlock, Cost, Notice, PlanEntry, ReadTextFileRequest,
    SessionConfigOption, SessionConfigOptionValue, SessionId, SessionModeId, Usage, WriteTextFileRequest,
};
use attache_session::{EventBody, PlanContent};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

/// One prompt and all that can be done about it. Cheap to clone; tasks that the author starts and owns may each have one.
///
/// Every function that sends waits first until the client has taken most of what was sent before, so a slow client slows the agent down
/// and fills no memory. Then what happened becomes part of the session and a line to the client in one step. Once the turn is cancelled
/// these functions say [`Error::Cancelled`]; once its reply is queued, [`Error::Over`]: nothing of a turn ever follows its reply
/// (PROMPT-08).
#[derive(Clone)]
pub struct Turn(Arc<Inner>);

struct Inner {
    session: Arc<OpenSession>,
    ticket: Ticket,
    prompt: Vec<ContentBlock>,
    text: String,
}

impl Turn {
    pub(crate) fn new(session: Arc<OpenSession>, ticket: Ticket, prompt: Vec<ContentBlock>) -> Self {
        let texts: Vec<&str> = prompt.iter().filter_map(ContentBlock::as_text).collect();
        let text = texts.join("\n");
        Self(Arc::new(Inner { session, ticket, prompt, text }))
    }

    /// The text blocks of the prompt, one after the other, each on a line of its own. A slash command comes here (CMD-04).
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The whole prompt: text and resource links, and the kinds that [`About::prompts`](crate::About::prompts) names.
    pub fn prompt(&self) -> &[ContentBlock] {
        &self.0.prompt
    }

    /// The session's id.
    pub fn session_id(&self) -> &SessionId {
        &self.session().id
    }

    /// The session's working directory (SESS-03).
    pub fn cwd(&self) -> &Path {
        self.roots().first().map_or(Path::new("/"), PathBuf::as_path)
    }

    /// The working directory and the further roots: what tools on files keep to (SESS-05).
    pub fn roots(&self) -> &[PathBuf] {
        &self.session().roots
    }

    /// The config options with their values now; the client may change them while the turn runs (CONF-18).
    pub fn options(&self) -> Vec<SessionConfigOption> {
        self.session().state().session.config().options().to_vec()
    }

    /// The value now of the option with this id, else of the first of this category.
    pub fn option(&self, id: &str) -> Option<SessionConfigOptionValue> {
        self.session().state().session.config().value(id)
    }

    /// The mode now, if the session has modes (MODE-03).
    pub fn mode(&self) -> Option<SessionModeId> {
        self.session().state().session.config().current_mode()
    }

    /// What the client offers.
    pub fn client(&self) -> Arc<ClientCapabilities> {
        self.session().peer.client_capabilities().unwrap_or_default()
    }

    /// Replaces the plan: all entries with their statuses now (PLAN-02).
    ///
    /// # Errors
    /// [`Error::Cancelled`], [`Error::Over`], [`Error::Gone`].
    pub async fn plan(&self, entries: Vec<PlanEntry>) -> Result<()> {
        self.post(EventBody::Plan { id: None, content: PlanContent::Items(entries) }).await
    }

    /// Says how full the context is: `used` of `size` tokens, cached ones included (USE-06), and what the session cost until now
    /// (USE-04). Not to be called while the size is not known (USE-03).
    ///
    /// # Errors
    /// As [`Turn::plan`].
    pub async fn usage(&self, used: u64, size: u64, cost: Option<Cost>) -> Result<()> {
        self.post(EventBody::Usage { used, size: Some(size), cost }).await
    }

    /// Adds to the tokens that the reply to the prompt reports for this turn (USE-10). After the turn it does nothing.
    pub fn spent(&self, tokens: Usage) {
        // Tokens of a turn that is over have nowhere to go.
        let _ = self.session().settling(&self.0.ticket, |state| {
            if let Some(turn) = state.turn() {
                turn.spent = Some(match turn.spent.take() {
                    Some(spent) => sum(spent, tokens),
                    None => tokens,
                });
            }
        });
    }

    /// Gives the session a title made up by the agent. One that a person set stays (TITLE-03).
    ///
    /// # Errors
    /// As [`Turn::plan`]; [`Error::Invalid`] for a title that is blank.
    pub async fn title(&self, title: &str) -> Result<()> {
        let title =
            attache_session::title(title).ok_or_else(|| Error::invalid("a title must not be blank"))?;
        self.ready().await?;
        self.session().in_turn(&self.0.ticket, |state| {
            if state.session.info().titled_by_person() {
                return Ok(());
            }
            let body =
                EventBody::Info { title: Patch::Set(title), updated_at: Patch::Keep, meta: Patch::Keep };
            self.session().post(state, body)
        })?
    }

    /// Replaces the slash commands (CMD-02).
    ///
    /// # Errors
    /// As [`Turn::plan`].
    pub async fn commands(&self, commands: Vec<AvailableCommand>) -> Result<()> {
        self.post(EventBody::Commands(commands)).await
    }

    /// Replaces the config options (CONF-03). If the mode is another one then, that is announced too (MODE-07).
    ///
    /// # Errors
    /// As [`Turn::plan`]; [`Error::Failed`] for options that do not fulfil the conditions of [`Opening::options`](crate::Opening::options).
    pub async fn config(&self, options: Vec<SessionConfigOption>) -> Result<()> {
        self.ready().await?;
        self.check()?;
        self.session().change_options(Told::ByUpdate, |_| Ok(options), |outcome| outcome.map(drop))
    }

    /// Tells the person something that is no part of the conversation, where the client takes that (NOTE-01, NOTE-02).
    ///
    /// # Errors
    /// As [`Turn::plan`].
    pub async fn notice(&self, notice: Notice) -> Result<()> {
        self.post(EventBody::Notice(notice)).await
    }

    /// Whether the client reads files for the agent, as its editor has them (FS-01).
    pub fn client_reads(&self) -> bool {
        self.client().fs.read_text_file
    }

    /// Whether the client writes files for the agent (FS-01).
    pub fn client_writes(&self) -> bool {
        self.client().fs.write_text_file
    }

    /// Reads a file through the client, unsaved changes included (FS-02): from `line`, the first of which is 1, at most `limit` lines.
    ///
    /// # Errors
    /// [`Error::Client`] if the client does not offer this or refuses, [`Error::Invalid`] for a path that is not absolute, and as
    /// [`Turn::plan`].
    pub async fn read_text_file(
        &self,
        path: impl AsRef<Path>,
        line: Option<u32>,
        limit: Option<u32>,
    ) -> Result<String> {
        let mut request = ReadTextFileRequest::new(self.session_id().clone(), absolute(path.as_ref())?);
        (request.line, request.limit) = (line, limit);
        Ok(self.ask::<FsReadTextFile>(&request).await?.content)
    }

    /// Writes a whole file through the client (FS-06).
    ///
    /// # Errors
    /// As [`Turn::read_text_file`].
    pub async fn write_text_file(&self, path: impl AsRef<Path>, text: &str) -> Result<()> {
        let request = WriteTextFileRequest::new(self.session_id().clone(), absolute(path.as_ref())?, text);
        self.ask::<FsWriteTextFile>(&request).await.map(drop)
    }

    /// Whether the turn was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.ticket.is_cancelled()
    }

    /// Waits until the turn is cancelled or over: for a `select` beside work that this kit does not know of.
    pub async fn cancelled(&self) {
        self.0.ticket.unwanted().await;
    }

    pub(crate) fn session(&self) -> &Arc<OpenSession> {
        &self.0.session
    }

    pub(crate) fn ticket(&self) -> &Ticket {
        &self.0.ticket
    }

    /// Whether the turn may still say something.
    pub(crate) fn check(&self) -> Result<()> {
        match &self.0.ticket {
            ticket if ticket.is_over() => Err(Error::Over),
            ticket if ticket.is_cancelled() => Err(Error::Cancelled),
            _ => Ok(()),
        }
    }

    /// Waits for room in the connection, unless the turn is cancelled. Costs little when there is room, and lets others run now and then.
    /// Whether the turn may still say something is asked behind it, under the session's lock.
    pub(crate) async fn ready(&self) -> Result<()> {
        tokio::task::coop::consume_budget().await;
        let mut room = pin!(self.session().peer.room());
        let now = std::future::poll_fn(|context| match room.as_mut().poll(context) {
            Poll::Ready(outcome) => Poll::Ready(Some(outcome)),
            Poll::Pending => Poll::Ready(None),
        });
        match now.await {
            Some(outcome) => Ok(outcome?),
            None => Ok(self.unless_cancelled::<std::result::Result<(), End>>(room).await??),
        }
    }

    /// Waits for `future`, unless the turn is cancelled or over first.
    pub(crate) async fn unless_cancelled<T>(&self, future: impl Future<Output = T>) -> Result<T> {
        let mut future = pin!(future);
        let mut unwanted = pin!(self.0.ticket.unwanted());
        std::future::poll_fn(|context| {
            if unwanted.as_mut().poll(context).is_ready() {
                self.check()?;
            }
            future.as_mut().poll(context).map(Ok)
        })
        .await
    }

    async fn post(&self, body: EventBody) -> Result<()> {
        self.ready().await?;
        self.session().in_turn(&self.0.ticket, |state| self.session().post(state, body))?
    }

    async fn ask<M: Call>(&self, params: &M::Params) -> Result<M::Result> {
        self.ready().await?;
        let reply = self.session().in_turn(&self.0.ticket, |_| self.session().peer.call::<M>(params))?;
        Ok(self.unless_cancelled(reply).await??)
    }
}

impl std::fmt::Debug for Turn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Turn")
            .field("session", &self.session().id)
            .field("prompt", &self.0.ticket.number)
            .finish()
    }
}

fn absolute(path: &Path) -> Result<String> {
    match path.to_str() {
        Some(text) if path.is_absolute() => Ok(text.to_owned()),
        Some(_) => Err(Error::invalid(format!("the path {} is not absolute", path.display()))),
        None => Err(Error::invalid(format!("the path {} is not UTF-8", path.display()))),
    }
}

fn sum(mut total: Usage, more: Usage) -> Usage {
    let optional = |a: Option<u64>, b: Option<u64>| match (a, b) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (a, b) => a.or(b),
    };
    total.total_tokens = total.total_tokens.saturating_add(more.total_tokens);
    total.input_tokens = total.input_tokens.saturating_add(more.input_tokens);
    total.output_tokens = total.output_tokens.saturating_add(more.output_tokens);
    total.thought_tokens = optional(total.thought_tokens, more.thought_tokens);
    total.cached_read_tokens = optional(total.cached_read_tokens, more.cached_read_tokens);
    total.cached_write_tokens = optional(total.cached_write_tokens, more.cached_write_tokens);
    total
}
