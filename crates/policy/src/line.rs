//! Judges a command line: every command in it, and every file that it names.

mod files;
mod guarded;

pub use guarded::line_guard;

use crate::command;
use crate::decision::{Reason, Verdict};
use crate::judge::{Judge, allowed, strict};
use crate::mode::Mode;
use crate::reach::Reach;
use crate::reading;
use crate::repository::{self, Special};
use crate::rule::{Effect, Run, Subject};
use crate::search_path;
use crate::shell::{NotUnderstood, Part, parts};
use crate::whole_folders;
use std::path::{Path, PathBuf};

/// The largest number of folders that are considered for a command if it is unknown in which of
/// them it runs.
const MOST_FOLDERS: usize = 16;

/// A command line that is being judged.
struct Line<'j> {
    judge: &'j Judge<'j>,
    run: Run,
    /// Whether a command of the line runs programs that it reads from its input, as `xargs` does.
    feeds: bool,
    /// Whether a rule allows one of the commands.
    ruled: bool,
    /// The folders in which the next command could run; empty if they are unknown.
    folders: Vec<PathBuf>,
}

/// The commands of a line, if each of them shows which program it runs.
pub(super) fn commands(text: &str) -> Result<Vec<Part>, NotUnderstood> {
    let parts = parts(text)?;
    match parts.iter().any(command::is_the_shells) {
        true => Err(NotUnderstood("the shell would do something that the line does not show")),
        false => Ok(parts),
    }
}

impl Judge<'_> {
    /// Returns the verdict about a command line.
    pub(super) fn line(&self, text: &str, run: Run) -> Verdict {
        self.line_and_rule(text, run).0
    }

    /// Returns the verdict about a command line that runs without the sandbox, although one works
    /// here.
    pub(super) fn line_outside(&self, text: &str) -> Verdict {
        let (verdict, ruled) = self.line_and_rule(text, Run { sandboxed: false, network: true });
        match verdict.effect {
            Effect::Allow if !ruled => Verdict::ask(Reason::Unsandboxed),
            _ => verdict,
        }
    }

    /// Returns the verdict about a command line, and whether a rule for commands allows it.
    fn line_and_rule(&self, text: &str, run: Run) -> (Verdict, bool) {
        let folders = vec![self.folders.cwd().to_owned()];
        let mut line = Line { judge: self, run, feeds: false, ruled: false, folders };
        let verdict = match commands(text) {
            Ok(parts) => line.parts(&parts),
            Err(why) => Some(line.not_understood(text, why)),
        };
        let verdict = verdict
            .unwrap_or_else(|| Verdict::ask(Reason::NotUnderstood("it contains no command")));
        // Like any other command, a command that only reads gets the network only through a rule.
        let verdict = match verdict.effect {
            Effect::Allow if run.sandboxed && run.network && !line.ruled => {
                Verdict::ask(Reason::Network)
            }
            _ => verdict,
        };
        // A rule for the whole line applies to each command in it, but does not override a stricter
        // rule.
        let whole = self.says(|subject, effect| {
            subject.covers(effect, run)
                && matches!(subject.commands(), Subject::Line(line) if line == text)
        });
        let open = verdict.effect < Effect::Deny
            && !(verdict.effect == Effect::Ask && verdict.is_by_rule());
        match (strict(whole), allowed(whole).filter(|_| open)) {
            (Some(strict), _) => (verdict.and(strict), false),
            (None, Some(allowed)) => (allowed, true),
            (None, None) => (verdict, line.ruled),
        }
    }
}

/// Whether it is possible that a rule that asks or denies is about a line that cannot be parsed:
/// the line contains the rule's words.
fn is_perhaps_about(subject: &Subject, effect: Effect, text: &str) -> bool {
    let named = match subject.commands() {
        Subject::Command(words) => command::is_contained_in(text, words),
        Subject::Tool(tool) => tool == "execute",
        _ => false,
    };
    named && effect != Effect::Allow
}

