//! The shell of a session: its sandbox, its folder for temporary files and its background commands.

use super::background::Background;
use super::bounds::KnownFiles;
use super::scratch::Scratch;
use attache_host::{NoSandbox, Sandbox};
use std::path::PathBuf;

/// The sandbox, temporary files and background commands of a session.
#[derive(Debug, Default)]
pub(crate) struct Shell {
    /// The sandbox to use instead of the detected one; `Some(None)` means that no sandbox is used.
    chosen: Option<Option<Sandbox>>,
    pub(crate) background: Background,
    /// The scratch folder, which is dropped after the commands that write to it.
    pub(crate) scratch: Scratch,
    /// Files and folders that sandboxed commands cannot read and searches leave out.
    pub(in crate::tools) private: Vec<PathBuf>,
    pub(super) known: KnownFiles,
}

impl Shell {
    pub(crate) fn new(chosen: Option<Option<Sandbox>>) -> Self {
        Self { chosen, ..Self::default() }
    }

    /// Sets the files and folders that sandboxed commands cannot read.
    pub(crate) fn private(self, private: Vec<PathBuf>) -> Self {
        Self { private, ..self }
    }

    /// Returns the sandbox for commands. The first call in a process detects it, which takes some
    /// milliseconds.
    pub(super) async fn sandbox(&self) -> Result<Sandbox, String> {
        match &self.chosen {
            Some(Some(sandbox)) => Ok(sandbox.clone()),
            Some(None) => Err("the sandbox is turned off".to_owned()),
            None => Sandbox::find().await.map_err(|error: NoSandbox| error.to_string()),
        }
    }
}
