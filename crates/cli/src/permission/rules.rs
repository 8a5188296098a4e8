//! The rules that this client remembers, whatever the agent: where they are, which decides, what
//! each means.

use super::{By, Verdict};
use crate::exit::Failure;
use crate::folder;
use crate::store::Place;
use attache_client::{
    DecidedBy, Effect, HubSession, PermissionBroker, PermissionRequest, PermissionRule, Scope,
};
use attache_protocol::v1::ToolKind;
use std::path::PathBuf;

/// The rules that hold in one session.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    pub(crate) broker: PermissionBroker,
    /// The name of the session's agent.
    pub(crate) agent: String,
    /// The session's folder.
    pub(crate) cwd: PathBuf,
}

/// The file of the rules, if there is a folder for it.
pub(crate) fn file() -> Option<PathBuf> {
    folder::configuration().map(|folder| folder.join("client-permissions.txt"))
}

/// The file of the log; `None` if nothing is kept here, or there is no folder for it.
pub(crate) fn log() -> Option<PathBuf> {
    let kept = Place::of(None).is_ok_and(|place| place != Place::Nowhere);
    kept.then(folder::data).flatten().map(|folder| folder.join("client-permissions.jsonl"))
}

/// The rules as they are now, and the log.
///
/// # Errors
/// The file cannot be read, or a line of it is no rule: then nothing goes on, for it may be one
/// that rejects.
pub(crate) fn open() -> Result<PermissionBroker, Failure> {
    let broker = match file() {
        Some(file) => PermissionBroker::open(file).map_err(Failure::usage)?,
        None => PermissionBroker::in_memory(),
    };
    Ok(match log() {
        Some(log) => broker.log_to(log),
        None => broker,
    })
}

impl Rules {
    /// Those of a session of a hub.
    pub(crate) fn of(broker: &PermissionBroker, session: &HubSession) -> Self {
        let (agent, cwd) = (session.agent().name().to_owned(), session.cwd().to_owned());
        Self { broker: broker.clone(), agent, cwd }
    }

    /// The verdict of the rule about this request, if there is one.
    pub(super) fn verdict(&self, request: &PermissionRequest) -> Option<Verdict> {
        let rule = self.broker.rule_for(request, &self.agent, &self.cwd)?;
        Some(Verdict::by_rule(request, rule))
    }

    /// Keeps in the log what was decided.
    pub(super) fn record(&self, request: &PermissionRequest, verdict: &Verdict) {
        let by = match &verdict.by {
            By::Rule(rule) => DecidedBy::Rule(PermissionRule::clone(rule)),
            By::Person | By::Withdrawn => DecidedBy::Asked,
            By::Yes => DecidedBy::Flag("--yes".to_owned()),
            By::Allow => {
                let kind = request.kind().map(ToolKind::as_str).unwrap_or_default();
                DecidedBy::Flag(format!("--allow {kind}"))
            }
            By::Nobody | By::Tour => DecidedBy::Setting,
        };
        self.broker.record(&self.agent, request, verdict.decision.as_ref(), by);
    }

    /// The narrowest rule about this request of this agent; `None` if too little is known of the
    /// request.
    pub(super) fn about(
        &self,
        request: &PermissionRequest,
        effect: Effect,
        scope: Scope,
    ) -> Option<PermissionRule> {
        let mut rule = PermissionRule::about_in(request, effect, scope, &self.cwd)?;
        rule.agent = Some(self.agent.clone());
        // One that would not cover the call itself, such as for a command in another folder, is not
        // offered.
        rule.is_about(request, &self.agent, &self.cwd).then_some(rule)
    }
}

impl Verdict {
    /// What a rule makes of a request.
    pub(crate) fn by_rule(request: &PermissionRequest, rule: PermissionRule) -> Self {
        let decision = rule.decision();
        let allowed = decision.allows(&request.options);
        Self { decision: Some(decision), allowed, by: By::Rule(Box::new(rule)) }
    }
}

/// What a rule does, in words.
pub(crate) fn meaning(rule: &PermissionRule) -> String {
    let (verb, only) = match rule.effect {
        Effect::Allow => ("allows", "only "),
        Effect::Reject => ("rejects", ""),
    };
    let what = match (&rule.command, &rule.tool) {
        (Some(command), _) => format!("commands that start with `{command}`"),
        (None, Some(tool)) => match tool.strip_suffix('*') {
            Some(start) => format!("tools whose names start with {start}"),
            None => format!("the tool {tool}"),
        },
        (None, None) => "tool calls".to_owned(),
    };
    let what = match &rule.title {
        Some(title) => format!("{what} titled `{title}`"),
        None => what,
    };
    let mut parts = vec![format!("{verb} {what}")];
    parts.extend(rule.text.as_ref().map(|text| format!("that say `{text}`")));
    parts.extend(rule.kind.as_ref().map(|kind| format!("of the kind {}", kind.as_str())));
    parts.extend(rule.path.as_deref().map(|path| format!("{only}on {} and below", path.display())));
    parts.extend(rule.agent.as_ref().map(|agent| format!("of the agent {agent}")));
    parts.push(place(&rule.scope));
    parts.join(", ")
}

/// Where a rule holds, in words.
fn place(scope: &Scope) -> String {
    match scope {
        Scope::Session(_) => "in this session".to_owned(),
        Scope::Project(folder) => format!("in {}", folder.display()),
        Scope::Always => "everywhere".to_owned(),
    }
}
