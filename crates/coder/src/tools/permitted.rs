//! Asking a person before something is done, and keeping what they choose for always.

use super::file_access::looking;
use super::{Action, ToolResult, Toolbox, mode, thread};
use crate::memory::Record;
use attache_agent::{Permission, Result, ToolCallHandle};
use attache_policy::{
    Decision, Effect, Judge, Mode, Place, Question, Rules, Scope, Subject, Touch,
};
use attache_protocol::v1::{ContentBlock, Notice, NoticeSeverity};
use std::path::Path;

impl Toolbox<'_> {
    pub(super) fn mode(&self) -> Mode {
        mode(self.memory, self.turn)
    }

    /// Looks at the disk with what the policy says now.
    pub(super) async fn judged<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Judge<'_>, &thread::Wanted) -> T + Send + 'static,
    ) -> Result<T> {
        let (policy, folders) = (self.memory.policy.clone(), self.memory.folders.clone());
        let scratch = self.memory.shell.scratch.folder().map(Path::to_owned);
        let mode = self.mode();
        looking(self.turn, move |wanted| {
            work(&policy.judge(mode, &folders, scratch.as_deref()), wanted)
        })
        .await
    }

    /// What the policy says now; the mode may change while the turn runs (MODE-03).
    pub(super) async fn decide(&self, action: &Action) -> Result<Decision> {
        let action = action.clone();
        self.judged(move |judge, _| judge.decide(action.name(), &action.touches())).await
    }

    /// What the policy says about reading what an action names, and what it led to.
    pub(super) async fn decide_at(&self, action: &Action, place: &Place) -> Result<Decision> {
        let (action, shown) = (action.clone(), place.shown.clone());
        self.judged(move |judge, _| {
            let named = action.path().unwrap_or(".");
            judge.decide(action.name(), &Touch::Reads(vec![named, &shown]))
        })
        .await
    }

    /// The question about an action, if it asks.
    async fn question(&self, verdict: Decision, action: &Action) -> Result<Question> {
        let (action, keeps) = (action.clone(), self.memory.policy.keeps());
        self.judged(move |judge, _| judge.question(verdict.reason, &action.touches(), keeps)).await
    }

    /// Asks about an announced call where the policy wants that; gives the handle back only if the
    /// call may run. What is allowed is this action and no other: whoever calls runs exactly it, on
    /// what was shown.
    pub(super) async fn permitted(
        &mut self,
        handle: ToolCallHandle,
        action: &Action,
    ) -> Result<std::result::Result<ToolCallHandle, ToolResult>> {
        Ok(self.permitted_by(handle, action).await?.map(|(handle, _)| handle))
    }

    /// The same, with the verdict: one that asks if the person allowed it.
    pub(super) async fn permitted_by(
        &mut self,
        mut handle: ToolCallHandle,
        action: &Action,
    ) -> Result<std::result::Result<(ToolCallHandle, Decision), ToolResult>> {
        let verdict = self.decide(action).await?;
        match verdict.effect {
            Effect::Allow => return Ok(Ok((handle, verdict))),
            Effect::Deny => return self.refused(handle, &verdict.why()).await.map(Err),
            Effect::Ask => {}
        }
        if let Some(why) = verdict.why_it_asks() {
            handle.content(ContentBlock::text(why)).await?;
        }
        let question = self.question(verdict.clone(), action).await?;
        let why = match self.turn.ask_permission(&handle, question.options()).await? {
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
        // The mode, a rule or the files may have changed while the question was open.
        let now = self.decide(action).await?;
        match now.effect {
            Effect::Deny => self.refused(handle, &now.why()).await.map(Err),
            _ if verdict.still_holds(&now) => Ok(Ok((handle, verdict))),
            Effect::Allow | Effect::Ask => {
                let why = format!(
                    "the approval was for something else, because now {}: try again",
                    now.reason
                );
                self.refused(handle, &why).await.map(Err)
            }
        }
    }

    /// Keeps what is allowed for always: in the person's file where it is to hold beyond the
    /// session. If that cannot be written it holds in the session, and the person is told.
    async fn allow(&mut self, subject: Subject, scope: Scope) -> Result<()> {
        if let Some((file, project)) = self.memory.policy.place(scope) {
            let (rule, mut policy) = (subject.clone(), self.memory.policy.clone());
            let added = move |_: &thread::Wanted| {
                let added = Rules::add(&file, &rule, project.as_deref());
                policy.read_again();
                (policy, added.map_err(|error| format!("{}: {error}", file.display())))
            };
            let (policy, added) = looking(self.turn, added).await?;
            self.memory.policy = policy;
            let Err(why) = added else { return Ok(()) };
            let mut notice = Notice::new(NoticeSeverity::Warning, "The rule was not kept");
            notice.description = Some(format!(
                "It holds in this session only, for it could not be written to {why}"
            ));
            self.turn.notice(notice).await?;
        }
        self.choose(subject, Effect::Allow).await
    }

    /// Keeps a choice for the session, here and in the store.
    async fn choose(&mut self, subject: Subject, effect: Effect) -> Result<()> {
        self.turn.remember(&Record::Rule(subject.clone(), effect)).await?;
        self.memory.policy.remember(subject, effect);
        Ok(())
    }
}
