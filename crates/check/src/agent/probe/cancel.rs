//! Cancelling a turn or a request (CANCEL), and ending a turn by closing its session (SESS-23,
//! SESS-25). `cancel_state` cancels turns in different states.

use super::driven::{
    ALLOW, OLD, cancel, chosen, file, held, is_written_over, play_in, shows, unjudged, write_over,
};
use super::request::is_ignored;
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, Session, Turn, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested, skipped};
use crate::model::acts::say;
use crate::peer::line::Line;
use crate::peer::script::Answer;
use attache_protocol::method::{
    CancelRequest, FsWriteTextFile, Method, SessionCancel, SessionClose, SessionNew, SessionPrompt,
    SessionRequestPermission, SessionUpdateNotification,
};
use serde_json::Value;
use std::time::Duration;

probes! { Run:
    "CANCEL-03" a_cancel_ends_the_turn_promptly;
    "CANCEL-04" no_update_follows_the_reply_to_the_prompt;
    "CANCEL-08" a_cancel_without_a_turn_is_ignored;
    "CANCEL-09" a_late_cancel_has_no_effect;
    "CANCEL-10" a_cancel_affects_one_session;
    "CANCEL-11" a_cancel_may_be_repeated;
    "CANCEL-14" a_cancelled_request_gets_one_reply;
    "CANCEL-16" a_cancel_of_an_unknown_request_is_ignored;
    "CANCEL-17" a_cancel_of_an_answered_request_has_no_effect;
    "CANCEL-20" a_cancelled_prompt_is_answered_with_cancelled;
    "CANCEL-22" the_requests_of_a_cancelled_turn_are_withdrawn;
    "CANCEL-23" a_permission_after_a_cancel_has_no_effect;
    "CANCEL-24" request_ids_are_compared_with_their_type;
    "SESS-23" closing_a_session_cancels_its_turn;
    "SESS-25" every_message_of_a_session_comes_before_the_reply_to_close;
}

/// The time limit for an immediate reply.
const SOON: Duration = Duration::from_secs(5);

/// The time limit for the reply to a `$/cancel_request`, which the agent may ignore.
const MAY_IGNORE: Duration = Duration::from_secs(3);

const IGNORED: &str = "the agent ignores $/cancel_request, which is allowed (CANCEL-13)";

/// Begins a turn that sends a text and then hangs, because its model never finishes.
pub(super) async fn hanging(run: &mut Run) -> Probed<(&mut Conversation, Session, Turn)> {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let turn = begin_hanging(talk, &session).await?;
    Ok((talk, session, turn))
}

/// Like [`hanging`], but in this session.
pub(super) async fn begin_hanging(talk: &mut Conversation, session: &Session) -> Probed<Turn> {
    let turn = talk.begin_turn(session, say("attache waits").hang());
    // Some agents send nothing before the model's answer is complete, so it is no error if no chunk
    // arrives.
    let _ = shows(talk, &turn, &["agent_message_chunk"]).await;
    let ends = turn.end();
    if talk.heard(turn.first).any(|line| ends.is(line)) {
        return not_tested("the turn ended before its model finished");
    }
    Ok(turn)
}

/// Checks that the turn ends with the stop reason `cancelled`.
pub(super) async fn ends_cancelled(talk: &mut Conversation, turn: Turn) -> Probed {
    let reason = talk.finish(turn).await?.stop_reason()?;
    expect(reason == "cancelled", "stopReason cancelled", format!("stopReason {reason}"))
}

/// Checks that the turn ends, for any reason.
async fn ends(talk: &mut Conversation, turn: Turn) -> Probed {
    talk.finish(turn).await.map(|_| ()).map_err(|outcome| unjudged(&outcome))
}

/// Checks that a turn of this session works as usual.
async fn next_turn_runs(talk: &mut Conversation, session: &Session) -> Probed {
    let reason = talk.play(session, say("attache: next")).await?.stop_reason()?;
    expect(reason != "cancelled", "the next turn runs", "its stopReason is cancelled")
}

