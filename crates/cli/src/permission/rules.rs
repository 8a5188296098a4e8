//! The remembered rules of this client: their files, and which of them decides.

use super::verdict::{By, Verdict};
use crate::exit::Failure;
use crate::folder;
use crate::settings::Settings;
use crate::store::Place;
use attache_client::{
    Agents, DecidedBy, Effect, HubSession, PermissionBroker, PermissionRequest, Rule, RuleScope,
};
use attache_protocol::v1::ToolKind;
use std::path::PathBuf;

/// The rules of one session.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    pub(crate) broker: PermissionBroker,
    /// The name of the session's agent.
    pub(crate) agent: String,
    /// The session's folder.
    pub(crate) cwd: PathBuf,
}

/// The rules file of older versions.
const OLD: &str = "client-permissions.txt";

/// Returns the files of the rules; new rules are added to the first one. The usual file applies
/// even if a setting names another one, so that the usual file's deny rules stay in force.
pub(crate) fn files() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        Settings::read().permissions().into_iter().chain(usual_file()).collect();
    files.dedup();
    files
}

fn usual_file() -> Option<PathBuf> {
    folder::configuration().map(|folder| folder.join("permissions.toml"))
}

/// Returns the file of the log; `None` if nothing is stored or the folder is unknown.
pub(crate) fn log() -> Option<PathBuf> {
    let kept = Place::of(None).is_ok_and(|place| place != Place::Nowhere);
    kept.then(folder::data).flatten().map(|folder| folder.join("client-permissions.jsonl"))
}

/// Opens the current rules and the log. Rules of an older version are moved to the usual file.
///
/// # Errors
/// Returns an error if a file or one of its rules cannot be read. The command must then stop,
/// because the unreadable rule may be one that denies.
pub(crate) fn open() -> Result<PermissionBroker, Failure> {
    let mut broker = PermissionBroker::in_memory();
    if let Some(file) = usual_file() {
        let old = file.with_file_name(OLD);
        broker = broker.and_old_rules_of(&old, &file).map_err(Failure::usage)?;
    }
    for file in files() {
        broker = broker.and_rules_of(file).map_err(Failure::usage)?;
    }
    Ok(match log() {
        Some(log) => broker.log_to(log),
        None => broker,
    })
}

impl Rules {
    /// Returns the rules for a session of a hub.
    pub(crate) fn of(broker: &PermissionBroker, session: &HubSession) -> Self {
        let (agent, cwd) = (session.agent().name().to_owned(), session.cwd().to_owned());
        Self { broker: broker.clone(), agent, cwd }
    }

    /// Returns the verdict of the rule that applies to this request, if any.
    pub(super) fn verdict(&self, request: &PermissionRequest) -> Option<Verdict> {
        let rule = self.broker.rule_for(request, &self.agent, &self.cwd)?;
        Some(Verdict::by_rule(request, rule))
    }

    /// Writes the decision to the log.
    pub(super) fn record(&self, request: &PermissionRequest, verdict: &Verdict) {
        let by = match &verdict.by {
            By::Rule(rule) => DecidedBy::Rule(Rule::clone(rule)),
            By::Person | By::Withdrawn => DecidedBy::Asked,
            By::Yes => DecidedBy::Flag("--yes".to_owned()),
            By::Allow => {
                let kind = request.kind().map(ToolKind::as_str).unwrap_or_default();
                DecidedBy::Flag(format!("--allow {kind}"))
            }
            By::NoPerson | By::Tour => DecidedBy::Setting,
        };
        self.broker.record(&self.agent, request, verdict.decision.as_ref(), by);
    }

    /// Returns the narrowest rule that covers this request; `None` if the request says too little.
    pub(super) fn about(
        &self,
        request: &PermissionRequest,
        effect: Effect,
        scope: RuleScope,
    ) -> Option<Rule> {
        let call = request.asked_call(&self.agent, &self.cwd);
        let agents = Agents::only(&self.agent);
        let rule = Rule { agents, ..call.narrowest_rule(effect, scope)? };
        // A rule that does not cover the call itself, for example because the command runs in
        // another folder, is not offered.
        call.is_about(&rule).then_some(rule)
    }
}
