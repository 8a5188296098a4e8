//! All output of the command that people read: one document per command in `tests/messages`, so
//! that the wording can be reviewed as a whole.
//!
//! Each section (`##`) is played in a separate home folder, at 80 columns. Its blocks are:
//!
//! - `sh`: preparation for the shell, without output;
//! - `console`: lines that begin with `$ ` are commands for the shell. Their stdout follows, then
//!   stderr after a line `stderr:`, then the exit code if it is not 0;
//! - `keys`: a person's input at a terminal: `$ COMMAND`, then `wait TEXT`, `type LINE` (with
//!   Enter) and `press KEY`;
//! - `screen`: the contents of that terminal when the command has ended.
//!
//! Placeholders replace paths, versions, ids, times and sizes. Progress lines that depend on
//! timing (unfinished calls, steps of plans) are omitted. `UPDATE_DOCS=1` writes the actual output.

use crate::terminal::Terminal;
use regex::Regex;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use tempfile::TempDir;

const COMMAND: &str = "UPDATE_DOCS=1 cargo test -p attache --test run messages";

/// The programs that the sections may use; no other program is found, whatever is installed.
const TOOLS: &[&str] =
    &["sh", "cat", "sed", "ls", "mkdir", "rmdir", "ln", "sleep", "chmod", "head", "grep"];

macro_rules! documents {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            play(stringify!($name));
        })*

        /// The documents.
        const DOCUMENTS: &[&str] = &[$(stringify!($name)),*];
    };
}

documents! {
    agent agents attach attache chat check checkpoints completions config demo doctor login new
    permissions run serve sessions setup trace uninstall
}

#[test]
fn every_document_is_played() {
    let found = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<String> =
        found.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    found.sort();
    assert_eq!(found, DOCUMENTS);
}

/// The help names every command, and each has a document; `logout` is in the document of `login`.
#[test]
fn every_command_has_a_document() {
    let home = Home::new();
    let help = home.shell("attache --help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let commands = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = commands.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    for name in names.filter(|name| !["", "help", "logout"].contains(name)) {
        assert!(DOCUMENTS.contains(&name), "{name} has no document in tests/messages");
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages")
}

/// Plays a document and compares it with the actual output, or writes it.
fn play(name: &str) {
    let path = folder().join(name).with_extension("md");
    let document = fs::read_to_string(&path).unwrap();
    let seen = played(&document);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, seen).unwrap();
        return;
    }
    let lines = document.lines().zip(seen.lines()).enumerate();
    let different = lines.filter(|(_, (expected, found))| expected != found).take(12);
    let different: Vec<String> = different
        .map(|(at, (expected, found))| format!("{}:\n- {expected}\n+ {found}", at + 1))
        .collect();
    assert!(
        document == seen,
        "tests/messages/{name}.md differs from what the command prints. If the new wording is \
         right, write it with\n  {COMMAND}::{name}\n{}",
        different.join("\n")
    );
}

/// Returns the document with the actual output.
fn played(document: &str) -> String {
    let mut out = String::new();
    let mut home = Home::new();
    let mut screen = String::new();
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("## ") {
            home = Home::new();
        }
        let _ = writeln!(out, "{line}");
        // A fence has four backticks, because a command's output can contain a block.
        let Some(kind) = line.strip_prefix("````") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "````").collect();
        match kind {
            "sh" => {
                let ended = home.shell(&block.join("\n")).output().unwrap();
                assert!(ended.status.success(), "{block:?}: {ended:?}");
                out.extend(block.iter().map(|line| format!("{line}\n")));
            }
            "console" => {
                for line in block.iter().filter(|line| line.starts_with("$ ")) {
                    let _ = writeln!(out, "{line}");
                    out.push_str(&home.console(&line[2..]));
                }
            }
            "keys" => {
                screen = home.terminal(&block);
                out.extend(block.iter().map(|line| format!("{line}\n")));
            }
            "screen" => out.push_str(&screen),
            _ => panic!("unknown block {kind:?}"),
        }
        out.push_str("````\n");
    }
    out
}

