//! Listing sessions (LIST).

use super::session::CLOSE;
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, Session, quoted, refusal};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested};
use attache_protocol::method::{SessionClose, SessionList, SessionPrompt};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

probes! { Run:
    "LIST-02" an_empty_list_is_an_array;
    "LIST-03" a_folder_lists_its_own_sessions;
    "LIST-04" empty_params_return_the_first_page;
    "LIST-05" pages_end_and_contain_no_duplicates;
    "LIST-08" an_unknown_cursor_is_refused;
    "LIST-09" listing_changes_nothing;
}

pub(super) const LIST: &str = "/sessionCapabilities/list";

/// The number of pages after which the judge considers a list endless.
const PAGES: usize = 200;

/// A folder without sessions.
const UNUSED: &str = "/attache/no-such-folder";

async fn an_empty_list_is_an_array(run: &mut Run) -> Probed {
    let talk = run.talk().await?;
    talk.needs(LIST)?;
    let page = page(talk, json!({"cwd": UNUSED})).await?;
    if !sessions(&page).is_empty() {
        return not_tested(
            "the agent lists sessions for a folder that has none, which breaks LIST-03",
        );
    }
    let seen = quoted(&Value::Object(page.clone()).to_string());
    expect(page.get("sessions") == Some(&json!([])), "sessions: []", seen)
}

async fn a_folder_lists_its_own_sessions(run: &mut Run) -> Probed {
    let folder = json!(run.folder());
    let (talk, _) = listed(run).await?;
    for cwd in [json!(UNUSED), folder] {
        let page = page(talk, json!({"cwd": cwd})).await?;
        let other = sessions(&page).iter().find(|entry| entry.get("cwd") != Some(&cwd));
        if let Some(other) = other {
            return fail(format!("only sessions of {cwd}"), quoted(&other.to_string()));
        }
    }
    Ok(())
}

async fn empty_params_return_the_first_page(run: &mut Run) -> Probed {
    let talk = run.talk().await?;
    talk.needs(LIST)?;
    let empty = page(talk, json!({})).await?;
    expect(
        empty.contains_key("sessions"),
        "a page of sessions with {}",
        "a result without sessions",
    )?;
    // RPC-25 covers absent params. An agent that accepts them must return the same page.
    let Ok(Value::Object(absent)) = talk.call::<SessionList>(Value::Null).await?.result() else {
        return Ok(());
    };
    let seen = format!(
        "{} sessions with {{}}, {} without params",
        sessions(&empty).len(),
        sessions(&absent).len()
    );
    expect(ids(&empty) == ids(&absent), "the same first page", seen)
}

async fn pages_end_and_contain_no_duplicates(run: &mut Run) -> Probed {
    let talk = run.talk().await?;
    talk.needs(LIST)?;
    let (mut all, mut params) = (BTreeSet::new(), json!({}));
    for _ in 0..PAGES {
        let page = page(talk, params).await?;
        for id in ids(&page) {
            expect(
                !all.contains(&id),
                "each session once over all pages",
                format!("{id} occurs twice"),
            )?;
            all.insert(id);
        }
        match page.get("nextCursor") {
            None | Some(Value::Null) => return Ok(()),
            Some(_) if sessions(&page).is_empty() => {
                return fail("no nextCursor on an empty page", "there is one");
            }
            Some(cursor) => params = json!({"cursor": cursor}),
        }
    }
    not_tested(format!("there are more than {PAGES} pages of sessions"))
}

async fn an_unknown_cursor_is_refused(run: &mut Run) -> Probed {
    let talk = run.talk().await?;
    talk.needs(LIST)?;
    talk.call::<SessionList>(json!({"cursor": "attache: no such cursor"})).await?.is_refused()
}

async fn listing_changes_nothing(run: &mut Run) -> Probed {
    let (of_folder, words) = (json!({"cwd": run.folder()}), run.words());
    run.talk().await?.needs(LIST)?;
    let (talk, session) = saved(run).await?;
    let before = entries(talk, of_folder.clone()).await?;
    let after = entries(talk, of_folder).await?;
    expect(before == after, "the same list twice", quoted(&json!(after).to_string()))?;
    let prompt = json!({"sessionId": session.id, "prompt": words});
    talk.call::<SessionPrompt>(prompt).await?.is_refused()
}

/// Opens a session that the agent lists. Sends a prompt first, because some agents list only
/// sessions that have had a turn.
pub(super) async fn listed(run: &mut Run) -> Probed<(&mut Conversation, Session)> {
    let (of_folder, words) = (json!({"cwd": run.folder()}), run.words());
    run.talk().await?.needs(LIST)?;
    run.answers_prompts().await?;
    let (talk, session) = run.session().await?;
    let prompt = json!({"sessionId": session.id, "prompt": words});
    talk.call::<SessionPrompt>(prompt).await?;
    match entry_of(&entries(talk, of_folder).await?, &session.id) {
        Some(_) => Ok((talk, session)),
        None => not_tested("a new session with one prompt is not listed"),
    }
}

/// Returns a listed session that is not open: closes it or, if the agent cannot close sessions,
/// restarts the agent.
pub(super) async fn saved(run: &mut Run) -> Probed<(&mut Conversation, Session)> {
    let of_folder = json!({"cwd": run.folder()});
    let (talk, session) = listed(run).await?;
    if talk.offers(CLOSE) {
        talk.call::<SessionClose>(json!({"sessionId": session.id})).await?.result()?;
    } else {
        run.restart().await;
    }
    let talk = run.talk().await?;
    match entry_of(&entries(talk, of_folder).await?, &session.id) {
        Some(_) => Ok((talk, session)),
        None => not_tested("a closed session is no longer listed"),
    }
}

/// Returns the entries of all pages.
pub(super) async fn entries(talk: &mut Conversation, mut params: Value) -> Probed<Vec<Value>> {
    let mut all = Vec::new();
    for _ in 0..PAGES {
        let page = page(talk, params.clone()).await?;
        all.extend_from_slice(sessions(&page));
        match (page.get("nextCursor"), &mut params) {
            (None | Some(Value::Null), _) => return Ok(all),
            (Some(cursor), Value::Object(params)) => {
                params.insert("cursor".to_owned(), cursor.clone())
            }
            (Some(_), _) => return Ok(all),
        };
    }
    not_tested(format!("there are more than {PAGES} pages of sessions"))
}

/// Returns the entry of this session.
pub(super) fn entry_of<'e>(entries: &'e [Value], id: &Value) -> Option<&'e Value> {
    entries.iter().find(|entry| entry.get("sessionId") == Some(id))
}

/// Returns a page of the list. The rule is not tested if the agent needs a login to list sessions.
pub(super) async fn page(talk: &mut Conversation, params: Value) -> Probed<Map<String, Value>> {
    let reply = talk.call::<SessionList>(params).await?;
    if reply.error("/code") == Some(&json!(-32000)) {
        return not_tested(format!("the agent lists no sessions: {}", refusal(&reply)));
    }
    match reply.result()? {
        Value::Object(page) => Ok(page),
        other => fail("an object with sessions", quoted(&other.to_string())),
    }
}

fn sessions(page: &Map<String, Value>) -> &[Value] {
    page.get("sessions").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn ids(page: &Map<String, Value>) -> Vec<String> {
    sessions(page).iter().filter_map(|entry| Some(entry.get("sessionId")?.to_string())).collect()
}
