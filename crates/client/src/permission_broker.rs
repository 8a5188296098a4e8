//! Who remembers what was decided: rules, and a log of decisions.

use crate::permission::{Asked, Decision, PermissionRequest, Permissions};
use crate::permission_rule::{Effect, PermissionRule, RuleError, Scope};
use attache_protocol::v1::{PermissionOption, PermissionOptionKind, SessionId, ToolKind};
use std::collections::VecDeque;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;
use std::{fmt, mem};

/// How many decisions are kept.
const AUDITED: usize = 1000;

/// How much of a title is kept, in characters.
const TITLE: usize = 400;

/// How large a file of rules may be, in bytes.
const FILE: u64 = 1 << 20;

/// Remembers rules and decides by them, ahead of other [`Permissions`]; keeps the last 1000 decisions. A face asks the person, and says what
/// shall be remembered. Cheap to clone; clones share everything.
///
/// A rule that rejects goes before every rule that allows. What a rule allows is answered with the agent's option that allows once, what it
/// rejects with the agent's reject option; without a fitting option nothing is approved (see [`Decision`]).
///
/// The rules of projects and those that always hold stand in a file, one a line, see [`PermissionRule`]; empty lines and lines that begin with
/// `#` say nothing. Removing a line takes the rule back from the next start on.
///
/// ```
/// use attache_client::{Decision, Effect, PermissionBroker, PermissionRule, Permissions, Scope};
///
/// # fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let broker = PermissionBroker::open("/home/ann/.config/permissions")?;
/// let remembering = broker.clone();
/// let asking = Permissions::ask(move |request| {
///     let broker = remembering.clone();
///     async move {
///         // Here a person was asked, and said: yes, for this session.
///         let scope = Scope::Session(request.session_id.clone());
///         if let Some(rule) = PermissionRule::about(&request, Effect::Allow, scope) {
///             let _ = broker.remember(rule);
///         }
///         Decision::Allow
///     }
/// });
/// let permissions = broker.permissions("gemini-cli", "/home/ann/app", asking);
/// # drop(permissions);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct PermissionBroker(Arc<Mutex<Memory>>);

#[derive(Debug, Default)]
struct Memory {
    rules: Vec<PermissionRule>,
    file: Option<PathBuf>,
    audit: VecDeque<Audited>,
}

/// One decision, as the log has it; as text one line.
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
    /// What the session's other [`Permissions`] say without asking.
    Setting,
    /// Whoever was asked.
    Asked,
}

/// Why rules cannot be read or remembered.
#[derive(Debug)]
#[non_exhaustive]
pub enum BrokerError {
    /// The world's: the file cannot be read or written.
    File {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The user's: a line of the file is no rule. No rule of the file is used, for it may be one that rejects.
    Line {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        source: RuleError,
    },
    /// Ours: the rule would not be read again.
    Rule(RuleError),
}

impl fmt::Display for BrokerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { file, source } => {
                write!(f, "the rules in {} cannot be used: {source}; check the file", file.display())
            }
            Self::Line { file, line, source } => {
                write!(f, "line {line} of the rules in {} is none: {source}", file.display())
            }
            Self::Rule(source) => write!(f, "the rule cannot be remembered: {source}"),
        }
    }
}

impl std::error::Error for BrokerError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File { source, .. } => Some(source),
            Self::Line { source, .. } | Self::Rule(source) => Some(source),
        }
    }
}

impl PermissionBroker {
    /// A broker that forgets everything when its last clone is dropped.
    pub fn in_memory() -> Self {
        Self::default()
    }

    /// A broker with the rules of this file; one that does not exist has none, and is made with its first rule. Blocks.
    ///
    /// # Errors
    /// The file cannot be read, is larger than 1 MiB, or has a line that is no rule.
    pub fn open(file: impl Into<PathBuf>) -> Result<Self, BrokerError> {
        let file = file.into();
        let text = match read(&file) {
            Ok(text) => text,
            Err(source) => return Err(BrokerError::File { file, source }),
        };
        let mut rules = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match line.parse() {
                Ok(rule) => rules.push(rule),
                Err(source) => return Err(BrokerError::Line { file, line: index + 1, source }),
            }
        }
        let memory = Memory { rules, file: Some(file), audit: VecDeque::new() };
        Ok(Self(Arc::new(Mutex::new(memory))))
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a rule from now on; one that is not for a session alone is added to the file, if there is one. Blocks for the disk.
    ///
    /// # Errors
    /// The rule names nothing that it is about, or cannot be written; it is not remembered then.
    pub fn remember(&self, rule: PermissionRule) -> Result<(), BrokerError> {
        let line = rule.to_string();
        if !matches!(rule.scope, Scope::Session(_)) {
            line.parse::<PermissionRule>().map_err(BrokerError::Rule)?;
        }
        let mut memory = self.memory();
        if memory.rules.contains(&rule) {
            return Ok(());
        }
        if let (false, Some(file)) = (matches!(rule.scope, Scope::Session(_)), &memory.file) {
            append(file, &line).map_err(|source| BrokerError::File { file: file.clone(), source })?;
        }
        memory.rules.push(rule);
        Ok(())
    }

