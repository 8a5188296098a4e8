//! A command line, and the command that runs.

use super::walls::Watch;
use attache_host::Command;
use std::path::PathBuf;
use std::time::Duration;

/// A command line, and how it is to run.
#[derive(Debug, Clone)]
pub(super) struct CommandLine {
    pub(super) command: String,
    /// After which it is killed.
    pub(super) time: Option<Duration>,
    pub(super) in_terminal: bool,
    pub(super) network: bool,
}

/// A command that runs.
pub(super) struct Begun {
    pub(super) command: Command,
    /// Where its output goes when it is long.
    pub(super) file: Option<PathBuf>,
    /// The protected files, where a sandbox holds it.
    pub(super) watch: Option<Watch>,
}
