//! The decision about a call: the policy decides once, the person is asked if necessary, and the
//! decision is checked again right before the call runs.

use super::approved_call::{Approval, ApprovedCall, Shown};
use super::coverage::Coverage;
use super::files::diffs::Room;
use super::files::file_access::run_reading;
use super::files::step::Step;
use super::prepared::{PrepareError, Prepared};
use super::resolved_paths::ResolvedPaths;
use super::thread::CancelFlag;
use super::tool::{ConcurrentTool, Tool};
use super::tool_result::{CANCELLED, ToolResult};
use super::toolbox::Toolbox;
use crate::session::memory::Record;
use attache_agent::{NewToolCall, Permission, Result};
use attache_policy::{
    Decision, Effect, Judge, Mode, Place, Question, Reason, Rules, Scope, Subject,
};
use attache_protocol::Raw;
use attache_protocol::v1::{ContentBlock, Notice, NoticeSeverity};

impl Toolbox<'_> {
    /// The policy's current decision about a tool's effect.
    pub(super) async fn decision(&self, tool: &dyn Tool) -> Result<Decision> {
        let (name, named) = (tool.name().to_owned(), Coverage::of(&tool.touches()));
        self.judged(move |judge, _| judge.decide(&name, &named.touch())).await
    }

    /// The decision about a call. It covers the places to which the paths in the arguments lead. A
    /// call is also refused if the policy refuses a path as it is written in the arguments.
    pub(super) async fn decide(&self, tool: &dyn Tool) -> Result<Approval> {
        let (tool, named) = (tool.name().to_owned(), Coverage::of(&tool.touches()));
        self.judged(move |judge, _| decide(judge, tool, named)).await
    }

    /// The decision about a call, if the call only reads and may run without a question; otherwise
    /// `None`. If a rule or the mode would allow more than reading, the decision still covers only
    /// reading.
    pub(super) async fn decide_reading(
        &self,
        tool: &dyn ConcurrentTool,
    ) -> Result<Option<Approval>> {
        let (tool, named) = (tool.name().to_owned(), Coverage::of(&tool.touches()));
        self.judged(move |judge, _| {
            let approval = decide(judge, tool, named);
            if approval.decision.effect != Effect::Allow {
                return None;
            }
            if approval.covers.is_reading() {
                return Some(approval);
            }
            let careful = Judge { mode: Mode::Plan, rules: &[], ..*judge };
            let only_reads = approval.decided_now(&careful).effect == Effect::Allow;
            let (effect, reason) = (Effect::Allow, Reason::ReadOnly);
            let decision = Decision { effect, reason, ..approval.decision.clone() };
            only_reads.then_some(Approval { decision, ..approval })
        })
        .await
    }

    /// Prepares a call that the policy has decided about: finds out its effect, shows it, asks the
    /// person if the decision is to ask, and checks again that nothing has changed. The inner error
    /// is the result of a call that may not run.
    pub(super) async fn approved(
        &mut self,
        tool: &dyn Tool,
        call: NewToolCall,
        input: Raw,
        approval: Approval,
    ) -> Result<std::result::Result<ApprovedCall, ToolResult>> {
        if approval.decision.effect == Effect::Deny {
            return self.refused(call.announce().await?, &approval.decision.why()).await.map(Err);
        }
        let prepared = match tool.prepare(self, &approval.paths).await {
            Ok(prepared) => approval.allows(&prepared.steps).map(|()| prepared),
            Err(PrepareError::Call(why)) => Err(why),
            Err(PrepareError::Turn(error)) => return Err(error),
        };
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(why) => {
                let call = located(call, approval.paths.places().iter(), tool.line());
                return self.failed(call.announce().await?, &why).await.map(Err);
            }
        };
        let call = match prepared.steps.as_slice() {
            [] => located(call, approval.paths.places().iter(), tool.line()),
            steps => located(call, steps.iter().flat_map(Step::places), None),
        };
        let call = shown(call, &prepared);
        let mut approved = ApprovedCall { shown: Shown::New(call), input, approval, prepared };
        loop {
            if approved.approval.asks() {
                approved = match self.ask_about(approved).await? {
                    Ok(approved) => approved,
                    Err(refused) => return Ok(Err(refused)),
                };
            }
            // The mode, a rule or the files may have changed since the decision.
            match self.verified(&approved).await? {
                Verified::Holds => return Ok(Ok(approved)),
                Verified::Asks(decision) => approved.approval.decision = decision,
                Verified::Refused(why) => {
                    return self.refused(approved.announce().await?, &why).await.map(Err);
                }
                Verified::Changed(why) => {
                    return self.failed(approved.announce().await?, &why).await.map(Err);
                }
            }
        }
    }

    /// Asks the person about a call, and stores a permanent choice.
    async fn ask_about(
        &mut self,
        approved: ApprovedCall,
    ) -> Result<std::result::Result<ApprovedCall, ToolResult>> {
        let ApprovedCall { shown, input, mut approval, prepared } = approved;
        let mut handle = match shown {
            Shown::New(call) => call.announce().await?,
            Shown::Announced(handle) => handle,
        };
        if let Some(why) = approval.decision.why_it_asks() {
            handle.content(ContentBlock::text(why)).await?;
        }
        let question = self.question(&approval).await?;
        let asked = tokio::select! {
            biased;
            () = handle.cancelled() => None,
            asked = self.turn.ask_permission(&handle, question.options()) => Some(asked?),
        };
        let Some(permission) = asked else {
            return self.failed(handle, CANCELLED).await.map(Err);
        };
        let why = match permission {
            Permission::AllowOnce(_) => None,
            Permission::AllowAlways(id) => {
                if let Some(subject) = question.allow {
                    self.allow(subject, Question::scope(id.as_str())).await?;
                }
                None
            }
            Permission::RejectOnce(_) => Some("it was not allowed".to_owned()),
            Permission::RejectAlways(_) => {
                let why = format!("{} are refused for the rest of this session", question.reject);
                self.choose(question.reject, Effect::Deny).await?;
                Some(why)
            }
            Permission::Unusable(why) => Some(format!("it was not allowed: {why}")),
            _ => Some("it was not allowed".to_owned()),
        };
        if let Some(why) = why {
            return self.refused(handle, &why).await.map(Err);
        }
        approval.by_person = true;
        Ok(Ok(ApprovedCall { shown: Shown::Announced(handle), input, approval, prepared }))
    }

    /// The question about a call.
    async fn question(&self, approval: &Approval) -> Result<Question> {
        let (reason, covers) = (approval.decision.reason.clone(), approval.covers.clone());
        let keeps = self.memory.policy.keeps();
        self.judged(move |judge, _| judge.question(reason, &covers.touch(), keeps)).await
    }

    /// Checks that nothing has changed since the decision: the policy, the places of the paths, and
    /// the files that the call changes.
    async fn verified(&self, approved: &ApprovedCall) -> Result<Verified> {
        let Approval { tool, covers, decision, by_person, .. } = &approved.approval;
        let (tool, covers) = (tool.clone(), covers.clone());
        let now = self.judged(move |judge, _| judge.decide(&tool, &covers.touch())).await?;
        match now.effect {
            Effect::Deny => return Ok(Verified::Refused(now.why())),
            Effect::Ask if !by_person => return Ok(Verified::Asks(now)),
            _ if *by_person && !decision.still_holds(&now) => {
                let why = now.reason;
                return Ok(Verified::Refused(format!(
                    "the approval no longer applies, because {why}: try again"
                )));
            }
            _ if decision.covers != now.covers => {
                let why = "the path of this call now leads to another file: try again";
                return Ok(Verified::Changed(why.to_owned()));
            }
            Effect::Allow | Effect::Ask => {}
        }
        let changed = self.change_since_approval(&approved.prepared.steps).await?;
        Ok(changed.map_or(Verified::Holds, Verified::Changed))
    }

    /// Stores a permanent choice, in the person's file if it applies beyond the session. If the
    /// file cannot be written, the rule applies in the session only, and a notice says so.
    async fn allow(&mut self, subject: Subject, scope: Scope) -> Result<()> {
        if let Some((file, project)) = self.memory.policy.place(scope) {
            let (rule, mut policy) = (subject.clone(), self.memory.policy.clone());
            let added = move |_: &CancelFlag| {
                let added = Rules::add(&file, &rule, project.as_deref());
                policy.read_again();
                (policy, added.map_err(|error| format!("{}: {error}", file.display())))
            };
            let (policy, added) = run_reading(self.turn, added).await?;
            self.memory.policy = policy;
            let Err(why) = added else { return Ok(()) };
            let mut notice = Notice::new(NoticeSeverity::Warning, "The rule was not saved");
            notice.description = Some(format!(
                "It applies in this session only, because it could not be written to {why}"
            ));
            self.turn.notice(notice).await?;
        }
        self.choose(subject, Effect::Allow).await
    }

    /// Stores a choice for the session, in memory and in the session's records.
    async fn choose(&mut self, subject: Subject, effect: Effect) -> Result<()> {
        self.turn.remember(&Record::Rule(subject.clone(), effect)).await?;
        self.memory.policy.remember(subject, effect);
        Ok(())
    }
}

