//! Commands that a client runs for the agent (TERM).

use crate::client::client_talk::{ClientTalk, ClientTurn};
use crate::client::run::ClientRun;
use crate::json::json;
use crate::judging::conversation::quoted;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested};
use attache_protocol::method::{
    CancelRequest, Method, TerminalCreate, TerminalKill, TerminalOutput, TerminalRelease,
    TerminalWaitForExit,
};
use serde_json::Value;
use std::time::Duration;
use tokio::time::{Instant, sleep};

probes! { ClientRun:
    "TERM-02" all_five_methods_work;
    "TERM-03" create_returns_while_the_command_runs;
    "TERM-04" the_command_gets_its_arguments_variables_and_folder;
    "TERM-05" truncated_output_is_the_newest_whole_characters;
    "TERM-06" output_is_available_while_the_command_runs;
    "TERM-07" every_wait_for_exit_is_answered;
    "TERM-08" an_exit_is_a_code_or_a_signal;
    "TERM-09" a_killed_terminal_stays_valid;
    "TERM-11" a_released_terminal_is_invalid;
    "TERM-11" a_released_command_is_killed;
    "TERM-13" malformed_params_are_refused_and_null_is_absent;
    "TERM-14" a_wait_is_answered_when_the_terminal_ends;
    "TERM-15" a_terminal_belongs_to_its_session;
    "TERM-17" a_missing_command_is_reported;
    "CANCEL-14" a_cancelled_wait_has_one_answer;
}

/// How many seconds `sleep` runs: longer than any probe takes.
const LONG: &str = "600";

/// The method that waits for an exit.
const WAIT: &str = TerminalWaitForExit::ROW.name;

/// The interval between requests for a command's output.
const OFTEN: Duration = Duration::from_millis(25);

async fn turn(run: &mut ClientRun) -> Probed<(&mut ClientTalk, ClientTurn)> {
    let (talk, turn) = run.turn(&["allow", "prompt"]).await?;
    talk.needs("/terminal")?;
    Ok((talk, turn))
}

/// Opens a terminal. The rule is not tested if the client refuses.
async fn open(talk: &mut ClientTalk, turn: &ClientTurn, params: Value) -> Probed<Value> {
    let opened = talk.call::<TerminalCreate>(turn, params).await.and_then(|reply| reply.result());
    match opened {
        Ok(opened) => Ok(json!({"terminalId": opened.get("terminalId")})),
        Err(outcome) => not_tested(format!("the client opens no terminal: {}", outcome.seen())),
    }
}

/// Opens a terminal. If the client refuses, the rule is broken in the task `allow`, and not tested
/// in any other task.
async fn must_open(talk: &mut ClientTalk, turn: &ClientTurn, params: Value) -> Probed<Value> {
    if talk.task != "allow" {
        return open(talk, turn, params).await;
    }
    let opened = talk.call::<TerminalCreate>(turn, params).await?.result()?;
    Ok(json!({"terminalId": opened.get("terminalId")}))
}

/// Opens a terminal that runs this shell script.
async fn shell(talk: &mut ClientTalk, turn: &ClientTurn, script: &str) -> Probed<Value> {
    open(talk, turn, json!({"command": "sh", "args": ["-c", script]})).await
}

async fn sleeping(talk: &mut ClientTalk, turn: &ClientTurn) -> Probed<Value> {
    open(talk, turn, json!({"command": "sleep", "args": [LONG]})).await
}

/// Calls method `M` for this terminal and returns the result.
async fn does<M: Method>(
    talk: &mut ClientTalk,
    turn: &ClientTurn,
    terminal: &Value,
) -> Probed<Value> {
    talk.call::<M>(turn, terminal.clone()).await?.result()
}

/// Returns the output of the terminal as soon as it matches, or as it is when the time limit ends.
async fn output(
    talk: &mut ClientTalk,
    turn: &ClientTurn,
    terminal: &Value,
    is_wanted: impl Fn(&str) -> bool,
) -> Probed<Value> {
    let deadline = Instant::now() + talk.wire.patience;
    loop {
        let seen = does::<TerminalOutput>(talk, turn, terminal).await?;
        let text = seen.get("output").and_then(Value::as_str);
        let Some(text) = text else {
            return fail("a string as output", quoted(&seen.to_string()));
        };
        if is_wanted(text) || Instant::now() >= deadline {
            return Ok(seen);
        }
        sleep(OFTEN).await;
    }
}

