//! The traits that the author of an agent implements.

pub(crate) mod about;
pub(crate) mod erased_author;
pub(crate) mod erased_parts;
pub(crate) mod extensions;
pub(crate) mod login;
pub(crate) mod opening;
pub(crate) mod optional_parts;
pub(crate) mod providers;
pub(crate) mod system_prompt;

use crate::{About, Opening, OptionalParts, Result, Turn};
use attache_protocol::v1::{SessionConfigId, SessionConfigOption, SessionId, StopReason};
use std::future::Future;
use std::sync::Arc;

/// An agent: its name and features, how it opens a session, and how it answers a prompt. The kit
/// does the rest.
///
/// One value serves all sessions of a connection, concurrently if the client asks for that. Data of
/// one session belongs in its [`Author::Memory`]. A panic in any of these functions fails only the
/// call that it served, with the error `-32603`.
pub trait Author: Send + Sync + 'static {
    /// What the author keeps about one session between its turns.
    type Memory: Send + 'static;

    /// Returns the name and the features of the agent. Called once per connection.
    fn about(&self) -> About;

    /// Opens a session that is new, loaded, resumed or forked: see [`Opening::origin`]. Set its
    /// options and commands through `opening`, and use it to read what the author remembered.
    ///
    /// # Errors
    /// If this function returns an error, the session is not opened, and the client receives the
    /// reason: see [`Error`](crate::Error). A stored session stays unchanged.
    fn open(&self, opening: Opening<'_>) -> impl Future<Output = Result<Self::Memory>> + Send;

    /// Answers a prompt. One turn runs at a time in a session; turns of several sessions run
    /// concurrently.
    ///
    /// Once the turn is cancelled, every function of `turn` returns
    /// [`Error::Cancelled`](crate::Error::Cancelled). A future that continues for longer than
    /// [`Serving::cancel_grace`](crate::Serving::cancel_grace) is dropped.
    ///
    /// # Errors
    /// If this function returns an error, the client receives a JSON-RPC error that fits the
    /// [`Error`](crate::Error). After a cancel, the client receives the stop reason `cancelled` in
    /// any case.
    fn turn(
        &self,
        memory: &mut Self::Memory,
        turn: &Turn,
    ) -> impl Future<Output = Result<StopReason>> + Send;

    /// Reacts to a config option that the client set, in a turn or between turns. `options` already
    /// contain the new value, which is one of the allowed ones; change options that depend on it
    /// here. Also called for each stored value when a session is opened again; a value that this
    /// function refuses is then replaced by the default.
    ///
    /// This function runs on a thread where it may block. Later changes to the session's options,
    /// and its later turns, wait for this function; everything else continues.
    ///
    /// # Errors
    /// If this function returns an error, nothing changes, and the client receives the reason.
    fn option_set(
        &self,
        session: &SessionId,
        option: &SessionConfigId,
        options: &mut Vec<SessionConfigOption>,
    ) -> Result<()> {
        let _ = (session, option, options);
        Ok(())
    }

    /// Returns the size of the context window in tokens, if the session has these options; `None`
    /// if it is unknown. Once the client has set an option, and if the agent has reported how full
    /// the window is, the client receives that number again with the new size.
    ///
    /// This function must not block.
    // USE-03.
    fn window(&self, options: &[SessionConfigOption]) -> Option<u64> {
        let _ = options;
        None
    }

    /// Returns the parts that only some agents have: login, model providers that the client
    /// configures, and methods outside the protocol. Called once per connection.
    fn parts(self: Arc<Self>) -> OptionalParts {
        OptionalParts::new()
    }
}
