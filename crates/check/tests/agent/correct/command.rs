//! Commands that the agent runs itself if the client has no terminals.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long the agent waits for a command before it reads the next line. If a command takes longer,
/// its turn does not end until the client cancels the turn, which also kills the command.
const SHORT: Duration = Duration::from_millis(300);

/// The running commands with their sessions. Dropping them kills them.
#[derive(Default)]
pub(crate) struct Commands {
    running: Vec<(String, Child)>,
    /// Whether commands continue after their turn. Only faults set it.
    pub(crate) is_left: bool,
}

impl Commands {
    /// Runs a shell command. Returns whether it succeeded, or `None` if it is still running.
    pub(super) fn run(&mut self, session: &str, line: &str, cwd: &str) -> Option<bool> {
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(cwd).process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let Ok(mut child) = command.spawn() else { return Some(false) };
        let began = Instant::now();
        // A command that sleeps takes longer in any case.
        while began.elapsed() < SHORT && !line.contains("sleep") {
            if let Some(exit) = child.try_wait().unwrap() {
                return Some(exit.success());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        self.running.push((session.to_owned(), child));
        None
    }

    /// Ends the commands of the session.
    pub(super) fn kill(&mut self, session: &str) {
        if self.is_left {
            return;
        }
        for (_, child) in
            &mut self.running.extract_if(.., |(of, _)| of == session).collect::<Vec<_>>()
        {
            end(child);
        }
    }
}

impl Drop for Commands {
    fn drop(&mut self) {
        for (_, child) in &mut self.running {
            end(child);
        }
    }
}

fn end(child: &mut Child) {
    // Also kills the descendants. Killing fails only if all of them have ended.
    let _ = Command::new("kill").args(["-9", "--", &format!("-{}", child.id())]).status();
    let _ = child.kill();
    let _ = child.wait();
}