async fn a_cancel_ends_the_turn_promptly(run: &mut Run) -> Probed {
    let (talk, session, turn) = hanging(run).await?;
    let first = talk.now();
    cancel(talk, &session);
    let asked = talk.peer.lines().get(first).map(|line| line.at).unwrap_or_default();
    let answers = |line: &Line| line.replies_to(&turn.id);
    let reply = talk
        .hear(first, "the end of the turn", answers)
        .await
        .map_err(|outcome| unjudged(&outcome))?;
    let after = reply.at.saturating_sub(asked);
    expect(
        after <= SOON,
        format!("the end of the turn within {} s", SOON.as_secs()),
        format!("it took {:.1} s", after.as_secs_f64()),
    )
}

async fn no_update_follows_the_reply_to_the_prompt(run: &mut Run) -> Probed {
    let (talk, session, turn) = hanging(run).await?;
    cancel(talk, &session);
    ends(talk, turn).await?;
    let first = talk.now();
    talk.is_still_there().await.map_err(|outcome| unjudged(&outcome))?;
    match updates(talk, first, &session).find(|kind| OF_A_TURN.contains(&kind.as_str())) {
        Some(kind) => {
            fail("no update of the turn after the reply to its prompt", format!("{kind} after it"))
        }
        None => Ok(()),
    }
}

const OF_A_TURN: [&str; 4] =
    ["agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update"];

/// Returns the kinds of a session's updates after line `first`.
fn updates(talk: &Conversation, first: usize, session: &Session) -> impl Iterator<Item = String> {
    let params = talk
        .heard(first)
        .filter(|line| line.calls::<SessionUpdateNotification>())
        .filter_map(|line| line.get("params"));
    params
        .filter(|params| params.get("sessionId") == Some(&session.id))
        .filter_map(|params| Some(params.pointer("/update/sessionUpdate")?.as_str()?.to_owned()))
}

async fn a_cancel_without_a_turn_is_ignored(run: &mut Run) -> Probed {
    is_ignored(run, SessionCancel::ROW.name, json!({"sessionId": "attache-no-such-session"}))
        .await?;
    run.answers_prompts().await?;
    let words = run.words();
    let (talk, session) = run.session().await?;
    let first = talk.now();
    cancel(talk, &session);
    talk.is_ignored(first).await?;
    let reply =
        talk.call::<SessionPrompt>(json!({"sessionId": session.id, "prompt": words})).await?;
    let Ok(result) = reply.result() else { return not_tested("the agent cannot run a turn here") };
    let reason = result.get("stopReason").cloned().unwrap_or_default();
    expect(reason != "cancelled", "the next turn runs", "its stopReason is cancelled")
}

async fn a_late_cancel_has_no_effect(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    play_in(talk, &session, say("attache: soon over")).await?;
    let first = talk.now();
    cancel(talk, &session);
    talk.is_ignored(first).await?;
    next_turn_runs(talk, &session).await
}

async fn a_cancel_affects_one_session(run: &mut Run) -> Probed {
    let folder = run.folder().to_owned();
    let (talk, session, turn) = hanging(run).await?;
    let other = talk.open(&folder).await?;
    let other_turn = begin_hanging(talk, &other).await?;
    let first = talk.now();
    cancel(talk, &session);
    ends(talk, turn).await?;
    talk.is_still_there().await.map_err(|outcome| unjudged(&outcome))?;
    let is_over = talk.heard(first).any(|line| line.replies_to(&other_turn.id));
    cancel(talk, &other);
    ends(talk, other_turn).await?;
    expect(!is_over, "the turn of the other session continues", "it is answered")
}

async fn a_cancel_may_be_repeated(run: &mut Run) -> Probed {
    let (talk, session, turn) = hanging(run).await?;
    for _ in 0..3 {
        cancel(talk, &session);
    }
    let (first, id) = (turn.first, turn.id.clone());
    ends(talk, turn).await?;
    talk.is_still_there().await?;
    let replies = talk.heard(first).filter(|line| line.replies_to(&id)).count();
    expect(replies == 1, "one reply to the prompt", format!("{replies} replies"))?;
    next_turn_runs(talk, &session).await
}

