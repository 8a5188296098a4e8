//! Asks a client the open questions of a session.
//!
//! Each client that may answer is asked by its own call. The first accepted answer settles the
//! question in the hub, and the calls to the other clients are then cancelled. A client that fails
//! or cancels is not asked again; the question stays open for the others, and for front ends. When
//! there are none, the question is refused. Otherwise the turn would never end. A client that
//! leaves may come back: its questions stay open.

use super::context::{self, Attached, Context};
use super::elicitation;
use super::unsettled::Unsettled;
use crate::Scope;
use attache_client::{Answer, Decision, PermissionRequest, Question, QuestionAbout, QuestionId};
use attache_connection::Peer;
use attache_protocol::method::{SessionRequestPermission, v2 as methods};
use attache_protocol::v1::{
    PermissionOption, PermissionOptionKind, ProtocolVersion, RequestPermissionOutcome,
    ToolCallContent, ToolCallUpdate,
};
use attache_session::{PermissionQuestion, Session};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};

/// How long after a failure a question is refused at the earliest. A client that is leaving may
/// answer first that it cancels, and a page that lost its connection may be about to come back.
const GRACE: Duration = Duration::from_secs(2);

/// Asks the client every question that it may answer, until the session is closed.
pub(super) async fn run(context: Arc<Context>, attached: Arc<Attached>, peer: Peer) {
    let mut calls = JoinSet::new();
    // The questions that the client is asked now.
    let mut asked: HashMap<QuestionId, AbortHandle> = HashMap::new();
    let own = &attached.participant;
    let (mut active, mut scope) = (own.active(), context.client.scope_changes());
    loop {
        // The watch begins before the questions are read, so that none is missed.
        let watch = attached.session.watch();
        let takes_part = *active.borrow_and_update();
        let may_answer = scope.borrow_and_update().is_some_and(|own| own >= Scope::Answer);
        let open = attached.session.questions();
        let open = if takes_part && may_answer { open } else { Vec::new() };
        let is_open = |id: &QuestionId| open.iter().any(|question| question.id == *id);
        asked.extract_if(|id, _| !is_open(id)).for_each(|(_, call)| call.abort());
        own.retain_unsettled(is_open);
        for question in open {
            let id = question.id;
            if !asked.contains_key(&id) && !own.left_unsettled(id) {
                let call = ask(Arc::clone(&context), Arc::clone(&attached), peer.clone(), question);
                let call = calls.spawn(async move {
                    call.await;
                    id
                });
                asked.insert(id, call);
            }
        }
        tokio::select! {
            more = watch.woken() => if !more { return own.deactivate() },
            () = changed(&mut active) => {}
            () = changed(&mut scope) => {}
            Some(ended) = calls.join_next() => {
                if let Ok(id) = ended {
                    asked.remove(&id);
                }
            }
        }
    }
}