impl Line<'_> {
    fn parts(&mut self, parts: &[Part]) -> Option<Verdict> {
        self.feeds = parts.iter().filter_map(command::program).any(whole_folders::takes_names);
        let verdict = parts.iter().map(|part| self.part(part)).reduce(Verdict::and)?;
        // The written file may be part of the project's configuration, which other commands of the
        // line use.
        let writes = parts
            .iter()
            .flat_map(|part| &part.redirects)
            .any(|redirect| redirect.writes && !files::is_none(redirect));
        let depends = || {
            parts.iter().any(|part| command::only_reads(part) && command::depends_on_project(part))
        };
        Some(match verdict.effect {
            Effect::Allow
                if writes && !self.ruled && self.judge.mode != Mode::Auto && depends() =>
            {
                Verdict::ask(Reason::Project)
            }
            _ => verdict,
        })
    }

    /// The verdict about a line that cannot be parsed, from its words alone.
    fn not_understood(&self, text: &str, why: NotUnderstood) -> Verdict {
        let rule = self.judge.says(|subject, effect| {
            subject.covers(effect, self.run) && is_perhaps_about(subject, effect, text)
        });
        let unruled = match self.judge.mode {
            Mode::Plan => Verdict::deny(Reason::Mode),
            _ => Verdict::ask(Reason::NotUnderstood(why.0)),
        };
        let tokens = command::tokens(text);
        let named =
            tokens.iter().filter_map(|token| self.everywhere(token, |reach| self.names(reach)));
        named.filter(Verdict::is_by_rule).chain(strict(rule)).fold(unruled, Verdict::and)
    }

    fn part(&mut self, part: &Part) -> Verdict {
        let redirects: Vec<_> =
            part.redirects.iter().map(|redirect| self.redirect(redirect)).collect();
        let run = self.command(part);
        redirects.into_iter().fold(run, Verdict::and)
    }

    fn command(&mut self, part: &Part) -> Verdict {
        let judge = self.judge;
        let rule = judge.says(|subject, effect| {
            subject.covers(effect, self.run) && subject.is_about_command(part, effect)
        });
        let strict = strict(rule);
        if let Some(denied) = strict.clone().filter(refuses) {
            return denied;
        }
        let program = command::program(part);
        let moved = (program == Some("cd")).then(|| self.goes(part));
        let (reads, files) = match program {
            Some("cd") => (true, moved.flatten()),
            Some(program) => {
                let read = reading::reads(program, part.words.get(1..).unwrap_or_default());
                let plain = || command::sets_only_harmless_variables(part);
                let replaced = || search_path::is_replaced(program, judge.folders);
                match read.filter(|_| plain() && !replaced()) {
                    Some(read) => (true, self.reading(&read)),
                    None => (false, self.naming(part)),
                }
            }
            None => (command::sets_only_harmless_variables(part), self.naming(part)),
        };
        if let Some(denied) = files.clone().filter(refuses) {
            return denied;
        }
        if judge.mode == Mode::Plan && !reads {
            return Verdict::deny(Reason::Mode);
        }
        if let Some(verdict) = strict.or(files) {
            return verdict;
        }
        if let Some(verdict) = allowed(rule) {
            self.ruled = true;
            return verdict;
        }
        match judge.mode {
            _ if reads && !self.run.sandboxed && command::depends_on_project(part) => {
                Verdict::ask(Reason::Project)
            }
            _ if reads && program == Some("git") => self.git(part),
            _ if reads => Verdict::allow(Reason::ReadOnly),
            Mode::Auto if !self.run.sandboxed => Verdict::ask(Reason::NoSandbox),
            Mode::Auto if self.run.network => Verdict::ask(Reason::Network),
            Mode::Auto => judge.unless_broken(Verdict::allow(Reason::Sandbox)),
            _ => Verdict::ask(Reason::Mode),
        }
    }

    /// The verdict about a git command that only shows something, in a sandbox: even there, the
    /// repository's configuration could make git run programs or show other files.
    fn git(&self, part: &Part) -> Verdict {
        let inside = |path: &Path| !self.reach(path, ".").outside;
        let verdict = self.places().find_map(|folder| {
            repository::special(folder, command::shows_differences(part), inside)
        });
        match verdict {
            Some(Special::RunsPrograms) => Verdict::ask(Reason::Project),
            Some(Special::FilesOutside) => Verdict::ask(Reason::Outside),
            None => Verdict::allow(Reason::ReadOnly),
        }
    }

    /// Follows `cd`: the commands after it run in the new folder, or in the old one if it fails.
    fn goes(&mut self, part: &Part) -> Option<Verdict> {
        let known = match part.words.as_slice() {
            [_, to] if to.is_literal() && !to.text.starts_with('-') && !part.repeated => {
                let reaches: Vec<_> = self
                    .folders
                    .iter()
                    .map(|from| Reach::of(self.judge.folders, from, &to.text))
                    .collect();
                let inside = !reaches.is_empty() && reaches.iter().all(|reach| !reach.outside);
                inside.then(|| reaches.into_iter().map(|reach| reach.absolute).collect::<Vec<_>>())
            }
            _ => None,
        };
        let new = known.filter(|new| new.len() + self.folders.len() <= MOST_FOLDERS);
        match new {
            Some(mut new) => {
                new.retain(|folder| !self.folders.contains(folder));
                self.folders.append(&mut new);
                None
            }
            None => {
                self.folders.clear();
                Some(Verdict::ask(Reason::Outside))
            }
        }
    }
}

fn refuses(verdict: &Verdict) -> bool {
    verdict.effect == Effect::Deny
}
