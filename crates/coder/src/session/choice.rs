//! Permission choices that older sessions stored.

use attache_policy::{Pattern, Subject};
use serde::{Deserialize, Serialize};

/// A permission choice that an older session stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Choice {
    /// Edits of any file.
    Edits,
    /// Edits of one file.
    File(String),
    /// Commands of this program.
    Program(String),
    /// Exactly this command line.
    CommandLine(String),
    /// A tool of an MCP server.
    Mcp { server: String, tool: String },
    /// Fetches of this address.
    Url(String),
}

impl Choice {
    /// Converts the choice to the subject of a rule.
    pub(crate) fn subject(self) -> Option<Subject> {
        match self {
            Self::Edits => Pattern::new("**").ok().map(Subject::Changes),
            Self::File(path) => Pattern::exactly(&path).map(Subject::Changes),
            Self::Program(program) => Some(Subject::Command(vec![program])),
            Self::CommandLine(line) => Some(Subject::Line(line)),
            Self::Mcp { server, tool } => Some(Subject::Mcp { server, tool: Some(tool) }),
            Self::Url(_) => None,
        }
    }
}
