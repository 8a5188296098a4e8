//! Cancelling a turn in any state (CANCEL-02).

use super::cancel::{begin_hanging, ends_cancelled, hanging};
use super::driven::{ALLOW, cancel, choose, file, held, new_path_in, play_in, shows, unjudged};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, Session, Turn};
use crate::judging::probe::probes;
use crate::judging::verdict::{Outcome, Probed, not_tested, skipped};
use crate::model::acts::{call, fail_with, read, run as run_command, say, write};
use crate::peer::line::Line;
use crate::peer::script::Answer;
use attache_protocol::method::{
    FsReadTextFile, FsWriteTextFile, Method, SessionLoad, SessionRequestPermission, TerminalCreate,
    TerminalOutput, TerminalWaitForExit,
};
use serde_json::Value;
use std::time::Duration;

probes! { Run:
    "CANCEL-02" a_turn_is_cancelled_before_its_first_update;
    "CANCEL-02" a_turn_is_cancelled_while_it_sends_text;
    "CANCEL-02" a_turn_is_cancelled_during_a_permission_request;
    "CANCEL-02" a_turn_is_cancelled_while_it_reads_a_file;
    "CANCEL-02" a_turn_is_cancelled_while_it_writes_a_file;
    "CANCEL-02" a_turn_is_cancelled_while_it_creates_a_terminal;
    "CANCEL-02" a_turn_is_cancelled_while_its_command_runs;
    "CANCEL-02" a_turn_is_cancelled_while_it_retries_its_model;
    "CANCEL-02" a_turn_is_cancelled_after_its_open_session_is_loaded_again;
}

/// How long the client leaves the agent's call open after cancelling the turn.
const OWED: Duration = Duration::from_secs(1);

/// The time limit for an agent to report that its model failed. An agent that takes longer counts
/// as retrying.
const GIVES_UP: Duration = Duration::from_millis(400);

async fn a_turn_is_cancelled_before_its_first_update(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let turn = talk.begin_turn(&session, say("").hang());
    talk.is_still_there().await.map_err(|outcome| unjudged(&outcome))?;
    cancel(talk, &session);
    ends_cancelled(talk, turn).await
}

async fn a_turn_is_cancelled_while_it_sends_text(run: &mut Run) -> Probed {
    let (talk, session, turn) = hanging(run).await?;
    cancel(talk, &session);
    ends_cancelled(talk, turn).await
}

async fn opened(run: &mut Run) -> Probed<(&mut Conversation, Session)> {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    talk.answer::<SessionRequestPermission>(choose(&ALLOW));
    Ok((talk, session))
}

async fn a_turn_is_cancelled_during_a_permission_request(run: &mut Run) -> Probed {
    let path = new_path_in(run, "attache-cancelled.txt")?;
    let (talk, session) = opened(run).await?;
    talk.answer::<SessionRequestPermission>(|_| Answer::Silence);
    let turn = talk.begin_turn(&session, call(write(path, "new\n")).then(say("done")));
    let cancelled = json!({"outcome": {"outcome": "cancelled"}});
    ends_while::<SessionRequestPermission>(talk, &session, turn, cancelled).await
}

async fn a_turn_is_cancelled_while_it_reads_a_file(run: &mut Run) -> Probed {
    let path = file(run, "attache-cancelled.txt", "old\n")?;
    let (talk, session) = opened(run).await?;
    talk.answer::<FsReadTextFile>(|_| Answer::Silence);
    let turn = talk.begin_turn(&session, call(read(path)).then(say("done")));
    ends_while::<FsReadTextFile>(talk, &session, turn, json!({"content": "old\n"})).await
}

async fn a_turn_is_cancelled_while_it_writes_a_file(run: &mut Run) -> Probed {
    let path = new_path_in(run, "attache-cancelled.txt")?;
    let (talk, session) = opened(run).await?;
    talk.answer::<FsWriteTextFile>(|_| Answer::Silence);
    let turn = talk.begin_turn(&session, call(write(path, "new\n")).then(say("done")));
    ends_while::<FsWriteTextFile>(talk, &session, turn, json!({})).await
}