    /// The rules that hold now, those of sessions too.
    pub fn rules(&self) -> Vec<PermissionRule> {
        self.memory().rules.clone()
    }

    /// The last 1000 decisions, the oldest first.
    pub fn audit(&self) -> Vec<Audited> {
        self.memory().audit.iter().cloned().collect()
    }

    /// The permissions of a session in the folder `cwd` of the agent with this name: by the rules, and where none is about a request, by `rest`.
    pub fn permissions(
        &self,
        agent: impl Into<String>,
        cwd: impl Into<PathBuf>,
        rest: Permissions,
    ) -> Permissions {
        let (broker, agent, cwd) = (self.clone(), agent.into(), cwd.into());
        Permissions::ask(move |request| {
            let mut open = Open {
                broker: broker.clone(),
                options: request.options.clone(),
                entry: entry(&agent, &request),
            };
            let rule = broker.rule(&request, &agent, &cwd);
            let decided = match &rule {
                Some(rule) if rule.effect == Effect::Allow => Ok(Decision::Allow),
                Some(_) => Ok(Decision::Reject),
                None => rest.decided(&request),
            };
            async move {
                match (decided, rule) {
                    (Ok(decision), Some(rule)) => open.settle(decision, DecidedBy::Rule(rule)),
                    (Ok(decision), None) => open.settle(decision, DecidedBy::Setting),
                    (Err(asked), _) => open.ask(asked, request).await,
                }
            }
        })
    }

    /// The rule that decides about a request: one that rejects before one that allows.
    fn rule(&self, request: &PermissionRequest, agent: &str, cwd: &Path) -> Option<PermissionRule> {
        let memory = self.memory();
        let about = |effect| {
            let mut rules = memory.rules.iter().filter(move |rule| rule.effect == effect);
            rules.find(|rule| rule.matches(request, agent, cwd)).cloned()
        };
        about(Effect::Reject).or_else(|| about(Effect::Allow))
    }

    fn keep(&self, entry: Audited) {
        let mut memory = self.memory();
        if memory.audit.len() >= AUDITED {
            memory.audit.pop_front();
        }
        memory.audit.push_back(entry);
    }
}

/// A question that is not decided; logged as withdrawn if it is dropped so.
struct Open {
    broker: PermissionBroker,
    options: Vec<PermissionOption>,
    entry: Option<Audited>,
}

impl Open {
    async fn ask(&mut self, asked: Asked, request: PermissionRequest) -> Decision {
        let decision = asked(request).await;
        self.settle(decision, DecidedBy::Asked)
    }

    fn settle(&mut self, decision: Decision, by: DecidedBy) -> Decision {
        let outcome = decision.outcome(&self.options);
        let chosen = self.options.iter().find(|option| Some(&option.option_id) == outcome.selected());
        let allows = |option: &PermissionOption| {
            matches!(option.kind, PermissionOptionKind::AllowOnce | PermissionOptionKind::AllowAlways)
        };
        if let Some(mut entry) = mem::take(&mut self.entry) {
            entry.verdict = if chosen.is_some_and(allows) { Verdict::Allowed } else { Verdict::Rejected };
            entry.by = by;
            self.broker.keep(entry);
        }
        decision
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(entry) = mem::take(&mut self.entry) {
            self.broker.keep(entry);
        }
    }
}

fn entry(agent: &str, request: &PermissionRequest) -> Option<Audited> {
    Some(Audited {
        at: SystemTime::now(),
        agent: agent.to_owned(),
        session_id: request.session_id.clone(),
        title: request.title().chars().take(TITLE).collect(),
        kind: request.kind().cloned(),
        verdict: Verdict::Withdrawn,
        by: DecidedBy::Asked,
    })
}

impl fmt::Display for Audited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let since = self.at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let verdict = match self.verdict {
            Verdict::Allowed => "allowed",
            Verdict::Rejected => "rejected",
            Verdict::Withdrawn => "withdrawn",
        };
        // What comes from outside is quoted, so that an entry is one line.
        write!(
            f,
            "{} {verdict} agent={:?} session={:?}",
            since.as_millis(),
            self.agent,
            self.session_id.as_str()
        )?;
        if let Some(kind) = &self.kind {
            write!(f, " kind={:?}", kind.as_str())?;
        }
        write!(f, " title={:?}", self.title)?;
        match &self.by {
            DecidedBy::Rule(rule) => write!(f, " by rule: {rule}"),
            DecidedBy::Setting => f.write_str(" by setting"),
            DecidedBy::Asked => f.write_str(" by asking"),
        }
    }
}

fn read(file: &Path) -> io::Result<String> {
    match fs::metadata(file) {
        Ok(found) if found.len() > FILE => {
            Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than 1 MiB"))
        }
        Ok(_) => fs::read_to_string(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(error),
    }
}

/// Adds a line in one write, so that two programs may do so at once.
fn append(file: &Path, line: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(file)?;
    let begins = match file.metadata()?.len() {
        0 => "# What agents may do without asking: one rule a line. Remove a line to be asked again.\n",
        _ => "",
    };
    file.write_all(format!("{begins}{line}\n").as_bytes())
}
