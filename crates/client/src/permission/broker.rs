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

/// Of how many folders the rules of projects are kept.
const PROJECTS: usize = 256;

/// How long a decision waits until the log's file has it.
const WRITTEN: Duration = Duration::from_secs(1);

/// Remembers rules and decides by them, ahead of other [`Permissions`]; keeps the last 1000
/// decisions. A front end asks the person, and says which rule to remember. Cheap to clone; clones
/// share everything.
///
/// A rule that denies goes before every rule that asks, and this before every rule that allows. A
/// call that a rule allows is answered with the agent's option that allows once, a call that it
/// denies with the agent's reject option; without a fitting option nothing is approved (see
/// [`Decision`]).
///
/// The rules of projects and those that always hold are kept in a file, which is described with
/// [`attache_policy::Rules`].
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
    /// Never held while a file is used, so that decisions do not wait for the disk.
    rules: Mutex<Vec<Rule>>,
    /// The files of the rules. Held while one of them is changed.
    files: Mutex<Vec<PathBuf>>,
    /// The rules of projects, by folder.
    projects: Mutex<HashMap<PathBuf, Arc<Rules>>>,
    audit: Mutex<Audit>,
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
    /// The file cannot be read, or a rule of it cannot.
    pub fn open(file: impl Into<PathBuf>) -> Result<Self, BrokerError> {
        Self::in_memory().and_rules_of(file)
    }

    /// The same broker with the rules of a further file. New rules are added to the first file.
    /// Blocks.
    ///
    /// # Errors
    /// As [`PermissionBroker::open`].
    pub fn and_rules_of(self, file: impl Into<PathBuf>) -> Result<Self, BrokerError> {
        let file = file.into();
        let rules = Rules::read(&file);
        // The built-in agent itself says what is wrong with rules for it alone.
        if let Some(fault) = rules.faults().first().filter(|_| rules.names_agents()) {
            return Err(RuleFileError::Rules(fault.clone()).into());
        }
        locked(&self.0.rules).extend(rules.rules().iter().cloned());
        locked(&self.0.files).push(file);
        Ok(self)
    }

    /// The same broker with the rules of `old`, a file of an older version. They are moved to
    /// `file`, and `old` stays beside it as a backup. As long as they cannot be moved they count
    /// where they are. Call this before `file` is read. Blocks.
    ///
    /// # Errors
    /// The old file cannot be read, or a line of it is not a rule.
    pub fn and_old_rules_of(self, old: &Path, file: &Path) -> Result<Self, BrokerError> {
        let rules = RuleFile::read_old(old)?;
        if old.exists() && RuleFile::new(file).migrate(old).is_err() {
            locked(&self.0.rules).extend(rules);
        }
        Ok(self)
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

    /// Remembers a rule from now on; one that is not for a session alone is added to the first
    /// file, if there is one. Blocks for the disk.
    ///
    /// # Errors
    /// The rule cannot be written; it is not remembered then.
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

    /// Forgets a rule, here and in its file. Blocks for the disk.
    ///
    /// # Errors
    /// The file cannot be written; the rule stays then.
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

    /// The rules that hold now, those of sessions too.
    pub fn rules(&self) -> Vec<Rule> {
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
        // Also what an earlier answer covers, since a rule that rejects goes before that.
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

    /// Whether a rule rejects a request of the agent with this name, in a session in this folder.
    /// Blocks on the disk if a rule names a path.
    pub fn rejects(&self, request: &PermissionRequest, agent: &str, cwd: &Path) -> bool {
        self.rule_for(request, agent, cwd).is_some_and(|rule| rule.effect == Effect::Deny)
    }

    /// The rule that allows or rejects a request of the agent with this name, in a session in this
    /// folder; `None` if a person is to be asked. See [`PermissionBroker::decide`].
    pub fn rule_for(&self, request: &PermissionRequest, agent: &str, cwd: &Path) -> Option<Rule> {
        let decision = self.decide(request, agent, cwd);
        match (decision.effect, decision.reason) {
            (Effect::Allow | Effect::Deny, Reason::Rule(rule)) => Some(*rule),
            _ => None,
        }
    }

    /// What the rules say about a request of the agent with this name, in a session in this folder:
    /// those of the person, and those that came with the project in the folder. See
    /// [`AskedCall::decide`](attache_policy::AskedCall::decide). Blocks on the disk.
    pub fn decide(
        &self,
        request: &PermissionRequest,
        agent: &str,
        cwd: &Path,
    ) -> attache_policy::Decision {
        let (rules, project) = (self.rules(), self.rules_of_project(cwd));
        let rules = rules.iter().chain(project.rules());
        request.asked_call(agent, cwd).decide(rules, project.is_broken())
    }

    /// What is wrong with the rules that came with the project in this folder. As long as there is
    /// something, no rule allows anything there. Blocks on the disk.
    pub fn project_faults(&self, cwd: &Path) -> Vec<RuleFault> {
        self.rules_of_project(cwd).faults().to_vec()
    }

    /// The rules that came with the project in this folder, as they were when they were first
    /// looked at: an agent cannot remove them.
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

    /// Logs a decision that was not made by [`PermissionBroker::permissions`]; `None`
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