async fn a_turn_is_cancelled_while_it_creates_a_terminal(run: &mut Run) -> Probed {
    let (talk, session) = opened(run).await?;
    talk.answer::<TerminalCreate>(|_| Answer::Silence);
    let turn = talk.begin_turn(&session, call(run_command("echo attache")).then(say("done")));
    // The client answers with an error and creates no terminal, so the agent has none to release.
    ends_while::<TerminalCreate>(talk, &session, turn, Value::Null).await
}

/// The agent may run the command itself or in a terminal of the client.
async fn a_turn_is_cancelled_while_its_command_runs(run: &mut Run) -> Probed {
    let (talk, session) = opened(run).await?;
    talk.answer::<TerminalWaitForExit>(|_| Answer::Silence);
    talk.answer::<TerminalOutput>(|_| Answer::Result(json!({"output": "", "truncated": false})));
    let turn =
        talk.begin_turn(&session, call(run_command("echo attache && sleep 30")).then(say("done")));
    let calls = |line: &Line| line.calls::<TerminalWaitForExit>() || line.calls::<TerminalOutput>();
    let in_terminal =
        talk.peer.wait_for(turn.first, OWED, |line| calls(line) || line.replies_to(&turn.id)).await;
    match in_terminal {
        Ok(line) if line.calls::<TerminalWaitForExit>() => {
            let killed = json!({"exitCode": null, "signal": "SIGKILL"});
            ends_while::<TerminalWaitForExit>(talk, &session, turn, killed).await
        }
        Ok(line) if line.replies_to(&turn.id) => {
            not_tested("the turn ends before its command does")
        }
        _ => {
            if !shows(talk, &turn, &["tool_call", "tool_call_update"]).await? {
                return not_tested("the turn ends before its command does");
            }
            cancel(talk, &session);
            ends_cancelled(talk, turn).await
        }
    }
}

/// Cancels a turn whose model is overloaded while the agent waits to retry.
async fn a_turn_is_cancelled_while_it_retries_its_model(run: &mut Run) -> Probed {
    let (talk, session) = opened(run).await?;
    let turn = talk.begin_turn(&session, fail_with(503));
    if talk.peer.wait_for(turn.first, GIVES_UP, |line| line.replies_to(&turn.id)).await.is_ok() {
        return not_tested("the agent does not retry when its model fails");
    }
    cancel(talk, &session);
    ends_cancelled(talk, turn).await
}

/// Loads a session that is still open, then cancels a turn in it.
async fn a_turn_is_cancelled_after_its_open_session_is_loaded_again(run: &mut Run) -> Probed {
    run.talk().await?.needs("/loadSession")?;
    let folder = run.folder().to_owned();
    let (talk, session) = opened(run).await?;
    play_in(talk, &session, say("attache: before")).await?;
    let params = json!({"sessionId": session.id, "cwd": folder, "mcpServers": []});
    if talk.call::<SessionLoad>(params).await?.result().is_err() {
        return not_tested("the agent does not load an open session");
    }
    let turn = begin_hanging(talk, &session).await?;
    cancel(talk, &session);
    ends_cancelled(talk, turn).await
}

/// Cancels a turn while the agent waits for the client to answer a call of method `M`. The client
/// answers the call after the cancel.
async fn ends_while<M: Method>(
    talk: &mut Conversation,
    session: &Session,
    turn: Turn,
    answer: Value,
) -> Probed {
    let Some(call) = held::<M>(talk, &turn).await? else {
        return skipped(format!("the agent does not use {}", M::ROW.name));
    };
    cancel(talk, session);
    let is_over =
        talk.peer.wait_for(turn.first, OWED, |line| line.replies_to(&turn.id)).await.is_ok();
    if !is_over {
        match answer {
            Value::Null => refuse(talk, &call),
            answer => talk.give(&call, answer),
        }
    }
    let outcome = ends_cancelled(talk, turn).await;
    if is_over {
        // A client must answer every call, even if the turn is over.
        refuse(talk, &call);
    }
    match outcome {
        Err(Outcome::Fail { expected, seen }) => Err(Outcome::Fail {
            expected: format!("{expected}, while {} is open", M::ROW.name),
            seen,
        }),
        other => other,
    }
}

fn refuse(talk: &mut Conversation, call: &Line) {
    let id = call.get("id").cloned().unwrap_or_default();
    talk.refuse(&id, -32800, "the turn is cancelled");
}