/// A home folder with a small project, where a section is played.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        // The path is as long as its placeholder `/home/ann`, so that lines wrap at the same words.
        let folder = tempfile::Builder::new().prefix("").rand_bytes(4).tempdir_in("/tmp");
        let home = Self(folder.unwrap());
        fs::create_dir_all(home.project()).unwrap();
        fs::write(home.project().join("README.md"), "# Tally\n\nAdds up numbers.\n").unwrap();
        fs::write(home.project().join("main.rs"), crate::project::MAIN).unwrap();
        let bin = home.0.path().join("bin");
        fs::create_dir(&bin).unwrap();
        symlink(env!("CARGO_BIN_EXE_attache"), bin.join("attache")).unwrap();
        let path = std::env::var_os("PATH").unwrap();
        for tool in TOOLS {
            let found = std::env::split_paths(&path).map(|folder| folder.join(tool));
            let found = found.into_iter().find(|path| path.is_file());
            symlink(found.unwrap_or_else(|| panic!("{tool} is missing")), bin.join(tool)).unwrap();
        }
        home
    }

    fn project(&self) -> PathBuf {
        self.0.path().join("tally")
    }

    fn shell(&self, script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        let home = self.0.path();
        command
            .args(["-c", script])
            .env_clear()
            .env("PATH", home.join("bin"))
            .env("HOME", home)
            .env("TERM", "xterm")
            .env("LANG", "C.UTF-8")
            .env("TZ", "UTC")
            .env("COLUMNS", "80")
            .current_dir(self.project())
            .stdin(Stdio::null());
        command
    }

    /// Returns the output of a command without a terminal, and its exit code.
    fn console(&self, script: &str) -> String {
        let ended = self.shell(script).output().unwrap();
        let mut seen = self.plain(&String::from_utf8_lossy(&ended.stdout));
        let stderr = self.plain(&String::from_utf8_lossy(&ended.stderr));
        if !stderr.is_empty() {
            let _ = write!(seen, "stderr:\n{stderr}");
        }
        match ended.status.code() {
            Some(0) => {}
            Some(code) => seen.push_str(&format!("exit code {code}\n")),
            None => panic!("{script} was killed: {seen}"),
        }
        seen
    }

    /// Returns the contents of a terminal after a command with this input.
    fn terminal(&self, keys: &[&str]) -> String {
        let Some(command) = keys.first().and_then(|line| line.strip_prefix("$ ")) else {
            panic!("the first line of {keys:?} is not a command");
        };
        let mut shell = self.shell(command);
        shell.env_remove("COLUMNS");
        let mut terminal = Terminal::of(shell, 80, None);
        for line in &keys[1..] {
            match line.split_once(' ') {
                Some(("wait", text)) => terminal.wait_for(text),
                Some(("type", text)) => terminal.press(&format!("{text}\r")),
                Some(("press", "Ctrl-C")) => terminal.press("\u{3}"),
                Some(("press", "Ctrl-D")) => terminal.press("\u{4}"),
                Some(("press", "Enter")) => terminal.press("\r"),
                Some(("press", key)) => terminal.press(key),
                _ => panic!("{line:?} is not a key"),
            }
        }
        let (code, shown) = terminal.end();
        let mut parser = vt100::Parser::new(300, 80, 0);
        parser.process(shown.as_bytes());
        let mut screen = self.plain(&parser.screen().contents());
        match code {
            Some(0) => {}
            Some(code) => screen.push_str(&format!("exit code {code}\n")),
            None => panic!("{keys:?}: the program was killed: {screen}"),
        }
        screen
    }

    /// Replaces everything that differs between machines and between runs.
    fn plain(&self, text: &str) -> String {
        static CHANGING: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
            [
                (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "SESSION-ID"),
                (r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?Z?)?", "DATE"),
                (r"\b\d+(\.\d+)? m?s\b", "TIME"),
                (r"\b\d+(\.\d+)? [KM]iB\b", "SIZE"),
                (r"\b[0-9a-f]{8}\b", "1a2b3c4d"),
                (r"\.tmp\w{6}\b", ".tmpXXXXXX"),
                (r"\bprocess( +)\d+", "process${1}PID"),
                (r"\b\d+ messages to the agent|\b\d+ back\b|\b\d+ kB\b", "N"),
                (r"up to event \d+", "up to event N"),
                (r"(?m)^([○◐] |plan \d|  [▶☐☑] ).*\n", ""),
                // An old checkout has an old list of models.
                (r"(?m)^. outdated .*\n", ""),
                (r"\n{3,}", "\n\n"),
                (r"[ \t]+\n", "\n"),
            ]
            .into_iter()
            .map(|(pattern, to)| (Regex::new(pattern).unwrap(), to))
            .collect()
        });
        let mut text = text
            .replace(env!("CARGO_BIN_EXE_attache"), "/usr/bin/attache")
            .replace(env!("ATTACHE_COMMIT"), "COMMIT")
            .replace(env!("ATTACHE_BUILD"), "BUILD")
            .replace(env!("CARGO_PKG_VERSION"), "VERSION")
            .replace(&*self.0.path().to_string_lossy(), "/home/ann");
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        for (pattern, to) in CHANGING.iter() {
            text = pattern.replace_all(&text, *to).into_owned();
        }
        text
    }
}
