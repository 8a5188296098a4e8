//! A session between its turns, as its author sees it.

use crate::session::config_options::OptionNotice;
use crate::session::open_session::OpenSession;
use crate::session::statement::Statement;
use crate::{Error, Result};
use attache_protocol::Meta;
use attache_protocol::v1::{
    AvailableCommand, Cost, Notice, SessionConfigOption, SessionConfigOptionValue, SessionModeId,
};
use attache_session::Labels;
use std::sync::{Arc, Weak};

/// Says things about a session outside of its turns too: title, metadata, commands, options, usage,
/// notices (SESS-27). Cheap to clone; it keeps nothing alive. What belongs to the conversation is
/// said in a [`Turn`](crate::Turn).
///
/// It speaks from [`Author::open`](crate::Author::open) on, where what it says follows the reply
/// that tells of the session (SESS-26). From the session's closing on every function says
/// [`Error::Closed`]. Functions that send wait first until the client has taken, and the store has
/// stored, most of what was said before.
#[derive(Clone)]
pub struct SessionHandle(Weak<OpenSession>);

impl SessionHandle {
    pub(crate) fn of(session: &Arc<OpenSession>) -> Self {
        Self(Arc::downgrade(session))
    }

    fn session(&self) -> Result<Arc<OpenSession>> {
        let session = self.0.upgrade().ok_or(Error::Closed)?;
        let closed = session.state().is_closed();
        match closed {
            true => Err(Error::Closed),
            false => Ok(session),
        }
    }

    /// Gives the session a title made up by the agent. One that a person set stays (TITLE-03).
    /// Titles and metadata that change often are told ten times a second at most; the last one
    /// always is.
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::Gone`]; [`Error::Invalid`] for a title that is blank.
    pub async fn title(&self, title: &str) -> Result<()> {
        self.tell(Statement::Title(title.to_owned())).await
    }

    /// Merges `meta` into the session's metadata: objects recursively, `null` removes its key,
    /// everything else replaces (INFO-09). Keys are namespaced by a domain (META-07).
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::Gone`]; [`Error::Invalid`] if the metadata would get longer than
    /// [`META_LIMIT`](attache_session::META_LIMIT).
    pub async fn info(&self, meta: Meta) -> Result<()> {
        self.tell(Statement::Meta(meta)).await
    }

    /// Replaces the session's tags, status and progress.
    ///
    /// # Errors
    /// As [`SessionHandle::info`].
    pub async fn labels(&self, labels: Labels) -> Result<()> {
        self.tell(Statement::Labels(labels)).await
    }

    /// Replaces the slash commands, names without the slash (CMD-02, CMD-05).
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::Gone`]; [`Error::Invalid`] for a name that is empty or begins
    /// with a slash.
    pub async fn commands(&self, commands: Vec<AvailableCommand>) -> Result<()> {
        self.tell(Statement::Commands(commands)).await
    }

    /// Says how full the context is: `used` of `size` tokens, cached ones included (USE-06), and
    /// what the session cost until now (USE-04). Not to be called while the size is not known
    /// (USE-03).
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::Gone`]; [`Error::Invalid`] for a cost that is no amount or has
    /// no unit.
    pub async fn usage(&self, used: u64, size: u64, cost: Option<Cost>) -> Result<()> {
        self.tell(Statement::Usage { used, size, cost }).await
    }

    /// Tells the person something that is no part of the conversation, where the client takes that
    /// (NOTE-01, NOTE-07).
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::Gone`]; [`Error::Invalid`] for a notice without a title or of a
    /// severity that is neither ACP's nor begins with `_` (NOTE-06, NOTE-08).
    pub async fn notice(&self, notice: Notice) -> Result<()> {
        self.tell(Statement::Notice(notice)).await
    }

    /// Replaces the config options (CONF-03). If the mode is another one then, that is announced
    /// too (MODE-07).
    ///
    /// # Errors
    /// [`Error::Closed`], [`Error::Gone`]; [`Error::Failed`] for options that do not fulfil the
    /// conditions of [`Opening::options`](crate::Opening::options).
    pub async fn config(&self, options: Vec<SessionConfigOption>) -> Result<()> {
        let session = self.session()?;
        session.wait_for_room().await?;
        let session = self.session()?;
        let change = |_| async { self.session().map(|_| options) };
        session.change_options(OptionNotice::Update, change, |outcome| outcome.map(drop)).await
    }

    /// The config options with their values now.
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub fn options(&self) -> Result<Vec<SessionConfigOption>> {
        Ok(self.session()?.state().session.config().options().to_vec())
    }

    /// The value now of the option with this id, else of the first of this category.
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub fn option(&self, id: &str) -> Result<Option<SessionConfigOptionValue>> {
        Ok(self.session()?.state().session.config().value(id))
    }

    /// The mode now, if the session has modes (MODE-03).
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub fn mode(&self) -> Result<Option<SessionModeId>> {
        Ok(self.session()?.state().session.config().current_mode())
    }

    async fn tell(&self, statement: Statement) -> Result<()> {
        let statement = statement.checked()?;
        let session = self.session()?;
        session.wait_for_room().await?;
        {
            let mut state = session.state();
            if state.is_closed() {
                return Err(Error::Closed);
            }
            state.apply_statement(statement)?;
        }
        session.info_is_sent().await
    }
}

impl std::fmt::Debug for SessionHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let session = self.0.upgrade();
        f.debug_struct("SessionHandle")
            .field("session", &session.map(|session| session.id.clone()))
            .finish()
    }
}
