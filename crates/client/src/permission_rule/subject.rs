//! What a permission request is about, as rules see it.

use crate::permission::PermissionRequest;
use attache_policy::effect::{Command, ToolEffect, changes_only_looks};
use attache_policy::{CommandRule, line_words, word_may_name};
use attache_protocol::v1::ToolKind;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// What an agent says that a call is about.
pub(crate) struct Subject {
    pub(super) kind: Option<ToolKind>,
    pub(super) tool: Option<String>,
    pub(super) effect: ToolEffect,
    /// The title, and the text that the agent shows with the call.
    pub(super) title: String,
    pub(super) text: String,
    /// The folder of the session.
    cwd: PathBuf,
    /// Whether this client runs the command itself, in a folder that it has checked.
    is_own: bool,
}

impl Subject {
    pub(crate) fn of(request: &PermissionRequest, cwd: &Path) -> Self {
        let known = request.tool_call.as_ref();
        let tool = request.asked.name.clone().or_else(|| known.and_then(|call| call.name.clone()));
        Self {
            kind: request.kind().cloned(),
            tool,
            effect: request.effect(),
            title: request.stated_title().to_owned(),
            text: request.shown_texts().collect::<Vec<_>>().join("\n"),
            cwd: cwd.to_owned(),
            is_own: request.command.is_some(),
        }
    }

    /// The files of the call, each once, from the session's folder; relative ones that no folder is
    /// known for are left out where an absolute path ends with them.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> =
            self.effect.paths.iter().map(|path| plain(&self.absolute(path))).collect();
        files.sort();
        files.dedup();
        let absolute: Vec<PathBuf> =
            files.iter().filter(|path| path.is_absolute()).cloned().collect();
        files.retain(|path| {
            path.is_absolute() || !absolute.iter().any(|other| other.ends_with(path))
        });
        files
    }

    /// Whether variables are set for a command that may change what it does.
    pub(super) fn is_changed(command: &Command) -> bool {
        command.environment.iter().any(|(name, value)| !changes_only_looks(name, value))
    }

    /// Whether every command of the call surely is the rule's.
    pub(super) fn surely_runs(&self, words: &str) -> bool {
        let rule = CommandRule::new(words);
        let surely = |command: &Command| {
            let covers = rule.surely_covers(&command.line) || command.whole_line() == words;
            let here = self.is_own
                || command.folder.as_ref().is_none_or(|folder| {
                    self.real(folder).is_some_and(|folder| self.is_here(&folder))
                });
            covers && here && !Self::is_changed(command)
        };
        !self.effect.commands.is_empty() && self.effect.commands.iter().all(surely)
    }

    /// Whether the call may run the rule's command.
    pub(super) fn may_run(&self, words: &str) -> bool {
        let rule = CommandRule::new(words);
        let sets = |command: &Command| {
            command.environment.iter().any(|(_, value)| rule.is_named_in(value))
        };
        let runs = |command: &Command| {
            rule.may_cover(&command.line) || rule.may_cover(&command.whole_line()) || sets(command)
        };
        if self.effect.commands.iter().any(runs) {
            return true;
        }
        if !self.effect.commands.is_empty() {
            return false;
        }
        // Where the input names no command, the agent may name it anywhere.
        let arguments = self.effect.arguments.as_ref();
        let is_named =
            || arguments.is_some_and(|arguments| rule.is_named_in(&arguments.to_string()));
        let states = |title: &str| rule.may_cover(title) || rule.is_named_in(title);
        match self.kind {
            Some(ToolKind::Execute) => {
                self.effect.stated.as_deref().is_some_and(states)
                    || rule.is_named_in(&self.text)
                    || is_named()
            }
            None | Some(ToolKind::Other | ToolKind::Unknown(_)) => {
                // An input that cannot be read as an object.
                arguments.is_some_and(serde_json::Value::is_string) && is_named()
            }
            _ => false,
        }
    }

    /// Whether the call is about files, and surely all of them are this one or below it.
    pub(super) fn is_all_inside(&self, folder: &Path) -> bool {
        let Some(folder) = real(folder) else { return false };
        let inside = |path: &String| self.real(path).is_some_and(|path| path.starts_with(&folder));
        !self.effect.paths.is_empty() && self.effect.paths.iter().all(inside)
    }

    /// Whether a file of the call, or a word of its commands, may be this one or below it.
    pub(super) fn may_touch(&self, folder: &Path) -> bool {
        let real_folder = real(folder);
        let inside = |path: &Path| {
            let written = plain(path);
            let below = |path: &Path| {
                path.starts_with(folder)
                    || real_folder.as_ref().is_some_and(|folder| path.starts_with(folder))
            };
            below(path) || below(&written) || real(path).is_some_and(|path| below(&path))
        };
        if self.effect.paths.iter().any(|path| inside(&self.absolute(path))) {
            return true;
        }
        self.effect.commands.iter().any(|command| {
            let from = command
                .folder
                .as_ref()
                .map_or_else(|| self.cwd.clone(), |folder| self.absolute(folder));
            line_words(&command.whole_line()).iter().any(|word| {
                let path = at(&from, word);
                inside(&path) || may_name(&path, folder, inside)
            })
        })
    }

    fn absolute(&self, path: &str) -> PathBuf {
        at(&self.cwd, path)
    }

    fn real(&self, path: &str) -> Option<PathBuf> {
        match path.starts_with('~') {
            true => None,
            false => real(&self.absolute(path)),
        }
    }

    fn is_here(&self, folder: &Path) -> bool {
        real(&self.cwd).is_some_and(|cwd| folder.starts_with(cwd))
    }
}

