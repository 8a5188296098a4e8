//! The log of decisions: the last ones in memory, and a bounded file.

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

/// The number of decisions that are kept in memory.
const AUDITED: usize = 1000;

/// How many characters at the start of a title are kept.
const TITLE: usize = 400;

/// How many characters at the start of a command, path or address are kept.
const TEXT: usize = 16_384;

/// The maximum number of paths that are kept.
const PATHS: usize = 64;

/// One decision in the log. Its `Display` is one line of JSON. Texts in a title or a rule that look
/// like secrets are replaced by `…`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Audited {
    /// The time of the decision.
    pub at: SystemTime,
    /// The agent's name.
    pub agent: String,
    /// The session.
    pub session_id: SessionId,
    /// The title of the request: its first 400 characters.
    pub title: String,
    /// The kind of the call, if the agent sent one.
    pub kind: Option<ToolKind>,
    /// The commands, files and addresses of the call, without secrets.
    pub effect: ToolEffect,
    /// The decision.
    pub verdict: Verdict,
    /// The source of the decision.
    pub by: DecidedBy,
}

/// The decision about a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The call may run.
    Allowed,
    /// The call may not run.
    Rejected,
    /// The question was withdrawn before it was decided.
    Withdrawn,
}

/// The source of a decision.
#[derive(Debug, Clone, PartialEq)]
pub enum DecidedBy {
    /// A remembered rule.
    Rule(Rule),
    /// A setting of the program, or the lack of a person to ask.
    Setting,
    /// A flag of the program, such as `--yes`.
    Flag(String),
    /// The person.
    Asked,
    /// The person, at the client with this name of a hub that several clients share.
    AskedAt(String),
}

impl Audited {
    /// Makes the entry of an undecided question, with the verdict "withdrawn".
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
    /// The word for this verdict in the log.
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
            DecidedBy::Asked | DecidedBy::AskedAt(_) => ("asked", None),
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
            if let DecidedBy::AskedAt(client) = &self.by {
                let client: String = client.chars().take(TITLE).collect();
                members.insert("client".to_owned(), client.into());
            }
            if !self.effect.is_empty() {
                members.insert("effect".to_owned(), self.effect.to_json());
            }
        }
        write!(f, "{line}")
    }
}

/// The effect of a request, with a limited length and without secrets. For a file, this includes
/// its resolved path.
fn effect(request: &PermissionRequest) -> ToolEffect {
    let mut effect = request.effect();
    effect.paths.truncate(PATHS);
    let resolved = request.file.as_ref().map(|file| file.resolved.to_string_lossy().into_owned());
    let paths = &mut effect.paths;
    paths.extend(resolved.filter(|resolved| !paths.contains(resolved)));
    effect.with_texts(|text| bounded(&without_secrets(text)))
}

/// The text, or its beginning followed by the number of characters left out.
fn bounded(text: &str) -> String {
    match text.char_indices().nth(TEXT) {
        Some((at, _)) => {
            let (kept, rest) = text.split_at_checked(at).unwrap_or((text, ""));
            format!("{kept}… ({} more characters)", rest.chars().count())
        }
        None => text.to_owned(),
    }
}

/// The decisions so far.
#[derive(Debug, Default)]
pub(super) struct Audit {
    pub(super) last: VecDeque<Audited>,
    pub(super) log: Option<AuditLog>,
}

impl Audit {
    /// Adds a decision. The result completes when the log file contains it.
    pub(super) fn keep(&mut self, entry: Audited) -> Option<Written> {
        let written = self.log.as_ref().map(|log| log.add(entry.to_string()));
        if self.last.len() >= AUDITED {
            self.last.pop_front();
        }
        self.last.push_back(entry);
        written
    }
}
