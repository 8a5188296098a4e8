//! The client's name, and capabilities of the agent that the client cannot read (V2-01, INIT).

use crate::client::probe::initialize::{prompts, reported};
use crate::client::run::ClientRun;
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect};
use serde_json::Value;

probes! { ClientRun:
    "V2-01" the_client_sends_its_info;
    "INIT-10" null_capabilities_of_the_session_are_not_offered;
    "INIT-13" malformed_capabilities_of_the_session_are_not_used;
}

async fn the_client_sends_its_info(run: &mut ClientRun) -> Probed {
    let info = reported(run).await?.get("info").cloned().unwrap_or_default();
    let has = |key| info.get(key).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    expect(
        has("name") && has("version"),
        "info with a name and a version",
        format!("info is {info}"),
    )
}

async fn null_capabilities_of_the_session_are_not_offered(run: &mut ClientRun) -> Probed {
    let session =
        json!({"prompt": null, "mcp": null, "delete": null, "additionalDirectories": null});
    prompts(run, move |bare| {
        bare.with("/capabilities/session", session.clone()).with("/capabilities/auth", Value::Null)
    })
    .await
}

async fn malformed_capabilities_of_the_session_are_not_used(run: &mut ClientRun) -> Probed {
    let session = json!({"prompt": {"image": "yes"}, "mcp": false, "delete": [1]});
    prompts(run, move |bare| {
        bare.with("/capabilities/session", session.clone()).with("/capabilities/auth", json!(5))
    })
    .await
}
