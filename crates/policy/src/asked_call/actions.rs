//! Whether a rule about actions is about a call.
//!
//! The built-in agent asks about its actions before it takes them. Other agents describe the
//! actions that they are about to take. An allowing rule applies only to a description that
//! leaves no other action possible.

use super::AskedCall;
use super::paths::{at, plain, real};
use crate::command;
use crate::line::commands;
use crate::line_words::line_words;
use crate::rule::{Effect, Pattern, Run, Subject, host_of};
use attache_protocol::v1::ToolKind;
use std::path::{Path, PathBuf};
use url::Url;

/// How another agent's command is assumed to run: without a sandbox, and with the network.
const UNRESTRICTED: Run = Run { sandboxed: false, network: true };

impl AskedCall<'_> {
    /// Whether a rule that denies or asks is about the call: whether it is possible that the call
    /// is an action of this subject.
    pub(super) fn may_be_about(&self, subject: &Subject) -> bool {
        match subject {
            Subject::Call(pattern) => pattern.fits(self, Effect::Deny),
            Subject::Beyond { commands, .. } => {
                subject.covers(Effect::Deny, UNRESTRICTED) && self.may_be_about(commands)
            }
            Subject::Command(words) => self.lines().any(|line| match commands(line) {
                Ok(parts) => parts.iter().any(|part| subject.is_about_command(part, Effect::Deny)),
                Err(_) => command::is_contained_in(line, words),
            }),
            Subject::Line(line) => self.lines().any(|each| each == line),
            Subject::Reads(pattern) => self.may_read(pattern),
            Subject::Changes(pattern) => self.may_change(pattern),
            Subject::Tool(tool) => {
                self.is_tool(tool)
                    || (tool == "execute" && self.lines().next().is_some())
                    || (tool == "fetch" && !self.effect.urls.is_empty())
            }
            Subject::Mcp { server, tool } => {
                let named = self.tool.unwrap_or_default();
                named.contains(server.as_str())
                    && tool.as_ref().is_none_or(|tool| named.contains(tool.as_str()))
            }
            Subject::Host(_) => self.addresses().any(|url| subject.is_about_address(&url)),
        }
    }

    /// Whether a rule that allows is about the call: whether it is certain that the call is an
    /// action of this subject and nothing else.
    pub(super) fn surely_is_about(&self, subject: &Subject) -> bool {
        let effect = &self.effect;
        let runs_only = effect.paths.is_empty() && effect.urls.is_empty();
        let is_kind = |kinds: &[ToolKind]| self.kind.is_some_and(|kind| kinds.contains(kind));
        match subject {
            Subject::Beyond { commands, .. } => {
                subject.covers(Effect::Allow, UNRESTRICTED)
                    && match &**commands {
                        Subject::Command(words) => self.surely_runs(&words.join(" ")),
                        Subject::Line(line) => self.surely_runs_line(line),
                        Subject::Tool(tool) => {
                            tool == "execute" && self.surely_runs_commands() && runs_only
                        }
                        _ => false,
                    }
            }
            Subject::Reads(pattern) => {
                is_kind(&[ToolKind::Read, ToolKind::Search]) && self.is_only_about(pattern)
            }
            Subject::Changes(pattern) => {
                is_kind(&[ToolKind::Edit, ToolKind::Delete, ToolKind::Move])
                    && self.is_only_about(pattern)
            }
            Subject::Host(_) => {
                let addresses: Vec<Url> = self.addresses().collect();
                let plain = |url: &String| {
                    let url = Url::parse(url).ok().filter(|_| !url.contains('\\'));
                    url.is_some_and(|url| {
                        url.username().is_empty()
                            && url.password().is_none()
                            && host_of(&url).is_some()
                    })
                };
                is_kind(&[ToolKind::Fetch])
                    && effect.commands.is_empty()
                    && effect.paths.is_empty()
                    && !addresses.is_empty()
                    && effect.urls.iter().all(plain)
                    && addresses.iter().all(|url| subject.is_about_address(url))
            }
            Subject::Mcp { server, tool } => self.tool.is_some_and(|named| {
                let named = named.strip_prefix("mcp__").and_then(|name| name.strip_prefix(server));
                let named = named.and_then(|name| name.strip_prefix("__"));
                named.is_some_and(|named| tool.as_ref().is_none_or(|tool| tool == named))
            }),
            // Without `unsandboxed`, a rule is about runs in a sandbox.
            Subject::Command(_) | Subject::Line(_) | Subject::Tool(_) | Subject::Call(_) => false,
        }
    }

    /// The command lines of the call, or the title if the agent names a command there.
    fn lines(&self) -> impl Iterator<Item = &str> {
        let lines = self.effect.commands.iter().map(|command| command.line.as_str());
        lines.chain(self.effect.stated.as_deref())
    }

    fn addresses(&self) -> impl Iterator<Item = Url> + '_ {
        self.effect.urls.iter().filter_map(|url| Url::parse(url).ok())
    }

    fn is_tool(&self, tool: &str) -> bool {
        self.tool == Some(tool) || self.kind.is_some_and(|kind| kind.as_str() == tool)
    }

    fn surely_runs_line(&self, line: &str) -> bool {
        let commands = &self.effect.commands;
        self.surely_runs_commands() && commands.iter().all(|command| command.line == line)
    }

    /// Whether the call contains only commands that run in the session's folder, without variables
    /// that change their effect.
    fn surely_runs_commands(&self) -> bool {
        let commands = &self.effect.commands;
        let plain = |command| self.is_in_session(command) && !Self::is_changed(command);
        !commands.is_empty() && commands.iter().all(plain)
    }

    fn may_read(&self, pattern: &Pattern) -> bool {
        let only_changes =
            matches!(self.kind, Some(ToolKind::Edit | ToolKind::Delete | ToolKind::Move));
        (!only_changes && self.names_file(pattern)) || self.has_word(pattern, |_| true)
    }

    fn may_change(&self, pattern: &Pattern) -> bool {
        let only_reads =
            matches!(self.kind, Some(ToolKind::Read | ToolKind::Search | ToolKind::Fetch));
        let changes = |line: &str| {
            commands(line).map_or(true, |parts| {
                let writes = |part: &crate::shell::Part| {
                    !command::only_reads(part) || part.redirects.iter().any(|each| each.writes)
                };
                parts.iter().any(writes)
            })
        };
        (!only_reads && self.names_file(pattern)) || self.has_word(pattern, changes)
    }

    fn names_file(&self, pattern: &Pattern) -> bool {
        self.effect.paths.iter().any(|path| self.is_covered(pattern, &at(self.cwd, path)))
    }

    /// Whether a word in one of the call's command lines can name a file that matches the pattern.
    /// `is_meant` selects the command lines.
    fn has_word(&self, pattern: &Pattern, is_meant: impl Fn(&str) -> bool) -> bool {
        self.effect.commands.iter().filter(|command| is_meant(&command.line)).any(|command| {
            let from =
                command.folder.as_ref().map_or_else(|| self.cwd.to_owned(), |it| at(self.cwd, it));
            let words = line_words(&command.line);
            words.iter().any(|word| self.is_covered(pattern, &at(&from, word)))
        })
    }

    /// Whether a pattern matches a path, as it is written or with symbolic links followed.
    fn is_covered(&self, pattern: &Pattern, path: &Path) -> bool {
        let names = [Some(plain(path)), real(path)];
        names.into_iter().flatten().any(|path| pattern.covers(&self.relative(&path), &path))
    }

    /// Whether the call names files and nothing else, and all of them match the pattern.
    fn is_only_about(&self, pattern: &Pattern) -> bool {
        let effect = &self.effect;
        let inside = |path: &String| {
            let leads = real(&at(self.cwd, path)).filter(|_| !path.starts_with('~'));
            leads.is_some_and(|path| pattern.covers(&self.relative(&path), &path))
        };
        effect.commands.is_empty()
            && effect.urls.is_empty()
            && !effect.paths.is_empty()
            && effect.paths.iter().all(inside)
    }

    /// The path relative to the session's folder; unchanged if it is not below that folder.
    fn relative(&self, path: &Path) -> String {
        let below = |folder: &Path| path.strip_prefix(folder).ok().map(Path::to_path_buf);
        let below = below(self.cwd).or_else(|| real(self.cwd).and_then(|real| below(&real)));
        below.unwrap_or_else(|| PathBuf::from(path)).display().to_string()
    }
}
