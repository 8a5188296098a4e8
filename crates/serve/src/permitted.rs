//! What a client may do with agents, folders, MCP servers and answers.

#[cfg(test)]
mod tests;

use crate::{AttachedClient, HubServices, Place, Scope};
use attache_client::{Decision, PermissionRequest};
use attache_protocol::v1::{McpServer, PermissionOptionKind};
use attache_view::RuleReach;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Decides what a client may do. Clients over TCP have limits in every scope: they choose agents by
/// name, open only the folders that a person allowed, and start no programs as MCP servers.
#[derive(Clone, Copy)]
pub struct Permitted<'a> {
    client: &'a AttachedClient,
    services: &'a dyn HubServices,
}

/// The reason why a client may not do something.
#[derive(Debug)]
#[non_exhaustive]
pub enum Refused {
    /// It needs a larger scope.
    Scope(Scope),
    /// No agent with this name is configured.
    Agent(String),
    /// The folder is not below an allowed one.
    Folder(PathBuf),
    /// The folder cannot be opened.
    Unusable(PathBuf, io::Error),
    /// The client named an MCP server that is a program.
    McpServer(String),
    /// The answer would hold beyond the session.
    Lasting,
    /// The request touches protected files, or has parts that this version does not know.
    Protected,
}

impl<'a> Permitted<'a> {
    /// Decides for this client.
    pub fn new(client: &'a AttachedClient, services: &'a dyn HubServices) -> Self {
        Self { client, services }
    }

    /// Checks the scope. Call this for every request: the scope may have changed.
    ///
    /// # Errors
    /// Returns an error if the client has a smaller scope, or none.
    pub fn scope(&self, needed: Scope) -> Result<(), Refused> {
        if self.client.may(needed) { Ok(()) } else { Err(Refused::Scope(needed)) }
    }

    /// Checks whether the client may use the agent. A client on this machine may also give a
    /// command line.
    ///
    /// # Errors
    /// Returns an error if the scope is smaller than control, or if a client over TCP asks for an
    /// agent that is not configured.
    pub fn agent(&self, agent: &str) -> Result<(), Refused> {
        self.scope(Scope::Control)?;
        let is_configured = || self.services.agents().iter().any(|choice| choice.name == agent);
        if self.is_local() || is_configured() {
            Ok(())
        } else {
            Err(Refused::Agent(agent.to_owned()))
        }
    }

    /// Returns the canonical path of a folder that the client may open: open this one, not the
    /// given one, which may have become a link to another folder. Blocks on the disk.
    ///
    /// # Errors
    /// Returns an error if the scope is smaller than control, if the path is no folder, or if a
    /// client over TCP asks for a folder that is not below an allowed one. Outside of the allowed
    /// folders, such a client does not learn whether a folder exists.
    pub fn folder(&self, folder: &Path) -> Result<PathBuf, Refused> {
        self.scope(Scope::Control)?;
        let canonical = canonical_folder(folder);
        if self.is_local() {
            return canonical.map_err(|error| Refused::Unusable(folder.to_owned(), error));
        }
        let outside = || Refused::Folder(folder.to_owned());
        let canonical = canonical.map_err(|_| outside())?;
        let allowed = self.services.folders();
        let is_below = allowed
            .iter()
            .filter_map(|allowed| canonical_folder(allowed).ok())
            .any(|allowed| canonical.starts_with(allowed));
        if is_below { Ok(canonical) } else { Err(outside()) }
    }

    /// Checks the MCP servers that the client defines for a session.
    ///
    /// # Errors
    /// Returns an error if the scope is smaller than control, or if a client over TCP defines a
    /// server that is a program.
    pub fn mcp_servers(&self, servers: &[McpServer]) -> Result<(), Refused> {
        self.scope(Scope::Control)?;
        let program = servers.iter().find(|server| matches!(server, McpServer::Stdio(_)));
        match program.filter(|_| !self.is_local()) {
            Some(server) => Err(Refused::McpServer(server.name().to_owned())),
            None => Ok(()),
        }
    }

    /// Checks an answer to a request for permission.
    ///
    /// # Errors
    /// Returns an error if the scope is smaller than answer. With that scope, returns an error if
    /// the answer allows something for good, or something that only the person may allow.
    pub fn answer(&self, request: &PermissionRequest, decision: &Decision) -> Result<(), Refused> {
        self.scope(Scope::Answer)?;
        if !decision.allows(&request.options) || self.client.may(Scope::Control) {
            return Ok(());
        }
        if request.needs_person() {
            return Err(Refused::Protected);
        }
        let is = |kind: PermissionOptionKind| {
            request.options.iter().any(|option| {
                option.kind == kind
                    && !matches!(decision, Decision::Choose(id) if *id != option.option_id)
            })
        };
        // "Allow" chooses an option that allows once, if there is one.
        if is(PermissionOptionKind::AllowOnce) { Ok(()) } else { Err(Refused::Lasting) }
    }

    /// Checks a rule that the client adds with its answer.
    ///
    /// # Errors
    /// Returns an error if the scope is smaller than answer, or if it is answer and the rule holds
    /// beyond the session.
    pub fn rule(&self, reach: RuleReach) -> Result<(), Refused> {
        self.scope(Scope::Answer)?;
        if reach == RuleReach::Session || self.client.may(Scope::Control) {
            Ok(())
        } else {
            Err(Refused::Lasting)
        }
    }

    fn is_local(&self) -> bool {
        self.client.place == Place::Socket
    }
}

/// Returns the folder without links and `..`. The path must be absolute.
fn canonical_folder(folder: &Path) -> io::Result<PathBuf> {
    if !folder.is_absolute() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is not absolute"));
    }
    let canonical = folder.canonicalize()?;
    if canonical.is_dir() { Ok(canonical) } else { Err(io::ErrorKind::NotADirectory.into()) }
}

impl fmt::Debug for Permitted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permitted").field("client", &self.client).finish_non_exhaustive()
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scope(scope) => write!(f, "this device needs the scope \"{scope}\" for that"),
            Self::Agent(agent) => write!(
                f,
                "no agent \"{}\" is configured: remote clients choose agents by name",
                agent.escape_debug()
            ),
            Self::Folder(folder) => write!(
                f,
                "remote clients may not open {folder:?}: allow it with `attache serve --folder`"
            ),
            Self::Unusable(folder, error) => write!(f, "{folder:?} cannot be opened: {error}"),
            Self::McpServer(name) => write!(
                f,
                "remote clients may not start the MCP server \"{}\": configure it on the machine \
                 of the agent",
                name.escape_debug()
            ),
            Self::Lasting => f.write_str(
                "this device may allow only once, or in this session: answer on the machine of \
                 the agent, or give the device the scope \"control\" there",
            ),
            Self::Protected => f.write_str(
                "this device may not allow access to protected files: answer on the machine of \
                 the agent, or give the device the scope \"control\" there",
            ),
        }
    }
}

impl std::error::Error for Refused {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unusable(_, error) => Some(error),
            _ => None,
        }
    }
}
