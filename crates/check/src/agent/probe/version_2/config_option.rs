//! Config options (V2-57 to V2-59).

use super::driven::{NOTHING, text};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, Reply, Session, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, skipped};
use attache_protocol::method::SessionSetConfigOption;
use serde_json::Value;

probes! { Run:
    "V2-58" options_can_be_set;
    "V2-59" the_result_has_the_new_value;
    "V2-57" an_unknown_option_or_value_changes_nothing;
}

const INVALID: i64 = -32602;
const UNKNOWN_METHOD: i64 = -32601;

/// Opens a session. Skips agents without config options.
async fn opened(run: &mut Run) -> Probed<(&mut Conversation, Session)> {
    let (talk, session) = run.session().await?;
    match options(&session.opened).is_empty() {
        true => skipped("the session has no config options"),
        false => Ok((talk, session)),
    }
}

fn options(holder: &Value) -> &[Value] {
    holder.get("configOptions").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the ids of the options with their values.
fn values(holder: &Value) -> Vec<(&str, &Value)> {
    let value = |option: &'_ Value| option.get("currentValue").is_some();
    let all = options(holder).iter().filter(|option| value(option));
    all.map(|option| (text(option, "configId"), option.get("currentValue").unwrap_or(&Value::Null)))
        .collect()
}

/// Returns a value of this option that is not the current one.
fn other_value(option: &Value) -> Option<Value> {
    let current = option.get("currentValue")?;
    if let Value::Bool(current) = current {
        return Some(json!(!current));
    }
    let entries = option.get("options")?.as_array()?;
    let in_group = |entry: &Value| entry.get("options").and_then(Value::as_array).cloned();
    let flat = entries.iter().flat_map(|entry| in_group(entry).unwrap_or(vec![entry.clone()]));
    flat.filter_map(|entry| entry.get("value").cloned()).find(|value| value != current)
}

async fn set(talk: &mut Conversation, session: &Session, id: &str, value: &Value) -> Probed<Reply> {
    let kind = if value.is_boolean() { "boolean" } else { "id" };
    let params = json!({"sessionId": session.id, "configId": id, "type": kind, "value": value});
    talk.call::<SessionSetConfigOption>(params).await
}

async fn options_can_be_set(run: &mut Run) -> Probed {
    let (talk, session) = opened(run).await?;
    let Some((id, value)) = values(&session.opened).first().copied() else {
        return skipped("no option has a value");
    };
    let reply = set(talk, &session, id, value).await?;
    let is_served = reply.error("/code") != Some(&json!(UNKNOWN_METHOD));
    expect(is_served, "the agent knows session/set_config_option", quoted(reply.text()))
}

/// Tries the options in turn, because an agent may refuse a value, for example of a model that
/// needs a login.
async fn the_result_has_the_new_value(run: &mut Run) -> Probed {
    let (talk, session) = opened(run).await?;
    for option in options(&session.opened) {
        let Some(value) = other_value(option) else { continue };
        let id = text(option, "configId");
        let Ok(result) = set(talk, &session, id, &value).await?.result() else { continue };
        let now = values(&result).into_iter().find(|(other, _)| *other == id);
        let expected = format!("the option {id} with its new value {value}");
        let seen = quoted(&result.to_string());
        return expect(now.is_some_and(|(_, now)| *now == value), expected, seen);
    }
    skipped("no option has another value that the agent accepts")
}

async fn an_unknown_option_or_value_changes_nothing(run: &mut Run) -> Probed {
    let (talk, session) = opened(run).await?;
    let before = values(&session.opened);
    let select = before.iter().find(|(_, value)| value.is_string());
    let mut wrong = vec![(NOTHING, json!(NOTHING))];
    wrong.extend(select.map(|(id, _)| (*id, json!(NOTHING))));
    for (id, value) in wrong {
        let reply = set(talk, &session, id, &value).await?;
        reply.is_error(INVALID).map_err(|outcome| outcome.about(&format!("{id} = {value}")))?;
    }
    // Setting an option to its current value returns the current list.
    let Some((id, value)) = before.first().copied() else { return Ok(()) };
    let Ok(result) = set(talk, &session, id, value).await?.result() else { return Ok(()) };
    let after = values(&result);
    let changed =
        after.iter().find(|now| before.iter().any(|old| old.0 == now.0 && old.1 != now.1));
    let seen = changed.map(|(id, value)| format!("the value of {id} is now {value}"));
    expect(changed.is_none(), "every option keeps its value", seen.unwrap_or_default())
}
