//! Logging in (AUTH).

use super::probes;
use crate::run::Run;
use crate::verdict::{Probed, skipped};
use attache_protocol::method::Authenticate;
use serde_json::json;

probes! {
    "AUTH-03" an_unknown_method_is_invalid;
}

async fn an_unknown_method_is_invalid(run: &mut Run) -> Probed {
    let talk = run.talk().await?;
    if !talk.has_login() {
        return skipped("there is no way to log in");
    }
    talk.call::<Authenticate>(json!({"methodId": "attache-no-such-method"})).await?.is_error(-32602)
}
