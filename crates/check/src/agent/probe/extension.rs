//! Extensions and `_meta` (EXT-02, EXT-03, META-02).

use super::request::is_ignored;
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::Probed;
use attache_protocol::method::SessionNew;

probes! { Run:
    "EXT-02" an_unknown_extension_request_is_not_found;
    "EXT-03" an_unknown_extension_notification_is_ignored;
    "META-02" any_meta_is_accepted;
}

async fn an_unknown_extension_request_is_not_found(run: &mut Run) -> Probed {
    run.talk().await?.ask("_x/y", json!({})).await?.is_error(-32601)
}

async fn an_unknown_extension_notification_is_ignored(run: &mut Run) -> Probed {
    is_ignored(run, "_x/y", json!({})).await
}

async fn any_meta_is_accepted(run: &mut Run) -> Probed {
    let folder = run.folder().to_owned();
    let (talk, _) = run.session().await?;
    let odd = json!({"attache.invalid/x": 5, "attache": null, "traceparent": [], "tracestate": 7});
    for meta in [json!({"attache.invalid/x": {"y": [1, null, "z"]}}), odd] {
        talk.call::<SessionNew>(json!({"cwd": folder, "mcpServers": [], "_meta": meta}))
            .await?
            .result()?;
    }
    Ok(())
}
