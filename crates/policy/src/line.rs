//! Judging a command line: every command in it, and every file that it names.

use crate::command;
use crate::decision::{Decision, Reason, Verdict};
use crate::guard::Guard;
use crate::judge::{Judge, allowed, changes, reads, strict};
use crate::mode::Mode;
use crate::reach::Reach;
use crate::reading::{self, Read};
use crate::rule::{Effect, Subject};
use crate::shell::{NotUnderstood, Part, Redirect, Word, parts};
use std::path::{Path, PathBuf};

/// In how many folders a command may find itself, as far as one can tell.
const MOST_FOLDERS: usize = 16;

/// Files that are none.
const NO_FILES: &[&str] = &["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"];

/// A command line in its surroundings.
struct Line<'j> {
    judge: &'j Judge<'j>,
    sandboxed: bool,
    network: bool,
    /// The folders in which the next command may run; none when nobody knows.
    folders: Vec<PathBuf>,
}

/// The commands of a line of which every one says itself what it runs.
pub(super) fn commands(text: &str) -> Result<Vec<Part>, NotUnderstood> {
    let parts = parts(text)?;
    match parts.iter().any(command::is_the_shells) {
        true => Err(NotUnderstood("the shell does something that the line does not say")),
        false => Ok(parts),
    }
}

impl Judge<'_> {
    /// What is to be done about a command line.
    pub(super) fn line(&self, text: &str, sandboxed: bool, network: bool) -> Verdict {
        let mut line = Line { judge: self, sandboxed, network, folders: vec![self.folders.cwd().to_owned()] };
        let verdict = match commands(text) {
            Ok(parts) => parts.iter().map(|part| line.part(part)).reduce(Verdict::and),
            Err(why) => {
                let rule = self.says(|subject, effect| is_perhaps_about(subject, effect, text));
                let unruled = match self.mode {
                    Mode::Plan => Verdict::refuse(Reason::Mode),
                    _ => Verdict::ask(Reason::NotUnderstood(why.0)),
                };
                let tokens = command::tokens(text);
                let named =
                    tokens.iter().filter_map(|token| line.everywhere(token, |reach| line.names(reach)));
                let ruled = named.filter(Verdict::is_by_rule).chain(strict(rule));
                Some(ruled.fold(unruled, Verdict::and))
            }
        };
        let verdict = verdict.unwrap_or_else(|| Verdict::ask(Reason::NotUnderstood("it holds no command")));
        // The network is not the mode's to give: also what only reads wants it for something.
        let verdict = match verdict.decision {
            Decision::Run if sandboxed && network && !verdict.is_by_rule() => Verdict::ask(Reason::Network),
            _ => verdict,
        };
        // A rule for the whole line speaks for each of its parts, but not against a rule that is stricter.
        let whole = self.says(|subject, _| matches!(subject, Subject::Line(line) if line == text));
        let open = verdict.decision < Decision::Refuse
            && !(verdict.decision == Decision::Ask && verdict.is_by_rule());
        match strict(whole) {
            Some(strict) => verdict.and(strict),
            None => allowed(whole).filter(|_| open).unwrap_or(verdict),
        }
    }
}

/// Whether a strict rule may be about a line that is not understood: whether its words stand in it at all.
fn is_perhaps_about(subject: &Subject, effect: Effect, text: &str) -> bool {
    let named = match subject {
        Subject::Command(words) => command::stands_in(text, words),
        Subject::Tool(tool) => tool == "execute",
        _ => false,
    };
    named && effect != Effect::Allow
}

