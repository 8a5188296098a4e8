//! MCP servers of resumed sessions (V2-73).

use super::super::driven::{play_in, unjudged};
use super::super::mcp::with;
use super::driven::{STDIO, close};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::quoted;
use crate::judging::probe::probes;
use crate::judging::verdict::{Outcome, Probed, expect, not_tested};
use crate::mcp_server::{ServerBehavior, Transport};
use crate::model::acts::say;
use attache_protocol::method::SessionResume;

probes! { Run:
    "V2-73" a_resume_without_servers_starts_none;
}

async fn a_resume_without_servers_starts_none(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    run.talk().await?.needs(STDIO)?;
    let folder = run.folder().to_owned();
    let server = run.mcp_server(Transport::Stdio, ServerBehavior::Good)?;
    let unopened = |outcome: Outcome| {
        Outcome::NotTested(format!("no session with an MCP server opens: {}", outcome.seen()))
    };
    let (talk, session) = with(run, &[&server]).await.map_err(unopened)?;
    play_in(talk, &session, say("attache: one")).await?;
    close(talk, &session).await?.result().map_err(|outcome| unjudged(&outcome))?;
    run.restart().await;
    let before = server.seen().starts;
    let talk = run.talk().await?;
    let params = json!({"sessionId": session.id, "cwd": folder});
    let reply = talk.call::<SessionResume>(params).await?;
    if reply.result().is_err() {
        return not_tested(format!("the session does not resume: {}", quoted(reply.text())));
    }
    // Some agents start their servers only in a turn.
    play_in(talk, &session, say("attache: two")).await?;
    let is_started = server.seen().starts > before;
    expect(!is_started, "no server of the earlier request is started", "it is started")
}