/// Runs a command until it exits, waits until its output matches, and returns the output.
async fn printed(
    talk: &mut ClientTalk,
    turn: &ClientTurn,
    params: Value,
    is_wanted: impl Fn(&str) -> bool,
) -> Probed<Value> {
    let terminal = open(talk, turn, params).await?;
    does::<TerminalWaitForExit>(talk, turn, &terminal).await?;
    let seen = output(talk, turn, &terminal, is_wanted).await?;
    does::<TerminalRelease>(talk, turn, &terminal).await?;
    Ok(seen)
}

fn text(output: &Value) -> &str {
    output.get("output").and_then(Value::as_str).unwrap_or_default()
}

fn is_null(value: &Value, key: &str) -> bool {
    value.get(key).is_none_or(Value::is_null)
}

async fn all_five_methods_work(run: &mut ClientRun) -> Probed {
    let (talk, turn) = turn(run).await?;
    let create = json!({"command": "printf", "args": ["all five"]});
    let terminal = must_open(talk, &turn, create).await?;
    let exit = does::<TerminalWaitForExit>(talk, &turn, &terminal).await?;
    expect(
        exit.get("exitCode") == Some(&json!(0)),
        "printf exits with 0",
        quoted(&exit.to_string()),
    )?;
    let seen = output(talk, &turn, &terminal, |text| text == "all five").await?;
    expect(text(&seen) == "all five", "the output is \"all five\"", quoted(&seen.to_string()))?;
    does::<TerminalRelease>(talk, &turn, &terminal).await?;
    let terminal = sleeping(talk, &turn).await?;
    does::<TerminalKill>(talk, &turn, &terminal).await?;
    does::<TerminalRelease>(talk, &turn, &terminal).await.map(drop)
}

async fn create_returns_while_the_command_runs(run: &mut ClientRun) -> Probed {
    let (talk, turn) = turn(run).await?;
    let terminal = must_open(talk, &turn, json!({"command": "sleep", "args": [LONG]})).await?;
    does::<TerminalRelease>(talk, &turn, &terminal).await.map(drop)
}

async fn the_command_gets_its_arguments_variables_and_folder(run: &mut ClientRun) -> Probed {
    let folder = run.new_path();
    let made = std::fs::create_dir_all(&folder);
    made.or_else(|error| not_tested(format!("cannot create a folder: {error}")))?;
    let (talk, turn) = turn(run).await?;
    let args = json!(["[%s]", "a b", "$HOME", "*", "", "\"é'\\"]);
    let pwd = format!("{}\n", folder.display());
    let env = json!([{"name": "ATTACHE_CHECK", "value": "x y=ü"}]);
    for (params, expected) in [
        (json!({"command": "printf", "args": args}), "[a b][$HOME][*][][\"é'\\]"),
        (json!({"command": "printenv", "args": ["ATTACHE_CHECK"], "env": env}), "x y=ü\n"),
        (json!({"command": "pwd", "cwd": folder}), &pwd),
    ] {
        let said = format!("{params} prints {expected:?}");
        let seen = printed(talk, &turn, params, |text| text == expected).await?;
        expect(text(&seen) == expected, said, quoted(&format!("{:?}", text(&seen))))?;
    }
    Ok(())
}

async fn truncated_output_is_the_newest_whole_characters(run: &mut ClientRun) -> Probed {
    const PRINTED: &str = "aé☃🙂bß€😀";
    let (talk, turn) = turn(run).await?;
    for limit in 1..=PRINTED.len() {
        let params =
            json!({"command": "printf", "args": ["%s", PRINTED], "outputByteLimit": limit});
        let is_cut = limit < PRINTED.len();
        let kept = |text: &str| {
            text.len() <= limit && PRINTED.ends_with(text) && !(text.is_empty() && limit >= 4)
        };
        let is_right = |text: &str| if is_cut { kept(text) } else { text == PRINTED };
        let seen = printed(talk, &turn, params, is_right).await?;
        let expected = format!(
            "the end of {PRINTED:?} in whole characters, with a limit of {limit} bytes, and truncated: {is_cut}"
        );
        let is_reported = seen.get("truncated") == Some(&json!(is_cut));
        expect(is_right(text(&seen)) && is_reported, expected, quoted(&seen.to_string()))?;
    }
    Ok(())
}

async fn output_is_available_while_the_command_runs(run: &mut ClientRun) -> Probed {
    let (talk, turn) = turn(run).await?;
    let terminal = shell(talk, &turn, &format!("printf early; sleep {LONG}")).await?;
    let seen = output(talk, &turn, &terminal, |text| text == "early").await?;
    let is_running = text(&seen) == "early" && is_null(&seen, "exitStatus");
    expect(is_running, "the output so far, and no exitStatus", quoted(&seen.to_string()))?;
    does::<TerminalKill>(talk, &turn, &terminal).await?;
    does::<TerminalWaitForExit>(talk, &turn, &terminal).await?;
    let seen = does::<TerminalOutput>(talk, &turn, &terminal).await?;
    expect(!is_null(&seen, "exitStatus"), "an exitStatus after the exit", quoted(&seen.to_string()))
}

