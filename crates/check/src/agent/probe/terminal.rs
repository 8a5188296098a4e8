//! Terminals of the client (TERM), and replies about them that lack a result or an exit status
//! (DEC-14, DEC-15).

use super::driven::{ALLOW, cancel, choose, count, held, tool_calls, unjudged};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, Played, Session, Turn};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested, skipped};
use crate::model::acts::{Acts, call, run as run_command, say};
use crate::peer::line::Line;
use crate::peer::script::Answer;
use attache_protocol::method::{
    SessionRequestPermission, TerminalCreate, TerminalKill, TerminalOutput, TerminalRelease,
    TerminalWaitForExit,
};
use serde_json::Value;

probes! { Run:
    "TERM-10" a_terminal_is_released_after_its_command;
    "TERM-10" a_terminal_of_a_cancelled_turn_is_released;
    "TERM-10" a_terminal_created_after_a_cancel_is_released;
    "TERM-16" an_impossible_exit_code_is_not_success;
    "DEC-14" null_is_an_empty_result;
    "DEC-15" a_missing_exit_status_is_not_success;
}

const NO_TERMINALS: &str = "the agent does not use the client's terminals";

fn acts() -> Acts {
    call(run_command("echo attache")).then(say("done"))
}

/// Opens a session in which every permission request is granted.
async fn opened(run: &mut Run) -> Probed<(&mut Conversation, Session)> {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    talk.answer::<SessionRequestPermission>(choose(&ALLOW));
    Ok((talk, session))
}

async fn a_terminal_is_released_after_its_command(run: &mut Run) -> Probed {
    let (talk, session) = opened(run).await?;
    let first = talk.now();
    let turn = talk.begin_turn(&session, acts());
    let played = talk.finish(turn).await.map_err(|outcome| unjudged(&outcome))?;
    played.had_its_tools()?;
    if count::<TerminalCreate>(talk, first) == 0 {
        return skipped(NO_TERMINALS);
    }
    is_released(talk, first).await
}

/// Checks that every terminal created after line `first` is released, at the latest shortly after
/// the end of the turn.
async fn is_released(talk: &mut Conversation, first: usize) -> Probed {
    let made: Vec<Value> = talk
        .given::<TerminalCreate>(first)
        .filter_map(|result| result.get("terminalId").cloned())
        .collect();
    for id in made {
        let releases = |line: &Line| {
            line.calls::<TerminalRelease>()
                && line.get("params").and_then(|params| params.get("terminalId")) == Some(&id)
        };
        if talk.peer.wait_for(first, talk.patience, releases).await.is_err() {
            return fail(
                format!("a terminal/release of {id}"),
                "no release after the end of the turn",
            );
        }
    }
    Ok(())
}

async fn a_terminal_of_a_cancelled_turn_is_released(run: &mut Run) -> Probed {
    let (talk, session) = opened(run).await?;
    talk.answer::<TerminalWaitForExit>(|_| Answer::Silence);
    talk.answer::<TerminalOutput>(|_| Answer::Result(json!({"output": "", "truncated": false})));
    let turn = talk.begin_turn(&session, acts());
    let first = turn.first;
    let made = |line: &Line| {
        line.calls::<TerminalWaitForExit>()
            || line.calls::<TerminalOutput>()
            || line.replies_to(&turn.id)
    };
    let runs = talk.hear(first, "a terminal", made).await.map_err(|outcome| unjudged(&outcome))?;
    if runs.replies_to(&turn.id) {
        return skipped(NO_TERMINALS);
    }
    cancel(talk, &session);
    end_command(talk, &turn, &runs).await;
    talk.finish(turn).await.map_err(|outcome| unjudged(&outcome))?;
    is_released(talk, first).await
}

/// Waits until the agent kills or releases the terminal, then answers the call that waits for the
/// exit.
async fn end_command(talk: &mut Conversation, turn: &Turn, waits: &Line) {
    let ended = |line: &Line| {
        line.calls::<TerminalKill>() || line.calls::<TerminalRelease>() || line.replies_to(&turn.id)
    };
    // If the agent neither kills nor releases the terminal in time, the command ends anyway.
    let _ = talk.peer.wait_for(turn.first, talk.patience, ended).await;
    if waits.calls::<TerminalWaitForExit>() {
        talk.give(waits, json!({"exitCode": null, "signal": "SIGKILL"}));
    }
}

