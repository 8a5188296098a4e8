//! The rules that a client remembers, and its log of decisions.

mod audit;
mod audit_log;
mod broker_error;
pub(crate) mod secrets;

use crate::permission::decision::Decision;
use crate::permission::permissions::Permissions;
use crate::permission::request::PermissionRequest;
use attache_policy::{Effect, Reason, Rule, RuleFault, RuleFile, RuleFileError, RuleScope, Rules};
use audit::Audit;
use audit_log::{AuditLog, Written};
use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use audit::{Audited, DecidedBy, Verdict};
pub use broker_error::BrokerError;

/// The number of projects whose rules are kept in memory.
const PROJECTS: usize = 256;

/// The maximum time that a decision waits for its line to be in the log file.
const WRITTEN: Duration = Duration::from_secs(1);

/// Decides by remembered rules before other [`Permissions`] do, and keeps the last 1000 decisions.
/// A front end asks the person and passes the rule to remember. Cheap to clone; clones share their
/// state.
///
/// A rule that denies overrides a rule that asks, which overrides a rule that allows. An allowed
/// call is answered with the agent's option that allows once, and a denied call with its option
/// that rejects. Without such an option nothing is approved (see [`Decision`]).
///
/// The rules of projects, and rules that always apply, are stored in a file.
/// [`attache_policy::Rules`] describes it.
///
/// ```
/// use attache_client::{Decision, Effect, PermissionBroker, Permissions, RuleScope};
///
/// # fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let broker = PermissionBroker::open("/home/ann/.config/permissions.toml")?;
/// let remembering = broker.clone();
/// let asking = Permissions::ask(move |request| {
///     let broker = remembering.clone();
///     async move {
///         // Here a person was asked, and said: yes, for this session.
///         let scope = RuleScope::Session(request.session_id.clone());
///         let call = request.asked_call("gemini-cli", "/home/ann/app".as_ref());
///         if let Some(rule) = call.narrowest_rule(Effect::Allow, scope) {
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
    /// Never locked during file access, so that decisions do not wait for the disk.
    rules: Mutex<Vec<Rule>>,
    /// The files of the rules. Locked while one of them is changed.
    files: Mutex<Vec<PathBuf>>,
    /// The rules of projects, by folder.
    projects: Mutex<HashMap<PathBuf, Arc<Rules>>>,
    audit: Mutex<Audit>,
}

impl PermissionBroker {
    /// Makes a broker without a file. Its rules are lost when its last clone is dropped.
    pub fn in_memory() -> Self {
        Self::default()
    }

    /// Opens a broker with the rules of this file. A file that does not exist has no rules, and is
    /// created with the first rule. Blocks.
    ///
    /// # Errors
    /// Returns an error if the file, or one of its rules, cannot be read.
    pub fn open(file: impl Into<PathBuf>) -> Result<Self, BrokerError> {
        Self::in_memory().and_rules_of(file)
    }

    /// Adds the rules of another file. New rules are added to the first file. Blocks.
    ///
    /// # Errors
    /// Returns the same errors as [`PermissionBroker::open`].
    pub fn and_rules_of(self, file: impl Into<PathBuf>) -> Result<Self, BrokerError> {
        let file = file.into();
        let rules = Rules::read(&file);
        // The built-in agent itself reports mistakes in rules that apply only to it.
        if let Some(fault) = rules.faults().first().filter(|_| rules.names_agents()) {
            return Err(RuleFileError::Rules(fault.clone()).into());
        }
        locked(&self.0.rules).extend(rules.rules().iter().cloned());
        locked(&self.0.files).push(file);
        Ok(self)
    }

    /// Adds the rules of `old`, a file of an older version. They are moved to `file`, and `old` is
    /// kept as a backup. If they cannot be moved, they apply from the old file. Call this before
    /// `file` is read. Blocks.
    ///
    /// # Errors
    /// Returns an error if the old file cannot be read, or if one of its lines is not a rule.
    pub fn and_old_rules_of(self, old: &Path, file: &Path) -> Result<Self, BrokerError> {
        let rules = RuleFile::read_old(old)?;
        if old.exists() && RuleFile::new(file).migrate(old).is_err() {
            locked(&self.0.rules).extend(rules);
        }
        Ok(self)
    }

