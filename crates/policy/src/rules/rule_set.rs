//! The rules of one file.

use super::examples;
use super::parse::{self, File, Unnamed, VERSION};
use super::rule_fault::RuleFault;
use crate::folders::Folders;
use crate::rule::{Agents, Effect, Rule, RuleScope};
use std::io;
use std::path::Path;

/// The path of a project's rules, relative to its folder.
const OF_PROJECT: &str = ".attache/permissions.toml";

/// The longest file of rules, in bytes.
pub(super) const LONGEST: u64 = 256 * 1024;

/// The rules of one file. `PERMISSIONS.md` describes the format.
///
/// Every rule is checked against its own examples when the file is read. If the file has a mistake,
/// its allowing rules do not apply, and its other rules still do. If a rule that asks or denies, or
/// the whole file, cannot be read, then the file's denials are unknown, and every action that
/// changes something asks.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    pub(crate) rules: Vec<Rule>,
    pub(super) faults: Vec<RuleFault>,
    pub(crate) broken: bool,
    /// Whether the file can contain rules for agents other than the built-in one. Files from older
    /// versions do not.
    names_agents: bool,
    pub(super) version: Option<i64>,
}

impl Rules {
    /// Reads a file of rules. A file that does not exist has no rules. [`Rules::faults`] returns
    /// the mistakes in the file. Blocks on the disk.
    pub fn read(path: &Path) -> Self {
        let name = path.display().to_string();
        match attache_host::read_plain_text(path, LONGEST) {
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Self::unreadable(
                name,
                format!("it is longer than {LONGEST} bytes: make it shorter"),
            ),
            Ok(text) => Self::parse(&name, &text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::default(),
            Err(error) => Self::unreadable(name, format!("it cannot be read: {error}")),
        }
    }

    /// Reads the rules of the project in this folder, from `.attache/permissions.toml`; `None` if
    /// there is no such file. They ask or deny, for every agent. Allowing rules are left out,
    /// because the person did not write them. Blocks on the disk.
    pub fn of_project(folder: &Path) -> Option<Self> {
        Self::of_project_in(&Folders::new(&[folder.to_owned()]).ok()?)
    }

    /// Reads the rules of the project in the first of the session's folders.
    pub(crate) fn of_project_in(folders: &Folders) -> Option<Self> {
        let place = folders.place(OF_PROJECT).ok().filter(|place| place.resolved.exists())?;
        let text = folders.roots().read_text(place.resolved.path(), None, None).ok()?;
        let unnamed = Unnamed::Are(Agents::All);
        let mut rules = Self::parse_with(OF_PROJECT, &text, |_| unnamed.clone());
        rules.rules.retain(|rule| rule.effect != Effect::Allow);
        Some(rules)
    }

    /// Reads the text of a person's file of rules. `file` is its name in messages.
    pub fn parse(file: &str, text: &str) -> Self {
        Self::parse_with(file, text, |version| match version {
            None => Unnamed::Are(Agents::built_in()),
            Some(_) => Unnamed::Fault,
        })
    }

    fn parse_with(file: &str, text: &str, unnamed: impl Fn(Option<i64>) -> Unnamed) -> Self {
        let written: File = match toml::from_str(text) {
            Ok(written) => written,
            Err(error) => {
                let mut rules = Self::unreadable(
                    file.to_owned(),
                    format!("it is not a file of rules: {}", error.message()),
                );
                let line = error.span().map(|span| line_of(text, span.start));
                rules.faults.iter_mut().for_each(|fault| fault.line = line);
                return rules;
            }
        };
        let File { version, allow, ask, deny } = written;
        if version.is_some_and(|version| version != VERSION) {
            let what = "it was written by a newer version: use that version, or correct `version`";
            return Self::unreadable(file.to_owned(), what.to_owned());
        }
        let unnamed = unnamed(version);
        let mut rules = Self { version, names_agents: version.is_some(), ..Self::default() };
        let mut read = Vec::new();
        for (effect, listed) in [(Effect::Allow, allow), (Effect::Ask, ask), (Effect::Deny, deny)] {
            for value in listed {
                let line = line_of(text, value.span().start);
                let fault = |what| RuleFault { file: file.to_owned(), line: Some(line), what };
                let value = value.into_inner();
                rules.names_agents |= ["agents", "call"].iter().any(|key| value.get(key).is_some());
                match parse::rule(value, effect, file, &unnamed) {
                    Ok((rule, examples)) => {
                        let failing = examples::failing(&rule, &examples);
                        rules.faults.extend(failing.into_iter().map(fault));
                        read.push((line, rule));
                    }
                    Err(why) => {
                        rules.broken |= effect != Effect::Allow;
                        rules.faults.push(fault(why));
                    }
                }
            }
        }
        read.sort_by_key(|(line, _)| *line);
        let sound = rules.faults.is_empty();
        rules.rules = read.into_iter().map(|(_, rule)| rule).collect();
        rules.rules.retain(|rule| sound || rule.effect != Effect::Allow);
        rules
    }

    fn unreadable(file: String, what: String) -> Self {
        let faults = vec![RuleFault { file, line: None, what }];
        Self { faults, broken: true, names_agents: true, ..Self::default() }
    }

    /// The mistakes in the file; empty if all its rules apply.
    pub fn faults(&self) -> &[RuleFault] {
        &self.faults
    }

    /// The rules that apply, in the order of the file.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Whether the file's denials are unknown, because it or one of its rules cannot be read.
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    /// Whether a mistake in the file affects agents other than the built-in one.
    pub fn names_agents(&self) -> bool {
        self.names_agents
    }

    /// Returns each rule that applies as a sentence that does not name the file.
    pub fn sentences(&self) -> impl Iterator<Item = String> + '_ {
        self.rules.iter().map(|rule| {
            let does = match rule.effect {
                Effect::Allow => "are allowed",
                Effect::Ask => "ask",
                Effect::Deny => "are forbidden",
            };
            let place = match &rule.scope {
                RuleScope::Project(project) => format!(" in {}", project.display()),
                RuleScope::Session(_) | RuleScope::Always => String::new(),
            };
            let agents = match &rule.agents {
                Agents::All => String::new(),
                agents if *agents == Agents::built_in() => String::new(),
                Agents::Named(names) => format!(" for {}", names.join(", ")),
            };
            format!("{} {does}{agents}{place}", rule.subject)
        })
    }
}

/// The line of an offset in a text, counted from one.
fn line_of(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|each| *each == b'\n').count()
}
