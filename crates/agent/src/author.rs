//! What the author of an agent writes.

use crate::{About, Error, Result, Turn};
use attache_protocol::v1::{
    AuthMethodId, AvailableCommand, ClientCapabilities, McpServer, SessionConfigId, SessionConfigOption,
    SessionId, StopReason,
};
use std::future::Future;
use std::path::{Path, PathBuf};

/// An agent: who it is, how a session of it begins, and what it does with a prompt. The kit does the rest.
///
/// One value serves every session of a connection, at once where clients ask for it; what belongs to one session is its
/// [`Author::Memory`]. A panic in any of these functions fails the call it served with `-32603` and nothing else.
pub trait Author: Send + Sync + 'static {
    /// What the author keeps of one session between its turns.
    type Memory: Send + 'static;

    /// Who this agent is and what it takes. Asked once per connection.
    fn about(&self) -> About;

    /// A session begins. Its options and commands are set through `opening`.
    ///
    /// # Errors
    /// No session comes to be, and the client is told why: see [`Error`].
    fn open(&self, opening: Opening<'_>) -> impl Future<Output = Result<Self::Memory>> + Send;

    /// A prompt is answered. One turn runs at a time in a session; turns of other sessions run beside it.
    ///
    /// Once the turn is cancelled every function of `turn` says [`Error::Cancelled`]. A future that goes on all the same is dropped
    /// where it stands after the grace of [`Serving::cancel_grace`](crate::Serving::cancel_grace).
    ///
    /// # Errors
    /// The prompt is answered with a JSON-RPC error by blame, see [`Error`]; after a cancel with `cancelled` in any case.
    fn turn(&self, memory: &mut Self::Memory, turn: &Turn)
    -> impl Future<Output = Result<StopReason>> + Send;

    /// The client set `option`, in a turn or between turns. `options` hold the new value already, which is one of those allowed; options
    /// that depend on it may be changed here. Runs while the connection waits: it must be quick.
    ///
    /// # Errors
    /// Everything stays as it was, and the client is told why.
    fn option_set(
        &self,
        session: &SessionId,
        option: &SessionConfigId,
        options: &mut Vec<SessionConfigOption>,
    ) -> Result<()> {
        let _ = (session, option, options);
        Ok(())
    }

    /// The client asks to log in by `method`, one of those in [`Author::about`].
    ///
    /// # Errors
    /// The login failed; the client is told why.
    fn authenticate(&self, method: &AuthMethodId) -> impl Future<Output = Result<()>> + Send {
        let refusal = Error::invalid(format!("the login {method} is not supported"));
        std::future::ready(Err(refusal))
    }
}

/// A session that is about to begin.
#[derive(Debug)]
pub struct Opening<'o> {
    pub(crate) session_id: &'o SessionId,
    pub(crate) cwd: &'o Path,
    pub(crate) roots: &'o [PathBuf],
    pub(crate) mcp_servers: &'o [McpServer],
    pub(crate) client: &'o ClientCapabilities,
    pub(crate) chosen: &'o mut Chosen,
}

/// What an author sets while a session begins.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    pub(crate) options: Vec<SessionConfigOption>,
    pub(crate) commands: Vec<AvailableCommand>,
}

impl Opening<'_> {
    /// The session's id.
    pub fn session_id(&self) -> &SessionId {
        self.session_id
    }

    /// The working directory: absolute, a directory, never changed (SESS-03, SESS-04).
    pub fn cwd(&self) -> &Path {
        self.cwd
    }

    /// The working directory and the further roots, in the client's order (SESS-05, DIR-06).
    pub fn roots(&self) -> &[PathBuf] {
        self.roots
    }

    /// The MCP servers to connect to; only kinds that [`About::mcp`] names (SESS-07).
    pub fn mcp_servers(&self) -> &[McpServer] {
        self.mcp_servers
    }

    /// What the client offers.
    pub fn client(&self) -> &ClientCapabilities {
        self.client
    }

    /// The session's config options, most important first (CONF-15). The first select of the category `mode` is offered as the
    /// session's modes too (MODE-05). Clients without switches are shown a select with two values instead (CONF-08).
    ///
    /// Ids and values are unique, and each current value is one of the option's values, or the session does not begin.
    pub fn options(&mut self, options: Vec<SessionConfigOption>) {
        self.chosen.options = options;
    }

    /// The slash commands, names without the slash (CMD-01, CMD-05). They come as the text of a prompt (CMD-03).
    pub fn commands(&mut self, commands: Vec<AvailableCommand>) {
        self.chosen.commands = commands;
    }
}
