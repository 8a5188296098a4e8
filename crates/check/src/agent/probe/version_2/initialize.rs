//! The choice of the version (V2-02, V2-03, V2-05), and clients without capabilities (V2-11).

use super::super::driven::{count, unjudged};
use crate::agent::judge_client::initialize_params_of;
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Reply, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, not_tested};
use crate::model::acts::{ask, call, say};
use attache_protocol::method::ElicitationCreate;
use attache_protocol::v1::ProtocolVersion;
use serde_json::Value;

probes! { Run:
    "V2-02" the_chosen_version_is_the_highest_supported_one;
    "V2-03" a_repeated_initialize_does_not_lower_the_version;
    "V2-05" an_unsupported_version_is_refused;
    "V2-05" version_1_is_answered_with_version_1_or_refused;
    "V2-11" a_client_without_capabilities_is_asked_no_questions;
}

const UNSUPPORTED: i64 = -32022;

/// Starts an agent and requests this version. The observer is off, because the connection may use
/// another version than the one that is judged.
async fn requested(run: &mut Run, version: u16) -> Probed<Reply> {
    let mut params = initialize_params_of(ProtocolVersion::V2, run.capabilities());
    if let Value::Object(params) = &mut params {
        params.insert("protocolVersion".to_owned(), json!(version));
    }
    let talk = run.fresh().await?;
    talk.is_watched = false;
    talk.initialize(params).await
}

async fn the_chosen_version_is_the_highest_supported_one(run: &mut Run) -> Probed {
    for asked in [2, 3, 65_535] {
        let version = chosen(&requested(run, asked).await?)?;
        let is_right = version.as_u64().is_some_and(|it| (2..=u64::from(asked)).contains(&it));
        let expected = format!("version 2 or higher, but not above {asked}");
        expect(is_right, expected, format!("the reply to version {asked} has version {version}"))?;
    }
    Ok(())
}

/// The agent may refuse the second request.
async fn a_repeated_initialize_does_not_lower_the_version(run: &mut Run) -> Probed {
    let capabilities = run.capabilities();
    let talk = run.fresh_with(capabilities.clone()).await?;
    talk.is_watched = false;
    let reply = talk.initialize(initialize_params_of(ProtocolVersion::V2, capabilities)).await?;
    if reply.error("/code").is_some() {
        return Ok(());
    }
    let version = chosen(&reply)?;
    expect(version == json!(2), "version 2 again", format!("version {version}"))
}

async fn an_unsupported_version_is_refused(run: &mut Run) -> Probed {
    requested(run, 0).await?.is_error(UNSUPPORTED)
}

async fn version_1_is_answered_with_version_1_or_refused(run: &mut Run) -> Probed {
    let reply = requested(run, 1).await?;
    let is_right = match reply.error("/code") {
        Some(code) => *code == json!(UNSUPPORTED),
        None => chosen(&reply)? == json!(1),
    };
    let expected = format!("version 1, or the error {UNSUPPORTED}");
    expect(is_right, expected, quoted(reply.text()))
}

/// Tests the rule only if the agent asks a client that takes forms.
async fn a_client_without_capabilities_is_asked_no_questions(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let folder = run.folder().to_owned();
    for (capabilities, is_able) in [(run.capabilities(), true), (json!({}), false)] {
        let talk = run.fresh_with(capabilities).await?;
        let session = talk.open(&folder).await?;
        let first = talk.now();
        let played = talk.play(&session, call(ask("attache: which word?")).then(say("done"))).await;
        played.map_err(|outcome| unjudged(&outcome))?.had_its_tools()?;
        let asked = count::<ElicitationCreate>(talk, first);
        if is_able && asked == 0 {
            return not_tested("the agent asks the user no questions");
        }
        if !is_able {
            let seen = format!("{asked} elicitations");
            expect(asked == 0, "no question to a client that takes none", seen)?;
        }
    }
    Ok(())
}

/// Returns the version in a reply to `initialize`.
fn chosen(reply: &Reply) -> Probed<Value> {
    Ok(reply.result()?.get("protocolVersion").cloned().unwrap_or_default())
}
