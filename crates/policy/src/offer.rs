//! The question to a person: its choices, and the rule that each choice adds.

use crate::command;
use crate::decision::Reason;
use crate::judge::Judge;
use crate::line::commands;
use crate::reach::Reach;
use crate::rule::{Effect, Pattern, Rule, Run, Subject, host_of};
use crate::shell::Part;
use crate::touch::Touch;
use attache_protocol::v1::{PermissionOption, PermissionOptionKind};
use url::Url;

/// Where and how long a choice applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// In this session.
    Session,
    /// In every session of this person in this project.
    Project,
    /// In every session of this person.
    User,
}

/// A question to a person about one action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Why the action asks.
    pub reason: Reason,
    /// The subject of the rule that would always allow the action, if there is one.
    pub allow: Option<Subject>,
    /// The subject of the rule that would always deny the action.
    pub reject: Subject,
    /// The scopes that the person can choose in addition to the session.
    pub scopes: Vec<Scope>,
}

impl Question {
    /// Returns the choices. A choice that is remembered names its rule and its scope (PERM-07). The
    /// option's id contains the scope (PERM-08).
    ///
    /// A few clients show only one choice of each kind, without its name, and send the first or
    /// the last one. The first applies in this session, and the last never in all projects.
    pub fn options(&self) -> Vec<PermissionOption> {
        use PermissionOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
        let mut options = vec![PermissionOption::new("allow_once", "Allow once", AllowOnce)];
        if let Some(subject) = &self.allow {
            for scope in std::iter::once(&Scope::Session).chain(&self.scopes) {
                let (id, place) = match scope {
                    Scope::Session => ("allow_session", "in this session"),
                    Scope::Project => ("allow_project", "in this project"),
                    Scope::User => ("allow_user", "in all projects"),
                };
                options.push(PermissionOption::new(
                    id,
                    format!("Always allow {subject} {place}"),
                    AllowAlways,
                ));
            }
        }
        options.push(PermissionOption::new("reject_once", "Reject", RejectOnce));
        let reject = format!("Reject {} for the rest of this session", self.reject);
        options.push(PermissionOption::new("reject_session", reject, RejectAlways));
        options
    }

    /// Returns the scope of the option with this id.
    pub fn scope(id: &str) -> Scope {
        match id {
            "allow_project" => Scope::Project,
            "allow_user" => Scope::User,
            _ => Scope::Session,
        }
    }
}

impl Judge<'_> {
    /// Returns the question about an action that asks. It offers a rule only if the action would
    /// not need approval with that rule. `keeps` says whether choices can be stored beyond the
    /// session.
    pub fn question(&self, reason: Reason, touch: &Touch<'_>, keeps: bool) -> Question {
        let subjects = self.subjects(touch);
        let allow = subjects.iter().find(|subject| self.would_run(subject, touch)).cloned();
        let reject = allow.clone().or_else(|| subjects.last().cloned());
        let reject = reject.unwrap_or_else(|| Subject::Tool("execute".to_owned()));
        let scopes = match &allow {
            _ if !keeps => Vec::new(),
            Some(subject) => match subject.commands() {
                Subject::Command(_) | Subject::Mcp { .. } | Subject::Host(_) => {
                    vec![Scope::User, Scope::Project]
                }
                _ => vec![Scope::Project],
            },
            None => vec![Scope::Project],
        };
        Question { reason, allow, reject, scopes }
    }

    fn would_run(&self, subject: &Subject, touch: &Touch<'_>) -> bool {
        let rule = Rule::new(Effect::Allow, subject.clone());
        let mut rules = self.rules.to_vec();
        rules.push(rule);
        Judge { rules: &rules, ..*self }.verdict_of(touch).effect == Effect::Allow
    }

    /// The possible subjects of a rule about this action, the most useful first.
    fn subjects(&self, touch: &Touch<'_>) -> Vec<Subject> {
        let exactly = |path: &&str| {
            Pattern::exactly(&Reach::of(self.folders, self.folders.cwd(), path).relative)
        };
        match touch {
            Touch::Nothing => Vec::new(),
            Touch::Reads(paths) => paths.iter().filter_map(exactly).map(Subject::Reads).collect(),
            Touch::Changes(paths) => {
                let every = Pattern::new("**").ok().into_iter();
                every.chain(paths.iter().filter_map(exactly)).map(Subject::Changes).collect()
            }
            Touch::Runs { command, sandboxed, network } => self
                .commands(command, Run { sandboxed: *sandboxed, network: *network || !sandboxed }),
            Touch::Unsandboxed { command } => {
                self.commands(command, Run { sandboxed: false, network: true })
            }
            Touch::Mcp { server, tool } => {
                vec![Subject::Mcp { server: (*server).to_owned(), tool: Some((*tool).to_owned()) }]
            }
            Touch::Fetches { url } => Url::parse(url)
                .ok()
                .as_ref()
                .and_then(host_of)
                .map(Subject::Host)
                .into_iter()
                .collect(),
        }
    }

    /// Possible subjects of a rule for a command line that runs in this way.
    fn commands(&self, line: &str, run: Run) -> Vec<Subject> {
        let subjects =
            self.asking(line, run.sandboxed).into_iter().chain([Subject::Line(line.to_owned())]);
        subjects.map(|subject| subject.for_run(run)).collect()
    }

    /// The beginning that all commands of the line share, apart from those that only read.
    fn asking(&self, line: &str, sandboxed: bool) -> Option<Subject> {
        let parts = commands(line).ok()?;
        let runs = |part: &&Part| {
            command::only_reads(part) && (sandboxed || !command::depends_on_project(part))
        };
        let mut beginnings: Vec<_> = parts
            .iter()
            .filter(|part| !part.words.is_empty() && !runs(part))
            .filter(|part| command::program(part) != Some("cd"))
            .map(command::beginning)
            .collect();
        beginnings.dedup();
        match beginnings.as_slice() {
            [Some(words)] => Some(Subject::Command(words.clone())),
            _ => None,
        }
    }
}
