//! Answers to the questions of agents.

use super::caller::Caller;
use super::messages::{AnswerQuestion, QuestionAnswer};
use super::reply::Reply;
use super::{form_values, refusal};
use crate::Scope;
use attache_client::{
    Answer, Decision, FormReply, FormRequest, HubAgent, HubSession, PermissionRequest, Question,
    QuestionAbout, QuestionId, Rule, UrlReply,
};
use attache_connection::Peer;
use attache_protocol::Error;
use attache_protocol::v1::PermissionOptionKind;
use attache_view::{
    Choice, ChoiceAction, PermissionAnswer, PermissionView, QuestionBody, QuestionView, RuleReach,
    rule_about,
};
use std::path::PathBuf;
use std::sync::Arc;

/// Answers a question as it was shown. If it is not accepted, the question stays open.
pub(super) async fn answer(
    caller: Arc<Caller>,
    _peer: Peer,
    params: AnswerQuestion,
) -> Result<Reply, Error> {
    let asked = Asked::find(&caller, &params)?;
    match (&asked.question.about, &asked.view.about) {
        (QuestionAbout::Permission(request), QuestionBody::Permission(view)) => {
            let (choice, rule, why) = chosen(&params.answer)?;
            let choice = choice_at(&view.choices, choice)?;
            let answer = PermissionAnswer::of(&choice.action, rule, &request.options);
            let answer = answer.ok_or_else(|| {
                refusal::wrong("the field `answer.rule` is not the index of an offered rule")
            })?;
            check_permission(&caller, &answer, view, request)?;
            asked.decide(&caller, request, answer, why).await?;
        }
        (QuestionAbout::Form(request), QuestionBody::Form(view)) => {
            asked
                .give(&caller, Answer::Form(form_reply(request, &view.choices, &params.answer)?))?;
        }
        (QuestionAbout::Page(_), QuestionBody::Page(view)) => {
            let (choice, ..) = chosen(&params.answer)?;
            let reply = match choice_at(&view.choices, choice)?.action {
                ChoiceAction::Accept => UrlReply::Accept,
                ChoiceAction::Decline => UrlReply::Decline,
                _ => UrlReply::Cancel,
            };
            asked.give(&caller, Answer::Page(reply))?;
        }
        _ => {
            let what = "this version does not know this kind of question: answer it elsewhere";
            return Err(refusal::wrong(what));
        }
    }
    Reply::done()
}

/// Returns the index of the choice, the index of its rule, and the reason.
fn chosen(answer: &QuestionAnswer) -> Result<(usize, usize, Option<&str>), Error> {
    match answer {
        QuestionAnswer::Choose { choice, rule, why } => {
            let why = why.as_deref().map(str::trim).filter(|why| !why.is_empty());
            Ok((*choice, rule.unwrap_or_default(), why))
        }
        QuestionAnswer::Fill { .. } => {
            Err(refusal::wrong("only a form is filled in: the field `answer.type` must be choose"))
        }
    }
}

fn choice_at(choices: &[Choice], index: usize) -> Result<&Choice, Error> {
    choices.get(index).ok_or_else(|| {
        let count = choices.len();
        refusal::wrong(format!("the field `answer.choice` is {index}, and there are {count}"))
    })
}

fn form_reply(
    request: &FormRequest,
    choices: &[Choice],
    answer: &QuestionAnswer,
) -> Result<FormReply, Error> {
    if let QuestionAnswer::Fill { values } = answer {
        return Ok(FormReply::Accept(form_values::read(&request.form, values)?));
    }
    match choice_at(choices, chosen(answer)?.0)?.action {
        ChoiceAction::Decline => Ok(FormReply::Decline),
        ChoiceAction::Cancel => Ok(FormReply::Cancel),
        _ => Err(refusal::wrong("the form is sent with its values: use the type `fill`")),
    }
}

/// Checks that the client may give this answer. Devices cannot make rules beyond the session, and
/// cannot approve what only the person at the machine may approve, unless they were granted that.
fn check_permission(
    caller: &Caller,
    answer: &PermissionAnswer,
    view: &PermissionView,
    request: &PermissionRequest,
) -> Result<(), Error> {
    if !caller.client.is_remote() {
        return Ok(());
    }
    let is_protected = view.protected.is_some();
    if is_protected && answer.may_allow() && !caller.shared.may_allow(&caller.client, request) {
        return Err(refusal::only_local("only the person can allow this, because it is protected"));
    }
    let lasts = match answer {
        PermissionAnswer::Remember(_, RuleReach::Session) => is_protected && answer.may_allow(),
        PermissionAnswer::Remember(..) => true,
        PermissionAnswer::Decide(Decision::Choose(id)) => {
            let option = request.options.iter().find(|option| option.option_id == *id);
            option.is_none_or(|option| {
                !matches!(
                    option.kind,
                    PermissionOptionKind::AllowOnce | PermissionOptionKind::RejectOnce
                )
            })
        }
        PermissionAnswer::Decide(_) | PermissionAnswer::SayWhy => false,
    };
    match lasts {
        true if is_protected => {
            Err(refusal::only_local("the answer holds for more than this call"))
        }
        true => Err(refusal::only_local("the answer may hold beyond this session")),
        false => Ok(()),
    }
}

