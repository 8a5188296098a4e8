//! The files, commands and addresses that an action touches.

/// The files, commands and addresses that an action touches: the whole basis of a decision. Paths
/// are as the model wrote them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Touch<'a> {
    /// Touches nothing outside of the session.
    Nothing,
    /// Reads these files, or all files below these folders.
    Reads(Vec<&'a str>),
    /// Creates, changes, moves or deletes these files.
    Changes(Vec<&'a str>),
    /// Runs a command line with the shell. `sandboxed` says whether a sandbox restricts it,
    /// `network` whether it can reach the network.
    Runs {
        /// The whole command line.
        command: &'a str,
        /// Whether a sandbox restricts the command.
        sandboxed: bool,
        /// Whether the command can reach the network.
        network: bool,
    },
    /// Runs a command line without the available sandbox, because the agent asked for that.
    Unsandboxed {
        /// The whole command line.
        command: &'a str,
    },
    /// Uses a tool of an MCP server.
    Mcp {
        /// The name of the server.
        server: &'a str,
        /// The name of its tool.
        tool: &'a str,
    },
    /// Reads the content at a URL. A redirection to another host is another action.
    Fetches {
        /// The address.
        url: &'a str,
    },
}
