//! The data of errors (V2-85).

use super::driven::NOTHING;
use crate::agent::judge_client::initialize_params_of;
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::quoted;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, skipped};
use attache_protocol::method::SessionPrompt;
use attache_protocol::v1::ProtocolVersion;
use serde_json::Value;

probes! { Run:
    "V2-85" the_error_for_a_version_names_the_supported_ones;
    "V2-85" the_error_for_an_unknown_session_names_it;
}

async fn the_error_for_a_version_names_the_supported_ones(run: &mut Run) -> Probed {
    let params = initialize_params_of(ProtocolVersion(0), run.capabilities());
    let talk = run.fresh().await?;
    talk.is_watched = false;
    let reply = talk.initialize(params).await?;
    if reply.error("/code") != Some(&json!(-32022)) {
        return skipped("the agent does not refuse version 0 with -32022, which breaks V2-05");
    }
    let supported = reply.error("/data/supported").and_then(Value::as_array);
    let has_2 = supported.is_some_and(|all| all.contains(&json!(2)));
    let is_right = has_2 && reply.error("/data/requested") == Some(&json!(0));
    let expected = "data with the requested version 0 and the supported versions";
    expect(is_right, expected, quoted(reply.text()))
}

async fn the_error_for_an_unknown_session_names_it(run: &mut Run) -> Probed {
    let params = json!({"sessionId": NOTHING, "prompt": run.words()});
    let talk = run.talk().await?;
    let reply = talk.call::<SessionPrompt>(params).await?;
    if reply.error("/code") != Some(&json!(-32002)) {
        return skipped("the agent does not refuse an unknown session with -32002");
    }
    let is_named = reply.error("/data/sessionId") == Some(&json!(NOTHING));
    expect(is_named, "data with the sessionId", quoted(reply.text()))
}