/// Cancels the prompt of a hanging turn and returns the replies to it. Skips agents that ignore
/// `$/cancel_request`.
async fn with_request_cancelled(run: &mut Run) -> Probed<Vec<Line>> {
    if run.ignores_cancelled_requests {
        return skipped(IGNORED);
    }
    let (talk, session, turn) = hanging(run).await?;
    talk.notify(CancelRequest::ROW.name, json!({"requestId": turn.id}));
    let answers = |line: &Line| line.replies_to(&turn.id);
    let answer = talk.peer.wait_for(turn.first, MAY_IGNORE, answers).await;
    let is_ignored = answer.is_err();
    if is_ignored {
        cancel(talk, &session);
        ends(talk, turn).await?;
        run.ignores_cancelled_requests = true;
        return skipped(IGNORED);
    }
    talk.is_still_there().await.map_err(|outcome| unjudged(&outcome))?;
    Ok(talk.heard(turn.first).filter(|line| line.replies_to(&turn.id)).cloned().collect())
}

const CANCELLED: i64 = -32800;

async fn a_cancelled_request_gets_one_reply(run: &mut Run) -> Probed {
    let replies = with_request_cancelled(run).await?;
    expect(replies.len() == 1, "one reply", format!("{} replies", replies.len()))?;
    let is_right =
        |line: &Line| line.get("result").is_some() || line.error_code() == Some(CANCELLED);
    match replies.iter().find(|line| !is_right(line)) {
        Some(line) => fail("a result or error -32800", quoted(&line.text)),
        None => Ok(()),
    }
}

async fn a_cancelled_prompt_is_answered_with_cancelled(run: &mut Run) -> Probed {
    let replies = with_request_cancelled(run).await?;
    let is_right = |line: &Line| {
        let reason = line.get("result").and_then(|result| result.get("stopReason"));
        reason.is_some_and(|reason| reason == "cancelled") || line.error_code() == Some(CANCELLED)
    };
    match replies.iter().find(|line| !is_right(line)) {
        Some(line) => fail("stopReason cancelled or error -32800", quoted(&line.text)),
        None => Ok(()),
    }
}

async fn a_cancel_of_an_unknown_request_is_ignored(run: &mut Run) -> Probed {
    is_ignored(run, CancelRequest::ROW.name, json!({"requestId": 990_099})).await?;
    is_ignored(run, CancelRequest::ROW.name, json!({"requestId": "990099"})).await
}

async fn a_cancel_of_an_answered_request_has_no_effect(run: &mut Run) -> Probed {
    let folder = run.folder().to_owned();
    let (talk, _) = run.session().await?;
    let first = talk.now();
    let id = talk.begin(SessionNew::ROW.name, json!({"cwd": folder, "mcpServers": []}));
    let answers = |line: &Line| line.replies_to(&id);
    talk.hear(first, "a new session", answers).await.map_err(|outcome| unjudged(&outcome))?;
    let first = talk.now();
    talk.notify(CancelRequest::ROW.name, json!({"requestId": id}));
    talk.is_ignored(first).await
}

/// The rule is not tested if the agent waits for the client's answer instead of withdrawing its
/// request: CANCEL-05 allows both.
async fn the_requests_of_a_cancelled_turn_are_withdrawn(run: &mut Run) -> Probed {
    let path = file(run, "attache-asked.txt", OLD)?;
    let (talk, session, turn, asked) = asking(run, &path).await?;
    let first = talk.now();
    cancel(talk, &session);
    let id = asked.get("id").cloned().unwrap_or_default();
    let withdraws = |line: &Line| line.calls::<CancelRequest>() || line.replies_to(&turn.id);
    let _ = talk.peer.wait_for(first, MAY_IGNORE, withdraws).await;
    talk.give(&asked, json!({"outcome": {"outcome": "cancelled"}}));
    ends(talk, turn).await?;
    let withdrawn = talk
        .heard(first)
        .filter(|line| line.calls::<CancelRequest>())
        .filter_map(|line| line.get("params")?.get("requestId"));
    let withdrawn: Vec<Value> = withdrawn.cloned().collect();
    if withdrawn.is_empty() {
        return not_tested("the agent waits for the answer instead of withdrawing its request");
    }
    expect(
        withdrawn == [id.clone()],
        format!("the request {id} withdrawn"),
        format!("withdrawn: {}", json!(withdrawn)),
    )
}

