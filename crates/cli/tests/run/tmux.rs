//! The full screen in tmux, a terminal that others wrote.

use crate::project::{MAIN, Project};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The time limit for each step. It only prevents endless waiting.
const PATIENCE: Duration = Duration::from_secs(60);

/// A tmux server of this test, with one window in which a shell runs.
struct Tmux<'p> {
    project: &'p Project,
}

impl<'p> Tmux<'p> {
    /// Starts a shell in a window of 80 columns and 24 rows, with the environment of the program.
    fn start(project: &'p Project) -> Self {
        let tmux = Self { project };
        let size = ["-x", "80", "-y", "24"];
        tmux.run(&[&["-f", "/dev/null", "new-session", "-d"], &size[..], &["sh"]].concat());
        tmux.enter("PS1='ready> '");
        tmux.until("ready> ");
        tmux
    }

    fn command(&self) -> Command {
        let mut command = Command::new("tmux");
        for (name, value) in self.project.attache(&[]).get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        // A person can run the tests in tmux.
        command.env_remove("TMUX").env_remove("ENV").env("NO_COLOR", "1");
        command.env("XDG_DATA_HOME", self.project.path().join(".data"));
        command.env("ATTACHE_STORE", self.project.path().join("sessions.db"));
        command.current_dir(self.project.path()).args(["-u", "-S"]);
        command.arg(self.project.path().join("tmux.socket"));
        command
    }

    /// Runs a command of tmux and returns its output.
    #[track_caller]
    fn run(&self, arguments: &[&str]) -> String {
        let output = self.command().args(arguments).output();
        let output = output.unwrap_or_else(|error| panic!("tmux does not start: {error}"));
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Types a text, and presses Enter.
    fn enter(&self, text: &str) {
        self.run(&["send-keys", "-l", text]);
        self.run(&["send-keys", "Enter"]);
    }

    /// Waits until the window shows this text, and returns all that it shows.
    #[track_caller]
    fn until(&self, text: &str) -> String {
        let begun = Instant::now();
        loop {
            let shown = self.run(&["capture-pane", "-p"]);
            if shown.contains(text) {
                return shown;
            }
            assert!(begun.elapsed() < PATIENCE, "{text:?} never came:\n{shown}");
            sleep(Duration::from_millis(50));
        }
    }

    /// Returns which modes of the terminal a program has set.
    fn modes(&self) -> String {
        let modes = "alternate=#{alternate_on} cursor=#{cursor_flag} mouse=#{mouse_any_flag} \
                     keypad=#{keypad_flag} origin=#{origin_flag} wrap=#{wrap_flag}";
        self.run(&["display-message", "-p", modes])
    }
}

impl Drop for Tmux<'_> {
    fn drop(&mut self) {
        let _ = self.command().arg("kill-server").output();
    }
}

#[test]
fn the_screen_works_in_tmux_and_gives_the_window_back() {
    let project = Project::new();
    let tmux = Tmux::start(&project);
    let settings = |name: &str| std::fs::read_to_string(project.path().join(name)).unwrap();
    let before = tmux.modes();
    tmux.enter("stty -g > before; echo shown before");
    tmux.until("\nshown before");
    tmux.enter(env!("CARGO_BIN_EXE_attache"));
    let shown = tmux.until("Offline · Ask");
    assert!(!shown.contains("shown before"), "{shown}");
    assert!(tmux.modes().starts_with("alternate=1"), "{}", tmux.modes());

    tmux.enter("rename total to sum in main.rs");
    let shown = tmux.until("no, and say why");
    assert!(shown.contains("fn sum() {}"), "{shown}");
    // Keys that come sooner are text.
    sleep(Duration::from_millis(500));
    tmux.run(&["send-keys", "y"]);
    tmux.until("`total` is now `sum`");
    assert_eq!(project.main(), MAIN.replace("total", "sum"));

    tmux.run(&["resize-window", "-x", "100", "-y", "30"]);
    let shown = tmux.until(&"─".repeat(100));
    assert!(shown.contains("`total` is now `sum`"), "{shown}");
    tmux.run(&["resize-window", "-x", "60", "-y", "20"]);
    let shown = tmux.until(&format!("\n{}\n›", "─".repeat(60)));
    assert!(shown.contains("`total` is now `sum`"), "{shown}");

    tmux.run(&["send-keys", "C-d"]);
    let shown = tmux.until("continue it with: attache --resume ");
    assert!(shown.contains("shown before"), "the window is not as before:\n{shown}");
    assert!(!shown.contains("Offline"), "{shown}");
    tmux.enter("stty -g > after; echo shown after");
    tmux.until("\nshown after");
    assert_eq!((tmux.modes(), settings("after")), (before, settings("before")));
}
