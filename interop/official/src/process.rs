//! Child processes that leave nothing behind.

use std::path::Path;
use std::process::Stdio;

use tokio::process::{Child, Command};

/// A child with all that it started: killed when this is dropped.
#[derive(Debug)]
pub struct Group {
    pub child: Child,
    id: Option<u32>,
}

impl Group {
    /// Starts a command in a group of its own, with a pipe for its stdout.
    pub fn start(command: &mut Command, cwd: &Path) -> std::io::Result<Self> {
        let child = command.current_dir(cwd).process_group(0).stdout(Stdio::piped()).spawn()?;
        let id = child.id();
        Ok(Self { child, id })
    }

    /// Its number, by which [`kill`] knows it.
    pub fn id(&self) -> Option<u32> {
        self.id
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            kill(id);
        }
    }
}

/// Kills a group.
pub fn kill(group: u32) {
    let kill = ["-KILL", "--", &format!("-{group}")].map(str::to_owned);
    // A group that has ended is what is wanted.
    let _ = std::process::Command::new("kill").args(kill).stderr(Stdio::null()).status();
}