/// A question that a client answers.
struct Asked {
    agent: HubAgent,
    /// `None` if the question belongs to no session.
    session: Option<HubSession>,
    question: Question,
    /// The question as clients saw it.
    view: Arc<QuestionView>,
}

impl Asked {
    fn find(caller: &Caller, params: &AnswerQuestion) -> Result<Self, Error> {
        let live = &caller.shared.live;
        let gone = || {
            refusal::wrong(format!(
                "the question {} (field `question`) is not open, or no client was shown it: it \
                 was answered or withdrawn, or its session must be watched first",
                params.question
            ))
        };
        let agent = caller.agent(&params.agent)?;
        let Some(id) = &params.session_id else {
            let view = live.agent_questions.shown(&agent, params.question).ok_or_else(gone)?;
            let mut open = agent.questions().into_iter();
            let question = open.find(|it| it.id == QuestionId(params.question));
            let question = question.ok_or_else(gone)?;
            return Ok(Self { agent, session: None, question, view });
        };
        let session = caller.session(&params.agent, id)?;
        let shown = live.known(&session).and_then(|live| live.shown(params.question));
        let (view, question) = shown.ok_or_else(gone)?;
        Ok(Self { agent, session: Some(session), question, view })
    }

    /// Answers the agent, in the name of a client.
    fn give(&self, caller: &Caller, answer: Answer) -> Result<(), Error> {
        let (id, by) = (self.question.id, caller.client.name());
        let given = match &self.session {
            Some(session) => session.answer_as(id, answer, &by),
            None => self.agent.answer_as(id, answer, &by),
        };
        given.map_err(|error| refusal::wrong(error.to_string()))
    }

    /// Decides about a permission, in the name of the client.
    async fn decide(
        &self,
        caller: &Arc<Caller>,
        request: &PermissionRequest,
        answer: PermissionAnswer,
        why: Option<&str>,
    ) -> Result<(), Error> {
        if why.is_some() {
            caller.needs(Scope::Control, "telling the agent why (field `answer.why`)")?;
        }
        let (decision, rule) = match answer {
            PermissionAnswer::Decide(decision) => (decision, None),
            PermissionAnswer::SayWhy => (Decision::Reject, None),
            PermissionAnswer::Remember(effect, reach) => {
                let rule = self.rule(request, effect, reach).await?;
                (Decision::by_rule(&rule), Some(rule))
            }
        };
        // The permissions of the session log the decision, with the client's name.
        self.give(caller, Answer::Permission(decision))?;
        if let Some(rule) = rule {
            let rules = caller.shared.services.rules();
            let remembering = tokio::task::spawn_blocking(move || rules.remember(rule));
            let remembered = remembering.await.map_err(|error| refusal::failed(&error))?;
            remembered.map_err(|error| {
                let what = "the rule was not remembered, so the decision applies only once";
                refusal::failed(&format!("{what}: {error}"))
            })?;
        }
        if let (Some(why), Some(session)) = (why, &self.session) {
            // The turn ends, and the reason is the next prompt.
            let id = session.send(why).map_err(|error| refusal::failed(&error))?;
            session.send_now(id);
        }
        Ok(())
    }

    /// Returns the rule with this effect and reach.
    async fn rule(
        &self,
        request: &PermissionRequest,
        effect: attache_client::Effect,
        reach: RuleReach,
    ) -> Result<Rule, Error> {
        let cwd = self.session.as_ref().map_or_else(PathBuf::new, |it| it.cwd().to_owned());
        let (request, agent) = (request.clone(), self.agent.name().to_owned());
        let making =
            tokio::task::spawn_blocking(move || rule_about(&request, &agent, &cwd, effect, reach));
        let rule = making.await.map_err(|error| refusal::failed(&error))?;
        rule.ok_or_else(|| refusal::wrong("no rule covers exactly this call: nothing was decided"))
    }
}