/// Begins a turn that waits for permission to write this file.
async fn asking<'r>(
    run: &'r mut Run,
    path: &std::path::Path,
) -> Probed<(&'r mut Conversation, Session, Turn, Line)> {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    talk.answer::<SessionRequestPermission>(|_| Answer::Silence);
    let turn = talk.begin_turn(&session, write_over(path, "new\n").then(say("done")));
    match held::<SessionRequestPermission>(talk, &turn).await? {
        Some(asked) => Ok((talk, session, turn, asked)),
        None => skipped("the agent does not ask before it writes"),
    }
}

async fn a_permission_after_a_cancel_has_no_effect(run: &mut Run) -> Probed {
    let path = file(run, "attache-late.txt", OLD)?;
    let (talk, session, turn, asked) = asking(run, &path).await?;
    let first = talk.now();
    cancel(talk, &session);
    let late = chosen(asked.get("params").unwrap_or(&Value::Null), &ALLOW);
    talk.give(&asked, late);
    ends(talk, turn).await?;
    talk.is_still_there().await.map_err(|outcome| unjudged(&outcome))?;
    let is_written =
        is_written_over(&path) || talk.heard(first).any(|line| line.calls::<FsWriteTextFile>());
    expect(
        !is_written,
        "a permission that arrives after the cancel has no effect",
        "the file is written",
    )
}

async fn request_ids_are_compared_with_their_type(run: &mut Run) -> Probed {
    if run.ignores_cancelled_requests {
        return skipped(IGNORED);
    }
    let (talk, session, turn) = hanging(run).await?;
    let first = talk.now();
    talk.notify(CancelRequest::ROW.name, json!({"requestId": turn.id.to_string()}));
    talk.is_still_there().await.map_err(|outcome| unjudged(&outcome))?;
    let is_over = talk.heard(first).any(|line| line.replies_to(&turn.id));
    talk.notify(CancelRequest::ROW.name, json!({"requestId": turn.id}));
    let answers = |line: &Line| line.replies_to(&turn.id);
    let is_heard = talk.peer.wait_for(first, MAY_IGNORE, answers).await.is_ok();
    if !is_heard {
        cancel(talk, &session);
    }
    let id = turn.id.clone();
    ends(talk, turn).await?;
    expect(
        !is_over,
        format!("the request {id} continues when {:?} is cancelled", id.to_string()),
        "it is answered",
    )?;
    if is_heard { Ok(()) } else { skipped(IGNORED) }
}

const CLOSE: &str = "/sessionCapabilities/close";

async fn closing_a_session_cancels_its_turn(run: &mut Run) -> Probed {
    run.talk().await?.needs(CLOSE)?;
    let (talk, session, turn) = hanging(run).await?;
    talk.call::<SessionClose>(json!({"sessionId": session.id})).await?.result()?;
    ends_cancelled(talk, turn).await
}

async fn every_message_of_a_session_comes_before_the_reply_to_close(run: &mut Run) -> Probed {
    run.talk().await?.needs(CLOSE)?;
    let (talk, session, turn) = hanging(run).await?;
    let id = talk.begin(SessionClose::ROW.name, json!({"sessionId": session.id}));
    let answers = |line: &Line| line.replies_to(&id);
    let closed = talk
        .hear(turn.first, "the session is closed", answers)
        .await
        .map_err(|outcome| unjudged(&outcome))?;
    talk.is_still_there().await.map_err(|outcome| unjudged(&outcome))?;
    let is_of_session = |line: &&Line| {
        let session_of = line.get("params").and_then(|params| params.get("sessionId"));
        line.number > closed.number
            && (line.replies_to(&turn.id) || session_of == Some(&session.id))
    };
    match talk.heard(turn.first).find(is_of_session) {
        Some(line) => {
            fail("no message of the session after the reply to session/close", quoted(&line.text))
        }
        None => Ok(()),
    }
}
