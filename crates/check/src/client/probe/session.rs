//! Opening, loading and resuming sessions (SESS, DIR-02, STAT-03).

use crate::client::client_talk::{ClientTalk, ClientTurn};
use crate::client::run::ClientRun;
use crate::client::scenario::{SESSION, Scenario};
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::{Outcome, Probed, expect, fail, not_tested};
use crate::peer::script::Answer;
use attache_protocol::method::{
    Method, SessionLoad, SessionNew, SessionPrompt, SessionResume, SessionSetConfigOption,
    SessionStatusQuery,
};
use serde_json::Value;
use std::path::Path;

probes! { ClientRun:
    "SESS-02" the_folder_of_a_session_is_absolute;
    "SESS-26" an_update_before_the_session_id_is_known_does_not_end_the_connection;
    "SESS-27" an_update_outside_a_turn_does_not_end_the_connection;
    "SESS-28" an_update_of_an_unknown_session_is_ignored;
    "DIR-02" additional_directories_are_absolute;
    "STAT-03" a_session_of_unknown_status_is_loaded_first;
    "DEC-14" a_null_result_of_a_load_is_accepted;
    "DEC-14" a_null_result_of_a_resume_is_accepted;
    "DEC-22" a_session_id_is_any_string;
    "PROMPT-01" a_prompt_names_the_session_that_was_opened;
}

pub(super) async fn the_folder_of_a_session_is_absolute(run: &mut ClientRun) -> Probed {
    let talk = run.start(run.task("prompt")).await?;
    let line = talk.hears::<SessionNew>().await?;
    let cwd = line.get("params").and_then(|params| params.get("cwd")).cloned().unwrap_or_default();
    let is_absolute = cwd.as_str().is_some_and(|cwd| Path::new(cwd).is_absolute());
    expect(is_absolute, "cwd is an absolute path", format!("cwd is {cwd}"))
}

fn said(text: &str) -> Value {
    let content = json!({"type": "text", "text": text});
    json!({"sessionUpdate": "agent_message_chunk", "content": content})
}

/// Starts the client and waits for its `session/new`. Returns the id of the call, which the probe
/// must answer.
async fn asked(run: &mut ClientRun) -> Probed<(&mut ClientTalk, Value)> {
    let task = run.task("prompt");
    let talk =
        run.start_with(task, |_| Scenario::bare().on::<SessionNew>(|_| Answer::Silence)).await?;
    let id = talk.hears::<SessionNew>().await?.get("id").cloned().unwrap_or_default();
    Ok((talk, id))
}

pub(super) async fn an_update_before_the_session_id_is_known_does_not_end_the_connection(
    run: &mut ClientRun,
) -> Probed {
    let (talk, id) = asked(run).await?;
    let commands = json!([{"name": "early", "description": "Early"}]);
    let update =
        json!({"sessionUpdate": "available_commands_update", "availableCommands": commands});
    talk.update_session(json!(SESSION), update);
    talk.wire.reply(&id, json!({"sessionId": SESSION}));
    let turn = talk.set_up().await?;
    talk.ends_well(&turn).await
}

/// Sends an update while the session is open and no turn runs.
pub(super) async fn an_update_outside_a_turn_does_not_end_the_connection(
    run: &mut ClientRun,
) -> Probed {
    let option = json!({"id": "check-good", "name": "Check", "type": "select", "currentValue": "check-one", "options": [
        {"value": "check-one", "name": "One"}, {"value": "check-two", "name": "Two"},
    ]});
    let set = json!([option]);
    let task = run.task("set_option").with("option", "check-good").with("value", "check-two");
    let scenario = move |_| {
        Scenario::bare()
            .opening("configOptions", set.clone())
            .on::<SessionSetConfigOption>(|_| Answer::Silence)
    };
    let talk = run.start_with(task, scenario).await?;
    let id = talk.hears::<SessionSetConfigOption>().await?.get("id").cloned().unwrap_or_default();
    for update in [
        json!({"sessionUpdate": "available_commands_update", "availableCommands": []}),
        json!({"sessionUpdate": "session_info_update", "title": "Before the turn"}),
        json!({"sessionUpdate": "usage_update", "used": 1, "size": 100}),
        json!({"sessionUpdate": "config_option_update", "configOptions": [option]}),
    ] {
        talk.update_session(json!(SESSION), update);
    }
    talk.reply_with_options(&id, json!([option]));
    let turn = talk.set_up().await?;
    talk.ends_well(&turn).await
}

/// Checks that the client does not show the text of an unknown session in its own session.
pub(super) async fn an_update_of_an_unknown_session_is_ignored(run: &mut ClientRun) -> Probed {
    let (foreign, own) = (run.nonce(), run.nonce());
    let (talk, turn) = run.turn(&["prompt"]).await?;
    let first = talk.wire.now();
    talk.update_session(json!("check-no-such-session"), said(&format!("{foreign}\n\n")));
    talk.say(&turn, &format!("{own}\n\n"));
    talk.wire.is_ignored(first).await?;
    talk.end_turn(&turn, "end_turn");
    let left = talk.ended().await;
    // If the client does not print its own text either, this check proves nothing.
    let seen = "the client prints it in the open session";
    expect(
        !(left.shows(&own) && left.shows(&foreign)),
        "the text of an unknown session is not shown",
        seen,
    )
}

