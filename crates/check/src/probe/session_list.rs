//! Listing and deleting sessions (LIST, DEL).

use super::probes;
use crate::conversation::{Conversation, Session, quoted};
use crate::run::Run;
use crate::verdict::{Probed, expect, fail, not_tested};
use attache_protocol::method::{SessionDelete, SessionList, SessionPrompt};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

probes! {
    "LIST-02" an_empty_list_is_an_array;
    "LIST-03" a_folder_lists_its_own_sessions;
    "LIST-04" empty_params_give_the_first_page;
    "LIST-05" pages_end_and_repeat_nothing;
    "LIST-08" a_cursor_that_was_never_given_is_refused;
    "DEL-02" a_deleted_session_is_not_listed;
    "DEL-03" deleting_an_unknown_session_succeeds;
}

const LIST: &str = "/sessionCapabilities/list";
const DELETE: &str = "/sessionCapabilities/delete";

/// How many pages are read before it is said that they do not end.
const PAGES: usize = 200;

/// A folder that no session has.
const UNUSED: &str = "/attache/no-such-folder";

async fn an_empty_list_is_an_array(run: &mut Run) -> Probed {
    let talk = run.talk().await?;
    talk.needs(LIST)?;
    let page = page(talk, json!({"cwd": UNUSED})).await?;
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

async fn empty_params_give_the_first_page(run: &mut Run) -> Probed {
    let talk = run.talk().await?;
    talk.needs(LIST)?;
    let (empty, absent) = (page(talk, json!({})).await?, page(talk, Value::Null).await?);
    let seen =
        format!("{} sessions with {{}}, {} without params", sessions(&empty).len(), sessions(&absent).len());
    expect(ids(&empty) == ids(&absent) && empty.contains_key("sessions"), "the same first page", seen)
}

async fn pages_end_and_repeat_nothing(run: &mut Run) -> Probed {
    let talk = run.talk().await?;
    talk.needs(LIST)?;
    let (mut all, mut params) = (BTreeSet::new(), json!({}));
    for _ in 0..PAGES {
        let page = page(talk, params).await?;
        for id in ids(&page) {
            expect(!all.contains(&id), "each session once over all pages", format!("{id} came twice"))?;
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

async fn a_cursor_that_was_never_given_is_refused(run: &mut Run) -> Probed {
    let talk = run.talk().await?;
    talk.needs(LIST)?;
    talk.call::<SessionList>(json!({"cursor": "attache: no such cursor"})).await?.is_refused()
}

async fn a_deleted_session_is_not_listed(run: &mut Run) -> Probed {
    run.talk().await?.needs(DELETE)?;
    let of_folder = json!({"cwd": run.folder()});
    let (talk, session) = listed(run).await?;
    talk.call::<SessionDelete>(json!({"sessionId": session.id})).await?.result()?;
    let id = session.id.to_string();
    let is_gone = !ids(&page(talk, of_folder).await?).contains(&id);
    expect(is_gone, "the deleted session is not listed", format!("{id} is still listed"))
}

/// A session that the agent lists. It may do so only once something was said in it.
async fn listed(run: &mut Run) -> Probed<(&mut Conversation, Session)> {
    let (of_folder, words) = (json!({"cwd": run.folder()}), run.words());
    run.talk().await?.needs(LIST)?;
    let (talk, session) = run.session().await?;
    let prompt = json!({"sessionId": session.id, "prompt": words});
    talk.call::<SessionPrompt>(prompt).await?;
    match ids(&page(talk, of_folder).await?).contains(&session.id.to_string()) {
        true => Ok((talk, session)),
        false => not_tested("a new session with one prompt is not on the first page of the list"),
    }
}

async fn deleting_an_unknown_session_succeeds(run: &mut Run) -> Probed {
    run.talk().await?.needs(DELETE)?;
    let (talk, session) = run.session().await?;
    for id in [session.id.clone(), session.id, json!("attache-no-such-session")] {
        talk.call::<SessionDelete>(json!({"sessionId": id})).await?.result()?;
    }
    Ok(())
}

async fn page(talk: &mut Conversation, params: Value) -> Probed<Map<String, Value>> {
    match talk.call::<SessionList>(params).await?.result()? {
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
