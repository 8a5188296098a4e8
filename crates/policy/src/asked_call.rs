//! A tool call that an agent asks permission for, and the rules' decision about it.

mod actions;
mod covering;
mod narrowest;
mod paths;

#[cfg(test)]
mod tests;

use crate::decision::{Covers, Decision, Reason};
use crate::effect::ToolEffect;
use crate::guard::Guard;
use crate::rule::{BUILT_IN, Effect, Rule, RuleScope, Subject};
use attache_protocol::v1::{SessionId, ToolKind};
use std::path::{Path, PathBuf};

/// A tool call that an agent asks permission for, or an action that the agent asks a client to
/// take, both as the agent describes them.
#[derive(Debug, Clone)]
pub struct AskedCall<'a> {
    /// The name of the agent.
    pub agent: &'a str,
    /// The session.
    pub session: &'a SessionId,
    /// The folder of the session.
    pub cwd: &'a Path,
    /// The kind of the call, if the agent sent one.
    pub kind: Option<&'a ToolKind>,
    /// The name of the tool, if the agent sent one.
    pub tool: Option<&'a str>,
    /// The effect of the call.
    pub effect: ToolEffect,
    /// The title of the call.
    pub title: &'a str,
    /// The text that the agent shows alongside the call.
    pub text: String,
    /// Other names of the file, if the call is about exactly one file.
    pub other_paths: Vec<PathBuf>,
    /// Whether the client itself performs the action, in a folder that it has checked.
    pub runs_here: bool,
    /// Why only a person, or a rule that names exactly this file or command line, can allow the
    /// call; `None` if any rule can.
    pub protected: Option<Guard>,
}

impl AskedCall<'_> {
    /// Returns the decision of these rules. Without a rule about the call, the decision is to ask.
    /// `broken` means that a file of rules cannot be read, so that its denials are unknown: then no
    /// rule allows the call. Blocks on the disk.
    ///
    /// A rule that denies or asks also applies if it is about another name of the call's file. A
    /// protected call (see [`AskedCall::protected`]) is allowed only by a rule that names exactly
    /// that file or command line. The decision assumes that the call runs without a sandbox.
    pub fn decide<'r>(&self, rules: impl IntoIterator<Item = &'r Rule>, broken: bool) -> Decision {
        let strict = |rule: &Rule| rule.effect != Effect::Allow;
        let named: Vec<Self> = self.other_paths.iter().map(|path| self.with_path(path)).collect();
        let is_about = |rule: &Rule| {
            self.is_about(rule) || (strict(rule) && named.iter().any(|named| named.is_about(rule)))
        };
        let is_enough = |rule: &Rule| strict(rule) || self.is_allowed_exactly(rule);
        let rules = rules.into_iter().filter(|rule| is_about(rule) && is_enough(rule));
        let rule = rules.reduce(|one, other| if other.effect > one.effect { other } else { one });
        let (effect, reason) = match rule {
            Some(rule) if rule.effect == Effect::Allow && broken => {
                (Effect::Ask, Reason::BrokenRules)
            }
            Some(rule) => (rule.effect, Reason::Rule(Box::new(rule.clone()))),
            None => (Effect::Ask, Reason::NoRule),
        };
        Decision { effect, reason, covers: self.covers() }
    }

    /// Whether a rule is about the call. Blocks on the disk.
    pub fn is_about(&self, rule: &Rule) -> bool {
        let is_session = match &rule.scope {
            RuleScope::Session(session) => session == self.session,
            RuleScope::Project(_) | RuleScope::Always => true,
        };
        if !is_session || !rule.agents.include(self.agent) || !rule.holds_in(self.cwd) {
            return false;
        }
        match (&rule.subject, rule.effect) {
            (Subject::Call(pattern), effect) => pattern.fits(self, effect),
            (subject, Effect::Deny) => self.may_be_about(subject),
            // The built-in agent has applied these rules before it asks.
            _ if self.agent == BUILT_IN => false,
            (subject, Effect::Ask) => self.may_be_about(subject),
            (subject, Effect::Allow) => self.surely_is_about(subject),
        }
    }

    /// Whether an allowing rule can allow this call. If the call is protected, the rule must name
    /// it exactly.
    fn is_allowed_exactly(&self, rule: &Rule) -> bool {
        if self.protected.is_none() {
            return true;
        }
        let ToolEffect { commands, paths, .. } = &self.effect;
        if !commands.is_empty() {
            let named = match rule.subject.commands() {
                Subject::Call(pattern) => pattern.command.as_deref(),
                Subject::Line(line) => Some(line.as_str()),
                _ => None,
            };
            let is_line = |line: &str| named.is_some_and(|named| named.trim() == line.trim());
            let is_it = |command: &crate::effect::Command| {
                is_line(&command.line) || is_line(&command.whole_line())
            };
            return commands.iter().all(is_it);
        }
        let is_named = |path: &String| match &rule.subject {
            Subject::Call(pattern) => pattern.path.as_deref() == Some(Path::new(path)),
            Subject::Reads(pattern) | Subject::Changes(pattern) => pattern.is_exact(),
            _ => false,
        };
        !paths.is_empty() && paths.iter().all(is_named)
    }

    /// Returns the same call with another name of its file.
    fn with_path(&self, path: &Path) -> Self {
        let mut named = self.clone();
        named.effect.paths = vec![path.to_string_lossy().into_owned()];
        named
    }

    fn covers(&self) -> Covers {
        let lines: Vec<&str> =
            self.effect.commands.iter().map(|command| command.line.as_str()).collect();
        let resolved = |path: &String| {
            let path = paths::at(self.cwd, path);
            paths::real(&path).unwrap_or(path)
        };
        Covers {
            paths: self.effect.paths.iter().map(resolved).collect(),
            command: (!lines.is_empty()).then(|| lines.join("\n")),
            sandboxed: false,
            network: true,
        }
    }
}
