//! The fields that `session/new`, `load`, `resume` and `fork` have in common.

use crate::{About, Error, Result};
use attache_protocol::v1::{
    ForkSessionRequest, LoadSessionRequest, McpServer, NewSessionRequest, ResumeSessionRequest,
    SystemPrompt,
};
use std::path::{Path, PathBuf};

/// A request to open a session.
pub(crate) struct SessionRequest {
    pub(crate) cwd: String,
    pub(crate) additional_directories: Vec<String>,
    pub(crate) mcp_servers: Vec<McpServer>,
    pub(crate) system_prompt: Option<SystemPrompt>,
}

macro_rules! from_request {
    ($($request:ident),*) => {
        $(impl From<$request> for SessionRequest {
            fn from(request: $request) -> Self {
                Self {
                    cwd: request.cwd,
                    additional_directories: request.additional_directories,
                    mcp_servers: request.mcp_servers,
                    system_prompt: request.system_prompt,
                }
            }
        })*
    };
}
from_request!(NewSessionRequest, LoadSessionRequest, ResumeSessionRequest, ForkSessionRequest);

impl SessionRequest {
    /// Returns the roots if the agent supports everything in the request. Otherwise the request is
    /// refused; no part of it is ignored (SESS-02, DIR-03 to DIR-06, SESS-09, SYSP-02).
    ///
    /// A stored session can be opened with a different working directory than before: a renamed
    /// checkout is the same project. The directories of the request replace the stored ones
    /// (DIR-05).
    pub(crate) fn check(&self, about: &About) -> Result<Vec<PathBuf>> {
        if !self.additional_directories.is_empty() && !about.supports_additional_directories() {
            return Err(Error::invalid(
                "this agent does not support additionalDirectories: leave them out",
            ));
        }
        if let Some(system_prompt) = &self.system_prompt {
            crate::author::system_prompt::check(system_prompt, about)?;
        }
        if let Some((server, kind)) = self
            .mcp_servers
            .iter()
            .find_map(|server| Some((server, about.unsupported_mcp(server)?)))
        {
            let name = server.name();
            return Err(Error::invalid(format!(
                "the MCP server {name} has the type {kind}, which this agent does not support"
            )));
        }
        let cwd = std::iter::once(("cwd", &self.cwd));
        let more = self.additional_directories.iter().map(|path| ("an additional directory", path));
        cwd.chain(more).map(|(what, path)| directory(what, path)).collect()
    }
}

fn directory(what: &str, path: &str) -> Result<PathBuf> {
    let absolute = Path::new(path);
    if !absolute.is_absolute() {
        return Err(Error::invalid(format!("{what} must be an absolute path, not {path:?}")));
    }
    match std::fs::metadata(absolute) {
        Ok(found) if found.is_dir() => Ok(absolute.to_owned()),
        Ok(_) => Err(Error::invalid(format!("{what} must be a directory, and {path} is not one"))),
        Err(error) => Err(Error::invalid(format!(
            "{what} must be a directory, and {path} cannot be used: {error}"
        ))),
    }
}
