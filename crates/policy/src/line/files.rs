//! The files that a command names: those that it reads, and those that it could change.

use super::{Line, refuses};
use crate::command;
use crate::decision::{Reason, Verdict};
use crate::expand::{self, Unjudged};
use crate::guard::{Guard, may_fit_a_secret};
use crate::judge::{changes, reads, strict};
use crate::mode::Mode;
use crate::reach::Reach;
use crate::reading::Read;
use crate::rule::{Effect, Subject};
use crate::shell::{Part, Redirect, Word};
use crate::whole_folders::{self, Filter};
use crate::wildcard::{braces, is_wild, paths_meet};
use std::path::{Path, PathBuf};

/// Targets of redirections that are not files on disk.
const NO_FILES: &[&str] = &["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"];

/// Whether the redirection does not lead to a file on disk.
pub(super) fn is_none(redirect: &Redirect) -> bool {
    NO_FILES.contains(&redirect.target.text.as_str()) && redirect.target.is_literal()
}

impl Line<'_> {
    /// Judges the files of a command that only reads.
    pub(super) fn reading(&self, read: &Read<'_>) -> Option<Verdict> {
        let names_only = read.names_only && !self.feeds;
        let filter = Filter::of_find(&read.files);
        let judge = |word: &&Word| {
            let written = self.everywhere(&word.text, |reach| self.reads(reach));
            let matched = self
                .patterns(word, read.paths_of_git)
                .map(|pattern| self.read_pattern(&pattern, names_only));
            let listed = match (self.feeds && read.names_only, read.whole_folders) {
                (true, _) => self.folder_contents(&word.text, Some(&filter)),
                (false, true) => self.folder_contents(&word.text, None),
                (false, false) => None,
            };
            matched.flatten().chain(written).chain(listed).reduce(Verdict::and)
        };
        let files = read.files.iter().filter_map(judge);
        let names = read.names.iter().flat_map(|word| self.patterns(word, false));
        let listed = names.filter_map(|pattern| self.read_pattern(&pattern, true));
        let any = read.everything.then(|| self.meets_a_rule("**")).flatten();
        files.chain(listed).chain(any).reduce(Verdict::and)
    }

    /// The patterns that a word can stand for, with its braces expanded. git itself also expands
    /// patterns that the shell does not expand.
    pub(super) fn patterns(
        &self,
        word: &Word,
        git: bool,
    ) -> impl Iterator<Item = Result<String, Verdict>> + use<> {
        let odd = "shells may read its braces in different ways";
        let texts = match word.pattern {
            false if git && is_wild(&word.text) && !word.text.starts_with('-') => {
                vec![Ok(word.text.clone())]
            }
            false => Vec::new(),
            true if word.text.contains('{') => match braces(&word.text) {
                Some(texts) => texts.into_iter().map(Ok).collect(),
                None => vec![Err(Verdict::ask(Reason::NotUnderstood(odd)))],
            },
            true => vec![Ok(word.text.clone())],
        };
        texts.into_iter()
    }

    /// Judges a pattern of files that a command reads, or of which it shows the names.
    fn read_pattern(&self, pattern: &Result<String, Verdict>, names_only: bool) -> Option<Verdict> {
        let pattern = match pattern {
            Ok(pattern) => pattern,
            Err(verdict) => return Some(verdict.clone()),
        };
        if pattern.split(['=', ':']).any(|part| part.starts_with('~')) {
            return Some(Verdict::ask(Reason::Outside));
        }
        let judge = |reach: &Reach| {
            let found = self.reads(reach);
            // The name of a secret file reveals little.
            found.filter(|verdict| !names_only || verdict.reason != Reason::Secret)
        };
        let matched = self.matches(pattern, judge);
        let secret = !names_only && pattern.split(['=', ':']).any(may_fit_a_secret);
        let secret = secret.then(|| Verdict::ask(Reason::Secret));
        matched.into_iter().chain(secret).chain(self.meets_a_rule(pattern)).reduce(Verdict::and)
    }

    /// Judges each file that matches a pattern now.
    fn matches(&self, pattern: &str, judge: impl Fn(&Reach) -> Option<Verdict>) -> Option<Verdict> {
        let behind = pattern.split(['=', ':']).skip(1);
        let patterns = std::iter::once(pattern).chain(behind);
        let found = patterns.filter(|pattern| !pattern.is_empty()).filter_map(|pattern| {
            let found = self.places().filter_map(|from| {
                let open = |reach: &Reach| self.is_scratch(reach);
                match expand::matches(self.judge.folders, from, pattern, open) {
                    Ok(paths) => {
                        // A program would treat a name that begins with `-` or `+` as an option.
                        let option = is_wild(pattern.get(..1).unwrap_or_default())
                            && paths
                                .iter()
                                .any(|path| path.strip_prefix(from).is_ok_and(is_option));
                        let option = option.then(|| {
                            Verdict::ask(Reason::NotUnderstood(
                                "a file that matches its pattern is named like an option",
                            ))
                        });
                        let reaches =
                            paths.iter().map(|path| self.reach(from, &path.to_string_lossy()));
                        reaches.filter_map(|reach| judge(&reach)).chain(option).reduce(Verdict::and)
                    }
                    Err(why) => Some(unjudged(why)),
                }
            });
            found.reduce(Verdict::and)
        });
        found.reduce(Verdict::and)
    }

    /// Returns a verdict that requires approval if a rule that denies or asks about reads could
    /// apply to a file that matches the pattern later.
    fn meets_a_rule(&self, pattern: &str) -> Option<Verdict> {
        let at = pattern.find(['*', '?', '[', '{']).unwrap_or(pattern.len());
        let (prefix, rest) = match pattern.get(..at).and_then(|before| before.rfind('/')) {
            Some(slash) => {
                (pattern.get(..=slash).unwrap_or("/"), pattern.get(slash + 1..).unwrap_or_default())
            }
            None => (".", pattern),
        };
        let found = self.places().filter_map(|from| {
            let folder = self.reach(from, prefix);
            let relative = format!("{}/{rest}", folder.relative);
            let absolute = format!("{}/{rest}", folder.absolute.display());
            let rule = self.judge.says(|subject, effect| match subject {
                Subject::Reads(rule) if effect != Effect::Allow => {
                    let whole = if rule.text().starts_with('/') { &absolute } else { &relative };
                    paths_meet(rule.text(), whole)
                }
                _ => false,
            });
            strict(rule).map(|verdict| Verdict::ask(verdict.reason))
        });
        found.reduce(Verdict::and)
    }

    /// The folders in which the command could run; the working directory if they are unknown.
    pub(super) fn places(&self) -> impl Iterator<Item = &Path> {
        let lost = self.folders.is_empty().then(|| self.judge.folders.cwd());
        self.folders.iter().map(PathBuf::as_path).chain(lost)
    }

    /// Judges the content of a folder that a command reads, if the word names one: all files below
    /// it if there is a filter, otherwise only its direct entries.
    fn folder_contents(&self, text: &str, deep: Option<&Filter>) -> Option<Verdict> {
        let found = self.places().filter_map(|from| {
            let folder = self.reach(from, text);
            if folder.outside || !folder.absolute.is_dir() {
                return None;
            }
            let mut verdict: Option<Verdict> = None;
            let mut look = |path: &Path, link: bool| {
                let reach = match link {
                    true => self.reach(from, &path.to_string_lossy()),
                    false => Reach::inside(self.judge.folders, path),
                };
                verdict = verdict.take().into_iter().chain(self.reads(&reach)).reduce(Verdict::and);
            };
            let whole = match deep {
                Some(filter) => expand::below(&folder.absolute, |path, link| {
                    let taken = path
                        .strip_prefix(&folder.absolute)
                        .is_ok_and(|below| filter.takes(below, link));
                    taken.then(|| look(path, link));
                }),
                None => expand::entries(&folder.absolute, |path| look(path, true)),
            };
            verdict.into_iter().chain(whole.err().map(unjudged)).reduce(Verdict::and)
        });
        found.reduce(Verdict::and)
    }

    /// Judges each path that a word of a command could name, in every folder in which the command
    /// could run.
    pub(super) fn everywhere(
        &self,
        text: &str,
        judge: impl Fn(&Reach) -> Option<Verdict>,
    ) -> Option<Verdict> {
        let behind = text.split(['=', ':']).skip(1);
        let paths = std::iter::once(text).chain(behind).map(|path| path.trim_start_matches('@'));
        let found = paths.filter(|path| !path.is_empty()).filter_map(|path| {
            // If the folder is unknown, a relative path could lead anywhere, even to a session's
            // folder.
            let lost = self.folders.is_empty() && !path.starts_with('/');
            let found = self.places().filter_map(|from| judge(&self.reach(from, path)));
            found.chain(lost.then(|| Verdict::ask(Reason::Outside))).reduce(Verdict::and)
        });
        found.reduce(Verdict::and)
    }

    pub(super) fn reach(&self, from: &Path, path: &str) -> Reach {
        Reach::of(self.judge.folders, from, path)
    }

    fn reads(&self, reach: &Reach) -> Option<Verdict> {
        let rule = self.judge.says(|subject, _| reads(subject, reach));
        let outside =
            || (reach.outside && !self.is_scratch(reach)).then(|| Verdict::ask(Reason::Outside));
        let secret = || (reach.guard == Some(Guard::Secret)).then(|| Verdict::ask(Reason::Secret));
        strict(rule)
            .or_else(outside)
            .or_else(|| secret().filter(|_| !self.judge.names(reach, reads)))
    }

    /// Whether the path leads to the session's own folder for temporary files.
    fn is_scratch(&self, reach: &Reach) -> bool {
        let within = |scratch: &Path| {
            reach
                .absolute
                .canonicalize()
                .is_ok_and(|real| real != scratch && real.starts_with(scratch))
        };
        self.judge.scratch.is_some_and(within)
    }

    /// Judges the files that a command names, if the command could do anything with them.
    pub(super) fn naming(&self, part: &Part) -> Option<Verdict> {
        let runs = command::program(part).is_some_and(command::is_runner);
        let values = part.assignments.iter().map(|(_, value)| value);
        let words = part.words.iter().chain(&part.data).chain(values);
        let judge = |text: &str| self.everywhere(text, |reach| self.names(reach));
        let found = words.filter_map(|word| {
            let whole = judge(&word.text);
            let tokens = if runs { command::tokens(&word.text) } else { Vec::new() };
            let matched = self.patterns(word, false).filter_map(|pattern| match pattern {
                Ok(pattern) => {
                    let texts = self.matches(&pattern, |reach| self.names(reach));
                    texts.into_iter().chain(judge(&pattern)).reduce(Verdict::and)
                }
                Err(verdict) => Some(verdict),
            });
            tokens
                .iter()
                .filter_map(|token| judge(token))
                .chain(whole)
                .chain(matched)
                .reduce(Verdict::and)
        });
        let below = whole_folders::reads_folders(part).then(|| self.below(part)).flatten();
        found.chain(below).reduce(Verdict::and)
    }

    /// Judges all files below the folders that a command reads: the folders it names, or the one it
    /// runs in.
    fn below(&self, part: &Part) -> Option<Verdict> {
        let words = part.words.iter().skip(1).map(|word| word.text.as_str());
        let there =
            |text: &&str| self.places().any(|from| self.reach(from, text).absolute.exists());
        let named: Vec<_> = words.filter(there).collect();
        let texts =
            if named.is_empty() && whole_folders::searches_here(part) { vec!["."] } else { named };
        let filter = Filter::of(part);
        texts
            .iter()
            .filter_map(|text| self.folder_contents(text, Some(&filter)))
            .reduce(Verdict::and)
    }

    pub(super) fn names(&self, reach: &Reach) -> Option<Verdict> {
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

    /// Judges a redirection.
    pub(super) fn redirect(&self, redirect: &Redirect) -> Verdict {
        let target = &redirect.target;
        if is_none(redirect) {
            return Verdict::allow(Reason::ReadOnly);
        }
        let verdict = match target {
            target if target.pattern && target.text.starts_with('~') => {
                Verdict::ask(Reason::Outside)
            }
            target if !target.is_literal() => {
                Verdict::ask(Reason::NotUnderstood("the name of a file that it opens is unknown"))
            }
            target if redirect.writes => {
                let change = |reach: &Reach| {
                    let change = self.judge.change("", reach);
                    let outside = reach.outside && !refuses(&change);
                    Some(if outside { Verdict::ask(Reason::Outside) } else { change })
                };
                self.everywhere(&target.text, change)
                    .unwrap_or_else(|| Verdict::ask(Reason::Outside))
            }
            target => self
                .everywhere(&target.text, |reach| self.reads(reach))
                .unwrap_or_else(|| Verdict::allow(Reason::ReadOnly)),
        };
        match redirect.writes && self.judge.mode == Mode::Plan && !refuses(&verdict) {
            true => Verdict::deny(Reason::Mode),
            false => verdict,
        }
    }
}

/// Whether a program would treat the name of this file as an option.
fn is_option(path: &Path) -> bool {
    path.to_string_lossy().starts_with(['-', '+'])
}

fn unjudged(why: Unjudged) -> Verdict {
    Verdict::ask(match why {
        Unjudged::Outside => Reason::Outside,
        Unjudged::TooMany => Reason::NotUnderstood("it may read too many files"),
    })
}