    /// Also writes every decision from now on to this file, one line of JSON each (see
    /// [`Audited`]). A full file is renamed with the suffix `.1`, so that both files together stay
    /// below about 2 MiB. A thread writes the file. A decision waits for it only briefly, so a file
    /// that cannot be written blocks no session.
    #[must_use]
    pub fn log_to(self, file: impl Into<PathBuf>) -> Self {
        locked(&self.0.audit).log = Some(AuditLog::new(file.into()));
        self
    }

    /// Returns the files of a log made by [`PermissionBroker::log_to`], the older one first. Either
    /// may not exist.
    pub fn log_files(file: &Path) -> [PathBuf; 2] {
        [audit_log::older(file), file.to_owned()]
    }

    /// Waits briefly for pending lines. Returns an error if any decision since the last call could
    /// not be written to the log file.
    pub fn take_log_trouble(&self) -> Option<BrokerError> {
        let log = locked(&self.0.audit).log.clone()?;
        log.take_trouble().map(|source| BrokerError::Log { file: log.file().to_owned(), source })
    }

    /// Remembers a rule from now on. A rule that is not limited to a session is added to the first
    /// file, if there is one. Blocks on disk I/O.
    ///
    /// # Errors
    /// Returns an error if the rule cannot be written. It is then not remembered.
    pub fn remember(&self, mut rule: Rule) -> Result<(), BrokerError> {
        let is_kept = !matches!(rule.scope, RuleScope::Session(_));
        let files = locked(&self.0.files);
        if locked(&self.0.rules).iter().any(|known| known.is_same(&rule)) {
            return Ok(());
        }
        if let (true, Some(file)) = (is_kept, files.first()) {
            RuleFile::new(file).add(&rule)?;
            rule.file = Some(file.display().to_string());
        }
        locked(&self.0.rules).push(rule);
        Ok(())
    }

    /// Removes a rule, and deletes it from its file. Blocks on disk I/O.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written. The rule is then not removed.
    pub fn forget(&self, rule: &Rule) -> Result<(), BrokerError> {
        let files = locked(&self.0.files);
        let kept = locked(&self.0.rules).iter().find(|kept| kept.is_same(rule)).cloned();
        if let Some(name) = kept.and_then(|kept| kept.file) {
            let file = files.iter().find(|file| file.display().to_string() == name);
            let Some(file) = file else {
                let why = "its rules could not be moved to the file of this version";
                let (file, source) = (PathBuf::from(name), io::Error::other(why));
                return Err(RuleFileError::File { file, source }.into());
            };
            RuleFile::new(file).remove(rule)?;
        }
        locked(&self.0.rules).retain(|kept| !kept.is_same(rule));
        Ok(())
    }

    /// Returns the current rules, including those of sessions.
    pub fn rules(&self) -> Vec<Rule> {
        locked(&self.0.rules).clone()
    }

    /// Returns the last 1000 decisions, the oldest first.
    pub fn audit(&self) -> Vec<Audited> {
        locked(&self.0.audit).last.iter().cloned().collect()
    }

    /// Returns the permissions of a session that the agent with this name has in the folder `cwd`.
    /// The rules decide, and `rest` decides about requests without a rule.
    pub fn permissions(
        &self,
        agent: impl Into<String>,
        cwd: impl Into<PathBuf>,
        rest: Permissions,
    ) -> Permissions {
        self.permissions_telling(agent, cwd, rest, |_, _| std::future::ready(()))
    }

