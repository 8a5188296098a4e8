//! The values of config options (V2-56).

use crate::client::probe::config_option::{select, sets};
use crate::client::run::ClientRun;
use crate::client::scenario::Scenario;
use crate::json::json;
use crate::judging::conversation::quoted;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect};
use crate::peer::line::Line;
use attache_protocol::method::SessionSetConfigOption;
use serde_json::Value;

probes! { ClientRun:
    "V2-56" the_value_of_a_select_has_the_type_id;
    "V2-56" the_value_of_a_boolean_has_the_type_boolean;
}

/// Checks the type and the value of a call that sets an option.
fn has_value(line: &Line, kind: &str, value: Value) -> Probed {
    let params = line.get("params").cloned().unwrap_or_default();
    let is_right =
        params.get("type").is_some_and(|of| of == kind) && params.get("value") == Some(&value);
    expect(is_right, format!("type is {kind:?}, and value is {value}"), quoted(&params.to_string()))
}

async fn the_value_of_a_select_has_the_type_id(run: &mut ClientRun) -> Probed {
    let line = sets(run, json!([select("check-good")])).await?;
    has_value(&line, "id", json!("check-two"))
}

async fn the_value_of_a_boolean_has_the_type_boolean(run: &mut ClientRun) -> Probed {
    let boolean =
        json!({"configId": "check-fast", "name": "Fast", "type": "boolean", "currentValue": false});
    let task = run.task("set_boolean").with("option", "check-fast").with("value", "true");
    let talk = run
        .start_with(task, move |_| Scenario::bare().opening("configOptions", json!([boolean])))
        .await?;
    let line = talk.hears::<SessionSetConfigOption>().await?;
    has_value(&line, "boolean", json!(true))
}