pub(super) async fn additional_directories_are_absolute(run: &mut ClientRun) -> Probed {
    let task = run.task("directories").with("directory", "/usr");
    let talk = run.start(task).await?;
    let line = talk.hears::<SessionNew>().await?;
    let more = line.get("params").and_then(|params| params.get("additionalDirectories")).cloned();
    let Some(more) = more.as_ref().and_then(Value::as_array).filter(|more| !more.is_empty()) else {
        return not_tested(
            "the client sends no additionalDirectories for the task \"directories\"",
        );
    };
    let is_absolute =
        |path: &Value| path.as_str().is_some_and(|path| Path::new(path).is_absolute());
    match more.iter().find(|path| !is_absolute(path)) {
        Some(path) => {
            fail("absolute paths of all additional directories", format!("one is {path}"))
        }
        None => expect(
            more.contains(&json!("/usr")),
            "the directory /usr is sent",
            json!(more).to_string(),
        ),
    }
}

/// The client must load or resume a session whose status it does not recognize, before it sends a
/// prompt.
async fn a_session_of_unknown_status_is_loaded_first(run: &mut ClientRun) -> Probed {
    let task = run.task("load").with("session", SESSION);
    let cwd = run.folder().to_owned();
    let scenario = move |_| {
        let odd = |_: &Value| Answer::Result(json!({"status": "check_odd"}));
        let scenario = Scenario::everything(&cwd)
            .with("/agentCapabilities/sessionCapabilities/status", json!({}));
        scenario.on::<SessionStatusQuery>(odd)
    };
    let talk = run.start_with(task, scenario).await?;
    let reached = talk.awaits(|line| line.asks::<SessionPrompt>()).await;
    if talk.heard::<SessionStatusQuery>().is_none() {
        return not_tested("the client does not ask for the status of a session");
    }
    let is_set_up =
        talk.heard::<SessionLoad>().is_some() || talk.heard::<SessionResume>().is_some();
    match reached {
        Ok(_) => expect(
            is_set_up,
            "the client loads or resumes the session before it sends a prompt",
            "the client sends a prompt at once",
        ),
        Err(why) => not_tested(format!("the client sends no prompt: {why}")),
    }
}

async fn a_null_result_of_a_load_is_accepted(run: &mut ClientRun) -> Probed {
    accepts_null::<SessionLoad>(run, "load", |scenario| {
        // Some clients load a session only if the agent cannot resume it.
        let scenario = scenario.with("/agentCapabilities/sessionCapabilities/resume", Value::Null);
        scenario.on::<SessionLoad>(|_| Answer::Result(Value::Null))
    })
    .await
}

async fn a_null_result_of_a_resume_is_accepted(run: &mut ClientRun) -> Probed {
    accepts_null::<SessionResume>(run, "resume", |scenario| {
        let scenario = scenario.with("/agentCapabilities/loadSession", Value::Null);
        scenario.on::<SessionResume>(|_| Answer::Result(Value::Null))
    })
    .await
}

/// Checks that the client calls method `M`, and that it still sends a prompt if the result is null.
/// `change` makes the agent return null.
async fn accepts_null<M: Method>(
    run: &mut ClientRun,
    task: &'static str,
    change: fn(Scenario) -> Scenario,
) -> Probed {
    let task = run.task(task).with("session", SESSION);
    let cwd = run.folder().to_owned();
    let talk = run.start_with(task, move |_| change(Scenario::everything(&cwd))).await?;
    talk.hears::<M>().await?;
    talk.set_up().await?;
    Ok(())
}

/// Starts a turn of a client whose `session/new` returns this id.
async fn prompts_in<'r>(
    run: &'r mut ClientRun,
    id: &'static str,
) -> Probed<(&'r mut ClientTalk, ClientTurn)> {
    let task = run.task("prompt");
    let scenario = move |_| {
        Scenario::bare().on::<SessionNew>(move |_| Answer::Result(json!({"sessionId": id})))
    };
    let talk = run.start_with(task, scenario).await?;
    let turn = talk.set_up().await?;
    Ok((talk, turn))
}

pub(super) async fn a_session_id_is_any_string(run: &mut ClientRun) -> Probed {
    for id in ["ünï \"quoted\" \\ 会話 🙂", "7", "../up", " "] {
        let (_, turn) = prompts_in(run, id)
            .await
            .map_err(|outcome| outcome.about(&format!("the id is {id:?}")))?;
        expect(
            turn.session == id,
            format!("the prompt is for the session {id:?}"),
            format!("it is for {}", turn.session),
        )?;
    }
    Ok(())
}

pub(super) async fn a_prompt_names_the_session_that_was_opened(run: &mut ClientRun) -> Probed {
    let (talk, turn) = prompts_in(run, "check-session-that-was-opened").await?;
    let order: Vec<&Value> =
        talk.lines().filter(|line| line.is_theirs).filter_map(|line| line.get("method")).collect();
    let place = |method: &str| order.iter().position(|asked| *asked == method);
    let is_ordered = place("initialize") < place(SessionNew::ROW.name)
        && place(SessionNew::ROW.name) < place(SessionPrompt::ROW.name);
    let seen = format!("{} for the session {}", json!(order), turn.session);
    if is_ordered && turn.session == "check-session-that-was-opened" {
        return Ok(());
    }
    Err(Outcome::Fail {
        expected: "initialize, session/new, then a prompt for that session".to_owned(),
        seen,
    })
}
