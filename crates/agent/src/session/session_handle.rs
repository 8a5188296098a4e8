//! A session as its author sees it, in a turn or between turns.

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

/// A handle that changes a session in its turns and between them: title, metadata, commands,
/// options, usage, notices. Cheap to clone; it does not keep the session alive. Messages and tool
/// calls belong to a [`Turn`](crate::Turn).
///
/// It works as soon as [`Author::open`](crate::Author::open) is called. Updates sent while the
/// session is being opened follow the reply that announces the session. Once the session is closed,
/// every function returns [`Error::Closed`]. Before a function sends anything, it waits until the
/// client has received, and the store has stored, most of the earlier updates.
// SESS-27, SESS-26.
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

    /// Sets a title that the agent made up. It does not replace a title that the user set. If
    /// titles and metadata change often, the client receives at most ten updates a second, and
    /// always the last one.
    ///
    /// # Errors
    /// Returns [`Error::Closed`] or [`Error::Disconnected`], or [`Error::Invalid`] if the title is
    /// blank.
    // TITLE-03.
    pub async fn title(&self, title: &str) -> Result<()> {
        self.tell(Statement::Title(title.to_owned())).await
    }

    /// Merges `meta` into the metadata of the session: objects are merged recursively, `null`
    /// removes its key, and any other value replaces the old one. Prefix keys with your domain.
    ///
    /// # Errors
    /// Returns [`Error::Closed`] or [`Error::Disconnected`], or [`Error::Invalid`] if the metadata
    /// would become longer than [`META_LIMIT`](attache_session::META_LIMIT).
    // INFO-09, META-07.
    pub async fn info(&self, meta: Meta) -> Result<()> {
        self.tell(Statement::Meta(meta)).await
    }

    /// Replaces tags, status and progress of the session.
    ///
    /// # Errors
    /// Returns the same errors as [`SessionHandle::info`].
    pub async fn labels(&self, labels: Labels) -> Result<()> {
        self.tell(Statement::Labels(labels)).await
    }

    /// Replaces the slash commands. Names have no slash.
    ///
    /// # Errors
    /// Returns [`Error::Closed`] or [`Error::Disconnected`], or [`Error::Invalid`] if a name is
    /// empty or begins with a slash.
    // CMD-02, CMD-05.
    pub async fn commands(&self, commands: Vec<AvailableCommand>) -> Result<()> {
        self.tell(Statement::Commands(commands)).await
    }

    /// Reports how full the context window is: `used` of `size` tokens, including cached ones, and
    /// what the session has cost so far. Do not call it while the size is unknown.
    ///
    /// # Errors
    /// Returns [`Error::Closed`] or [`Error::Disconnected`], or [`Error::Invalid`] if the cost is
    /// negative, is not finite or has no unit.
    // USE-06, USE-04, USE-03.
    pub async fn usage(&self, used: u64, size: u64, cost: Option<Cost>) -> Result<()> {
        self.tell(Statement::Usage { used, size, cost }).await
    }

    /// Shows the user a notice that is not part of the conversation, if the client supports
    /// notices.
    ///
    /// # Errors
    /// Returns [`Error::Closed`] or [`Error::Disconnected`], or [`Error::Invalid`] if the notice
    /// has no title, or has a severity that ACP does not define and that does not begin with `_`.
    // NOTE-01, NOTE-07, NOTE-06, NOTE-08.
    pub async fn notice(&self, notice: Notice) -> Result<()> {
        self.tell(Statement::Notice(notice)).await
    }

    /// Replaces the config options. If this changes the mode, the client also receives a mode
    /// update.
    ///
    /// # Errors
    /// Returns [`Error::Closed`] or [`Error::Disconnected`], or [`Error::Failed`] if the options
    /// break a condition of [`Opening::options`](crate::Opening::options).
    // CONF-03, MODE-07.
    pub async fn config(&self, options: Vec<SessionConfigOption>) -> Result<()> {
        let session = self.session()?;
        session.wait_for_room().await?;
        let session = self.session()?;
        let change = |_| async { self.session().map(|_| options) };
        session.change_options(OptionNotice::Update, change, |outcome| outcome.map(drop)).await
    }

    /// Returns the config options with their current values.
    ///
    /// # Errors
    /// Returns [`Error::Closed`] if the session is closed.
    pub fn options(&self) -> Result<Vec<SessionConfigOption>> {
        Ok(self.session()?.state().session.config().options().to_vec())
    }

    /// Returns the current value of the option with this id, or else of the first option of this
    /// category.
    ///
    /// # Errors
    /// Returns [`Error::Closed`] if the session is closed.
    pub fn option(&self, id: &str) -> Result<Option<SessionConfigOptionValue>> {
        Ok(self.session()?.state().session.config().value(id))
    }

    /// Returns the current mode, if the session has modes.
    ///
    /// # Errors
    /// Returns [`Error::Closed`] if the session is closed.
    // MODE-03.
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
