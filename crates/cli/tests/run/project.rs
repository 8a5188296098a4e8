//! A small project in a temporary folder, for running the program.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

pub(crate) const MAIN: &str = "fn total() {}\nfn main() { total(); }\n";

pub(crate) struct Project(TempDir);

impl Project {
    pub(crate) fn new() -> Self {
        let project = Self::empty();
        fs::write(project.path().join("README.md"), "# Tally\n\nAdds up numbers.\n").unwrap();
        fs::write(project.path().join("main.rs"), MAIN).unwrap();
        project
    }

    pub(crate) fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn main(&self) -> String {
        fs::read_to_string(self.path().join("main.rs")).unwrap()
    }

    /// Returns the program, to run in this folder without a terminal and without the caller's
    /// settings.
    pub(crate) fn attache(&self, arguments: &[&str]) -> Command {
        self.command(Path::new(env!("CARGO_BIN_EXE_attache")), arguments)
    }

    /// Returns any program, to run in the same way.
    fn command(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for name in
            ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "ATTACHE_LOG", "CARGO_PKG_NAME", "SHELL"]
        {
            command.env_remove(name);
        }
        // The person who runs the tests can have a shared hub, stored sessions, keys and settings.
        command.env_remove("XDG_RUNTIME_DIR");
        command.env("XDG_CONFIG_HOME", self.path().join(".no-settings"));
        command.env("XDG_CACHE_HOME", self.path().join(".no-cache"));
        command.env("TERM", "xterm").env("ATTACHE_STORE", "none").env("ATTACHE_MODEL", "offline");
        // So can the terminal have another language and other colours.
        command.env("LC_ALL", "C.UTF-8").env_remove("COLORTERM").env_remove("COLORFGBG");
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        self.attache(arguments).output().unwrap().into()
    }

    pub(crate) fn program(&self, program: &Path, arguments: &[&str]) -> Ended {
        self.command(program, arguments).output().unwrap().into()
    }
}

/// The end of the program, and its output.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

impl Ended {
    /// Asserts the code, and that stderr contains each of these texts: the problem and the next
    /// step.
    #[track_caller]
    pub(crate) fn failed(&self, code: i32, says: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:#?}");
        for text in says {
            assert!(self.stderr.contains(text), "stderr lacks {text:?}: {self:#?}");
        }
        for leak in ["panicked", "RUST_BACKTRACE", "Error {", "Some(", "Failure"] {
            assert!(!self.stderr.contains(leak), "a person sees {leak:?}: {self:#?}");
        }
    }
}
