//! Modes (MODE).

use super::driven::unjudged;
use super::option_value::options;
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, Session, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, not_tested, skipped};
use crate::model::acts::say;
use crate::peer::line::Line;
use attache_protocol::method::{Method, SessionCancel, SessionSetConfigOption, SessionSetMode};
use serde_json::Value;

probes! { Run:
    "MODE-02" an_unknown_mode_is_refused;
    "MODE-03" a_mode_is_set_between_turns;
    "MODE-03" a_mode_is_set_during_a_turn;
    "MODE-04" a_mode_change_without_set_mode_is_reported;
    "MODE-05" the_mode_option_matches_the_mode;
    "MODE-07" mode_and_mode_option_report_each_other;
}

async fn an_unknown_mode_is_refused(run: &mut Run) -> Probed {
    let (talk, session) = run.session().await?;
    if session.opened.pointer("/modes/availableModes/0").is_none() {
        return skipped("the session has no modes");
    }
    let params = json!({"sessionId": session.id, "modeId": "attache-no-such-mode"});
    talk.call::<SessionSetMode>(params).await?.is_refused()
}

async fn a_mode_is_set_between_turns(run: &mut Run) -> Probed {
    let (talk, session) = run.session().await?;
    let (current, other) = two_modes(&session)?;
    for mode in [other, current.clone(), current] {
        set_mode(talk, &session, &mode).await?;
    }
    Ok(())
}

async fn a_mode_is_set_during_a_turn(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let (_, other) = two_modes(&session)?;
    let turn = talk.begin_turn(&session, say("attache").hang());
    talk.hear(turn.first, "the turn begins", |line| line.text.contains("agent_message_chunk"))
        .await?;
    let set = set_mode(talk, &session, &other).await;
    talk.notify(SessionCancel::ROW.name, json!({"sessionId": session.id}));
    let over = talk.finish(turn).await;
    set?;
    // If the turn does not end when it is cancelled, this rule is not tested: CANCEL-02 covers such
    // turns.
    over.map(|_| ()).map_err(|outcome| unjudged(&outcome))
}

/// Sets the mode through its config option. The agent must send `current_mode_update` too, for
/// clients that do not support the option.
async fn a_mode_change_without_set_mode_is_reported(run: &mut Run) -> Probed {
    let (talk, session) = run.session().await?;
    let (option, other) = mode_option(&session)?;
    let first = talk.now();
    let params = json!({"sessionId": session.id, "configId": option, "value": other});
    talk.call::<SessionSetConfigOption>(params).await?.result()?;
    talk.is_still_there().await?;
    let Some(reported) = last_update(talk, first, &session, "current_mode_update") else {
        return not_tested(
            "the agent reports no mode change when the mode is set through its config option, see MODE-07",
        );
    };
    expect(
        reported.get("currentModeId") == Some(&other),
        format!("current_mode_update with {other}"),
        quoted(&reported.to_string()),
    )
}

async fn the_mode_option_matches_the_mode(run: &mut Run) -> Probed {
    let (talk, session) = run.session().await?;
    let (option, other) = mode_option(&session)?;
    let current = session.opened.pointer("/modes/currentModeId").cloned().unwrap_or_default();
    let reported = value_of(options(&session.opened), &option);
    expect(
        reported == current,
        format!("the option has the mode {current}"),
        reported.to_string(),
    )?;
    for mode in [&other, &current] {
        set_mode(talk, &session, mode).await?;
        let now = value_of(options(&state(talk, &session, &option).await?), &option);
        expect(now == *mode, format!("the option changes to the mode {mode}"), now.to_string())?;
    }
    Ok(())
}

