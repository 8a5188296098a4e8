//! Who remembers what was decided: rules, and a log of decisions.

mod audit;
mod audit_log;
mod rules_file;
pub(crate) mod secrets;

use crate::permission::{Decision, PermissionRequest, Permissions};
use crate::permission_rule::{Effect, PermissionRule, RuleError, Scope, Subject};
use attache_policy::ToolEffect;
use attache_protocol::v1::ToolCallLocation;
use audit::Audit;
use audit_log::{AuditLog, Written};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fmt, io};

pub use audit::{Audited, DecidedBy, Verdict};

/// How long a decision waits until the log's file has it.
const WRITTEN: Duration = Duration::from_secs(1);

/// Remembers rules and decides by them, ahead of other [`Permissions`]; keeps the last 1000
/// decisions. A face asks the person, and says what shall be remembered. Cheap to clone; clones
/// share everything.
///
/// A rule that rejects goes before every rule that allows. What a rule allows is answered with the
/// agent's option that allows once, what it rejects with the agent's reject option; without a
/// fitting option nothing is approved (see [`Decision`]).
///
/// The rules of projects and those that always hold stand in a file, one a line, see
/// [`PermissionRule`]; empty lines and lines that begin with `#` say nothing. Removing a line takes
/// the rule back from the next start on.
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
pub struct PermissionBroker(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// Never held while a file is used, so that decisions wait for no disk.
    rules: Mutex<Vec<PermissionRule>>,
    /// Held while the file of the rules is changed.
    file: Mutex<Option<PathBuf>>,
    audit: Mutex<Audit>,
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
    /// The user's: a line of the file is no rule. No rule of the file is used, for it may be one
    /// that rejects.
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
                write!(
                    f,
                    "the rules in {} cannot be used: {source}; check the file",
                    file.display()
                )
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

    /// A broker with the rules of this file; one that does not exist has none, and is made with its
    /// first rule. Blocks.
    ///
    /// # Errors
    /// The file cannot be read, is larger than 1 MiB, or has a line that is no rule.
    pub fn open(file: impl Into<PathBuf>) -> Result<Self, BrokerError> {
        let file = file.into();
        let rules = rules_file::read(&file)?;
        Ok(Self(Arc::new(Shared {
            rules: Mutex::new(rules),
            file: Mutex::new(Some(file)),
            audit: Mutex::default(),
        })))
    }

    /// Has every decision from now on added to this file too, one line of JSON each (see
    /// [`Audited`]). What is older goes to a file of the same name with `.1` behind it, so that
    /// both together stay below about 2 MiB. A thread writes the file; a decision waits for it, but
    /// not for long, so that a file that cannot be written holds up no session.
    #[must_use]
    pub fn log_to(self, file: impl Into<PathBuf>) -> Self {
        locked(&self.0.audit).log = Some(AuditLog::new(file.into()));
        self
    }

    /// The files of a log that [`PermissionBroker::log_to`] was given, the older one first. Neither
    /// need exist.
    pub fn log_files(file: &Path) -> [PathBuf; 2] {
        [audit_log::older(file), file.to_owned()]
    }

    /// Why decisions since the last call could not be added to the log's file, if so. Waits a
    /// moment for those that are being added.
    pub fn take_log_trouble(&self) -> Option<BrokerError> {
        let log = locked(&self.0.audit).log.clone()?;
        log.take_trouble().map(|source| BrokerError::Log { file: log.file().to_owned(), source })
    }

    /// Remembers a rule from now on; one that is not for a session alone is added to the file, if
    /// there is one. Blocks for the disk.
    ///
    /// # Errors
    /// The rule names nothing that it is about, or cannot be written; it is not remembered then.
    pub fn remember(&self, rule: PermissionRule) -> Result<(), BrokerError> {
        let is_kept = !matches!(rule.scope, Scope::Session(_));
        if is_kept {
            rule.to_string().parse::<PermissionRule>().map_err(BrokerError::Rule)?;
        }
        let file = locked(&self.0.file);
        if locked(&self.0.rules).contains(&rule) {
            return Ok(());
        }
        if let (true, Some(file)) = (is_kept, &*file) {
            rules_file::add(file, &rule)
                .map_err(|source| BrokerError::File { file: file.clone(), source })?;
        }
        locked(&self.0.rules).push(rule);
        Ok(())
    }

    /// Forgets a rule, here and in the file. Blocks for the disk.
    ///
    /// # Errors
    /// The file cannot be written; the rule stays then.
    pub fn forget(&self, rule: &PermissionRule) -> Result<(), BrokerError> {
        let file = locked(&self.0.file);
        if let (false, Some(file)) = (matches!(rule.scope, Scope::Session(_)), &*file) {
            rules_file::remove(file, rule)
                .map_err(|source| BrokerError::File { file: file.clone(), source })?;
        }
        locked(&self.0.rules).retain(|kept| kept != rule);
        Ok(())
    }

    /// The rules that hold now, those of sessions too.
    pub fn rules(&self) -> Vec<PermissionRule> {
        locked(&self.0.rules).clone()
    }

    /// The last 1000 decisions, the oldest first.
    pub fn audit(&self) -> Vec<Audited> {
        locked(&self.0.audit).last.iter().cloned().collect()
    }

    /// The permissions of a session in the folder `cwd` of the agent with this name: by the rules,
    /// and where none is about a request, by `rest`.
    pub fn permissions(
        &self,
        agent: impl Into<String>,
        cwd: impl Into<PathBuf>,
        rest: Permissions,
    ) -> Permissions {
        self.permissions_telling(agent, cwd, rest, |_, _| std::future::ready(()))
    }

    /// The same; `tell` is called for each request that a rule decides, and the agent hears of that
    /// when its future is done: so nothing is decided by a rule that a person could not have seen.
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
        let rejecting = (self.clone(), agent.clone(), cwd.clone());
        let inner = rest.clone();
        let rejects = Arc::new(move |request: &PermissionRequest| {
            let (broker, agent, cwd) = &rejecting;
            broker.rejects(request, agent, cwd) || inner.rejects(request)
        });
        // Also what an earlier answer covers, since a rule that rejects goes before that.
        let rest = Permissions::Ask(Arc::new(move |request| {
            let mut open = Open::new(&broker, &agent, &request);
            let rule = broker.rule_for(&request, &agent, &cwd);
            let told = rule.clone().map(|rule| tell(request.clone(), rule));
            let decided = match &rule {
                Some(rule) => Ok(rule.decision()),
                None => rest.decided(&request),
            };
            Box::pin(async move {
                if let Some(told) = told {
                    told.await;
                }
                let (decision, by) = match (decided, rule) {
                    (Ok(decision), Some(rule)) => (decision, DecidedBy::Rule(rule)),
                    (Ok(decision), None) => (decision, DecidedBy::Setting),
                    (Err(asked), _) => (asked(request).await, DecidedBy::Asked),
                };
                open.settle(&decision, by).await;
                decision
            })
        }));
        Permissions::ByRules { rejects, rest: Box::new(rest) }
    }

    /// Whether a rule rejects a request of the agent with this name, in a session in this folder.
    /// Blocks on the disk if a rule names a path.
    pub fn rejects(&self, request: &PermissionRequest, agent: &str, cwd: &Path) -> bool {
        self.rule_for(request, agent, cwd).is_some_and(|rule| rule.effect == Effect::Reject)
    }

    /// The rule that decides about a request of the agent with this name, in a session in this
    /// folder: one that rejects before one that allows. A file that has several names by symbolic
    /// links is rejected by a rule about any of them. What needs a person (see
    /// [`PermissionRequest::protected`]) is allowed only by a rule with the path of this very file,
    /// or with the whole line of this command.
    pub fn rule_for(
        &self,
        request: &PermissionRequest,
        agent: &str,
        cwd: &Path,
    ) -> Option<PermissionRule> {
        let rules = self.rules();
        if rules.is_empty() {
            return None;
        }
        let of = |effect| rules.iter().filter(move |rule| rule.effect == effect);
        let is_about =
            |rule: &PermissionRule, subject| rule.covers(subject, &request.session_id, agent, cwd);
        let subject = Subject::of(request, cwd);
        let names: Vec<Subject> =
            other_names(request).iter().map(|named| Subject::of(named, cwd)).collect();
        let mut reject = of(Effect::Reject);
        let rejects = reject.find(|rule| {
            is_about(rule, &subject) || names.iter().any(|named| is_about(rule, named))
        });
        let allows = || {
            let is_enough =
                |rule: &&PermissionRule| request.protected.is_none() || is_exact(rule, request);
            of(Effect::Allow).filter(is_enough).find(|rule| is_about(rule, &subject))
        };
        rejects.or_else(allows).cloned()
    }

    /// Keeps in the log what somebody else than [`PermissionBroker::permissions`] decided; `None`
    /// if the request was withdrawn first.
    pub fn record(
        &self,
        agent: &str,
        request: &PermissionRequest,
        decision: Option<&Decision>,
        by: DecidedBy,
    ) {
        drop(self.keep(agent, request, decision, by));
    }

    /// The same; what is returned says when the file has it.
    fn keep(
        &self,
        agent: &str,
        request: &PermissionRequest,
        decision: Option<&Decision>,
        by: DecidedBy,
    ) -> Option<Written> {
        let open = Audited::of(agent, request);
        let entry = match decision {
            Some(decision) => open.decided(request, decision, by),
            None => open,
        };
        locked(&self.0.audit).keep(entry)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The request about the same file by its other names.
fn other_names(request: &PermissionRequest) -> Vec<PermissionRequest> {
    let Some(file) = &request.file else { return Vec::new() };
    let names = [&file.named, &file.resolved].into_iter().filter(|name| **name != file.path);
    let named = |name: &PathBuf| {
        let mut named = request.clone();
        named.asked.locations = Some(vec![ToolCallLocation::new(name.to_string_lossy())]);
        named
    };
    names.map(named).collect()
}

/// Whether a rule names all that a request is about: every file by its whole path, or the one
/// command by its whole line.
fn is_exact(rule: &PermissionRule, request: &PermissionRequest) -> bool {
    let ToolEffect { commands, paths, .. } = request.effect();
    if !commands.is_empty() {
        let is_line =
            |line: &str| rule.command.as_deref().is_some_and(|named| named.trim() == line.trim());
        return commands
            .iter()
            .all(|command| is_line(&command.line) || is_line(&command.whole_line()));
    }
    let is_it = |path: &String| rule.path.as_deref() == Some(Path::new(path));
    !paths.is_empty() && paths.iter().all(is_it)
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

    /// Logs the decision. Waits until the file has it, but not for long.
    async fn settle(&mut self, decision: &Decision, by: DecidedBy) {
        let Some(request) = self.request.take() else { return };
        if let Some(written) = self.broker.keep(&self.agent, &request, Some(decision), by) {
            // A file that cannot be written in time is reported by `take_log_trouble`.
            let _ = tokio::time::timeout(WRITTEN, written).await;
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(request) = self.request.take() {
            self.broker.record(&self.agent, &request, None, DecidedBy::Asked);
        }
    }
}
