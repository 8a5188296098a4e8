//! What a decision covers.

use attache_policy::{Place, Touch};

/// What a decision covers: a [`Touch`] that owns its data, so that it lives as long as the
/// decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Coverage {
    Nothing,
    Reads(Vec<String>),
    Changes(Vec<String>),
    Runs { command: String, sandboxed: bool, network: bool },
    Unsandboxed { command: String },
    Mcp { server: String, tool: String },
    Fetches { url: String },
}

impl Coverage {
    pub(super) fn of(touch: &Touch<'_>) -> Self {
        let owned = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect();
        match touch {
            Touch::Nothing => Self::Nothing,
            Touch::Reads(paths) => Self::Reads(owned(paths)),
            Touch::Changes(paths) => Self::Changes(owned(paths)),
            Touch::Runs { command, sandboxed, network } => Self::Runs {
                command: (*command).to_owned(),
                sandboxed: *sandboxed,
                network: *network,
            },
            Touch::Unsandboxed { command } => Self::Unsandboxed { command: (*command).to_owned() },
            Touch::Mcp { server, tool } => {
                Self::Mcp { server: (*server).to_owned(), tool: (*tool).to_owned() }
            }
            Touch::Fetches { url } => Self::Fetches { url: (*url).to_owned() },
        }
    }

    /// Borrows the data, for the policy.
    pub(super) fn touch(&self) -> Touch<'_> {
        match self {
            Self::Nothing => Touch::Nothing,
            Self::Reads(paths) => Touch::Reads(borrowed(paths)),
            Self::Changes(paths) => Touch::Changes(borrowed(paths)),
            Self::Runs { command, sandboxed, network } => {
                Touch::Runs { command, sandboxed: *sandboxed, network: *network }
            }
            Self::Unsandboxed { command } => Touch::Unsandboxed { command },
            Self::Mcp { server, tool } => Touch::Mcp { server, tool },
            Self::Fetches { url } => Touch::Fetches { url },
        }
    }

    /// The paths that the call's arguments name.
    pub(super) fn paths(&self) -> &[String] {
        match self {
            Self::Reads(paths) | Self::Changes(paths) => paths,
            _ => &[],
        }
    }

    /// The same coverage with resolved paths. The coverage of a read also includes the paths as
    /// written in its arguments.
    pub(super) fn resolved(&self, places: &[Place]) -> Self {
        let shown = places.iter().map(|place| place.shown.clone());
        match self {
            Self::Reads(named) => Self::Reads(named.iter().cloned().chain(shown).collect()),
            Self::Changes(_) => Self::Changes(shown.collect()),
            other => other.clone(),
        }
    }

    /// Whether the call only reads files or a web page.
    pub(super) fn is_reading(&self) -> bool {
        matches!(self, Self::Reads(_) | Self::Fetches { .. })
    }
}

fn borrowed(paths: &[String]) -> Vec<&str> {
    paths.iter().map(String::as_str).collect()
}
