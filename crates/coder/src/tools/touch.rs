//! What an action touches in the world: all that the policy needs to know of it.

use super::Action;

/// What an action touches. Paths are as the model wrote them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Touch<'a> {
    /// Nothing outside of the session.
    Nothing,
    /// Reads these files, or what is below these folders.
    Reads(Vec<&'a str>),
    /// Makes, changes, moves or deletes these files.
    Changes(Vec<&'a str>),
    /// Runs a command line with the shell. `sandboxed` says whether a sandbox holds it, `network` whether it can reach the network.
    Runs { command: &'a str, sandboxed: bool, network: bool },
    /// Uses a tool of an MCP server, both as the server's side names them.
    Mcp { server: &'a str, tool: &'a str },
    /// Reads what is behind a URL. A redirection to another host is another one.
    Fetches { url: &'a str },
}

impl Action {
    /// What it touches.
    pub(crate) fn touches(&self) -> Touch<'_> {
        match self {
            Self::Read(read) => Touch::Reads(vec![&read.path]),
            Self::Grep(grep) => Touch::Reads(vec![&grep.path]),
            Self::List(list) => Touch::Reads(vec![&list.path]),
            Self::Glob(glob) => Touch::Reads(vec![&glob.path]),
            Self::Edit(edit) => Touch::Changes(vec![&edit.path]),
            Self::Write(write) => Touch::Changes(vec![&write.path]),
            Self::ApplyPatch(patch) => Touch::Changes(patch.paths()),
            Self::Delete(delete) => Touch::Changes(vec![&delete.path]),
            Self::Move(each) => Touch::Changes(vec![&each.path, &each.to]),
            Self::Execute(execute) => Touch::Runs {
                command: &execute.command,
                sandboxed: execute.sandboxed,
                network: execute.network || !execute.sandboxed,
            },
            Self::Output(_) | Self::Kill(_) => Touch::Nothing,
            Self::Fetch(fetch) => Touch::Fetches { url: &fetch.url },
            Self::Mcp(mcp) => Touch::Mcp { server: &mcp.server, tool: &mcp.tool },
            Self::Plan(_) | Self::ExitPlan(_) | Self::Ask(_) | Self::Task(_) => Touch::Nothing,
        }
    }
}