impl Line<'_> {
    fn part(&mut self, part: &Part) -> Verdict {
        let redirects: Vec<_> = part.redirects.iter().map(|redirect| self.redirect(redirect)).collect();
        let run = self.command(part);
        redirects.into_iter().fold(run, Verdict::and)
    }

    fn command(&mut self, part: &Part) -> Verdict {
        let judge = self.judge;
        let rule = judge.says(|subject, effect| subject.is_about_command(part, effect));
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
                match read.filter(|_| command::sets_no_more_than_looks(part)) {
                    Some(read) => (true, self.reading(&read)),
                    None => (false, self.naming(part)),
                }
            }
            None => (command::sets_no_more_than_looks(part), self.naming(part)),
        };
        if let Some(denied) = files.clone().filter(refuses) {
            return denied;
        }
        if judge.mode == Mode::Plan && !reads {
            return Verdict::refuse(Reason::Mode);
        }
        if let Some(verdict) = strict.or(files).or_else(|| allowed(rule)) {
            return verdict;
        }
        match judge.mode {
            _ if reads && !self.sandboxed && command::obeys_the_project(part) => {
                Verdict::ask(Reason::Project)
            }
            _ if reads => Verdict::run(Reason::ReadOnly),
            Mode::Auto if !self.sandboxed => Verdict::ask(Reason::NoSandbox),
            Mode::Auto if self.network => Verdict::ask(Reason::Network),
            Mode::Auto => judge.unless_broken(Verdict::run(Reason::Sandbox)),
            _ => Verdict::ask(Reason::Mode),
        }
    }

    /// `cd`: the commands behind it run there, or where they were if it fails.
    fn goes(&mut self, part: &Part) -> Option<Verdict> {
        let known = match part.words.as_slice() {
            [_, to] if to.is_literal() && !to.text.starts_with('-') && !part.repeated => {
                let reaches: Vec<_> =
                    self.folders.iter().map(|from| Reach::of(self.judge.folders, from, &to.text)).collect();
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

    /// The files of a command that only reads.
    fn reading(&self, read: &Read<'_>) -> Option<Verdict> {
        let judge = |word: &&Word| {
            let wild = |part: &str| part.starts_with('.') && part.contains(['*', '?', '[']);
            match &word.text {
                text if word.pattern && text.contains('~') => Some(Verdict::ask(Reason::Outside)),
                _ if word.pattern && !read.names_only => Some(Verdict::ask(Reason::Secret)),
                text if word.pattern && (text.contains('{') || text.split('/').any(wild)) => {
                    Some(Verdict::ask(Reason::Outside))
                }
                text => self.everywhere(text, |reach| self.reads(reach)),
            }
        };
        read.files.iter().filter_map(judge).reduce(Verdict::and)
    }

    /// Judges what a word of a command may mean as a path, in every folder where the command may run.
    fn everywhere(&self, text: &str, judge: impl Fn(&Reach) -> Option<Verdict>) -> Option<Verdict> {
        let behind = text.split(['=', ':']).skip(1);
        let paths = std::iter::once(text).chain(behind).map(|path| path.trim_start_matches('@'));
        let found = paths.filter(|path| !path.is_empty()).filter_map(|path| {
            // Where nobody knows the folder it is anywhere, perhaps still here.
            let lost = self.folders.is_empty() && !path.starts_with('/');
            let here = [self.judge.folders.cwd().to_owned()];
            let from = if self.folders.is_empty() { here.as_slice() } else { self.folders.as_slice() };
            let found = from.iter().filter_map(|from| judge(&self.reach(from, path)));
            found.chain(lost.then(|| Verdict::ask(Reason::Outside))).reduce(Verdict::and)
        });
        found.reduce(Verdict::and)
    }

    fn reach(&self, from: &Path, path: &str) -> Reach {
        Reach::of(self.judge.folders, from, path)
    }

    fn reads(&self, reach: &Reach) -> Option<Verdict> {
        let rule = self.judge.says(|subject, _| reads(subject, reach));
        let outside = || (reach.outside && !self.is_scratch(reach)).then(|| Verdict::ask(Reason::Outside));
        let secret = || (reach.guard == Some(Guard::Secret)).then(|| Verdict::ask(Reason::Secret));
        strict(rule).or_else(outside).or_else(|| secret().filter(|_| !self.judge.names(reach, reads)))
    }

    /// Whether it leads to what the session's own commands left.
    fn is_scratch(&self, reach: &Reach) -> bool {
        let within = |scratch: &Path| {
            reach.absolute.canonicalize().is_ok_and(|real| real != scratch && real.starts_with(scratch))
        };
        self.judge.scratch.is_some_and(within)
    }

    /// The files that a command names which may do anything with them.
    fn naming(&self, part: &Part) -> Option<Verdict> {
        let runs = command::program(part).is_some_and(command::is_runner);
        let values = part.assignments.iter().map(|(_, value)| value);
        let words = part.words.iter().chain(&part.data).chain(values);
        let judge = |text: &str| self.everywhere(text, |reach| self.names(reach));
        let found = words.filter_map(|word| {
            let whole = judge(&word.text);
            let tokens = if runs { command::tokens(&word.text) } else { Vec::new() };
            tokens.iter().filter_map(|token| judge(token)).chain(whole).reduce(Verdict::and)
        });
        found.reduce(Verdict::and)
    }

    fn names(&self, reach: &Reach) -> Option<Verdict> {
        let judge = self.judge;
        let rule = judge.says(|subject, effect| {
            effect != Effect::Allow && (reads(subject, reach) || changes(subject, reach))
        });
        let guarded = match reach.guard {
            Some(Guard::Secret) => Some(Verdict::ask(Reason::Secret)),
            Some(Guard::Obeyed) => Some(Verdict::ask(Reason::Guarded)),
            None => None,
        };
        strict(rule).or_else(|| guarded.filter(|_| !judge.names(reach, changes)))
    }

    /// A file in place of the terminal.
    fn redirect(&self, redirect: &Redirect) -> Verdict {
        let target = &redirect.target;
        if NO_FILES.contains(&target.text.as_str()) && target.is_literal() {
            return Verdict::run(Reason::ReadOnly);
        }
        let verdict = match target {
            target if target.pattern && target.text.starts_with('~') => Verdict::ask(Reason::Outside),
            target if !target.is_literal() => {
                Verdict::ask(Reason::NotUnderstood("nobody knows the name of a file that it opens"))
            }
            target if redirect.writes => {
                let change = |reach: &Reach| {
                    let change = self.judge.change("", reach);
                    let outside = reach.outside && !refuses(&change);
                    Some(if outside { Verdict::ask(Reason::Outside) } else { change })
                };
                self.everywhere(&target.text, change).unwrap_or_else(|| Verdict::ask(Reason::Outside))
            }
            target => self
                .everywhere(&target.text, |reach| self.reads(reach))
                .unwrap_or_else(|| Verdict::run(Reason::ReadOnly)),
        };
        match redirect.writes && self.judge.mode == Mode::Plan && !refuses(&verdict) {
            true => Verdict::refuse(Reason::Mode),
            false => verdict,
        }
    }
}

fn refuses(verdict: &Verdict) -> bool {
    verdict.decision == Decision::Refuse
}
