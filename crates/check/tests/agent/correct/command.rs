//! Commands that the agent runs itself, where the client has no terminals.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a command may take before the agent goes on hearing the client. What takes longer runs
/// until its turn is cancelled.
const SHORT: Duration = Duration::from_millis(300);

/// The commands that run, each with the session it belongs to. Dropped, they are killed.
#[derive(Default)]
pub(crate) struct Commands {
    running: Vec<(String, Child)>,
    /// Whether what runs goes on when its turn ends, which is wrong.
    pub(crate) is_left: bool,
}

impl Commands {
    /// Runs a line of shell. True if it succeeded, false if it failed, none if it goes on.
    pub(super) fn run(&mut self, session: &str, line: &str, cwd: &str) -> Option<bool> {
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(cwd).process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let Ok(mut child) = command.spawn() else { return Some(false) };
        let began = Instant::now();
        while began.elapsed() < SHORT {
            if let Some(exit) = child.try_wait().unwrap() {
                return Some(exit.success());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        self.running.push((session.to_owned(), child));
        None
    }

    /// Ends what runs in the session.
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
    // With all that it started. It fails only if they have ended.
    let _ = Command::new("kill").args(["-9", "--", &format!("-{}", child.id())]).status();
    let _ = child.kill();
    let _ = child.wait();
}