async fn a_terminal_created_after_a_cancel_is_released(run: &mut Run) -> Probed {
    let (talk, session) = opened(run).await?;
    talk.answer::<TerminalCreate>(|_| Answer::Silence);
    for_any_terminal(talk);
    let turn = talk.begin_turn(&session, acts());
    let first = turn.first;
    let Some(create) = held::<TerminalCreate>(talk, &turn).await? else {
        return skipped(NO_TERMINALS);
    };
    cancel(talk, &session);
    talk.is_still_there().await.map_err(|outcome| unjudged(&outcome))?;
    talk.give(&create, json!({"terminalId": LATE}));
    talk.finish(turn).await.map_err(|outcome| unjudged(&outcome))?;
    is_released(talk, first).await
}

/// The id of a terminal that the judge creates itself.
const LATE: &str = "attache-late-terminal";

/// Answers the calls about terminals, whatever their ids.
fn for_any_terminal(talk: &mut Conversation) {
    talk.answer::<TerminalOutput>(|_| {
        Answer::Result(json!({"output": "", "truncated": false, "exitStatus": {"exitCode": 0}}))
    });
    talk.answer::<TerminalWaitForExit>(|_| Answer::Result(json!({"exitCode": 0})));
    talk.answer::<TerminalKill>(|_| Answer::Result(json!({})));
    talk.answer::<TerminalRelease>(|_| Answer::Result(json!({})));
}

async fn an_impossible_exit_code_is_not_success(run: &mut Run) -> Probed {
    for code in [json!(-1), json!(4_294_967_296_u64)] {
        is_not_success(run, json!({"exitCode": code}), Some(json!({"exitCode": code}))).await?;
    }
    Ok(())
}

async fn a_missing_exit_status_is_not_success(run: &mut Run) -> Probed {
    is_not_success(run, Value::Null, None).await
}

/// Checks that the agent does not show a command with this exit as a success. The rule is not
/// tested if the agent shows failed and successful commands alike.
async fn is_not_success(run: &mut Run, exit: Value, status: Option<Value>) -> Probed {
    let usual = |code: u8| (json!({"exitCode": code}), Some(json!({"exitCode": code})));
    let [(zero, of_zero), (one, of_one)] = [usual(0), usual(1)];
    let success = shown(run, zero, of_zero).await?;
    if success == shown(run, one, of_one).await? {
        return not_tested("the agent shows a failed command like a successful one");
    }
    let status_sent = exit.to_string();
    let seen = shown(run, exit, status).await?;
    expect(
        seen != success,
        "an unknown exit is not shown as a success",
        format!("{status_sent} is shown like exit code 0"),
    )
}

/// Runs a turn with a command that exits with `exit`, and returns the statuses and the content of
/// its tool calls.
async fn shown(run: &mut Run, exit: Value, status: Option<Value>) -> Probed<Vec<Value>> {
    let (talk, session) = opened(run).await?;
    let mut output = json!({"output": "attache\n", "truncated": false});
    if let (Some(status), Some(output)) = (status, output.as_object_mut()) {
        output.insert("exitStatus".to_owned(), status);
    }
    talk.answer::<TerminalWaitForExit>(move |_| Answer::Result(exit.clone()));
    talk.answer::<TerminalOutput>(move |_| Answer::Result(output.clone()));
    let first = talk.now();
    let turn = talk.begin_turn(&session, acts());
    let played = talk.finish(turn).await.map_err(|outcome| unjudged(&outcome))?;
    played.had_its_tools()?;
    if count::<TerminalWaitForExit>(talk, first) == 0 {
        return skipped("the agent does not use terminal/wait_for_exit");
    }
    Ok(results(&played))
}

/// Returns the statuses and the content of a turn's tool calls, without members such as ids that
/// change from turn to turn.
fn results(played: &Played) -> Vec<Value> {
    let calls = tool_calls(played);
    let all = calls.iter().map(|call| {
        let content: Vec<&Value> = call.content("content").collect();
        json!({"states": call.states(), "content": content})
    });
    all.collect()
}

async fn null_is_an_empty_result(run: &mut Run) -> Probed {
    let exit = || (json!({"exitCode": 0}), Some(json!({"exitCode": 0})));
    let usual = shown(run, exit().0, exit().1).await?;
    let (talk, session) = opened(run).await?;
    for_any_terminal(talk);
    talk.answer::<TerminalCreate>(|_| Answer::Result(json!({"terminalId": LATE})));
    talk.answer::<TerminalRelease>(|_| Answer::Result(Value::Null));
    talk.answer::<TerminalOutput>(|_| {
        Answer::Result(
            json!({"output": "attache\n", "truncated": false, "exitStatus": {"exitCode": 0}}),
        )
    });
    let played = talk.play(&session, acts()).await?;
    played.stop_reason()?;
    let seen = results(&played);
    expect(seen == usual, "terminal/release with result null is a success", format!("{seen:?}"))
}
