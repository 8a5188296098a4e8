//! Modes (MODE).

use super::probes;
use crate::run::Run;
use crate::verdict::{Probed, skipped};
use attache_protocol::method::SessionSetMode;
use serde_json::json;

probes! {
    "MODE-02" an_unknown_mode_is_refused;
}

async fn an_unknown_mode_is_refused(run: &mut Run) -> Probed {
    let (talk, session) = run.session().await?;
    if session.opened.pointer("/modes/availableModes/0").is_none() {
        return skipped("the session has no modes");
    }
    let params = json!({"sessionId": session.id, "modeId": "attache-no-such-mode"});
    talk.call::<SessionSetMode>(params).await?.is_refused()
}
