//! Modes (MODE).

use crate::client::run::ClientRun;
use crate::client::scenario::Scenario;
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, fail};
use attache_protocol::method::{SessionSetConfigOption, SessionSetMode};
use serde_json::Value;

probes! { ClientRun:
    "MODE-02" the_client_sets_a_mode_of_the_session;
    "MODE-06" modes_are_ignored_beside_config_options;
    "DEC-02" a_malformed_mode_is_skipped;
}

fn modes() -> Value {
    let modes = json!([{"id": "check-ask", "name": "Ask"}, {"id": "check-code", "name": "Code"}]);
    json!({"currentModeId": "check-ask", "availableModes": modes})
}

async fn the_client_sets_a_mode_of_the_session(run: &mut ClientRun) -> Probed {
    sets_mode(run, modes()).await
}

async fn a_malformed_mode_is_skipped(run: &mut ClientRun) -> Probed {
    sets_mode(run, modes()).await?;
    let mut modes = modes();
    if let Some(all) = modes.get_mut("availableModes").and_then(Value::as_array_mut) {
        all.insert(0, json!({"id": 5}));
        all.insert(1, json!("no mode"));
    }
    match sets_mode(run, modes).await {
        Err(crate::Outcome::NotTested(seen)) => {
            fail("the client can set a mode that is listed with malformed ones", seen)
        }
        outcome => outcome,
    }
}

/// Checks that the client sets the mode `check-code` in a session with these modes.
async fn sets_mode(run: &mut ClientRun, modes: Value) -> Probed {
    let task = run.task("set_mode").with("mode", "check-code");
    let talk =
        run.start_with(task, move |_| Scenario::bare().opening("modes", modes.clone())).await?;
    let call = talk.hears::<SessionSetMode>().await?;
    match call.get("params").and_then(|params| params.get("modeId")) {
        Some(mode) if mode == "check-code" => Ok(()),
        mode => {
            fail("modeId is check-code", format!("it is {}", mode.cloned().unwrap_or_default()))
        }
    }
}

/// If the agent offers modes and a config option for the mode, the client must set the option,
/// because modes are deprecated.
async fn modes_are_ignored_beside_config_options(run: &mut ClientRun) -> Probed {
    sets_mode(run, modes()).await?;
    let task = run.task("set_mode").with("mode", "check-code");
    let values =
        json!([{"value": "check-ask", "name": "Ask"}, {"value": "check-code", "name": "Code"}]);
    let option = json!({"id": "mode", "name": "Mode", "category": "mode", "type": "select", "currentValue": "check-ask", "options": values});
    let scenario = move |_| {
        Scenario::bare().opening("modes", modes()).opening("configOptions", json!([option]))
    };
    let talk = run.start_with(task, scenario).await?;
    talk.set_up().await?;
    match (talk.heard::<SessionSetMode>(), talk.heard::<SessionSetConfigOption>()) {
        (Some(_), _) => fail(
            "the client sets the config option of the category mode",
            "it calls session/set_mode",
        ),
        (None, _) => Ok(()),
    }
}