async fn every_wait_for_exit_is_answered(run: &mut ClientRun) -> Probed {
    let (talk, turn) = turn(run).await?;
    let terminal = shell(talk, &turn, "sleep 0.3; exit 3").await?;
    let waiting: Vec<Value> =
        (0..3).map(|_| talk.begin::<TerminalWaitForExit>(&turn, terminal.clone())).collect();
    for id in waiting {
        let exit = talk.wire.reply_to(WAIT, &id).await?.result()?;
        expect(exit.get("exitCode") == Some(&json!(3)), "exitCode 3", quoted(&exit.to_string()))?;
    }
    let late = does::<TerminalWaitForExit>(talk, &turn, &terminal).await?;
    expect(
        late.get("exitCode") == Some(&json!(3)),
        "exitCode 3 in a later call as well",
        quoted(&late.to_string()),
    )
}

async fn an_exit_is_a_code_or_a_signal(run: &mut ClientRun) -> Probed {
    let (talk, turn) = turn(run).await?;
    let terminal = shell(talk, &turn, "exit 3").await?;
    let exit = does::<TerminalWaitForExit>(talk, &turn, &terminal).await?;
    let is_code = exit.get("exitCode") == Some(&json!(3)) && is_null(&exit, "signal");
    expect(is_code, "exitCode 3 and no signal after `exit 3`", quoted(&exit.to_string()))?;
    let terminal = sleeping(talk, &turn).await?;
    does::<TerminalKill>(talk, &turn, &terminal).await?;
    let exit = does::<TerminalWaitForExit>(talk, &turn, &terminal).await?;
    expect(is_null(&exit, "exitCode"), "no exitCode after a kill", quoted(&exit.to_string()))
}

async fn a_killed_terminal_stays_valid(run: &mut ClientRun) -> Probed {
    let (talk, turn) = turn(run).await?;
    let terminal = shell(talk, &turn, &format!("printf before; sleep {LONG}")).await?;
    output(talk, &turn, &terminal, |text| text == "before").await?;
    does::<TerminalKill>(talk, &turn, &terminal).await?;
    does::<TerminalWaitForExit>(talk, &turn, &terminal).await?;
    let seen = does::<TerminalOutput>(talk, &turn, &terminal).await?;
    // A shell may append a message that its command was terminated.
    expect(
        text(&seen).starts_with("before"),
        "the output is kept after terminal/kill",
        quoted(&seen.to_string()),
    )?;
    does::<TerminalRelease>(talk, &turn, &terminal).await.map(drop)
}

async fn a_released_terminal_is_invalid(run: &mut ClientRun) -> Probed {
    let (talk, turn) = turn(run).await?;
    let terminal = sleeping(talk, &turn).await?;
    does::<TerminalRelease>(talk, &turn, &terminal).await?;
    talk.call::<TerminalOutput>(&turn, terminal.clone()).await?.is_refused()?;
    talk.call::<TerminalWaitForExit>(&turn, terminal.clone()).await?.is_refused()?;
    // The specification makes the id invalid for all methods except `terminal/release`: a second
    // release may be an error or a success.
    talk.call::<TerminalKill>(&turn, terminal).await?.is_refused()
}

/// Uses a command that writes to a file every 0.1 s. Once the file has not grown for a second, the
/// command counts as stopped.
async fn a_released_command_is_killed(run: &mut ClientRun) -> Probed {
    let mark = run.new_path();
    let (name, folder) = (
        mark.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        run.folder().to_owned(),
    );
    let (talk, turn) = turn(run).await?;
    let script = format!("printf begun; while :; do printf x >> {name}; sleep 0.1; done");
    let params = json!({"command": "sh", "args": ["-c", script], "cwd": folder});
    let terminal = open(talk, &turn, params).await?;
    output(talk, &turn, &terminal, |text| text == "begun").await?;
    does::<TerminalRelease>(talk, &turn, &terminal).await?;
    let marks = || std::fs::metadata(&mark).map_or(0, |file| file.len());
    let deadline = Instant::now() + talk.wire.patience;
    loop {
        let before = marks();
        sleep(Duration::from_secs(1)).await;
        match marks() == before {
            true => return Ok(()),
            false if Instant::now() >= deadline => {
                return fail(
                    "a released command has stopped",
                    format!("it still writes to the file {name}"),
                );
            }
            false => {}
        }
    }
}

