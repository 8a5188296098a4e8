//! Whether a pattern of calls matches a call.

use super::AskedCall;
use super::paths::{at, may_name, plain, real};
use crate::command_rule::CommandRule;
use crate::effect::{Command, affects_only_appearance};
use crate::line_words::line_words;
use crate::rule::{CallPattern, Effect};
use attache_protocol::v1::ToolKind;
use std::path::{Path, PathBuf};

impl CallPattern {
    /// Whether the pattern matches the call, for a rule with this effect. Blocks on the disk if the
    /// pattern names a path.
    pub(super) fn fits(&self, call: &AskedCall<'_>, effect: Effect) -> bool {
        let is_kind = self.kind.as_ref().is_none_or(|kind| call.kind == Some(kind));
        let is_tool = self.tool.as_ref().is_none_or(|name| {
            call.tool.is_some_and(|tool| match name.strip_suffix('*') {
                Some(start) => tool.starts_with(start),
                None => tool == name,
            })
        });
        !self.is_empty()
            && is_kind
            && is_tool
            && match effect {
                Effect::Allow => self.surely_fits(call),
                Effect::Ask | Effect::Deny => self.may_fit(call),
            }
    }

    fn surely_fits(&self, call: &AskedCall<'_>) -> bool {
        // A pattern that has only a path does not match commands.
        let names_files_alone =
            self.kind.is_none() && self.tool.is_none() && self.command.is_none();
        let says =
            |said: &Option<String>, wanted: &str| said.as_deref().unwrap_or_default() == wanted;
        let states = self.title.is_some() || self.text.is_some();
        self.path.as_ref().is_none_or(|path| {
            call.is_all_inside(path) && (!names_files_alone || call.effect.commands.is_empty())
        }) && self.command.as_ref().is_none_or(|words| call.surely_runs(words))
            && (!states
                || (call.effect.is_empty()
                    && says(&self.title, call.title)
                    && says(&self.text, &call.text)))
    }

    fn may_fit(&self, call: &AskedCall<'_>) -> bool {
        self.path.as_ref().is_none_or(|path| call.may_touch(path))
            && self.command.as_ref().is_none_or(|words| call.may_run(words))
            && self.title.as_ref().is_none_or(|title| title == call.title)
            && self.text.as_ref().is_none_or(|text| *text == call.text)
    }
}

impl AskedCall<'_> {
    /// The paths of the call's files, without duplicates. They are absolute, except for relative
    /// paths whose folder is unknown. Such a path is left out if an absolute path ends with it.
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

    /// Whether a command has variables that could change its effect.
    pub(super) fn is_changed(command: &Command) -> bool {
        command.environment.iter().any(|(name, value)| !affects_only_appearance(name, value))
    }

    /// Whether a command runs in the session's folder or below it.
    pub(super) fn is_in_session(&self, command: &Command) -> bool {
        let is_below = |folder: PathBuf| real(self.cwd).is_some_and(|cwd| folder.starts_with(cwd));
        self.runs_here
            || command.folder.as_ref().is_none_or(|folder| self.real(folder).is_some_and(is_below))
    }

    /// Whether it is certain that every command of the call is the rule's command.
    pub(super) fn surely_runs(&self, words: &str) -> bool {
        let rule = CommandRule::new(words);
        let surely = |command: &Command| {
            let covers = rule.surely_covers(&command.line) || command.whole_line() == words;
            covers && self.is_in_session(command) && !Self::is_changed(command)
        };
        !self.effect.commands.is_empty() && self.effect.commands.iter().all(surely)
    }

    /// Whether it is possible that the call runs the rule's command.
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
        // If the input contains no command, the agent may have named the command anywhere.
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
                // An input that is a text and not an object.
                arguments.is_some_and(serde_json::Value::is_string) && is_named()
            }
            _ => false,
        }
    }

    /// Whether the call names files, and it is certain that each of them is this path or below it.
    pub(super) fn is_all_inside(&self, folder: &Path) -> bool {
        let Some(folder) = real(folder) else { return false };
        let inside = |path: &String| self.real(path).is_some_and(|path| path.starts_with(&folder));
        !self.effect.paths.is_empty() && self.effect.paths.iter().all(inside)
    }

    /// Whether it is possible that a file of the call, or a word of its commands, is this path or a
    /// path below it.
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
                .map_or_else(|| self.cwd.to_owned(), |folder| self.absolute(folder));
            line_words(&command.whole_line()).iter().any(|word| {
                let path = at(&from, word);
                inside(&path) || may_name(&path, folder, inside)
            })
        })
    }

    fn absolute(&self, path: &str) -> PathBuf {
        at(self.cwd, path)
    }

    fn real(&self, path: &str) -> Option<PathBuf> {
        match path.starts_with('~') {
            true => None,
            false => real(&self.absolute(path)),
        }
    }
}
