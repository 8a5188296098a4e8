//! Extensions and `_meta` (EXT, META).

use super::prompt::survives_updates;
use crate::client::run::ClientRun;
use crate::client::scenario::{SESSION, Scenario};
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::Probed;
use crate::peer::script::Answer;
use attache_protocol::method::SessionNew;
use serde_json::Value;

probes! { ClientRun:
    "EXT-02" an_unknown_extension_request_is_not_found;
    "EXT-03" an_unknown_extension_notification_is_ignored;
    "META-01" any_object_may_have_meta;
    "META-02" meta_may_be_anything;
}

async fn an_unknown_extension_request_is_not_found(run: &mut ClientRun) -> Probed {
    let (talk, _) = run.turn(&["prompt"]).await?;
    talk.wire.ask("_x/y", json!({})).await?.is_error(-32601)
}

async fn an_unknown_extension_notification_is_ignored(run: &mut ClientRun) -> Probed {
    let (talk, _) = run.turn(&["prompt"]).await?;
    let first = talk.wire.now();
    talk.wire.notify("_x/y", json!({}));
    talk.wire.is_ignored(first).await
}

/// Checks that the client sends a prompt to an agent whose answers contain this `_meta`.
async fn prompts_with(run: &mut ClientRun, meta: Value) -> Probed {
    let task = run.task("prompt");
    let scenario = move |_| {
        let opened = json!({"sessionId": SESSION, "_meta": meta});
        let scenario = Scenario::bare()
            .with("/_meta", meta.clone())
            .with("/agentCapabilities/_meta", meta.clone());
        scenario
            .with("/agentInfo/_meta", meta.clone())
            .on::<SessionNew>(move |_| Answer::Result(opened.clone()))
    };
    run.start_with(task, scenario).await?.set_up().await?;
    Ok(())
}

fn piece(meta: &Value) -> Value {
    let content = json!({"type": "text", "text": "With meta.\n\n", "_meta": meta});
    json!({"sessionUpdate": "agent_message_chunk", "content": content, "_meta": meta})
}

async fn any_object_may_have_meta(run: &mut ClientRun) -> Probed {
    let meta = json!({"check.invalid/x": {"y": [1, null, "z"]}, "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"});
    prompts_with(run, meta.clone()).await?;
    survives_updates(run, |_| vec![piece(&meta)]).await
}

async fn meta_may_be_anything(run: &mut ClientRun) -> Probed {
    for meta in [json!(5), json!([]), json!("x")] {
        prompts_with(run, meta.clone())
            .await
            .map_err(|outcome| outcome.about(&format!("_meta is {meta}")))?;
    }
    survives_updates(run, |_| {
        vec![piece(&json!(5)), piece(&json!({"check.invalid/deep": {"null": null}}))]
    })
    .await
}