/// The outcome of the check right before a call runs.
enum Verified {
    /// Nothing has changed since the decision.
    Holds,
    /// The policy now says to ask, and the person has not been asked.
    Asks(Decision),
    /// The policy now refuses the call.
    Refused(String),
    /// The files have changed since they were shown.
    Changed(String),
}

/// Adds the files at these places to the call, up to the limits.
fn located<'p>(
    mut call: NewToolCall,
    places: impl Iterator<Item = &'p Place>,
    line: Option<u32>,
) -> NewToolCall {
    let mut length = 0;
    for place in places.take(MAX_LOCATIONS) {
        length += place.absolute.as_os_str().len();
        if length > MAX_LOCATIONS_LENGTH {
            break;
        }
        call = call.location(&place.absolute, line);
    }
    call
}

/// The call, with everything that the person must see.
fn shown(mut call: NewToolCall, prepared: &Prepared) -> NewToolCall {
    let mut room = Room::of_message();
    let steps = prepared.steps.iter().flat_map(|step| room.shown(step)).collect::<Vec<_>>();
    for content in prepared.content.iter().cloned().chain(steps) {
        call = call.content(content);
    }
    match room.left_out() {
        Some(left) => call.content(ContentBlock::text(left)),
        None => call,
    }
}

/// The maximum number of files that one call reports to the client.
const MAX_LOCATIONS: usize = 20;

/// The maximum total length of the names of the files that one call reports, in bytes.
const MAX_LOCATIONS_LENGTH: usize = 8 * 1024;

/// Decides about a call. The policy judges the paths as written in the arguments and, unless it
/// denies those, the resolved paths. For a change, the decision covers only the resolved paths.
fn decide(judge: &Judge<'_>, tool: String, named: Coverage) -> Approval {
    let decision = judge.decide(&tool, &named.touch());
    let paths = ResolvedPaths::of(judge.folders, named.paths());
    let approval = Approval { tool, covers: named, paths, decision, by_person: false };
    if approval.decision.effect == Effect::Deny || approval.paths.places().is_empty() {
        return approval;
    }
    let covers = approval.covers.resolved(approval.paths.places());
    let decision = judge.decide(&approval.tool, &covers.touch());
    Approval { covers, decision, ..approval }
}
