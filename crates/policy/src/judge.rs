//! Decides about one action of the built-in agent: the strictest of its mode and its rules wins.

use crate::decision::{Covers, Decision, Reason, Verdict};
use crate::folders::Folders;
use crate::guard::Guard;
use crate::mode::Mode;
use crate::reach::Reach;
use crate::rule::{Effect, Rule, Run, Subject};
use crate::touch::Touch;
use std::path::Path;
use url::Url;

/// The judge of the built-in agent's actions in one session.
#[derive(Debug, Clone, Copy)]
pub struct Judge<'j> {
    /// The session's mode.
    pub mode: Mode,
    /// The rules in force.
    pub rules: &'j [Rule],
    /// Whether a file of rules cannot be read completely, so that some of its denials are unknown.
    pub broken: bool,
    /// The session's folders.
    pub folders: &'j Folders,
    /// The session's own folder for temporary files and long outputs, without symbolic links.
    /// Commands may read it just as they may read the session's folders.
    pub scratch: Option<&'j Path>,
}

impl Judge<'_> {
    /// Returns the decision about one use of a tool of the built-in agent. The agent calls only
    /// this function: before it acts, and again after a person has answered (see
    /// [`Decision::still_holds`]). Blocks on the disk.
    pub fn decide(&self, tool: &str, touch: &Touch<'_>) -> Decision {
        let Verdict { effect, reason } = self.verdict(tool, touch);
        Decision { effect, reason, covers: self.covered(touch) }
    }

    fn covered(&self, touch: &Touch<'_>) -> Covers {
        let resolved = |paths: &[&str]| {
            let reach = |path: &&str| Reach::of(self.folders, self.folders.cwd(), path).absolute;
            paths.iter().map(reach).collect()
        };
        let command = |command: &str| Some(command.to_owned());
        match touch {
            Touch::Nothing => Covers::default(),
            Touch::Reads(paths) | Touch::Changes(paths) => {
                Covers { paths: resolved(paths), ..Covers::default() }
            }
            Touch::Runs { command: line, sandboxed, network } => Covers {
                command: command(line),
                sandboxed: *sandboxed,
                network: *network || !sandboxed,
                ..Covers::default()
            },
            Touch::Unsandboxed { command: line } => {
                Covers { command: command(line), network: true, ..Covers::default() }
            }
            Touch::Mcp { .. } | Touch::Fetches { .. } => {
                Covers { network: true, ..Covers::default() }
            }
        }
    }

    pub(crate) fn verdict(&self, tool: &str, touch: &Touch<'_>) -> Verdict {
        match touch {
            Touch::Nothing => Verdict::allow(Reason::Nothing),
            Touch::Reads(paths) => self.all(paths, |path| self.reads(tool, path)),
            Touch::Changes(paths) => self.all(paths, |path| self.changes(tool, path)),
            Touch::Runs { command, sandboxed, network } => {
                self.line(command, Run { sandboxed: *sandboxed, network: *network || !sandboxed })
            }
            Touch::Unsandboxed { command } => self.line_outside(command),
            Touch::Mcp { server, tool } => self.mcp(server, tool),
            Touch::Fetches { url } => self.fetches(url),
        }
    }

    /// The verdict that depends only on the touched files, commands and addresses, and not on the
    /// tool's name.
    pub(crate) fn verdict_of(&self, touch: &Touch<'_>) -> Verdict {
        let tool = match touch {
            Touch::Reads(_) => "read",
            Touch::Changes(_) => "edit",
            _ => "",
        };
        self.verdict(tool, touch)
    }

    fn all(&self, paths: &[&str], judge: impl Fn(&str) -> Verdict) -> Verdict {
        paths
            .iter()
            .map(|path| judge(path))
            .reduce(Verdict::and)
            .unwrap_or_else(|| Verdict::allow(Reason::Nothing))
    }

    /// The strictest rule that matches.
    pub(crate) fn says(&self, is_about: impl Fn(&Subject, Effect) -> bool) -> Option<&Rule> {
        let about = |rule: &&Rule| is_about(&rule.subject, rule.effect);
        self.rules
            .iter()
            .filter(about)
            .reduce(|one, other| if other.effect > one.effect { other } else { one })
    }

    fn reads(&self, tool: &str, path: &str) -> Verdict {
        let reach = Reach::of(self.folders, self.folders.cwd(), path);
        let rule = self.says(|subject, _| reads(subject, &reach) || is_tool(subject, tool));
        if let Some(verdict) = strict(rule) {
            return verdict;
        }
        if reach.guard == Some(Guard::Secret) && !self.names(&reach, reads) {
            return Verdict::ask(Reason::Secret);
        }
        allowed(rule).unwrap_or_else(|| Verdict::allow(Reason::Reads))
    }

    /// Whether a search of the folder `from` leaves out this file below it. It leaves out secrets,
    /// unless `from` is one, and files about which a rule denies or asks. Both paths are inside of
    /// the session's folders and without symbolic links.
    pub fn keeps_back(&self, file: &Path, from: &Path) -> bool {
        if file == from {
            return false; // The call named this file, so it was judged already.
        }
        let (reach, folder) =
            (Reach::inside(self.folders, file), Reach::inside(self.folders, from));
        let secret = reach.guard == Some(Guard::Secret) && folder.guard != reach.guard;
        strict(self.says(|subject, _| reads(subject, &reach))).is_some()
            || (secret && !self.names(&reach, reads))
    }

    /// The verdict about a change of this file. The policy does not confine changes to the
    /// session's folders.
    pub(crate) fn changes(&self, tool: &str, path: &str) -> Verdict {
        self.change(tool, &Reach::of(self.folders, self.folders.cwd(), path))
    }

    pub(crate) fn change(&self, tool: &str, reach: &Reach) -> Verdict {
        let rule = self.says(|subject, _| changes(subject, reach) || is_tool(subject, tool));
        let denied = rule.filter(|rule| rule.effect == Effect::Deny);
        if self.mode == Mode::Plan && denied.is_none() {
            return Verdict::deny(Reason::Mode);
        }
        if let Some(verdict) = strict(rule) {
            return verdict;
        }
        if !self.names(reach, changes) {
            match reach.guard {
                Some(Guard::Secret) => return Verdict::ask(Reason::Secret),
                Some(Guard::Obeyed) => return Verdict::ask(Reason::Guarded),
                None => {}
            }
        }
        if let Some(verdict) = allowed(rule) {
            return verdict;
        }
        match self.mode {
            Mode::Edit | Mode::Auto => self.unless_broken(Verdict::allow(Reason::Mode)),
            Mode::Ask | Mode::Plan => Verdict::ask(Reason::Mode),
        }
    }

    /// Whether a rule allows a protected file: it must name the file without a wildcard.
    pub(crate) fn names(&self, reach: &Reach, is_about: impl Fn(&Subject, &Reach) -> bool) -> bool {
        self.rules.iter().any(|rule| {
            let exact = match &rule.subject {
                Subject::Reads(pattern) | Subject::Changes(pattern) => pattern.is_exact(),
                _ => false,
            };
            rule.effect == Effect::Allow && exact && is_about(&rule.subject, reach)
        })
    }

    pub(crate) fn unless_broken(&self, verdict: Verdict) -> Verdict {
        if self.broken { Verdict::ask(Reason::BrokenRules) } else { verdict }
    }

    fn mcp(&self, server: &str, tool: &str) -> Verdict {
        let rule = self.says(|subject, _| subject.is_about_mcp(server, tool));
        let denied = rule.filter(|rule| rule.effect == Effect::Deny);
        if self.mode == Mode::Plan && denied.is_none() {
            return Verdict::deny(Reason::Mode);
        }
        strict(rule).or_else(|| allowed(rule)).unwrap_or_else(|| Verdict::ask(Reason::Mcp))
    }

    fn fetches(&self, url: &str) -> Verdict {
        let read = Url::parse(url)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        let Some(read) = read else { return Verdict::deny(Reason::Fetch) };
        let rule = self.says(|subject, _| subject.is_about_address(&read));
        // Programs interpret a backslash in different ways.
        let plain = !url.contains('\\') && read.username().is_empty() && read.password().is_none();
        let allowed = allowed(rule).filter(|_| plain);
        strict(rule).or(allowed).unwrap_or_else(|| Verdict::ask(Reason::Fetch))
    }
}

pub(crate) fn reads(subject: &Subject, reach: &Reach) -> bool {
    matches!(subject, Subject::Reads(pattern) if reach.is_covered(pattern))
}

pub(crate) fn changes(subject: &Subject, reach: &Reach) -> bool {
    matches!(subject, Subject::Changes(pattern) if reach.is_covered(pattern))
}

fn is_tool(subject: &Subject, name: &str) -> bool {
    matches!(subject, Subject::Tool(tool) if tool == name)
}

/// The verdict of a rule that denies or asks.
pub(crate) fn strict(rule: Option<&Rule>) -> Option<Verdict> {
    let rule = rule?;
    match rule.effect {
        Effect::Deny => Some(Verdict::deny(Reason::Rule(Box::new(rule.clone())))),
        Effect::Ask => Some(Verdict::ask(Reason::Rule(Box::new(rule.clone())))),
        Effect::Allow => None,
    }
}

/// The verdict of a rule that allows.
pub(crate) fn allowed(rule: Option<&Rule>) -> Option<Verdict> {
    let rule = rule.filter(|rule| rule.effect == Effect::Allow)?;
    Some(Verdict::allow(Reason::Rule(Box::new(rule.clone()))))
}
