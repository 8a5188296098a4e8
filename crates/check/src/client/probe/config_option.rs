//! Config options (CONF).

use crate::client::client_talk::ClientTalk;
use crate::client::run::ClientRun;
use crate::client::scenario::{SESSION, Scenario};
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::{Outcome, Probed, expect, fail, not_tested};
use crate::peer::line::Line;
use crate::peer::script::Answer;
use attache_protocol::method::SessionSetConfigOption;
use serde_json::Value;

probes! { ClientRun:
    "CONF-04" the_options_of_a_reply_replace_earlier_ones;
    "CONF-09" a_select_is_set_by_a_string_without_a_type;
    "CONF-09" a_boolean_is_set_by_a_boolean_with_its_type;
    "CONF-12" an_option_of_an_unknown_type_is_ignored;
    "CONF-13" the_category_does_not_matter;
    "CONF-20" a_malformed_option_is_skipped;
    "CONF-20" a_malformed_value_in_a_group_is_skipped;
    "CONF-24" the_later_of_an_update_and_a_reply_applies;
    "DEC-01" a_malformed_description_is_ignored;
    "DEC-02" malformed_options_among_others_are_skipped;
    "DEC-09" an_unknown_category_is_accepted;
    "DEC-04" options_that_are_not_a_list_are_ignored;
}

pub(super) fn select(id: &str) -> Value {
    let values =
        json!([{"value": "check-one", "name": "One"}, {"value": "check-two", "name": "Two"}]);
    json!({"id": id, "name": "Check", "type": "select", "currentValue": "check-one", "options": values})
}

/// Returns the option with this member added or replaced.
fn with(mut option: Value, key: &str, value: Value) -> Value {
    if let Value::Object(members) = &mut option {
        members.insert(key.to_owned(), value);
    }
    option
}

/// Starts the client with the task to set `check-good` to `check-two`, in a session with these
/// options, and returns its call.
pub(super) async fn sets(run: &mut ClientRun, options: Value) -> Probed<Line> {
    let task = run.task("set_option").with("option", "check-good").with("value", "check-two");
    let talk = run
        .start_with(task, move |_| Scenario::bare().opening("configOptions", options.clone()))
        .await?;
    talk.hears::<SessionSetConfigOption>().await
}

/// Checks that the client can set the option `check-good` if it is the only option (otherwise the
/// rule is not tested), and if it is among these options.
async fn sets_among(run: &mut ClientRun, options: Value) -> Probed {
    sets(run, json!([select("check-good")])).await?;
    match sets(run, options).await {
        Ok(line) if names(&line, "check-good") => Ok(()),
        Ok(line) => fail("configId is check-good", line.text),
        Err(Outcome::NotTested(seen)) => fail("the option check-good can be set", seen),
        Err(outcome) => Err(outcome),
    }
}

fn names(line: &Line, option: &str) -> bool {
    line.get("params").and_then(|params| params.get("configId")).is_some_and(|id| id == option)
}

async fn a_select_is_set_by_a_string_without_a_type(run: &mut ClientRun) -> Probed {
    let line = sets(run, json!([select("check-good")])).await?;
    let params = line.get("params").cloned().unwrap_or_default();
    let is_right = params.get("type").is_none()
        && params.get("value").is_some_and(|value| value == "check-two");
    expect(is_right, "value is \"check-two\", and there is no type", params.to_string())
}

async fn a_boolean_is_set_by_a_boolean_with_its_type(run: &mut ClientRun) -> Probed {
    let boolean =
        json!({"id": "check-fast", "name": "Fast", "type": "boolean", "currentValue": false});
    let task = run.task("set_boolean").with("option", "check-fast").with("value", "true");
    let talk = run
        .start_with(task, move |_| Scenario::bare().opening("configOptions", json!([boolean])))
        .await?;
    let heard = talk.hears::<SessionSetConfigOption>().await;
    // A client without this capability may handle a boolean option in any way.
    talk.wire.is_watched = talk.offers("/session/configOptions/boolean");
    talk.needs("/session/configOptions/boolean")?;
    let params = heard?.get("params").cloned().unwrap_or_default();
    let is_right = params.get("type").is_some_and(|kind| kind == "boolean")
        && params.get("value") == Some(&json!(true));
    expect(is_right, "type is \"boolean\", and value is true", params.to_string())
}

