//! Values that an agent must refuse (V2-15 to V2-18).

use super::driven::{HTTP, UNKNOWN_TYPE, closed};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::{Outcome, Probed, skipped};
use attache_protocol::method::{SessionNew, SessionPrompt, SessionResume, SessionSetConfigOption};
use serde_json::Value;

probes! { Run:
    "V2-15" an_unsupported_content_type_is_refused;
    "V2-16" an_unsupported_transport_is_refused;
    "V2-17" an_unsupported_replay_cursor_is_refused;
    "V2-18" a_value_of_an_unknown_type_is_refused;
}

const INVALID: i64 = -32602;

/// The smallest PNG image, as base64.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

async fn an_unsupported_content_type_is_refused(run: &mut Run) -> Probed {
    let (talk, session) = run.session().await?;
    let mut blocks = vec![json!({"type": UNKNOWN_TYPE, "text": "x"})];
    if !talk.offers("/session/prompt/image") {
        blocks.push(json!({"type": "image", "data": PIXEL, "mimeType": "image/png"}));
    }
    if !talk.offers("/session/prompt/audio") {
        blocks.push(json!({"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}));
    }
    for block in blocks {
        let asked = block.get("type").cloned().unwrap_or_default();
        let prompt = json!([{"type": "text", "text": "hi"}, block]);
        let params = json!({"sessionId": session.id, "prompt": prompt});
        let reply = talk.call::<SessionPrompt>(params).await?;
        reply.is_error(INVALID).map_err(|outcome| about(outcome, &asked))?;
    }
    Ok(())
}

async fn an_unsupported_transport_is_refused(run: &mut Run) -> Probed {
    let folder = run.folder().to_owned();
    let (talk, _) = run.session().await?;
    let mut servers = vec![json!({"type": UNKNOWN_TYPE, "name": "x", "url": "https://x.invalid"})];
    if !talk.offers(HTTP) {
        servers.push(json!({"type": "http", "name": "x", "url": "https://attache.invalid"}));
    }
    for server in servers {
        let asked = server.get("type").cloned().unwrap_or_default();
        let params = json!({"cwd": folder, "mcpServers": [server]});
        let reply = talk.call::<SessionNew>(params).await?;
        reply.is_error(INVALID).map_err(|outcome| about(outcome, &asked))?;
    }
    Ok(())
}

async fn an_unsupported_replay_cursor_is_refused(run: &mut Run) -> Probed {
    let folder = run.folder().to_owned();
    let (talk, session) = closed(run, "attache: one").await?;
    for cursor in [json!({"type": UNKNOWN_TYPE}), json!({"type": 7})] {
        let params = json!({"sessionId": session.id, "cwd": folder, "replayFrom": cursor});
        let reply = talk.call::<SessionResume>(params).await?;
        reply.is_error(INVALID).map_err(|outcome| about(outcome, &cursor))?;
    }
    Ok(())
}

async fn a_value_of_an_unknown_type_is_refused(run: &mut Run) -> Probed {
    let (talk, session) = run.session().await?;
    let Some(option) = session.opened.pointer("/configOptions/0").cloned() else {
        return skipped("the session has no config options");
    };
    let part = |key| option.get(key).cloned().unwrap_or(Value::Null);
    let params = json!({
        "sessionId": session.id, "configId": part("configId"), "type": UNKNOWN_TYPE,
        "value": part("currentValue"),
    });
    talk.call::<SessionSetConfigOption>(params).await?.is_error(INVALID)
}

/// Returns the outcome with the value that the judge sent.
fn about(outcome: Outcome, asked: &Value) -> Outcome {
    outcome.about(&format!("the reply to {asked}"))
}