async fn malformed_params_are_refused_and_null_is_absent(run: &mut ClientRun) -> Probed {
    let (talk, turn) = turn(run).await?;
    for (key, wrong) in [
        ("args", json!("x")),
        ("args", json!([5])),
        ("env", json!([{"name": "A"}])),
        ("env", json!({"A": "b"})),
        ("cwd", json!(5)),
        ("outputByteLimit", json!(-1)),
        ("outputByteLimit", json!("9")),
    ] {
        let mut params = json!({"command": "true"});
        let said = format!("{key} {wrong}");
        if let Value::Object(params) = &mut params {
            params.insert(key.to_owned(), wrong);
        }
        let reply = talk.call::<TerminalCreate>(&turn, params).await?;
        reply.is_error(-32602).map_err(|outcome| outcome.about(&said))?;
    }
    let nulls =
        json!({"command": "true", "args": null, "env": null, "cwd": null, "outputByteLimit": null});
    must_open(talk, &turn, nulls).await.map(drop)
}

async fn a_wait_is_answered_when_the_terminal_ends(run: &mut ClientRun) -> Probed {
    let (talk, turn) = turn(run).await?;
    for method in [TerminalKill::ROW.name, TerminalRelease::ROW.name] {
        let terminal = sleeping(talk, &turn).await?;
        let waiting = talk.begin::<TerminalWaitForExit>(&turn, terminal.clone());
        match method {
            kill if kill == TerminalKill::ROW.name => {
                does::<TerminalKill>(talk, &turn, &terminal).await?
            }
            _ => does::<TerminalRelease>(talk, &turn, &terminal).await?,
        };
        let answered = talk.wire.reply_to(WAIT, &waiting).await;
        answered.map_err(|outcome| outcome.about(&format!("after {method}")))?;
    }
    Ok(())
}

async fn a_terminal_belongs_to_its_session(run: &mut ClientRun) -> Probed {
    let (talk, turn) = turn(run).await?;
    let terminal = sleeping(talk, &turn).await?;
    let mut foreign = terminal.clone();
    if let Value::Object(foreign) = &mut foreign {
        foreign.insert("sessionId".to_owned(), json!("attache-no-such-session"));
    }
    talk.call::<TerminalOutput>(&turn, foreign.clone()).await?.is_refused()?;
    talk.call::<TerminalKill>(&turn, foreign.clone()).await?.is_refused()?;
    talk.call::<TerminalRelease>(&turn, foreign).await?.is_refused()?;
    does::<TerminalRelease>(talk, &turn, &terminal).await.map(drop)
}

async fn a_missing_command_is_reported(run: &mut ClientRun) -> Probed {
    let (talk, turn) = turn(run).await?;
    let params = json!({"command": "attache-no-such-command", "args": []});
    let created = talk.call::<TerminalCreate>(&turn, params).await?;
    if created.is_refused().is_ok() {
        return Ok(());
    }
    let terminal = json!({"terminalId": created.result()?.get("terminalId")});
    let exit = does::<TerminalWaitForExit>(talk, &turn, &terminal).await?;
    let expected = "an error, or an exit with a code other than 0";
    expect(exit.get("exitCode") != Some(&json!(0)), expected, quoted(&exit.to_string()))
}

/// The client may ignore the cancel (CANCEL-13) and answer the call when the command ends. If it
/// answers earlier, that is its answer to the cancel.
async fn a_cancelled_wait_has_one_answer(run: &mut ClientRun) -> Probed {
    let (talk, turn) = turn(run).await?;
    let terminal = sleeping(talk, &turn).await?;
    let first = talk.wire.now();
    let waiting = talk.begin::<TerminalWaitForExit>(&turn, terminal.clone());
    talk.wire.notify(CancelRequest::ROW.name, json!({"requestId": waiting}));
    talk.wire.is_still_there().await?;
    let early = talk.wire.heard(first).find(|line| line.replies_to(&waiting)).cloned();
    does::<TerminalKill>(talk, &turn, &terminal).await?;
    let answered = talk.wire.reply_to(WAIT, &waiting).await;
    does::<TerminalRelease>(talk, &turn, &terminal).await?;
    if let Err(outcome) = answered {
        // The probe for TERM-14 covers a missing answer.
        return not_tested(format!(
            "terminal/wait_for_exit is not answered after the command was killed: {}",
            outcome.seen()
        ));
    }
    talk.wire.is_still_there().await?;
    let answers = talk.wire.heard(first).filter(|line| line.replies_to(&waiting)).count();
    expect(answers == 1, "one answer to the call", format!("{answers}"))?;
    match early {
        Some(line) if line.get("error").is_some() => expect(
            line.error_code() == Some(-32800),
            "a result or error -32800",
            quoted(&line.text),
        ),
        _ => Ok(()),
    }
}
