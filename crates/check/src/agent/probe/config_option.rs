//! Config options (CONF).

use super::driven::unjudged;
use super::mode::{last_update, mode_option, set_mode};
use super::option_value::{choices, options, values};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, Session, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested, skipped};
use crate::model::acts::say;
use attache_protocol::method::{Method, SessionCancel, SessionSetConfigOption};
use serde_json::Value;

probes! { Run:
    "CONF-02" setting_an_option_returns_all_options;
    "CONF-03" a_config_option_update_is_complete;
    "CONF-07" an_unknown_option_or_value_changes_nothing;
    "CONF-08" boolean_options_are_sent_only_if_supported;
    "CONF-10" a_string_value_is_a_selection;
    "CONF-11" a_value_of_the_wrong_type_is_invalid;
    "CONF-18" an_option_is_set_during_a_turn;
    "CONF-22" the_reply_contains_the_new_value;
    "CONF-23" a_session_without_options_refuses_options;
}

/// The maximum number of options that a probe changes.
const CHOICES: usize = 6;

/// A select option of a session and its current value.
struct Select {
    id: Value,
    current: Value,
}

async fn setting_an_option_returns_all_options(run: &mut Run) -> Probed {
    let (talk, session) = run.session().await?;
    let select = select(&session)?;
    // Setting an option to its current value does not change options that depend on it.
    let after = set(talk, &session, &select, json!({"value": select.current})).await?;
    let (before, after) = (options(&session.opened), options(&after));
    let seen = format!("{} of {} options, or changed values", after.len(), before.len());
    expect(values(before) == values(after), "all options with unchanged values", seen)
}

async fn an_unknown_option_or_value_changes_nothing(run: &mut Run) -> Probed {
    let (talk, session) = run.session().await?;
    let select = select(&session)?;
    for (config, value) in [
        (json!("attache-no-such-option"), select.current.clone()),
        (select.id.clone(), json!("attache-no-such-value")),
    ] {
        let params = json!({"sessionId": session.id, "configId": config, "value": value});
        talk.call::<SessionSetConfigOption>(params).await?.is_refused()?;
    }
    let after = set(talk, &session, &select, json!({"value": select.current})).await?;
    let (before, after) = (values(options(&session.opened)), values(options(&after)));
    let changed =
        after.iter().find(|now| before.iter().any(|then| then.0 == now.0 && then.1 != now.1));
    match changed {
        Some((id, value)) => {
            fail("every option keeps its value", format!("the value of {id} is now {value}"))
        }
        None => Ok(()),
    }
}

async fn boolean_options_are_sent_only_if_supported(run: &mut Run) -> Probed {
    let folder = run.folder().to_owned();
    for session in [
        Value::Null,
        json!({}),
        json!({"configOptions": {}}),
        json!({"configOptions": {"boolean": null}}),
        json!({"configOptions": {"boolean": true}}),
    ] {
        let talk = run.talk_with(json!({"session": session})).await?;
        let opened = talk.open(&folder).await?;
        if options(&opened.opened).is_empty() {
            return skipped("the session has no config options");
        }
        has_no_boolean(options(&opened.opened))?;
        if let Ok(select) = select(&opened) {
            let after = set(talk, &opened, &select, json!({"value": select.current})).await?;
            has_no_boolean(options(&after))?;
        }
    }
    Ok(())
}

fn has_no_boolean(all: &[Value]) -> Probed {
    let is_boolean = |option: &&Value| option.get("type").is_some_and(|kind| kind == "boolean");
    match all.iter().find(is_boolean) {
        Some(option) => fail("no option of the type boolean", quoted(&option.to_string())),
        None => Ok(()),
    }
}

/// Sets the mode with `session/set_mode`. If the agent then sends an update of the options, the
/// update must contain all of them.
async fn a_config_option_update_is_complete(run: &mut Run) -> Probed {
    let (talk, session) = run.session().await?;
    let (_, other) = mode_option(&session)?;
    let first = talk.now();
    set_mode(talk, &session, &other).await?;
    talk.is_still_there().await?;
    let Some(pushed) = last_update(talk, first, &session, "config_option_update") else {
        return not_tested("the agent sent no config_option_update when the mode was set");
    };
    let ids = |all: &[Value]| values(all).into_iter().map(|(id, _)| id).collect::<Vec<_>>();
    let (before, pushed) = (ids(options(&session.opened)), ids(options(&pushed)));
    expect(before == pushed, format!("the options {}", before.join(", ")), pushed.join(", "))
}

