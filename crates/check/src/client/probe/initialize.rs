//! The handshake and the agent's capabilities (INIT).

use crate::client::run::ClientRun;
use crate::client::scenario::Scenario;
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail};
use attache_protocol::method::{CancelRequest, Initialize, Method};
use serde_json::Value;

probes! { ClientRun:
    "INIT-01" initialize_is_the_first_call;
    "INIT-03" the_client_requests_its_latest_version_as_an_integer;
    "INIT-04" the_client_sends_its_name_and_version;
    "INIT-07" an_unsupported_version_ends_the_connection;
    "INIT-10" null_capabilities_are_not_offered;
    "INIT-12" unknown_capabilities_of_the_agent_are_ignored;
    "INIT-13" malformed_capabilities_of_the_agent_are_not_used;
    "INIT-20" an_agent_may_leave_out_its_capabilities;
}

pub(super) async fn initialize_is_the_first_call(run: &mut ClientRun) -> Probed {
    let talk = run.start(run.task("prompt")).await?;
    talk.set_up().await?;
    let first =
        talk.lines().find(|line| line.is_theirs).and_then(|line| line.get("method")).cloned();
    let seen = format!("the first message calls {}", first.clone().unwrap_or_default());
    expect(first == Some(json!(Initialize::ROW.name)), "initialize is the first call", seen)
}

/// Returns the params of the client's `initialize`.
pub(super) async fn reported(run: &mut ClientRun) -> Probed<Value> {
    let talk = run.start(run.task("prompt")).await?;
    talk.set_up().await?;
    Ok(talk.heard::<Initialize>().and_then(|line| line.get("params")).cloned().unwrap_or_default())
}

pub(super) async fn the_client_requests_its_latest_version_as_an_integer(
    run: &mut ClientRun,
) -> Probed {
    let version = reported(run).await?.get("protocolVersion").cloned().unwrap_or_default();
    let expected = "protocolVersion is 1, or 2 if the client supports it";
    let is_right = version.as_u64().is_some_and(|version| (1..=2).contains(&version));
    expect(is_right, expected, format!("protocolVersion is {version}"))
}

async fn the_client_sends_its_name_and_version(run: &mut ClientRun) -> Probed {
    let info = reported(run).await?.get("clientInfo").cloned().unwrap_or_default();
    let has = |key| info.get(key).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    expect(
        has("name") && has("version"),
        "clientInfo with a name and a version",
        format!("clientInfo is {info}"),
    )
}

pub(super) async fn an_unsupported_version_ends_the_connection(run: &mut ClientRun) -> Probed {
    let task = run.task("prompt");
    let talk =
        run.start_with(task, |_| Scenario::bare().with("/protocolVersion", json!(7))).await?;
    let asked = talk.hears::<Initialize>().await?;
    let expected = "the client closes the connection after a reply with protocolVersion 7";
    let has_ended = talk.wire.peer.wait_for_end(talk.wire.patience).await;
    let next = talk.wire.heard(asked.number).find(|line| line.get("method").is_some());
    match next
        .and_then(|line| line.get("method"))
        .filter(|method| **method != CancelRequest::ROW.name)
    {
        Some(method) => fail(expected, format!("it continues and calls {method}")),
        None => expect(has_ended, expected, "it keeps the connection open"),
    }
}

/// Checks that the client sends a prompt to an agent that `change` has changed. The observer checks
/// that the client uses only the capabilities that this agent offers.
pub(super) async fn prompts(
    run: &mut ClientRun,
    change: impl Fn(Scenario) -> Scenario + Send + 'static,
) -> Probed {
    let task = run.task("prompt");
    run.start_with(task, move |_| change(Scenario::bare())).await?.set_up().await?;
    Ok(())
}

async fn null_capabilities_are_not_offered(run: &mut ClientRun) -> Probed {
    prompts(run, |bare| {
        bare.with(
            "/agentCapabilities",
            json!({
                "loadSession": null, "promptCapabilities": null, "mcpCapabilities": null, "auth": null,
                "sessionCapabilities": {"list": null, "resume": null, "close": null, "delete": null},
            }),
        )
    })
    .await
}

pub(super) async fn unknown_capabilities_of_the_agent_are_ignored(run: &mut ClientRun) -> Probed {
    prompts(run, |bare| {
        let unknown = json!({"deeply": [1, {"nested": null}]});
        let bare = bare.with("/agentCapabilities/attacheFuture", unknown.clone());
        bare.with("/agentCapabilities/sessionCapabilities/attacheFuture", unknown)
    })
    .await
}

async fn malformed_capabilities_of_the_agent_are_not_used(run: &mut ClientRun) -> Probed {
    prompts(run, |bare| {
        let wrong = json!({
            "loadSession": {}, "promptCapabilities": {"image": "yes"}, "mcpCapabilities": false, "sessionCapabilities": {"list": true},
            "auth": 5,
        });
        bare.with("/agentCapabilities", wrong).with("/agentInfo", json!({"name": "x"}))
    })
    .await
}

pub(super) async fn an_agent_may_leave_out_its_capabilities(run: &mut ClientRun) -> Probed {
    prompts(run, |bare| {
        bare.with("/agentCapabilities", Value::Null).with("/authMethods", Value::Null)
    })
    .await
}