    /// Returns the same permissions, but calls `tell` for each request that a rule decides. The
    /// agent gets the answer after the future of `tell` completes, so that a person can see every
    /// decision first.
    pub fn permissions_telling<F, T>(
        &self,
        agent: impl Into<String>,
        cwd: impl Into<PathBuf>,
        rest: Permissions,
        tell: F,
    ) -> Permissions
    where
        F: Fn(PermissionRequest, Rule) -> T + Send + Sync + 'static,
        T: Future<Output = ()> + Send + 'static,
    {
        let (broker, agent, cwd) = (self.clone(), agent.into(), cwd.into());
        let rejecting = (self.clone(), agent.clone(), cwd.clone());
        let inner = rest.clone();
        let rejects = Arc::new(move |request: &PermissionRequest| {
            let (broker, agent, cwd) = &rejecting;
            broker.rejects(request, agent, cwd) || inner.rejects(request)
        });
        // This includes requests that an earlier answer covers, because a denying rule overrides
        // that answer.
        let rest = Permissions::Ask(Arc::new(move |request| {
            let mut open = Open::new(&broker, &agent, &request);
            let rule = broker.rule_for(&request, &agent, &cwd);
            let told = rule.clone().map(|rule| tell(request.clone(), rule));
            let decided = match &rule {
                Some(rule) => Ok(Decision::by_rule(rule)),
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

    /// Whether a rule denies a request of the agent with this name, in a session in this folder.
    /// Blocks on disk I/O if a rule names a path.
    pub fn rejects(&self, request: &PermissionRequest, agent: &str, cwd: &Path) -> bool {
        self.rule_for(request, agent, cwd).is_some_and(|rule| rule.effect == Effect::Deny)
    }

    /// Returns the rule that allows or denies a request of the agent with this name, in a session
    /// in this folder; `None` if the person must be asked. See [`PermissionBroker::decide`].
    pub fn rule_for(&self, request: &PermissionRequest, agent: &str, cwd: &Path) -> Option<Rule> {
        let decision = self.decide(request, agent, cwd);
        match (decision.effect, decision.reason) {
            (Effect::Allow | Effect::Deny, Reason::Rule(rule)) => Some(*rule),
            _ => None,
        }
    }

    /// Returns the decision of the rules about a request of the agent with this name, in a session
    /// in this folder. The rules are the person's and the project's. See
    /// [`AskedCall::decide`](attache_policy::AskedCall::decide). Blocks on disk I/O.
    pub fn decide(
        &self,
        request: &PermissionRequest,
        agent: &str,
        cwd: &Path,
    ) -> attache_policy::Decision {
        let (rules, project) = (self.rules(), self.rules_of_project(cwd));
        let rules = rules.iter().chain(project.rules());
        // No rule allows a subject or content that this version does not know.
        let is_unknown = request.unknown_subject.is_some() || request.shows_unknown_content();
        let no_allowing = project.is_broken() || is_unknown;
        request.asked_call(agent, cwd).decide(rules, no_allowing)
    }

    /// Returns the mistakes in the rules of the project in this folder. While there are any, no
    /// rule allows anything there. Blocks on disk I/O.
    pub fn project_faults(&self, cwd: &Path) -> Vec<RuleFault> {
        self.rules_of_project(cwd).faults().to_vec()
    }

    /// The rules of the project in this folder, as they were first read, so that an agent cannot
    /// remove them.
    fn rules_of_project(&self, cwd: &Path) -> Arc<Rules> {
        let known = locked(&self.0.projects).get(cwd).cloned();
        known.unwrap_or_else(|| {
            let read = Arc::new(Rules::of_project(cwd).unwrap_or_default());
            let mut projects = locked(&self.0.projects);
            if projects.len() >= PROJECTS {
                projects.clear();
            }
            projects.entry(cwd.to_owned()).or_insert(read).clone()
        })
    }

    /// Logs a decision that was not made by [`PermissionBroker::permissions`]. If the request was
    /// withdrawn first, `decision` is `None`.
    pub fn record(
        &self,
        agent: &str,
        request: &PermissionRequest,
        decision: Option<&Decision>,
        by: DecidedBy,
    ) {
        drop(self.keep(agent, request, decision, by));
    }

    /// Logs a decision. The result completes when the log file contains it.
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

/// An undecided question. Dropping it logs it as withdrawn.
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

    /// Logs the decision. Waits briefly until the log file contains it.
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