/// Whether a path with `*` and the like may be the folder, one above it or one below it.
fn may_name(path: &Path, folder: &Path, inside: impl Fn(&Path) -> bool) -> bool {
    let pattern = plain(path);
    let start: PathBuf = pattern.components().take_while(is_literal).collect();
    if start == pattern {
        return false;
    }
    let names = |pattern: &Path, each: &Path| {
        word_may_name(&pattern.to_string_lossy(), &each.to_string_lossy())
    };
    inside(&start)
        || folder.ancestors().any(|each| names(&pattern, each))
        || pattern.ancestors().any(|each| names(each, folder))
}

fn is_literal(component: &Component<'_>) -> bool {
    !component.as_os_str().to_string_lossy().contains(['*', '?', '[', '{'])
}

/// The path from this folder; `~` is the person's home.
fn at(folder: &Path, path: &str) -> PathBuf {
    let path = path.strip_prefix("file://").unwrap_or(path);
    let home = || std::env::var_os("HOME").map(PathBuf::from);
    match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => match home() {
            Some(home) => home.join(rest.trim_start_matches('/')),
            None => folder.join(path),
        },
        _ => folder.join(path),
    }
}

/// The path without `.` and `..`, by its text alone.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// Where a path leads with symbolic links followed, as they are now; what does not exist yet stays
/// as it is written. `None` if that cannot be known: the path is not absolute, or ends in a link
/// that leads nowhere. Blocks on the disk.
fn real(path: &Path) -> Option<PathBuf> {
    if !path.is_absolute() {
        return None;
    }
    let components: Vec<Component<'_>> = path.components().collect();
    for end in (1..=components.len()).rev() {
        let (start, rest) = components.split_at_checked(end)?;
        let start: PathBuf = start.iter().collect();
        match fs::canonicalize(&start) {
            Ok(found) => return Some(plain(&found.join(rest.iter().collect::<PathBuf>()))),
            // A link that leads nowhere, or in a circle: a write may follow it.
            Err(_) if fs::symlink_metadata(&start).is_ok_and(|found| found.is_symlink()) => {
                return None;
            }
            Err(_) => {}
        }
    }
    None
}
