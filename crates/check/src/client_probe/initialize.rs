//! The handshake and the agent's capabilities (INIT).

use super::client_probes;
use crate::client_run::ClientRun;
use crate::scenario::Scenario;
use crate::verdict::{Probed, expect, fail};
use attache_protocol::method::{Initialize, Method};
use serde_json::{Value, json};

client_probes! {
    "INIT-01" initialize_is_the_first_call;
    "INIT-03" the_latest_version_is_asked_for_as_an_integer;
    "INIT-07" a_version_that_it_cannot_speak_ends_the_connection;
    "INIT-12" unknown_capabilities_of_the_agent_are_ignored;
}

async fn initialize_is_the_first_call(run: &mut ClientRun) -> Probed {
    let talk = run.start(run.errand("prompt")).await?;
    talk.set_up().await?;
    let first = talk.lines().find(|line| line.is_theirs).and_then(|line| line.get("method")).cloned();
    let seen = format!("the first message calls {}", first.clone().unwrap_or_default());
    expect(first == Some(json!(Initialize::ROW.name)), "initialize is the first call", seen)
}

async fn the_latest_version_is_asked_for_as_an_integer(run: &mut ClientRun) -> Probed {
    let talk = run.start(run.errand("prompt")).await?;
    talk.set_up().await?;
    let told = talk.heard::<Initialize>().and_then(|line| line.get("params")?.get("protocolVersion"));
    let seen = format!("protocolVersion is {}", told.cloned().unwrap_or_default());
    let expected = "protocolVersion is 1, or 2 if the client speaks it";
    expect(told.and_then(Value::as_u64).is_some_and(|version| (1..=2).contains(&version)), expected, seen)
}

async fn a_version_that_it_cannot_speak_ends_the_connection(run: &mut ClientRun) -> Probed {
    let errand = run.errand("prompt");
    let talk = run.start_with(errand, |_| Scenario::bare().with("/protocolVersion", json!(7))).await?;
    let asked = talk.hears::<Initialize>().await?;
    let expected = "the client closes the connection after the answer that the version is 7";
    let has_ended = talk.wire.peer.wait_for_end(talk.wire.patience).await;
    let next = talk.wire.heard(asked.number).find(|line| line.get("method").is_some());
    match next.and_then(|line| line.get("method")).filter(|method| *method != "$/cancel_request") {
        Some(method) => fail(expected, format!("it goes on and calls {method}")),
        None => expect(has_ended, expected, "it keeps the connection open"),
    }
}

async fn unknown_capabilities_of_the_agent_are_ignored(run: &mut ClientRun) -> Probed {
    let errand = run.errand("prompt");
    let scenario = || {
        let unknown = json!({"deeply": [1, {"nested": null}]});
        let scenario = Scenario::bare().with("/agentCapabilities/attacheFuture", unknown.clone());
        scenario.with("/agentCapabilities/sessionCapabilities/attacheFuture", unknown)
    };
    run.start_with(errand, move |_| scenario()).await?.set_up().await?;
    Ok(())
}
