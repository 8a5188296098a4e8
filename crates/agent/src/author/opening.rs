//! The opening of a session, as the author sees it.

use crate::{Error, Result, SessionHandle};
use attache_protocol::Raw;
use attache_protocol::v1::{
    AvailableCommand, ClientCapabilities, McpServer, SessionConfigOption, SessionId, SystemPrompt,
};
use attache_session::{Origin, Session};
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// A session that is being opened.
#[derive(Debug)]
pub struct Opening<'o> {
    pub(crate) session_id: &'o SessionId,
    pub(crate) cwd: &'o Path,
    pub(crate) roots: &'o [PathBuf],
    pub(crate) mcp_servers: &'o [McpServer],
    pub(crate) client: &'o ClientCapabilities,
    pub(crate) origin: &'o Origin,
    pub(crate) remembered: &'o [Raw],
    pub(crate) session: &'o Session,
    pub(crate) system_prompt: Option<&'o SystemPrompt>,
    pub(crate) handle: SessionHandle,
    pub(crate) chosen: &'o mut Chosen,
}

/// The values that the author has set.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    pub(crate) options: Option<Vec<SessionConfigOption>>,
    pub(crate) commands: Vec<AvailableCommand>,
}

impl Opening<'_> {
    /// Returns the id of the session.
    pub fn session_id(&self) -> &SessionId {
        self.session_id
    }

    /// Returns the working directory: an absolute path of a directory, which does not change while
    /// the session is open. A stored session can be opened with a different directory than before,
    /// for example after a checkout was renamed.
    // SESS-03, SESS-04.
    pub fn cwd(&self) -> &Path {
        self.cwd
    }

    /// Returns the working directory and the additional directories, in the order in which the
    /// client sent them.
    // SESS-05, DIR-06.
    pub fn roots(&self) -> &[PathBuf] {
        self.roots
    }

    /// Returns the MCP servers to connect to; only kinds that [`About::mcp`](crate::About::mcp)
    /// lists.
    // SESS-07.
    pub fn mcp_servers(&self) -> &[McpServer] {
        self.mcp_servers
    }

    /// Returns what the client supports.
    pub fn client(&self) -> &ClientCapabilities {
        self.client
    }

    /// Returns whether the session is new, loaded, resumed or forked.
    pub fn origin(&self) -> &Origin {
        self.origin
    }

    /// Returns the values that [`Turn::remember`](crate::Turn::remember) stored in earlier turns,
    /// in order, from the last [`Turn::remember_only`](crate::Turn::remember_only) on. A fork has
    /// the values of its source, and a new session has none.
    ///
    /// # Errors
    /// Returns [`Error::Failed`] if a record is not a `T`, for example because an earlier version
    /// of the agent stored it.
    pub fn remembered<T: DeserializeOwned>(&self) -> Result<Vec<T>> {
        let read = |(index, record): (usize, &Raw)| {
            record.parse().map_err(|error| {
                let id = self.session_id;
                Error::caused(
                    format!("the record {index} of the session {id} cannot be read"),
                    error,
                )
            })
        };
        self.remembered.iter().enumerate().map(read).collect()
    }

    /// Returns the stored session: its transcript, options, title and usage. Empty for a new
    /// session. Old entries of a long transcript may be dropped, see
    /// [`Session::truncated_before`].
    pub fn session(&self) -> &Session {
        self.session
    }

    /// Returns the client's instructions for this session, checked against
    /// [`About::system_prompt`](crate::About::system_prompt): those of this request, else the last
    /// ones stored.
    // SYSP-05.
    pub fn system_prompt(&self) -> Option<&SystemPrompt> {
        self.system_prompt
    }

    /// Returns a handle that changes the session in its turns and between them. Updates that it
    /// sends while the session is being opened follow the reply that announces the session.
    // SESS-26.
    pub fn handle(&self) -> SessionHandle {
        self.handle.clone()
    }

    /// Sets the config options of the session, most important first. The first select option of the
    /// category `mode` also provides the session's modes. A client that does not support switches
    /// is shown a select with two values for each switch.
    ///
    /// Ids and values must be unique, and each current value must be one of the option's values;
    /// otherwise the session is not opened. A stored session keeps its stored values where they
    /// still fit: [`Author::option_set`](crate::Author::option_set) is called for each of them, as
    /// if the client set it now.
    // CONF-15, MODE-05, CONF-08.
    pub fn options(&mut self, options: Vec<SessionConfigOption>) {
        self.chosen.options = Some(options);
    }

    /// Sets the slash commands. Names have no slash. A command arrives as the text of a prompt.
    // CMD-01, CMD-05, CMD-03.
    pub fn commands(&mut self, commands: Vec<AvailableCommand>) {
        self.chosen.commands = commands;
    }
}