async fn an_option_is_set_during_a_turn(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let select = select(&session)?;
    let turn = talk.begin_turn(&session, say("attache").hang());
    talk.hear(turn.first, "the turn begins", |line| line.text.contains("agent_message_chunk"))
        .await?;
    let after = set(talk, &session, &select, json!({"value": select.current})).await;
    talk.notify(SessionCancel::ROW.name, json!({"sessionId": session.id}));
    let over = talk.finish(turn).await;
    after?;
    // If the turn does not end when it is cancelled, this rule is not tested: CANCEL-02 covers such
    // turns.
    over.map(|_| ()).map_err(|outcome| unjudged(&outcome))
}

/// Sets several options to other values. The agent may refuse a value, for example because the
/// value needs a login or a network.
async fn the_reply_contains_the_new_value(run: &mut Run) -> Probed {
    let (talk, session) = run.session().await?;
    let mut changed = 0;
    for (id, value) in choices(options(&session.opened)).into_iter().take(CHOICES) {
        let first = talk.now();
        let params = json!({"sessionId": session.id, "configId": id, "value": value});
        let Ok(after) = talk.call::<SessionSetConfigOption>(params).await?.result() else {
            continue;
        };
        changed += 1;
        // CONF-02 covers incomplete lists in replies, CONF-03 incomplete lists in updates.
        let is_in = |all: &Value| options(all).iter().any(|option| option.get("id") == Some(&id));
        if is_in(&after) {
            has_value(options(&after), &id, &value)?;
        }
        talk.is_still_there().await?;
        let pushed = last_update(talk, first, &session, "config_option_update");
        if let Some(pushed) = pushed.filter(is_in) {
            has_value(options(&pushed), &id, &value)?;
        }
    }
    if changed == 0 { skipped("the agent accepts no other value for any option") } else { Ok(()) }
}

async fn a_session_without_options_refuses_options(run: &mut Run) -> Probed {
    let (talk, session) = run.session().await?;
    if !options(&session.opened).is_empty() {
        return skipped("the session has options");
    }
    let params = json!({"sessionId": session.id, "configId": "model", "value": "attache"});
    let reply = talk.call::<SessionSetConfigOption>(params).await?;
    reply.is_refused()?;
    let is_right = [-32601, -32602].iter().any(|code| reply.is_error(*code).is_ok());
    let code = reply.error("/code").cloned().unwrap_or_default();
    expect(is_right, "error -32602 or -32601", format!("error {code}"))
}

/// Checks that the option has this value in a list of all options.
fn has_value(all: &[Value], id: &Value, value: &Value) -> Probed {
    let option = all.iter().find(|option| option.get("id") == Some(id));
    let reported =
        option.and_then(|option| option.get("currentValue").cloned()).unwrap_or_default();
    expect(reported == *value, format!("{id} with the value {value}"), reported.to_string())
}

async fn a_string_value_is_a_selection(run: &mut Run) -> Probed {
    let (talk, session) = run.session().await?;
    let select = select(&session)?;
    for kind in ["id", "attache-no-such-type"] {
        set(talk, &session, &select, json!({"type": kind, "value": select.current})).await?;
    }
    Ok(())
}

async fn a_value_of_the_wrong_type_is_invalid(run: &mut Run) -> Probed {
    let (talk, session) = run.session().await?;
    let select = select(&session)?;
    for value in [json!(true), json!(3)] {
        let params = json!({"sessionId": session.id, "configId": select.id, "value": value});
        talk.call::<SessionSetConfigOption>(params).await?.is_error(-32602)?;
    }
    Ok(())
}

/// Sets an option and returns the result.
async fn set(
    talk: &mut Conversation,
    session: &Session,
    select: &Select,
    value: Value,
) -> Probed<Value> {
    let mut params = json!({"sessionId": session.id, "configId": select.id});
    if let (Value::Object(params), Value::Object(value)) = (&mut params, value) {
        params.extend(value);
    }
    talk.call::<SessionSetConfigOption>(params).await?.result()
}

/// Returns the first select option of a session.
fn select(session: &Session) -> Probed<Select> {
    let all = options(&session.opened);
    let select = all.iter().find(|option| option.get("type").is_some_and(|kind| kind == "select"));
    let parts = select
        .and_then(|option| Some((option.get("id")?.clone(), option.get("currentValue")?.clone())));
    match parts {
        Some((id, current)) => Ok(Select { id, current }),
        None => skipped("the session has no select option"),
    }
}
