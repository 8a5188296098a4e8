//! Notices (NOTE, SESS-16). The probes provoke them with an MCP server that cannot start.

use super::driven::{play_in, unjudged};
use super::mode::of_session;
use crate::agent::judge_client::capabilities;
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, Session, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, fail, not_tested};
use crate::model::acts::say;
use attache_protocol::method::{SessionLoad, SessionNew};
use serde_json::Value;

probes! { Run:
    "NOTE-01" notices_are_sent_only_if_supported;
    "NOTE-03" a_load_does_not_replay_notices;
    "SESS-16" a_load_does_not_replay_notices;
}

async fn notices_are_sent_only_if_supported(run: &mut Run) -> Probed {
    noticed(run).await?;
    let mut client = capabilities();
    if let Some(Value::Object(session)) = client.pointer_mut("/session") {
        session.remove("notices");
    }
    let folder = json!(run.folder());
    let talk = run.fresh_with(client).await?;
    let (first, session) = (talk.now(), open(talk, &folder).await?);
    play_in(talk, &session, say("attache")).await?;
    talk.is_still_there().await?;
    match notices(talk, first, &session).first() {
        Some(notice) => fail("no notice", quoted(&notice.to_string())),
        None => Ok(()),
    }
}

/// A load may send new notices, but must not repeat the notice about a server that is no longer
/// configured. The probe uses a new process, because some agents refuse to load open sessions.
async fn a_load_does_not_replay_notices(run: &mut Run) -> Probed {
    run.talk().await?.needs("/loadSession")?;
    let folder = json!(run.folder());
    let (_, session, before) = noticed(run).await?;
    run.restart().await;
    let talk = run.talk().await?;
    let first = talk.now();
    let params = json!({"sessionId": session.id, "cwd": folder, "mcpServers": []});
    let loaded = talk.call::<SessionLoad>(params).await?;
    loaded.result().map_err(|outcome| unjudged(&outcome))?;
    match notices(talk, first, &session).into_iter().find(|notice| before.contains(notice)) {
        Some(notice) => fail("no earlier notice", quoted(&notice.to_string())),
        None => Ok(()),
    }
}

/// Runs a turn in a session whose MCP server cannot start, and waits for the agent's notice about
/// that. Returns the session and the titles of its notices.
async fn noticed(run: &mut Run) -> Probed<(&mut Conversation, Session, Vec<Value>)> {
    run.follows_prompts().await?;
    let folder = json!(run.folder());
    let talk = run.talk().await?;
    let (first, session) = (talk.now(), open(talk, &folder).await?);
    play_in(talk, &session, say("attache")).await?;
    let is_notice = of_session(&session, "notice");
    if talk.hear(first, "a notice", is_notice).await.is_err() {
        return not_tested("the agent sends no notice about an MCP server that cannot start");
    }
    let reported = notices(talk, first, &session);
    Ok((talk, session, reported))
}

/// Opens a session with an MCP server whose program does not exist.
async fn open(talk: &mut Conversation, folder: &Value) -> Probed<Session> {
    let server = json!({"name": "attache-nowhere", "command": "/attache/no-such-server", "args": [], "env": []});
    let reply = talk.call::<SessionNew>(json!({"cwd": folder, "mcpServers": [server]})).await?;
    let opened = reply.result().ok();
    let id = opened.as_ref().and_then(|opened| opened.get("sessionId").cloned());
    match (id, opened) {
        (Some(id), Some(opened)) => Ok(Session { id, opened }),
        _ => not_tested("no session opens with an MCP server that cannot start"),
    }
}

/// Returns the titles of the session's notices after line `first`.
fn notices(talk: &Conversation, first: usize, session: &Session) -> Vec<Value> {
    let is_notice = of_session(session, "notice");
    let titles = talk.heard(first).filter(|line| is_notice(line));
    titles.filter_map(|line| line.get("params")?.pointer("/update/title").cloned()).collect()
}
