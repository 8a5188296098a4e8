//! The handshake (INIT).

use crate::agent::judge_client::{everything, initialize_params};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail};
use attache_protocol::method::{Authenticate, Initialize, SessionNew};
use serde_json::Value;

// Some of these rules are not mandatory. Their probes turn the observer off, because it would count
// an error in reply to `initialize` as a breach of INIT-06, which is mandatory.
probes! { Run:
    "INIT-02" calls_before_initialize_are_refused;
    "INIT-05" version_1_is_answered_with_version_1;
    "INIT-06" an_unknown_version_is_answered_with_a_supported_one;
    "INIT-09" a_malformed_version_is_invalid;
    "INIT-10" a_client_without_capabilities_gets_no_calls;
    "INIT-12" unknown_capabilities_are_ignored;
    "INIT-13" malformed_capabilities_count_as_absent;
    "INIT-18" initialize_may_be_repeated;
    "INIT-19" undecodable_params_of_a_newer_version_are_not_an_error;
}

/// The rules about calls that an agent may make only if the client has a capability.
pub(super) const GATES: &[&str] = &[
    "INIT-16", "FS-01", "TERM-01", "ELIC-01", "NOTE-01", "COMP-01", "CONF-08", "AUTH-05", "MCPA-01",
];

async fn calls_before_initialize_are_refused(run: &mut Run) -> Probed {
    let folder = run.folder().to_owned();
    let talk = run.fresh().await?;
    talk.call::<SessionNew>(json!({"cwd": folder, "mcpServers": []})).await?.is_error(-32600)?;
    talk.call::<Authenticate>(json!({"methodId": "none"})).await?.is_error(-32600)?;
    talk.initialize(everything()).await?.result().map(|_| ())
}

async fn version_1_is_answered_with_version_1(run: &mut Run) -> Probed {
    let talk = run.fresh().await?;
    let version = version(talk.initialize(everything()).await?.result()?);
    expect(version == json!(1), "protocolVersion 1", format!("protocolVersion {version}"))
}

async fn an_unknown_version_is_answered_with_a_supported_one(run: &mut Run) -> Probed {
    let mut speaks_version_2 = false;
    for asked in [2, 65_535, 0] {
        let talk = run.fresh().await?;
        let answer = talk.initialize(params_of_later_versions(asked)).await?;
        // Version 2 defines this error for requests below all supported versions.
        if asked == 0 && speaks_version_2 && answer.is_error(-32022).is_ok() {
            continue;
        }
        let version = version(answer.result()?);
        speaks_version_2 |= version == json!(2);
        let is_right = version.as_i64().is_some_and(|version| (1..=2).contains(&version));
        let seen = format!("the reply to version {asked} has version {version}");
        expect(is_right, "the latest version that the agent supports", seen)?;
    }
    Ok(())
}

/// Returns params of `initialize` that are valid in version 2 and, as far as it reads them, in
/// version 1.
fn params_of_later_versions(asked: u16) -> Value {
    let info = json!({"name": "attache-check", "version": "0"});
    json!({"protocolVersion": asked, "info": info, "capabilities": {}, "clientCapabilities": {}})
}

async fn a_malformed_version_is_invalid(run: &mut Run) -> Probed {
    let talk = run.fresh().await?;
    let all = [
        json!({}),
        json!({"protocolVersion": "1"}),
        json!({"protocolVersion": -1}),
        json!({"protocolVersion": 1.5}),
        json!({"protocolVersion": 65_536}),
    ];
    for params in all {
        talk.call::<Initialize>(params).await?.is_error(-32602)?;
    }
    talk.initialize(everything()).await?.result().map(|_| ())
}

async fn a_client_without_capabilities_gets_no_calls(run: &mut Run) -> Probed {
    let folder = run.folder().to_owned();
    let talk = run.fresh().await?;
    talk.initialize(initialize_params(json!({}))).await?.result()?;
    talk.open(&folder).await?;
    talk.is_still_there().await?;
    match talk.peer.findings().iter().find(|finding| GATES.contains(&finding.rule.id)) {
        Some(finding) => fail("only calls that the client offers", finding.seen.clone()),
        None => Ok(()),
    }
}

async fn unknown_capabilities_are_ignored(run: &mut Run) -> Probed {
    let talk = run.fresh().await?;
    let known = json!({"readTextFile": true, "future": [1]});
    let capabilities = json!({"future": {}, "fs": known, "session": {"future": 5}});
    talk.initialize(initialize_params(capabilities)).await?.result().map(|_| ())
}

async fn malformed_capabilities_count_as_absent(run: &mut Run) -> Probed {
    let info = json!({"name": "attache-check", "version": "1"});
    for (capabilities, info) in [
        (json!({"fs": false, "terminal": {}, "session": 7, "elicitation": "yes"}), info),
        (json!({}), json!({"name": "x"})),
    ] {
        let talk = run.fresh().await?;
        talk.is_watched = false;
        let params =
            json!({"protocolVersion": 1, "clientCapabilities": capabilities, "clientInfo": info});
        talk.initialize(params).await?.result()?;
        talk.watch()?;
    }
    Ok(())
}

async fn initialize_may_be_repeated(run: &mut Run) -> Probed {
    let talk = run.fresh().await?;
    talk.is_watched = false;
    talk.initialize(everything()).await?.result()?;
    talk.initialize(everything()).await?.result()?;
    talk.watch()
}

async fn undecodable_params_of_a_newer_version_are_not_an_error(run: &mut Run) -> Probed {
    let talk = run.fresh().await?;
    talk.is_watched = false;
    // No agent speaks this version.
    let params = json!({"protocolVersion": 65_535, "info": "x", "capabilities": []});
    let version = version(talk.initialize(params).await?.result()?);
    let is_right = [json!(1), json!(2)].contains(&version);
    expect(is_right, "protocolVersion 1 or 2", format!("protocolVersion {version}"))?;
    talk.watch()
}

fn version(result: Value) -> Value {
    result.get("protocolVersion").cloned().unwrap_or_default()
}
