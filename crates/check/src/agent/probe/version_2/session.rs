//! Opening and closing sessions (V2-20, V2-23, V2-24, V2-36, V2-67).

use super::super::cancel::hanging;
use super::super::driven::unjudged;
use super::driven::{NOTHING, SESSION, close, text};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Session, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, skipped};
use crate::peer::line::Line;
use attache_protocol::method::{
    Method, SessionClose, SessionDelete, SessionFork, SessionList, SessionNew, SessionPrompt,
    SessionResume,
};
use serde_json::Value;
use std::collections::HashSet;

probes! { Run:
    "V2-67" a_session_opens;
    "V2-67" the_methods_of_sessions_are_served;
    "V2-20" each_session_has_its_own_id;
    "V2-23" a_session_may_be_closed_twice;
    "V2-23" closing_an_unknown_session_succeeds;
    "V2-24" no_message_follows_the_reply_to_close;
    "V2-36" closing_ends_the_work_first;
}

const UNKNOWN_METHOD: i64 = -32601;

async fn a_session_opens(run: &mut Run) -> Probed {
    run.talk().await?.needs(SESSION)?;
    run.opened().await
}

/// Any reply other than the error for an unknown method shows that the agent serves the method.
async fn the_methods_of_sessions_are_served(run: &mut Run) -> Probed {
    let (folder, words) = (run.folder().to_owned(), run.words());
    let talk = run.unwatched().await?;
    talk.needs(SESSION)?;
    let other = json!({"sessionId": NOTHING, "cwd": folder, "mcpServers": []});
    let mut all = vec![
        (SessionList::ROW.name, json!({})),
        (SessionResume::ROW.name, other.clone()),
        (SessionPrompt::ROW.name, json!({"sessionId": NOTHING, "prompt": words})),
        (SessionClose::ROW.name, json!({"sessionId": NOTHING})),
    ];
    if talk.offers("/session/delete") {
        all.push((SessionDelete::ROW.name, json!({"sessionId": NOTHING})));
    }
    if talk.offers("/session/fork") {
        all.push((SessionFork::ROW.name, other));
    }
    for (method, params) in all {
        let reply = talk.ask(method, params).await?;
        let is_served = reply.error("/code") != Some(&json!(UNKNOWN_METHOD));
        expect(is_served, format!("the agent knows {method}"), quoted(reply.text()))?;
    }
    talk.watch()
}

async fn each_session_has_its_own_id(run: &mut Run) -> Probed {
    let folder = run.folder().to_owned();
    let (talk, session) = run.session().await?;
    let mut ids = HashSet::from([session.id.to_string()]);
    let params = json!({"cwd": folder, "mcpServers": []});
    let new = talk.call::<SessionNew>(params).await?.result()?;
    let mut opened = vec![new];
    if talk.offers("/session/fork") {
        let params = json!({"sessionId": session.id, "cwd": folder, "mcpServers": []});
        // Some agents fork only sessions that have had a turn.
        opened.extend(talk.call::<SessionFork>(params).await?.result().ok());
    }
    for id in opened.iter().map(|opened| text(opened, "sessionId").to_owned()) {
        let seen = format!("{id:?} occurs twice or is empty");
        let is_new = !id.is_empty() && ids.insert(json!(id).to_string());
        expect(is_new, "a new id for each session", seen)?;
    }
    Ok(())
}

async fn a_session_may_be_closed_twice(run: &mut Run) -> Probed {
    let (talk, session) = run.session().await?;
    close(talk, &session).await?.result()?;
    close(talk, &session).await?.result().map(|_| ())
}

async fn closing_an_unknown_session_succeeds(run: &mut Run) -> Probed {
    let talk = run.talk().await?;
    talk.needs(SESSION)?;
    let session = Session { id: json!(NOTHING), opened: Value::Null };
    close(talk, &session).await?.result().map(|_| ())
}

async fn no_message_follows_the_reply_to_close(run: &mut Run) -> Probed {
    let (talk, session, _) = hanging(run).await?;
    let reply = close(talk, &session).await?;
    if reply.error("/code").is_some() {
        return skipped("the agent does not close a session with running work");
    }
    talk.is_still_there().await.map_err(|outcome| unjudged(&outcome))?;
    let is_late = |line: &&Line| {
        line.get("params").and_then(|params| params.get("sessionId")) == Some(&session.id)
    };
    match talk.heard(reply.number()).find(is_late) {
        Some(line) => fail("no message for the session after its end", quoted(&line.text)),
        None => Ok(()),
    }
}

async fn closing_ends_the_work_first(run: &mut Run) -> Probed {
    let (talk, session, turn) = hanging(run).await?;
    let reply = close(talk, &session).await?;
    reply.result()?;
    let is_idle = |update: &&Value| text(update, "state") == "idle";
    let idle = talk.updates(&session.id, turn.first, reply.number()).filter(is_idle).last();
    let expected =
        "an idle state with the stop reason cancelled, before the reply to session/close";
    match idle {
        Some(idle) if text(idle, "stopReason") == "cancelled" => Ok(()),
        Some(idle) => fail(expected, quoted(&idle.to_string())),
        None => fail(expected, "no idle state before the reply"),
    }
}
