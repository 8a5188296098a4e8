//! A command line, and a running command.

use super::bounds::Watch;
use attache_host::Command;
use std::path::PathBuf;
use std::time::Duration;

/// A command line and its settings.
#[derive(Debug, Clone)]
pub(super) struct CommandLine {
    pub(super) command: String,
    /// The time limit.
    pub(super) time: Option<Duration>,
    pub(super) in_terminal: bool,
    pub(super) network: bool,
}

/// A running command.
pub(super) struct RunningCommand {
    pub(super) command: Command,
    /// The file for the command's output, if the output is long.
    pub(super) file: Option<PathBuf>,
    /// The state of the protected files, if the command runs in a sandbox.
    pub(super) watch: Option<Watch>,
}
