//! Child processes that leave no processes behind.

use std::path::Path;
use std::process::Stdio;

use tokio::process::{Child, Command};

/// A child and its process group. Dropping it kills the group.
#[derive(Debug)]
pub struct Group {
    pub child: Child,
    id: Option<u32>,
}

impl Group {
    /// Starts a command in a separate group, with a pipe for its stdout.
    pub fn start(command: &mut Command, cwd: &Path) -> std::io::Result<Self> {
        let child = command.current_dir(cwd).process_group(0).stdout(Stdio::piped()).spawn()?;
        let id = child.id();
        Ok(Self { child, id })
    }

    /// Returns the id of the group, for [`kill`].
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
    // Killing a group that has already ended is not an error.
    let _ = std::process::Command::new("kill").args(kill).stderr(Stdio::null()).status();
}
