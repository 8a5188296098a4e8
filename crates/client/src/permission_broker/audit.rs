//! The log of decisions: the last ones here, and all of them, within bounds, in a file.

use super::rules_file::locked;
use super::secrets::without_secrets;
use crate::permission::{Decision, PermissionRequest};
use crate::permission_rule::PermissionRule;
use attache_protocol::v1::{SessionId, ToolKind};
use attache_session::Timestamp;
use serde_json::json;
use std::collections::VecDeque;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{fmt, mem};

/// How many decisions are kept in memory.
const AUDITED: usize = 1000;

/// How much of a title is kept, in characters.
const TITLE: usize = 400;

/// How large the file of the log may be, in bytes, before it becomes the older one.
const FILE: u64 = 1 << 20;

/// One decision, as the log has it; as text one line of JSON. What looks like a secret in a title or a rule is replaced by `…`.
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
    /// The question was withdrawn before anybody decided.
    Withdrawn,
}

/// Who decided.
#[derive(Debug, Clone, PartialEq)]
pub enum DecidedBy {
    /// A remembered rule.
    Rule(PermissionRule),
    /// What was set before, such as a flag, or that nobody can be asked.
    Setting,
    /// Whoever was asked.
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
            verdict: Verdict::Withdrawn,
            by: DecidedBy::Asked,
        }
    }

    pub(super) fn decided(mut self, request: &PermissionRequest, decision: &Decision, by: DecidedBy) -> Self {
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
            DecidedBy::Rule(rule) => ("rule", Some(without_secrets(&rule.to_string()))),
            DecidedBy::Setting => ("setting", None),
            DecidedBy::Asked => ("asked", None),
        };
        let line = json!({
            "at": Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)).rfc3339(),
            "verdict": self.verdict.as_str(),
            "by": by,
            "rule": rule,
            "agent": self.agent,
            "sessionId": self.session_id.as_str(),
            "kind": self.kind.as_ref().map(ToolKind::as_str),
            "title": self.title,
        });
        write!(f, "{line}")
    }
}

/// The decisions until now.
#[derive(Debug, Default)]
pub(super) struct Audit {
    pub(super) last: VecDeque<Audited>,
    pub(super) file: Option<PathBuf>,
    /// Why the file could not be written, until somebody is told.
    trouble: Option<io::Error>,
}

impl Audit {
    /// Keeps a decision. Blocks for the disk.
    pub(super) fn keep(&mut self, entry: Audited) {
        if let Some(file) = &self.file
            && let Err(error) = append(file, &entry.to_string())
        {
            self.trouble = Some(error);
        }
        if self.last.len() >= AUDITED {
            self.last.pop_front();
        }
        self.last.push_back(entry);
    }

    pub(super) fn take_trouble(&mut self) -> Option<(PathBuf, io::Error)> {
        self.file.clone().zip(mem::take(&mut self.trouble))
    }
}

/// The older part of a log, which is replaced when the log has grown again.
pub(super) fn older(file: &Path) -> PathBuf {
    let mut name = file.to_owned().into_os_string();
    name.push(".1");
    name.into()
}

/// Adds a line in one write, so that two programs may do so at once.
fn append(file: &Path, line: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let is_full = || fs::metadata(file).is_ok_and(|found| found.len() >= FILE);
    if is_full() {
        let _held = locked(file)?;
        // Another program may have been first.
        if is_full() {
            fs::rename(file, older(file))?;
        }
    }
    // Opening a pipe would hold up the session.
    if fs::metadata(file).is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(file)?;
    file.write_all(format!("{line}\n").as_bytes())
}
