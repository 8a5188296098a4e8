//! Listing sessions (LIST).

use crate::client::run::ClientRun;
use crate::client::scenario::{SESSION, Scenario};
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested};
use crate::peer::script::Answer;
use attache_protocol::method::{SessionList, SessionLoad, SessionResume};
use attache_protocol::v1::ProtocolVersion;
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};

probes! { ClientRun:
    "LIST-06" a_page_without_a_cursor_is_the_last;
    "LIST-06" a_page_whose_cursor_is_null_is_the_last;
    "LIST-07" a_cursor_is_sent_back_unchanged;
    "LIST-13" malformed_sessions_are_skipped;
    "LIST-13" a_malformed_cursor_ends_the_list;
}

/// A cursor with characters that a client may change by mistake.
const CURSOR: &str = " a/b?c=%20&d\t\"ü\" 🙂 ";

/// What a client did with the pages of a list of sessions.
struct Listed {
    /// The params of each call of `session/list`.
    calls: Vec<Value>,
    /// Whether the client shows, loads or resumes the listed session.
    is_known: bool,
    /// Whether the client closed the connection or still answered calls after the last page.
    is_well: Probed,
}

async fn list(run: &mut ClientRun, mut pages: Vec<Value>) -> Probed<Listed> {
    let title = run.nonce();
    let cwd = run.folder().to_string_lossy().into_owned();
    for page in &mut pages {
        fill(page, &title, &cwd);
    }
    pages.reverse();
    let calls = Arc::new(Mutex::new(Vec::new()));
    let asked = calls.clone();
    let (task, version) = (run.task("list"), run.version());
    let scenario = move |_| {
        let (asked, mut pages) = (asked.clone(), pages.clone());
        let page = move |params: &Value| {
            asked.lock().unwrap_or_else(PoisonError::into_inner).push(params.clone());
            let page = if pages.len() > 1 { pages.pop() } else { pages.first().cloned() };
            Answer::Result(page.unwrap_or_default())
        };
        let capabilities =
            json!({"loadSession": true, "sessionCapabilities": {"list": {}, "resume": {}}});
        match version {
            ProtocolVersion::V1 => Scenario::offering(capabilities).on::<SessionList>(page),
            _ => Scenario::bare().on::<SessionList>(page),
        }
    };
    let talk = run.start_with(task, scenario).await?;
    talk.hears::<SessionList>().await?;
    // Some clients list sessions in order to continue one of them.
    if let Ok(turn) = talk.set_up().await {
        talk.end_turn(&turn, "end_turn");
    }
    let opens = talk.heard::<SessionLoad>().or(talk.heard::<SessionResume>());
    let opens = opens.is_some_and(|line| line.text.contains(SESSION));
    let is_well = talk.ends_or_continues().await;
    let is_known =
        opens || talk.client.printed().shows(&title) || talk.client.printed().shows(SESSION);
    let calls = calls.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(Listed { calls, is_known, is_well })
}

/// Replaces each string `good` in the list with a valid session.
fn fill(page: &mut Value, title: &str, cwd: &str) {
    if let Some(sessions) = page.get_mut("sessions").and_then(Value::as_array_mut) {
        for session in sessions.iter_mut().filter(|session| **session == "good") {
            *session = json!({"sessionId": SESSION, "cwd": cwd, "title": title, "updatedAt": "2026-11-01T10:00:00Z"});
        }
    }
}

/// Checks that the client calls `session/list` only once, because this page is the last.
async fn is_last(run: &mut ClientRun, page: Value) -> Probed {
    let listed = list(run, vec![page]).await?;
    expect(
        listed.calls.len() == 1,
        "the client requests no other page",
        format!("{} calls of session/list", listed.calls.len()),
    )?;
    listed.is_well
}

pub(super) async fn a_page_without_a_cursor_is_the_last(run: &mut ClientRun) -> Probed {
    is_last(run, json!({"sessions": ["good"]})).await
}

pub(super) async fn a_page_whose_cursor_is_null_is_the_last(run: &mut ClientRun) -> Probed {
    is_last(run, json!({"sessions": ["good"], "nextCursor": null})).await
}

async fn a_malformed_cursor_ends_the_list(run: &mut ClientRun) -> Probed {
    is_last(run, json!({"sessions": ["good"], "nextCursor": {"page": 2}})).await
}

pub(super) async fn a_cursor_is_sent_back_unchanged(run: &mut ClientRun) -> Probed {
    let pages = vec![json!({"sessions": ["good"], "nextCursor": CURSOR}), json!({"sessions": []})];
    let listed = list(run, pages).await?;
    match listed.calls.get(1).map(|params| params.get("cursor").cloned().unwrap_or_default()) {
        None => not_tested("the client requests no second page"),
        Some(cursor) if cursor == CURSOR => Ok(()),
        Some(cursor) => {
            fail(format!("the cursor {CURSOR:?}, byte for byte"), format!("the cursor {cursor}"))
        }
    }
}

pub(super) async fn malformed_sessions_are_skipped(run: &mut ClientRun) -> Probed {
    if !list(run, vec![json!({"sessions": ["good"]})]).await?.is_known {
        return not_tested("the client neither shows nor opens a listed session");
    }
    let bad = json!({"sessionId": 5, "cwd": []});
    let listed = list(run, vec![json!({"sessions": [bad, 7, "good", {"title": "no id"}]})]).await?;
    expect(
        listed.is_known,
        "a valid session that is listed with malformed ones is shown or opened",
        "it is neither shown nor opened",
    )
}
