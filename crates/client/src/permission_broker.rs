//! Who remembers what was decided: rules, and a log of decisions.

mod audit;
mod rules_file;
mod secrets;

use crate::permission::{Decision, PermissionRequest, Permissions};
use crate::permission_rule::{Effect, PermissionRule, RuleError, Scope, Subject};
use audit::Audit;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{fmt, io};

pub use audit::{Audited, DecidedBy, Verdict};

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
    audit: Audit,
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
    /// The world's: the file of the log cannot be written.
    Log {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl fmt::Display for BrokerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { file, source } => {
                write!(f, "the rules in {} cannot be used: {source}; check the file", file.display())
            }
            Self::Line { file, line, source } => {
                write!(
                    f,
                    "line {line} of the rules in {} is none: {source}; mend the line or remove it",
                    file.display()
                )
            }
            Self::Rule(source) => write!(f, "the rule cannot be remembered: {source}"),
            Self::Log { file, source } => {
                write!(f, "what was decided could not be logged in {}: {source}", file.display())
            }
        }
    }
}

impl std::error::Error for BrokerError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File { source, .. } | Self::Log { source, .. } => Some(source),
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
        let rules = rules_file::read(&file)?;
        let memory = Memory { rules, file: Some(file), audit: Audit::default() };
        Ok(Self(Arc::new(Mutex::new(memory))))
    }

    /// Has every decision from now on added to this file too, one line of JSON each (see [`Audited`]). What is older goes to a file of the
    /// same name with `.1` behind it, so that both together stay below about 2 MiB. Decisions block for the disk then.
    #[must_use]
    pub fn log_to(self, file: impl Into<PathBuf>) -> Self {
        self.memory().audit.file = Some(file.into());
        self
    }

    /// The files of a log that [`PermissionBroker::log_to`] was given, the older one first. Neither need exist.
    pub fn log_files(file: &Path) -> [PathBuf; 2] {
        [audit::older(file), file.to_owned()]
    }

    /// Why decisions since the last call could not be added to the log's file, if so.
    pub fn take_log_trouble(&self) -> Option<BrokerError> {
        let trouble = self.memory().audit.take_trouble();
        trouble.map(|(file, source)| BrokerError::Log { file, source })
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a rule from now on; one that is not for a session alone is added to the file, if there is one. Blocks for the disk.
    ///
    /// # Errors
    /// The rule names nothing that it is about, or cannot be written; it is not remembered then.
    pub fn remember(&self, rule: PermissionRule) -> Result<(), BrokerError> {
        let is_kept = !matches!(rule.scope, Scope::Session(_));
        if is_kept {
            rule.to_string().parse::<PermissionRule>().map_err(BrokerError::Rule)?;
        }
        let mut memory = self.memory();
        if memory.rules.contains(&rule) {
            return Ok(());
        }
        if let (true, Some(file)) = (is_kept, &memory.file) {
            rules_file::add(file, &rule)
                .map_err(|source| BrokerError::File { file: file.clone(), source })?;
        }
        memory.rules.push(rule);
        Ok(())
    }

    /// Forgets a rule, here and in the file. Blocks for the disk.
    ///
    /// # Errors
    /// The file cannot be written; the rule stays then.
    pub fn forget(&self, rule: &PermissionRule) -> Result<(), BrokerError> {
        let mut memory = self.memory();
        if let (false, Some(file)) = (matches!(rule.scope, Scope::Session(_)), &memory.file) {
            rules_file::remove(file, rule)
                .map_err(|source| BrokerError::File { file: file.clone(), source })?;
        }
        memory.rules.retain(|kept| kept != rule);
        Ok(())
    }

    /// The rules that hold now, those of sessions too.
    pub fn rules(&self) -> Vec<PermissionRule> {
        self.memory().rules.clone()
    }

    /// The last 1000 decisions, the oldest first.
    pub fn audit(&self) -> Vec<Audited> {
        self.memory().audit.last.iter().cloned().collect()
    }

    /// The permissions of a session in the folder `cwd` of the agent with this name: by the rules, and where none is about a request, by `rest`.
    pub fn permissions(
        &self,
        agent: impl Into<String>,
        cwd: impl Into<PathBuf>,
        rest: Permissions,
    ) -> Permissions {
        self.permissions_telling(agent, cwd, rest, |_, _| std::future::ready(()))
    }

    /// The same; `tell` is called for each request that a rule decides, and the agent hears of that when its future is done: so nothing is
    /// decided by a rule that a person could not have seen.
    pub fn permissions_telling<F, T>(
        &self,
        agent: impl Into<String>,
        cwd: impl Into<PathBuf>,
        rest: Permissions,
        tell: F,
    ) -> Permissions
    where
        F: Fn(PermissionRequest, PermissionRule) -> T + Send + Sync + 'static,
        T: Future<Output = ()> + Send + 'static,
    {
        let (broker, agent, cwd) = (self.clone(), agent.into(), cwd.into());
        Permissions::ask(move |request| {
            let mut open = Open::new(&broker, &agent, &request);
            let rule = broker.rule_for(&request, &agent, &cwd);
            let told = rule.clone().map(|rule| tell(request.clone(), rule));
            let decided = match &rule {
                Some(rule) => Ok(rule.decision()),
                None => rest.decided(&request),
            };
            async move {
                if let Some(told) = told {
                    told.await;
                }
                match (decided, rule) {
                    (Ok(decision), Some(rule)) => open.settle(decision, DecidedBy::Rule(rule)),
                    (Ok(decision), None) => open.settle(decision, DecidedBy::Setting),
                    (Err(asked), _) => {
                        let decision = asked(request).await;
                        open.settle(decision, DecidedBy::Asked)
                    }
                }
            }
        })
    }

    /// The rule that decides about a request of the agent with this name, in a session in this folder: one that rejects before one that
    /// allows.
    pub fn rule_for(&self, request: &PermissionRequest, agent: &str, cwd: &Path) -> Option<PermissionRule> {
        let rules = self.rules();
        if rules.is_empty() {
            return None;
        }
        let subject = Subject::of(request, cwd);
        let about = |effect| {
            let mut rules = rules.iter().filter(|rule| rule.effect == effect);
            rules.find(|rule| rule.covers(&subject, &request.session_id, agent, cwd)).cloned()
        };
        about(Effect::Reject).or_else(|| about(Effect::Allow))
    }

    /// Keeps in the log what somebody else than [`PermissionBroker::permissions`] decided; `None` if the request was withdrawn first.
    pub fn record(
        &self,
        agent: &str,
        request: &PermissionRequest,
        decision: Option<&Decision>,
        by: DecidedBy,
    ) {
        let open = Audited::of(agent, request);
        let entry = match decision {
            Some(decision) => open.decided(request, decision, by),
            None => open,
        };
        self.memory().audit.keep(entry);
    }
}

/// A question that is not decided; logged as withdrawn if it is dropped so.
struct Open {
    broker: PermissionBroker,
    agent: String,
    /// `None` once it is settled.
    request: Option<PermissionRequest>,
}

impl Open {
    fn new(broker: &PermissionBroker, agent: &str, request: &PermissionRequest) -> Self {
        Self { broker: broker.clone(), agent: agent.to_owned(), request: Some(request.clone()) }
    }

    fn settle(&mut self, decision: Decision, by: DecidedBy) -> Decision {
        if let Some(request) = self.request.take() {
            self.broker.record(&self.agent, &request, Some(&decision), by);
        }
        decision
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(request) = self.request.take() {
            self.broker.record(&self.agent, &request, None, DecidedBy::Asked);
        }
    }
}
