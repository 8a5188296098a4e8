//! Values of options and modes over several turns and in two concurrent sessions (CONF-02, MODE-04,
//! SESS-06).

use super::driven::play_in;
use super::history::RESUME;
use super::mode::{mode_option, of_session, set_mode, two_modes};
use super::option_value::{choices, options};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, Session};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, not_tested, skipped};
use crate::model::acts::say;
use attache_protocol::method::{SessionResume, SessionSetConfigOption};
use serde_json::Value;

probes! { Run:
    "CONF-02" an_option_keeps_its_new_value;
    "MODE-04" a_mode_is_kept_until_a_change_is_reported;
}

/// The maximum number of options that a probe changes.
const CHOICES: usize = 3;

/// Sets options in one of two sessions. The session's list of options must contain the new values,
/// before and after a turn; the other session's list must not change.
async fn an_option_keeps_its_new_value(run: &mut Run) -> Probed {
    let (folder, has_turns) = (run.folder().to_owned(), run.follows_prompts().await.is_ok());
    let (talk, session) = run.session().await?;
    let other = talk.open(&folder).await?;
    let mode = mode_option(&session).ok().map(|(option, _)| option);
    // The option for the mode is left out, because MODE-04 and MODE-05 cover it.
    let chosen =
        choices(options(&session.opened)).into_iter().filter(|(id, _)| mode.as_ref() != Some(id));
    let mut kept = 0;
    for (id, value) in chosen.take(CHOICES) {
        // The agent may refuse a value, for example because the value needs a login or a network.
        if set(talk, &session, &id, &value).await?.is_none() {
            continue;
        }
        let Some(now) = state(talk, &session, &id).await? else { continue };
        is_now(&now, &id, &value, "after it was set")?;
        if has_turns {
            play_in(talk, &session, say("attache: a turn")).await?;
            if let Some(now) = state(talk, &session, &id).await? {
                is_now(&now, &id, &value, "after a turn")?;
            }
        }
        if let Some(beside) = state(talk, &other, &id).await? {
            is_now(
                &beside,
                &id,
                &value_of(&other.opened, &id),
                "in another session, where it was not set",
            )?;
        }
        kept += 1;
    }
    if kept == 0 {
        skipped("no option has another value that can be set and read back")
    } else {
        Ok(())
    }
}

/// Checks that a mode is kept. The agent may change it, but must then report the change.
async fn a_mode_is_kept_until_a_change_is_reported(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let folder = json!(run.folder());
    let (talk, session) = run.session().await?;
    let (_, other) = two_modes(&session)?;
    let option = mode_option(&session).map(|(option, _)| option);
    set_mode(talk, &session, &other).await?;
    if current(talk, &session, option.as_ref().ok(), &folder).await?.as_ref() != Some(&other) {
        // MODE-05 covers options that do not follow the mode.
        return not_tested("the mode of a session cannot be read back");
    }
    for _ in 0..2 {
        let first = talk.now();
        play_in(talk, &session, say("attache: a turn")).await?;
        let now = current(talk, &session, option.as_ref().ok(), &folder).await?.unwrap_or_default();
        let is_reported = of_session(&session, "current_mode_update");
        let is_reported = talk.heard(first).any(is_reported);
        expect(
            is_reported || now == other,
            format!("the mode {other}, or a current_mode_update"),
            now.to_string(),
        )?;
    }
    Ok(())
}

/// Returns the current mode of a session, from `option` or, without it, from the result of a
/// resume.
async fn current(
    talk: &mut Conversation,
    session: &Session,
    option: Option<&Value>,
    folder: &Value,
) -> Probed<Option<Value>> {
    match option {
        Some(option) => Ok(state(talk, session, option).await?.map(|all| value_of(&all, option))),
        None => resumed(talk, session, folder).await,
    }
}

/// Sets an option and returns all options, or `None` if the agent refuses.
async fn set(
    talk: &mut Conversation,
    session: &Session,
    id: &Value,
    value: &Value,
) -> Probed<Option<Value>> {
    let params = json!({"sessionId": session.id, "configId": id, "value": value});
    Ok(talk.call::<SessionSetConfigOption>(params).await?.result().ok())
}

/// Returns all options of a session. To get them, sets an option other than `not` to the value with
/// which the session was opened. Returns `None` if that is impossible.
async fn state(talk: &mut Conversation, session: &Session, not: &Value) -> Probed<Option<Value>> {
    let is_other = |option: &&Value| {
        option.get("id") != Some(not) && option.get("type").is_some_and(|kind| kind == "select")
    };
    let Some(other) =
        options(&session.opened).iter().find(is_other).and_then(|option| option.get("id"))
    else {
        return Ok(None);
    };
    // This probe may have changed the option, so that value is not necessarily the current one.
    let Some(all) = set(talk, session, other, &value_of(&session.opened, other)).await? else {
        return Ok(None);
    };
    Ok(Some(all).filter(|all| options(all).iter().any(|option| option.get("id") == Some(not))))
}

/// Returns the current value of an option.
fn value_of(holder: &Value, id: &Value) -> Value {
    let option = options(holder).iter().find(|option| option.get("id") == Some(id));
    option.and_then(|option| option.get("currentValue").cloned()).unwrap_or_default()
}

fn is_now(holder: &Value, id: &Value, value: &Value, when: &str) -> Probed {
    let now = value_of(holder, id);
    expect(now == *value, format!("{id} with the value {value} {when}"), now.to_string())
}

/// Resumes an open session and returns its current mode, or `None` if the agent does not offer
/// `session/resume` or refuses the request.
async fn resumed(
    talk: &mut Conversation,
    session: &Session,
    folder: &Value,
) -> Probed<Option<Value>> {
    if !talk.offers(RESUME) {
        return Ok(None);
    }
    let params = json!({"sessionId": session.id, "cwd": folder, "mcpServers": []});
    let result = talk.call::<SessionResume>(params).await?.result().ok();
    Ok(result.and_then(|result| result.pointer("/modes/currentModeId").cloned()))
}
