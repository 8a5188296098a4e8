//! Opening and closing sessions (SESS).

use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Reply, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail};
use crate::peer::line::Line;
use attache_protocol::method::{
    Method, SessionClose, SessionLoad, SessionNew, SessionPrompt, SessionResume, SessionSetMode,
};
use serde_json::Value;
use std::collections::BTreeSet;

probes! { Run:
    "SESS-01" every_session_has_a_unique_id;
    "SESS-02" a_relative_folder_is_refused;
    "SESS-10" one_malformed_server_fails_the_request;
    "SESS-11" servers_may_be_null_but_not_absent;
    "SESS-21" an_unknown_session_is_not_found;
    "SESS-24" closing_an_unknown_session_is_answered;
    "SESS-25" no_message_follows_the_end_of_a_session;
}

/// The number of sessions whose ids are compared.
const SESSIONS: usize = 5;

pub(super) const CLOSE: &str = "/sessionCapabilities/close";
pub(super) const NO_SESSION: &str = "attache-no-such-session";

/// An agent that rejects or does not answer `session/new` breaks this rule. If the agent's error
/// may have another cause, such as a missing login, the rule is not tested.
async fn every_session_has_a_unique_id(run: &mut Run) -> Probed {
    let folder = run.folder().to_owned();
    run.opened().await?;
    let (talk, first) = run.session().await?;
    let mut ids = BTreeSet::from([first.id.to_string()]);
    for _ in 1..SESSIONS {
        let id = talk.open(&folder).await?.id.to_string();
        expect(!ids.contains(&id), "a new id for each session", format!("{id} occurs twice"))?;
        ids.insert(id);
    }
    Ok(())
}

async fn a_relative_folder_is_refused(run: &mut Run) -> Probed {
    let (talk, _) = run.session().await?;
    talk.call::<SessionNew>(json!({"cwd": "relative/folder", "mcpServers": []})).await?.is_refused()
}

async fn one_malformed_server_fails_the_request(run: &mut Run) -> Probed {
    let folder = run.folder().to_owned();
    let (talk, _) = run.session().await?;
    let servers = json!([
        {"name": "good", "command": "/attache/no-such-server", "args": [], "env": []},
        {"name": "bad", "args": 5}
    ]);
    talk.call::<SessionNew>(json!({"cwd": folder, "mcpServers": servers})).await?.is_error(-32602)
}

async fn servers_may_be_null_but_not_absent(run: &mut Run) -> Probed {
    let folder = run.folder().to_owned();
    let (talk, _) = run.session().await?;
    talk.call::<SessionNew>(json!({"cwd": folder, "mcpServers": null})).await?.result()?;
    talk.call::<SessionNew>(json!({"cwd": folder})).await?.is_error(-32602)
}

async fn an_unknown_session_is_not_found(run: &mut Run) -> Probed {
    let (folder, words) = (run.folder().to_owned(), run.words());
    let (talk, session) = run.session().await?;
    let opening = json!({"sessionId": NO_SESSION, "cwd": folder, "mcpServers": []});
    let mode = session.opened.pointer("/modes/availableModes/0/id").cloned();
    let mut all: Vec<(&str, Value)> = Vec::new();
    if talk.offers("/loadSession") {
        all.push((SessionLoad::ROW.name, opening.clone()));
    }
    if talk.offers("/sessionCapabilities/resume") {
        all.push((SessionResume::ROW.name, opening));
    }
    if let Some(mode) = mode {
        all.push((SessionSetMode::ROW.name, json!({"sessionId": NO_SESSION, "modeId": mode})));
    }
    all.push((SessionPrompt::ROW.name, json!({"sessionId": NO_SESSION, "prompt": words})));
    for (method, params) in all {
        let reply = talk.ask(method, params).await?;
        is_unknown(&reply, method)?;
    }
    Ok(())
}

/// A result and an error are both correct, but the agent must answer.
async fn closing_an_unknown_session_is_answered(run: &mut Run) -> Probed {
    let talk = run.talk().await?;
    talk.needs(CLOSE)?;
    talk.call::<SessionClose>(json!({"sessionId": NO_SESSION})).await?;
    talk.is_still_there().await
}

async fn no_message_follows_the_end_of_a_session(run: &mut Run) -> Probed {
    run.talk().await?.needs(CLOSE)?;
    let (talk, session) = run.session().await?;
    talk.call::<SessionClose>(json!({"sessionId": session.id})).await?.result()?;
    let first = talk.now();
    talk.is_still_there().await?;
    let is_of_session = |line: &&Line| {
        line.get("params").and_then(|params| params.get("sessionId")) == Some(&session.id)
    };
    match talk.heard(first).find(is_of_session) {
        Some(line) => fail("no message for the session after its end", quoted(&line.text)),
        None => Ok(()),
    }
}

/// Checks that the error is the one for an unknown session, and that it names [`NO_SESSION`]
/// (SESS-21).
pub(super) fn is_unknown(reply: &Reply, method: &str) -> Probed {
    reply.is_error(-32002)?;
    let reported = reply.error("/data/sessionId").cloned().unwrap_or_default();
    expect(
        reported == NO_SESSION,
        format!("{method} names the session in data.sessionId"),
        reported.to_string(),
    )
}
