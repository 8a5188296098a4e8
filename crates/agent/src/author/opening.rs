//! What an author is told when a session is opened, and what it sets then.

use crate::{Error, Result, SessionHandle};
use attache_protocol::Raw;
use attache_protocol::v1::{
    AvailableCommand, ClientCapabilities, McpServer, SessionConfigOption, SessionId, SystemPrompt,
};
use attache_session::{Origin, Session};
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// A session that is about to begin, or to go on.
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

/// What an author sets while a session begins.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    pub(crate) options: Option<Vec<SessionConfigOption>>,
    pub(crate) commands: Vec<AvailableCommand>,
}

impl Opening<'_> {
    /// The session's id.
    pub fn session_id(&self) -> &SessionId {
        self.session_id
    }

    /// The working directory: absolute, a directory, never changed while the session is open
    /// (SESS-03, SESS-04). A session that comes back may have another one than before, as a
    /// checkout may have been renamed.
    pub fn cwd(&self) -> &Path {
        self.cwd
    }

    /// The working directory and the further roots, in the client's order (SESS-05, DIR-06).
    pub fn roots(&self) -> &[PathBuf] {
        self.roots
    }

    /// The MCP servers to connect to; only kinds that [`About::mcp`](crate::About::mcp) names
    /// (SESS-07).
    pub fn mcp_servers(&self) -> &[McpServer] {
        self.mcp_servers
    }

    /// What the client offers.
    pub fn client(&self) -> &ClientCapabilities {
        self.client
    }

    /// Whether the session is new, is loaded, resumed, or forked from another.
    pub fn origin(&self) -> &Origin {
        self.origin
    }

    /// What the author gave to [`Turn::remember`](crate::Turn::remember) in earlier turns, in
    /// order, from the last [`Turn::remember_only`](crate::Turn::remember_only) on; in a fork, what
    /// the source remembered. Empty for a new session.
    ///
    /// # Errors
    /// [`Error::Failed`] for a record that is no `T`, such as one that an earlier version of the
    /// author wrote.
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

    /// The session as it is stored: its transcript, options, title and usage. Empty for a new one.
    pub fn session(&self) -> &Session {
        self.session
    }

    /// The client's instructions for this session, checked against
    /// [`About::system_prompt`](crate::About::system_prompt): those of this request, else the last
    /// that were given (SYSP-05).
    pub fn system_prompt(&self) -> Option<&SystemPrompt> {
        self.system_prompt
    }

    /// Says things about the session outside of its turns. What is said before the client knows the
    /// session follows the reply that tells of it (SESS-26).
    pub fn handle(&self) -> SessionHandle {
        self.handle.clone()
    }

    /// The session's config options, most important first (CONF-15). The first select of the
    /// category `mode` is offered as the session's modes too (MODE-05). Clients without switches
    /// are shown a select with two values instead (CONF-08).
    ///
    /// Ids and values are unique, and each current value is one of the option's values, or the
    /// session does not begin. A session that comes back has its stored values, as far as they
    /// still fit; [`Author::option_set`](crate::Author::option_set) is asked about each, as if it
    /// were set anew.
    pub fn options(&mut self, options: Vec<SessionConfigOption>) {
        self.chosen.options = Some(options);
    }

    /// The slash commands, names without the slash (CMD-01, CMD-05). They come as the text of a
    /// prompt (CMD-03).
    pub fn commands(&mut self, commands: Vec<AvailableCommand>) {
        self.chosen.commands = commands;
    }
}
