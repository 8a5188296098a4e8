//! The files that the program stores, compared with the tables of `docs/privacy.md`.

use crate::project::{Ended, Project};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;
use tempfile::TempDir;

const PAGE: &str = include_str!("../../../../docs/privacy.md");

/// A file or a folder (which ends with `/`) that a table lists.
#[derive(Debug)]
struct Listed {
    path: String,
    /// Whether only the owner may read it.
    is_private: bool,
}

/// Returns what the tables list, by their paths in the home folder.
fn listed() -> Vec<Listed> {
    let (mut folder, mut listed) = (None, Vec::new());
    for line in PAGE.lines() {
        let codes = || line.split('`').skip(1).step_by(2);
        if line.starts_with("In `") {
            folder = codes().find_map(|code| code.strip_prefix("~/"));
        } else if line.starts_with('#') {
            folder = None;
        }
        let cell = line.strip_prefix("| `").and_then(|row| row.split(" | ").next());
        if let (Some(folder), Some(cell)) = (folder, cell) {
            let folder = folder.trim_end_matches('/');
            for name in format!("`{cell}").split('`').skip(1).step_by(2) {
                let path = format!("{folder}/{name}");
                listed.push(Listed { path, is_private: !line.contains("; mode 644") });
            }
        }
    }
    listed
}

/// Returns the files below a folder, by their paths in the home folder, with their modes.
fn stored(home: &Path) -> Vec<(String, u32)> {
    let (mut folders, mut stored) = (vec![home.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap()) {
            let path = entry.path();
            // A socket or a lock can be removed meanwhile.
            let Ok(meta) = path.symlink_metadata() else { continue };
            if meta.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(home).unwrap().to_str().unwrap().to_owned();
            stored.push((name, meta.permissions().mode() & 0o777));
        }
    }
    stored.sort();
    stored
}

/// A project whose commands use a home folder of their own, without variables.
struct Person {
    project: Project,
    home: TempDir,
}

impl Person {
    fn new() -> Self {
        Self { project: Project::new(), home: tempfile::tempdir().unwrap() }
    }

    fn does(&self, arguments: &[&str], input: &str) -> Ended {
        let mut command = self.project.attache(arguments);
        command.env("HOME", self.home.path()).env_remove("ATTACHE_STORE");
        for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
            command.env_remove(name);
        }
        let input_file = self.project.path().join("input");
        fs::write(&input_file, input).unwrap();
        command.stdin(Stdio::from(fs::File::open(input_file).unwrap()));
        command.output().unwrap().into()
    }

    #[track_caller]
    fn succeeds(&self, arguments: &[&str], input: &str) {
        let ended = self.does(arguments, input);
        assert_eq!(ended.code, Some(0), "{arguments:?}: {ended:#?}");
    }
}

#[test]
fn commands_that_only_show_store_nothing() {
    let person = Person::new();
    let commands: [&[&str]; 8] = [
        &["demo"],
        &["doctor"],
        &["agents"],
        &["sessions"],
        &["checkpoints"],
        &["permissions"],
        &["config"],
        &["setup", "zed"],
    ];
    for command in commands {
        person.succeeds(command, "");
        assert_eq!(stored(person.home.path()), [], "{command:?}");
    }
}

#[test]
fn every_stored_file_is_in_the_tables_of_the_privacy_page() {
    let person = Person::new();
    person.succeeds(&["run", "--yes", "rename total to sum in main.rs"], "");
    person.succeeds(&["agent"], "");
    person.succeeds(&["config", "set", "model", "offline"], "");
    person.succeeds(&["config", "key", "openai"], "sk-placeholder\n");
    person.succeeds(&["agents", "add", "mine", "--", "true"], "");
    person.succeeds(&["attach"], "");
    person.succeeds(&["serve", "stop"], "");
    let (listed, stored) = (listed(), stored(person.home.path()));
    let row_of = |path: &str| {
        listed.iter().find(|row| {
            row.path == path || (row.path.ends_with('/') && path.starts_with(&row.path))
        })
    };
    for (path, mode) in &stored {
        let row = row_of(path).unwrap_or_else(|| panic!("no table lists {path}"));
        let expected = if row.is_private { 0o600 } else { 0o644 };
        assert_eq!(*mode, expected, "{path}: {mode:o}, but the page says {row:?}");
    }
    let names: Vec<&str> = stored.iter().map(|(path, _)| path.as_str()).collect();
    for path in [
        ".config/attache/agents.toml",
        ".config/attache/config.toml",
        ".config/attache/keys.toml",
        ".local/share/attache/sessions.db",
        ".local/share/attache/client-permissions.jsonl",
        ".local/share/attache/checkpoints/checkpoints.db",
        ".local/state/attache/hub-default.log",
        ".local/state/attache/run/default.lock",
    ] {
        assert!(names.contains(&path), "{path} is missing: {names:?}");
    }
}