async fn mode_and_mode_option_report_each_other(run: &mut Run) -> Probed {
    let (talk, session) = run.session().await?;
    let (option, other) = mode_option(&session)?;
    let first = talk.now();
    set_mode(talk, &session, &other).await?;
    let current = session.opened.pointer("/modes/currentModeId").cloned().unwrap_or_default();
    let is_reported = of_session(&session, "config_option_update");
    talk.hear(first, "config_option_update after session/set_mode", is_reported).await?;
    let reported = last_update(talk, first, &session, "config_option_update").unwrap_or_default();
    let value = value_of(options(&reported), &option);
    expect(value == other, format!("the option {option} with {other}"), value.to_string())?;
    let first = talk.now();
    let params = json!({"sessionId": session.id, "configId": option, "value": current});
    talk.call::<SessionSetConfigOption>(params).await?.result()?;
    let is_reported = of_session(&session, "current_mode_update");
    talk.hear(first, "current_mode_update after session/set_config_option", is_reported)
        .await
        .map(|_| ())
}

pub(super) async fn set_mode(talk: &mut Conversation, session: &Session, mode: &Value) -> Probed {
    let params = json!({"sessionId": session.id, "modeId": mode});
    talk.call::<SessionSetMode>(params).await?.result().map(|_| ())
}

/// Returns the current mode of a session and another available mode.
pub(super) fn two_modes(session: &Session) -> Probed<(Value, Value)> {
    let modes = session.opened.get("modes").filter(|modes| !modes.is_null());
    let Some(modes) = modes else { return skipped("the session has no modes") };
    let current = modes.get("currentModeId").cloned().unwrap_or_default();
    let all = modes.get("availableModes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    match all.iter().filter_map(|mode| mode.get("id")).find(|id| **id != current) {
        Some(other) => Ok((current, other.clone())),
        None => not_tested("the session has only one mode"),
    }
}

/// Returns the id of the option for the mode, and a mode that is not the current one.
pub(super) fn mode_option(session: &Session) -> Probed<(Value, Value)> {
    let (_, other) = two_modes(session)?;
    let all = options(&session.opened);
    let option =
        all.iter().find(|option| option.get("category").is_some_and(|kind| kind == "mode"));
    match option.and_then(|option| option.get("id")) {
        Some(id) => Ok((id.clone(), other)),
        None => skipped("the session has no config option for the mode"),
    }
}

/// Returns the current value of an option.
fn value_of(all: &[Value], id: &Value) -> Value {
    let option = all.iter().find(|option| option.get("id") == Some(id));
    option.and_then(|option| option.get("currentValue").cloned()).unwrap_or_default()
}

/// Returns all options of a session. To get them, sets an option other than `not` to its current
/// value.
async fn state(talk: &mut Conversation, session: &Session, not: &Value) -> Probed<Value> {
    let all = options(&session.opened);
    let is_other = |option: &&Value| {
        option.get("id") != Some(not) && option.get("type").is_some_and(|kind| kind == "select")
    };
    let Some(other) = all.iter().find(is_other) else {
        return not_tested("no other option can be set to get the list of options");
    };
    let params =
        json!({"sessionId": session.id, "configId": other["id"], "value": other["currentValue"]});
    let state = talk.call::<SessionSetConfigOption>(params).await?.result()?;
    match options(&state).iter().any(|option| option.get("id") == Some(not)) {
        true => Ok(state),
        false => not_tested("the list of options lacks the option for the mode, see CONF-02"),
    }
}

/// Returns a filter for the session's updates of this kind.
pub(super) fn of_session(session: &Session, kind: &'static str) -> impl Fn(&Line) -> bool {
    let id = session.id.clone();
    move |line| {
        let params = line.get("params");
        let is_kind = params
            .and_then(|params| params.pointer("/update/sessionUpdate"))
            .is_some_and(|it| it == kind);
        is_kind && params.and_then(|params| params.get("sessionId")) == Some(&id)
    }
}

/// Returns the session's last update of this kind after line `first`.
pub(super) fn last_update(
    talk: &Conversation,
    first: usize,
    session: &Session,
    kind: &'static str,
) -> Option<Value> {
    let is_wanted = of_session(session, kind);
    let last = talk.heard(first).filter(|line| is_wanted(line)).last()?;
    last.get("params")?.get("update").cloned()
}
