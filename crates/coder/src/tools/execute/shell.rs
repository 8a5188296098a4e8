//! The shell of a session: its sandbox, its folder for temporary files, its background
//! commands.

use super::background::Background;
use super::scratch::Scratch;
use super::walls::Known;
use attache_host::{NoSandbox, Sandbox};
use std::path::PathBuf;

/// The sandbox, temporary files and background commands of a session.
#[derive(Debug, Default)]
pub(crate) struct Shell {
    /// The sandbox to use, or none, in place of what the machine has.
    chosen: Option<Option<Sandbox>>,
    pub(crate) background: Background,
    /// After the commands that write there.
    pub(crate) scratch: Scratch,
    /// Files and folders that commands in a sandbox cannot read.
    pub(super) private: Vec<PathBuf>,
    pub(super) known: Known,
}

impl Shell {
    pub(crate) fn new(chosen: Option<Option<Sandbox>>) -> Self {
        Self { chosen, ..Self::default() }
    }

    /// The same with files and folders that commands in a sandbox cannot read.
    pub(crate) fn private(self, private: Vec<PathBuf>) -> Self {
        Self { private, ..self }
    }

    /// The sandbox in which commands run. The first time in a process it is looked for, which takes
    /// some milliseconds.
    pub(super) async fn sandbox(&self) -> Result<Sandbox, String> {
        match &self.chosen {
            Some(Some(sandbox)) => Ok(sandbox.clone()),
            Some(None) => Err("no sandbox is used here".to_owned()),
            None => Sandbox::find().await.map_err(|error: NoSandbox| error.to_string()),
        }
    }
}
