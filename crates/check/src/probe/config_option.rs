//! Config options (CONF).

use super::probes;
use crate::conversation::{Conversation, Session, quoted};
use crate::run::{Run, initialize_params};
use crate::verdict::{Probed, expect, fail, skipped};
use attache_protocol::method::SessionSetConfigOption;
use serde_json::{Value, json};

probes! {
    "CONF-02" setting_an_option_gives_all_of_them;
    "CONF-07" an_unknown_option_or_value_changes_nothing;
    "CONF-08" a_client_without_boolean_options_gets_none;
    "CONF-10" a_type_with_a_string_is_a_selection;
    "CONF-11" a_value_of_the_wrong_type_is_invalid;
}

/// A select option of a session, and its current value.
struct Select {
    id: Value,
    current: Value,
}

async fn setting_an_option_gives_all_of_them(run: &mut Run) -> Probed {
    let (talk, session) = run.session().await?;
    let select = select(&session)?;
    // The value that it has: no other option depends on a change then.
    let after = set(talk, &session, &select, json!({"value": select.current})).await?;
    let (before, after) = (options(&session.opened), options(&after));
    let seen = format!("{} of {} options, or other values", after.len(), before.len());
    expect(values(before) == values(after), "all options with their values", seen)
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
    let changed = after.iter().find(|now| before.iter().any(|then| then.0 == now.0 && then.1 != now.1));
    match changed {
        Some((id, value)) => fail("every option keeps its value", format!("{id} is {value} now")),
        None => Ok(()),
    }
}

async fn a_client_without_boolean_options_gets_none(run: &mut Run) -> Probed {
    let folder = run.folder().to_owned();
    let talk = run.fresh().await?;
    talk.initialize(initialize_params(json!({}))).await?.result()?;
    let session = talk.open(&folder).await?;
    if options(&session.opened).is_empty() {
        return skipped("the session has no config options");
    }
    let is_boolean = |option: &&Value| option.get("type").is_some_and(|kind| kind == "boolean");
    match options(&session.opened).iter().find(is_boolean) {
        Some(option) => fail("no option of the type boolean", quoted(&option.to_string())),
        None => Ok(()),
    }
}

async fn a_type_with_a_string_is_a_selection(run: &mut Run) -> Probed {
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

/// Sets an option and gives the result.
async fn set(talk: &mut Conversation, session: &Session, select: &Select, value: Value) -> Probed<Value> {
    let mut params = json!({"sessionId": session.id, "configId": select.id});
    if let (Value::Object(params), Value::Object(value)) = (&mut params, value) {
        params.extend(value);
    }
    talk.call::<SessionSetConfigOption>(params).await?.result()
}

/// The first select option of a session.
fn select(session: &Session) -> Probed<Select> {
    let all = options(&session.opened);
    let select = all.iter().find(|option| option.get("type").is_some_and(|kind| kind == "select"));
    let parts =
        select.and_then(|option| Some((option.get("id")?.clone(), option.get("currentValue")?.clone())));
    match parts {
        Some((id, current)) => Ok(Select { id, current }),
        None => skipped("the session has no select option"),
    }
}

fn options(holder: &Value) -> &[Value] {
    holder.get("configOptions").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The ids of options with their current values.
fn values(options: &[Value]) -> Vec<(String, String)> {
    let text = |option: &Value, key| option.get(key).map(Value::to_string).unwrap_or_default();
    options.iter().map(|option| (text(option, "id"), text(option, "currentValue"))).collect()
}