pub(super) async fn an_option_of_an_unknown_type_is_ignored(run: &mut ClientRun) -> Probed {
    let slider = json!({"id": "check-slider", "name": "Slider", "type": "check_slider", "currentValue": 3, "min": 1, "max": 5});
    sets_among(run, json!([slider, select("check-good")])).await
}

pub(super) async fn the_category_does_not_matter(run: &mut ClientRun) -> Probed {
    for category in
        [json!("check_category"), json!("_check.invalid/category"), Value::Null, json!(5)]
    {
        let good = with(select("check-good"), "category", category.clone());
        sets_among(run, json!([good]))
            .await
            .map_err(|outcome| outcome.about(&format!("category is {category}")))?;
    }
    Ok(())
}

async fn an_unknown_category_is_accepted(run: &mut ClientRun) -> Probed {
    sets_among(run, json!([with(select("check-good"), "category", json!("check_open"))])).await
}

async fn a_malformed_description_is_ignored(run: &mut ClientRun) -> Probed {
    let good = with(with(select("check-good"), "description", json!(5)), "category", json!({}));
    sets_among(run, json!([good])).await
}

async fn a_malformed_option_is_skipped(run: &mut ClientRun) -> Probed {
    let bad = with(select("check-bad"), "options", json!([{"value": 5}]));
    sets_among(run, json!([bad, select("check-good")])).await
}

async fn malformed_options_among_others_are_skipped(run: &mut ClientRun) -> Probed {
    sets_among(run, json!([5, {"id": "check-bad"}, select("check-good"), null])).await
}

async fn a_malformed_value_in_a_group_is_skipped(run: &mut ClientRun) -> Probed {
    let values = json!([{"value": 5, "name": "Bad"}, {"value": "check-two", "name": "Two"}, {"value": "check-one", "name": "One"}]);
    let groups = json!([{"group": "check", "name": "Check", "options": values}]);
    sets_among(run, json!([with(select("check-good"), "options", groups)])).await
}

async fn options_that_are_not_a_list_are_ignored(run: &mut ClientRun) -> Probed {
    for options in [json!("x"), json!({}), Value::Null] {
        let task = run.task("prompt");
        let given = options.clone();
        let talk = run
            .start_with(task, move |_| Scenario::bare().opening("configOptions", given.clone()))
            .await?;
        talk.set_up()
            .await
            .map_err(|outcome| outcome.about(&format!("configOptions is {options}")))?;
    }
    Ok(())
}

/// Checks that the client can set an option that it learns about only from the reply to setting
/// another one. Sends `update`, if any, before that reply.
async fn sets_both(run: &mut ClientRun, update: Option<Value>) -> Probed {
    let task = run.task("set_options").with("option", "check-good").with("value", "check-two");
    let task = task.with("option2", "check-new").with("value2", "check-two");
    let talk = run.start_with(task, |_| {
        let scenario = Scenario::bare().opening("configOptions", json!([select("check-good")]));
        scenario.on::<SessionSetConfigOption>(|_| Answer::Silence)
    });
    let talk = talk.await?;
    let first = talk.hears::<SessionSetConfigOption>().await?;
    if !names(&first, "check-good") {
        return not_tested("the client does not set its first option first");
    }
    if let Some(update) = update {
        talk.update_session(json!(SESSION), update);
    }
    let set = with(select("check-good"), "currentValue", json!("check-two"));
    let id = first.get("id").cloned().unwrap_or_default();
    talk.reply_with_options(&id, json!([set, select("check-new")]));
    let second = second(talk, first.number).await;
    expect(second, "the client sets an option that the reply added", "the client does not set it")
}

async fn second(talk: &mut ClientTalk, first: usize) -> bool {
    let patience = talk.wire.patience;
    let sets = |line: &Line| line.asks::<SessionSetConfigOption>() && names(line, "check-new");
    talk.wire.peer.wait_for(first, patience, sets).await.is_ok()
}

pub(super) async fn the_options_of_a_reply_replace_earlier_ones(run: &mut ClientRun) -> Probed {
    sets_both(run, None).await
}

pub(super) async fn the_later_of_an_update_and_a_reply_applies(run: &mut ClientRun) -> Probed {
    let old =
        json!({"sessionUpdate": "config_option_update", "configOptions": [select("check-good")]});
    sets_both(run, Some(old)).await
}