/// Waits for a change. If none can come, this never returns.
async fn changed<T>(receiver: &mut watch::Receiver<T>) {
    if receiver.changed().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Asks one question, and passes the answer on if it settles the question. Dropping the future
/// cancels the call at the client.
async fn ask(context: Arc<Context>, attached: Arc<Attached>, peer: Peer, question: Question) {
    let now = attached.session.snapshot();
    // The client must know the tool call before it is asked about it.
    attached.wait_sent(now.sequence()).await;
    let answer = match &question.about {
        QuestionAbout::Permission(request) => {
            permission(&context, &attached, &peer, &now, request).await
        }
        QuestionAbout::Form(request) => elicitation::form(&attached, &peer, request).await,
        QuestionAbout::Page(request) => {
            elicitation::page(&context, &attached, &peer, (question.id, request)).await
        }
        _ => Err(Unsettled::Unable),
    };
    // Another client may have been faster.
    match answer {
        // The scope may have changed while the client decided.
        Ok(answer) if context.client.may(Scope::Answer) => {
            let _ = attached.session.answer_as(question.id, answer, &context.client.name());
        }
        Ok(_) => {}
        Err(why) => {
            attached.participant.note_unsettled(question.id);
            if why == Unsettled::Unable {
                refuse_if_alone(&context, &attached, question.id).await;
            }
        }
    }
}

/// Waits until no other client is asked the question and no person sees it in a front end or a
/// notification; then refuses it. A front end shows questions itself, so it may fail this call.
/// Ends with the connection or the question.
async fn refuse_if_alone(context: &Context, attached: &Attached, question: QuestionId) {
    let name = context::name(&attached.session);
    let shared = &context.shared;
    loop {
        tokio::time::sleep(GRACE).await;
        if !shared.acp.may_be_settled(&name, question) && !shared.shows_questions() {
            break;
        }
    }
    tracing::warn!(agent = name.agent, "a question is refused: no client can answer it");
    // Another client may have been faster.
    let _ = attached.session.refuse(question);
}

async fn permission(
    context: &Context,
    attached: &Attached,
    peer: &Peer,
    now: &Session,
    request: &PermissionRequest,
) -> Result<Answer, Unsettled> {
    let options = offered(context, request);
    if options.is_empty() {
        return Err(Unsettled::Unable);
    }
    let question = shown(now, request, options.clone());
    let wire = attached.wire.clone();
    let outcome = match peer.version() {
        ProtocolVersion::V2 => {
            let call = peer.call::<methods::SessionRequestPermission>(&question.to_v2(wire));
            call.await?.outcome.into()
        }
        _ => {
            let mut params = question.to_v1(wire, request.id);
            leave_terminals_out(&mut params.tool_call);
            peer.call::<SessionRequestPermission>(&params).await?.outcome
        }
    };
    let RequestPermissionOutcome::Selected(selected) = outcome else {
        return Err(Unsettled::Unable);
    };
    // What the client may choose may have changed while it decided.
    let still = offered(context, request);
    let is = |option: &PermissionOption| option.option_id == selected.option_id;
    match options.iter().any(is) && still.iter().any(is) {
        true => Ok(Answer::Permission(Decision::Choose(selected.option_id))),
        false => Err(Unsettled::Unable),
    }
}

/// Leaves the content of a tool call out if it names terminals: their ids are those of the hub. The
/// client was sent the content before, with its own terminals and the output of others.
fn leave_terminals_out(call: &mut ToolCallUpdate) {
    let is_terminal = |content: &ToolCallContent| matches!(content, ToolCallContent::Terminal(_));
    if call.content.iter().flatten().any(is_terminal) {
        call.content = None;
    }
}

/// The options that the client may choose. A remote client creates no rules, because the agent
/// decides how long those of its options last, and does not approve what only the person at the
/// machine may approve, unless it was granted that.
fn offered(context: &Context, request: &PermissionRequest) -> Vec<PermissionOption> {
    use PermissionOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
    let client = &context.client;
    let may_approve = context.shared.may_allow(client, request);
    let may_remember = !client.is_remote() && client.may(Scope::Control);
    let is_offered = |option: &&PermissionOption| match option.kind {
        AllowOnce => may_approve,
        RejectOnce => true,
        AllowAlways => may_remember && may_approve,
        RejectAlways => may_remember,
        PermissionOptionKind::Unknown(_) => false,
    };
    request.options.iter().filter(is_offered).cloned().collect()
}

/// The question as the agent asked it, or else as the hub asks it, with these options.
fn shown(
    now: &Session,
    request: &PermissionRequest,
    options: Vec<PermissionOption>,
) -> PermissionQuestion {
    match now.open_permissions().find(|permission| permission.id == request.id) {
        Some(permission) => PermissionQuestion { options, ..permission.question.clone() },
        None => PermissionQuestion {
            title: request.question.clone(),
            description: request.description.clone(),
            ..PermissionQuestion::new(request.asked.clone(), options)
        },
    }
}
