//! Child processes that leave nothing behind.

use std::path::Path;
use std::process::Stdio;

use tokio::process::{Child, Command};

/// A child with all that it started: killed when this is dropped.
pub(crate) struct Group {
    pub(crate) child: Child,
    id: Option<u32>,
}

impl Group {
    pub(crate) fn start(command: &mut Command, cwd: &Path) -> std::io::Result<Self> {
        let child = command.current_dir(cwd).process_group(0).stdout(Stdio::piped()).spawn()?;
        let id = child.id();
        Ok(Self { child, id })
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let Some(id) = self.id else { return };
        let kill = ["-KILL", "--", &format!("-{id}")].map(str::to_owned);
        // A group that has ended is what is wanted.
        let _ = std::process::Command::new("kill").args(kill).stderr(Stdio::null()).status();
    }
}
