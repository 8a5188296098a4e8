//! The log of decisions: the last ones here, and all of them, within bounds, in a file.

use super::audit_log::{AuditLog, Written};
use super::secrets::without_secrets;
use crate::permission::decision::Decision;
use crate::permission::request::PermissionRequest;
use attache_policy::{Rule, ToolEffect};
use attache_protocol::v1::{SessionId, ToolKind};
use attache_session::Timestamp;
use serde_json::json;
use std::collections::VecDeque;
use std::fmt;
use std::time::SystemTime;

/// How many decisions are kept in memory.
const AUDITED: usize = 1000;

/// How much of a title is kept, in characters.
const TITLE: usize = 400;

/// How much of each command, path or address is kept, in characters.
const TEXT: usize = 16_384;

/// How many paths are kept.
const PATHS: usize = 64;

/// One decision, as the log has it; as text one line of JSON. What looks like a secret in a title
/// or a rule is replaced by `…`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Audited {
    /// When.
    pub at: SystemTime,
    /// The agent's name.
    pub agent: String,
    /// In which session.
    pub session_id: SessionId,
    /// What it was about, for people; its first 400 characters.
    pub title: String,
    /// The kind of the call, if the agent told it.
    pub kind: Option<ToolKind>,
    /// What the call does beyond its title: its commands, files and addresses, secrets hidden.
    pub effect: ToolEffect,
    /// What was decided.
    pub verdict: Verdict,
    /// Who decided.
    pub by: DecidedBy,
}

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It may run.
    Allowed,
    /// It may not.
    Rejected,
    /// The question was withdrawn before it was decided.
    Withdrawn,
}

/// Who decided.
#[derive(Debug, Clone, PartialEq)]
pub enum DecidedBy {
    /// A remembered rule.
    Rule(Rule),
    /// A setting, such as a flag, or that no person can be asked.
    Setting,
    /// This flag of the program, such as `--yes`.
    Flag(String),
    /// The person who was asked.
    Asked,
}

impl Audited {
    /// What is known of a question before it is decided: that it was withdrawn.
    pub(super) fn of(agent: &str, request: &PermissionRequest) -> Self {
        Self {
            at: SystemTime::now(),
            agent: agent.to_owned(),
            session_id: request.session_id.clone(),
            title: without_secrets(request.title()).chars().take(TITLE).collect(),
            kind: request.kind().cloned(),
            effect: effect(request),
            verdict: Verdict::Withdrawn,
            by: DecidedBy::Asked,
        }
    }

    pub(super) fn decided(
        mut self,
        request: &PermissionRequest,
        decision: &Decision,
        by: DecidedBy,
    ) -> Self {
        self.verdict = match decision.allows(&request.options) {
            true => Verdict::Allowed,
            false => Verdict::Rejected,
        };
        self.by = by;
        self
    }
}

impl Verdict {
    /// The word that stands for it in the log.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Rejected => "rejected",
            Self::Withdrawn => "withdrawn",
        }
    }
}

impl fmt::Display for Audited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let since = self.at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let (by, rule) = match &self.by {
            DecidedBy::Rule(rule) => ("rule", Some(without_secrets(&rule.to_line()))),
            DecidedBy::Setting | DecidedBy::Flag(_) => ("setting", None),
            DecidedBy::Asked => ("asked", None),
        };
        let mut line = json!({
            "at": Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)).rfc3339(),
            "verdict": self.verdict.as_str(),
            "by": by,
            "rule": rule,
            "agent": self.agent,
            "sessionId": self.session_id.as_str(),
            "kind": self.kind.as_ref().map(ToolKind::as_str),
            "title": self.title,
        });
        if let Some(members) = line.as_object_mut() {
            if let DecidedBy::Flag(flag) = &self.by {
                members.insert("flag".to_owned(), flag.as_str().into());
            }
            if !self.effect.is_empty() {
                members.insert("effect".to_owned(), self.effect.to_json());
            }
        }
        write!(f, "{line}")
    }
}

/// What a request does, within bounds, secrets hidden; a file also by the path that it leads to.
fn effect(request: &PermissionRequest) -> ToolEffect {
    let mut effect = request.effect();
    effect.paths.truncate(PATHS);
    let resolved = request.file.as_ref().map(|file| file.resolved.to_string_lossy().into_owned());
    let paths = &mut effect.paths;
    paths.extend(resolved.filter(|resolved| !paths.contains(resolved)));
    effect.with_texts(|text| bounded(&without_secrets(text)))
}

/// The text, or its beginning and how much is left out.
fn bounded(text: &str) -> String {
    match text.char_indices().nth(TEXT) {
        Some((at, _)) => {
            let (kept, rest) = text.split_at_checked(at).unwrap_or((text, ""));
            format!("{kept}… ({} more characters)", rest.chars().count())
        }
        None => text.to_owned(),
    }
}

/// The decisions until now.
#[derive(Debug, Default)]
pub(super) struct Audit {
    pub(super) last: VecDeque<Audited>,
    pub(super) log: Option<AuditLog>,
}

impl Audit {
    /// Keeps a decision. What is returned says when the file has it.
    pub(super) fn keep(&mut self, entry: Audited) -> Option<Written> {
        let written = self.log.as_ref().map(|log| log.add(entry.to_string()));
        if self.last.len() >= AUDITED {
            self.last.pop_front();
        }
        self.last.push_back(entry);
        written
    }
}
