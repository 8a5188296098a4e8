//! A decision about a permission request, in words.

use super::effect;
use crate::show::paint::{GREEN, Paint, RED};
use crate::show::tool_call;
use crate::show::width;
use attache_client::{Decision, PermissionRequest, Rule};
use attache_protocol::v1::ToolKind;
use attache_view::sanitize;
use std::path::Path;

/// A decision about a question, and its source.
pub(crate) struct Verdict {
    /// The answer for the agent; `None` if the question was withdrawn first.
    pub(crate) decision: Option<Decision>,
    pub(crate) allowed: bool,
    pub(crate) by: By,
}

/// The source of a decision.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum By {
    /// A remembered rule of this client.
    Rule(Box<Rule>),
    /// `--yes`.
    Yes,
    /// `--allow KIND`.
    Allow,
    /// The person at the terminal.
    Person,
    /// No person could be asked.
    NoPerson,
    /// `attache demo`.
    Tour,
    /// The turn ended before the question was answered.
    Withdrawn,
}

impl By {
    /// Returns the rule that decided, if any.
    pub(crate) fn rule(&self) -> Option<&Rule> {
        match self {
            Self::Rule(rule) => Some(rule),
            _ => None,
        }
    }

    /// Returns the name that JSON.md documents.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Rule(_) => "rule",
            Self::Yes => "yes",
            Self::Allow => "allow",
            Self::Person => "person",
            Self::NoPerson => "nobody",
            Self::Tour => "tour",
            Self::Withdrawn => "withdrawn",
        }
    }
}

impl Verdict {
    pub(super) fn no_person() -> Self {
        Self { decision: Some(Decision::Reject), allowed: false, by: By::NoPerson }
    }

    pub(crate) fn withdrawn() -> Self {
        Self { decision: None, allowed: false, by: By::Withdrawn }
    }

    /// Returns whether the action was refused. A withdrawn question is not a refusal.
    pub(crate) fn refuses(&self) -> bool {
        !self.allowed && self.by != By::Withdrawn
    }

    /// Returns the name that JSON.md documents.
    pub(crate) fn word(&self) -> &'static str {
        match (&self.by, self.allowed) {
            (By::Withdrawn, _) => "withdrawn",
            (_, true) => "allowed",
            (_, false) => "rejected",
        }
    }

    pub(crate) fn mark(&self, paint: Paint) -> String {
        if self.allowed { paint.paint(GREEN, "✓") } else { paint.paint(RED, "✗") }
    }

    /// Describes the decision in one line.
    fn sentence(&self, request: &PermissionRequest) -> String {
        let title = sanitize::visible_line(request.title());
        match &self.by {
            By::Rule(rule) => {
                let line = sanitize::visible(&rule.to_line()).into_owned();
                let whose = if is_of_project(rule) { "this project's" } else { "your" };
                format!("{} by {whose} rule {}: {title}", self.word(), sanitize::line(&line))
            }
            By::Yes | By::Allow | By::Tour if !self.allowed => {
                format!("refused, because the agent offers no answer that allows it: {title}")
            }
            By::Yes => format!("allowed by --yes: {title}"),
            By::Allow => format!("allowed by --allow {}: {title}", kind_word(request)),
            By::Person if self.allowed => format!("allowed by you: {title}"),
            By::Person => format!("rejected by you: {title}"),
            By::NoPerson => {
                format!(
                    "refused, because no rule or flag allows it and no person can be asked: {title}"
                )
            }
            By::Tour => format!("allowed by the demo, which works on a copy: {title}"),
            By::Withdrawn => format!("question withdrawn: {title}"),
        }
    }

    /// Describes the decision and the action in lines of at most `columns`. Without `columns`, the
    /// description is one line, apart from line feeds in a command.
    pub(crate) fn lines(
        &self,
        request: &PermissionRequest,
        cwd: &Path,
        columns: Option<usize>,
    ) -> Vec<String> {
        let parts = effect::parts(request, cwd, effect::Extent::Decision);
        let whole: Vec<String> = std::iter::once(self.sentence(request)).chain(parts).collect();
        let whole = whole.join("  ");
        let columns = columns.unwrap_or(usize::MAX);
        let folded = width::fold(&whole, columns.saturating_sub(6)).into_iter().enumerate();
        folded.map(|(index, line)| if index == 0 { line } else { format!("    {line}") }).collect()
    }

    /// Returns advice on how to allow the action, if it was refused because no person could be
    /// asked.
    pub(crate) fn advice(&self, request: &PermissionRequest) -> Option<String> {
        if self.by == By::NoPerson && request.protected.is_some() {
            let file = "no flag allows changes of protected files or reads of secrets";
            let rule = match request.effect().commands.is_empty() {
                true => "the path of this file",
                false => "this whole command line",
            };
            return Some(format!(
                "{file}: run this at a terminal to be asked, or add a rule with {rule}"
            ));
        }
        let allow = match request.kind() {
            Some(kind) if !matches!(kind, ToolKind::Unknown(_)) => {
                format!("--allow {} allows this kind; ", kind.as_str())
            }
            _ => String::new(),
        };
        (self.by == By::NoPerson)
            .then(|| format!("{allow}--yes allows everything; at a terminal you would be asked"))
    }
}

pub(super) fn kind_word(request: &PermissionRequest) -> String {
    request.kind().map(tool_call::kind).unwrap_or_default()
}

impl Verdict {
    /// Returns the verdict of a remembered rule about a request.
    pub(crate) fn by_rule(request: &PermissionRequest, rule: Rule) -> Self {
        let decision = Decision::by_rule(&rule);
        let allowed = decision.allows(&request.options);
        Self { decision: Some(decision), allowed, by: By::Rule(Box::new(rule)) }
    }
}

/// Returns whether the rule comes from the project's own file.
pub(crate) fn is_of_project(rule: &Rule) -> bool {
    rule.file.as_deref().is_some_and(|file| Path::new(file).is_relative())
}
