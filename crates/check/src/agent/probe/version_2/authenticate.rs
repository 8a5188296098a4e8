//! Logging in and out (V2-09).

use super::driven::NOTHING;
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::quoted;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, skipped};
use attache_protocol::method::v2::{AuthLogin, AuthLogout};

probes! { Run:
    "V2-09" a_login_is_served;
    "V2-09" a_logout_is_served;
}

const UNKNOWN_METHOD: i64 = -32601;

/// Uses a login method that does not exist, so that the user's login does not change.
async fn a_login_is_served(run: &mut Run) -> Probed {
    let talk = run.fresh_with(run.capabilities()).await?;
    if !talk.has_login() {
        return skipped("the agent has no authMethods");
    }
    let reply = talk.call::<AuthLogin>(json!({"methodId": NOTHING})).await?;
    let is_served = reply.error("/code") != Some(&json!(UNKNOWN_METHOD));
    expect(is_served, "the agent knows auth/login", quoted(reply.text()))
}

/// Logs out and in again. Needs a login method that works without a person.
async fn a_logout_is_served(run: &mut Run) -> Probed {
    let talk = run.fresh_with(run.capabilities()).await?;
    if !talk.has_login() {
        return skipped("the agent has no authMethods");
    }
    let method = run.method()?;
    let talk = run.fresh_with(run.capabilities()).await?;
    talk.call::<AuthLogin>(json!({"methodId": method})).await?.result()?;
    talk.call::<AuthLogout>(json!({})).await?.result()?;
    talk.call::<AuthLogin>(json!({"methodId": method})).await?.result().map(|_| ())
}
