//! Additional directories (DIR).

use super::session::CLOSE;
use super::session_list::{entries, entry_of};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, Reply, Session, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Outcome, Probed, expect, not_tested, skipped};
use attache_protocol::method::{
    Method, SessionClose, SessionLoad, SessionNew, SessionPrompt, SessionResume,
};
use serde_json::Value;
use std::path::PathBuf;

probes! { Run:
    "DIR-03" malformed_directories_are_refused;
    "DIR-04" a_missing_directory_is_refused_or_kept;
    "DIR-05" absent_null_and_empty_are_no_directories;
    "DIR-05" only_given_directories_are_used;
    "DIR-06" the_last_list_replaces_earlier_ones;
    "DIR-09" session_list_contains_all_directories_in_order;
    "DIR-12" a_file_is_refused_or_kept;
}

pub(super) const DIRECTORIES: &str = "/sessionCapabilities/additionalDirectories";
const KEY: &str = "additionalDirectories";

async fn malformed_directories_are_refused(run: &mut Run) -> Probed {
    let folder = json!(run.folder());
    let (talk, session) = with_directories(run).await?;
    let openers = openers(talk);
    for wrong in [json!("/tmp"), json!([5]), json!([""]), json!(["relative"])] {
        let mut params = json!({"cwd": folder, "mcpServers": [], KEY: wrong});
        talk.call::<SessionNew>(params.clone()).await?.is_refused()?;
        put(&mut params, "sessionId", session.id.clone());
        for opener in &openers {
            talk.ask(opener, params.clone()).await?.is_refused()?;
        }
    }
    Ok(())
}

async fn a_missing_directory_is_refused_or_kept(run: &mut Run) -> Probed {
    is_refused_or_kept(run, json!("/attache/no-such-directory")).await
}

async fn a_file_is_refused_or_kept(run: &mut Run) -> Probed {
    let file = run.folder().join("no-directory.txt");
    if let Err(error) = std::fs::write(&file, "attache\n") {
        return not_tested(format!("cannot write a file into the folder: {error}"));
    }
    is_refused_or_kept(run, json!(file)).await
}

async fn absent_null_and_empty_are_no_directories(run: &mut Run) -> Probed {
    let folder = json!(run.folder());
    let (talk, _) = with_directories(run).await?;
    for nothing in [None, Some(Value::Null), Some(json!([]))] {
        let mut params = json!({"cwd": folder, "mcpServers": []});
        if let Some(nothing) = nothing {
            put(&mut params, KEY, nothing);
        }
        let reply = talk.call::<SessionNew>(params).await?;
        let shown = shown(talk, &opened(&reply)?, &folder).await?;
        expect(
            shown.is_null() || shown == json!([]),
            "no additional directories",
            quoted(&shown.to_string()),
        )?;
    }
    Ok(())
}

async fn only_given_directories_are_used(run: &mut Run) -> Probed {
    let (folder, one) = (json!(run.folder()), directory(run, "one")?);
    let (talk, _) = with_directories(run).await?;
    let session = reported(talk, &folder, &json!([one])).await?;
    again(talk, &session, json!({"cwd": folder, "mcpServers": []})).await?;
    let shown = shown(talk, &session.id, &folder).await?;
    expect(
        shown.is_null() || shown == json!([]),
        "no directories from an earlier request",
        quoted(&shown.to_string()),
    )
}

async fn the_last_list_replaces_earlier_ones(run: &mut Run) -> Probed {
    let (folder, one, two) = (json!(run.folder()), directory(run, "one")?, directory(run, "two")?);
    let (talk, _) = with_directories(run).await?;
    let session = reported(talk, &folder, &json!([one])).await?;
    again(talk, &session, json!({"cwd": folder, "mcpServers": [], KEY: [two]})).await?;
    let shown = shown(talk, &session.id, &folder).await?;
    expect(
        shown == json!([two]),
        "only the directories of the last request",
        quoted(&shown.to_string()),
    )
}

async fn session_list_contains_all_directories_in_order(run: &mut Run) -> Probed {
    let (folder, one, two) = (json!(run.folder()), directory(run, "one")?, directory(run, "two")?);
    let (talk, _) = with_directories(run).await?;
    for wanted in [json!([two, one]), json!([one, two])] {
        let session = with(talk, &folder, &wanted).await?;
        let shown = shown(talk, &session, &folder).await?;
        if shown.is_null() {
            return skipped("the agent lists no additional directories");
        }
        expect(
            shown == wanted,
            format!("all directories in the given order: {wanted}"),
            quoted(&shown.to_string()),
        )?;
    }
    Ok(())
}

/// Checks that the agent refuses a session with this additional root, or lists the session with the
/// root.
async fn is_refused_or_kept(run: &mut Run, root: Value) -> Probed {
    let (folder, one) = (json!(run.folder()), directory(run, "one")?);
    let (talk, _) = with_directories(run).await?;
    reported(talk, &folder, &json!([one])).await?;
    let wanted = json!([one, root]);
    let reply =
        talk.call::<SessionNew>(json!({"cwd": folder, "mcpServers": [], KEY: wanted})).await?;
    if reply.error("/code").is_some() {
        return Ok(());
    }
    let shown = shown(talk, &opened(&reply)?, &folder).await?;
    expect(
        shown == wanted,
        format!("an error, or a session with {wanted}"),
        quoted(&shown.to_string()),
    )
}

async fn with_directories(run: &mut Run) -> Probed<(&mut Conversation, Session)> {
    run.talk().await?.needs(DIRECTORIES)?;
    run.session().await
}

/// Creates a directory in the session's folder.
pub(super) fn directory(run: &Run, name: &str) -> Probed<PathBuf> {
    let path = run.folder().join(name);
    match std::fs::create_dir_all(&path) {
        Ok(()) => Ok(path),
        Err(error) => not_tested(format!("cannot create a directory in the folder: {error}")),
    }
}

/// Returns the methods that the agent offers for reopening a session.
fn openers(talk: &Conversation) -> Vec<&'static str> {
    let all = [
        ("/loadSession", SessionLoad::ROW.name),
        ("/sessionCapabilities/resume", SessionResume::ROW.name),
    ];
    all.iter().filter(|(pointer, _)| talk.offers(pointer)).map(|(_, name)| *name).collect()
}

/// Reopens the session, after closing it if the agent can close sessions.
async fn again(talk: &mut Conversation, session: &Session, mut params: Value) -> Probed {
    let Some(opener) = openers(talk).pop() else {
        return skipped("the agent neither loads nor resumes sessions");
    };
    if talk.offers(CLOSE) {
        talk.call::<SessionClose>(json!({"sessionId": session.id})).await?.result()?;
    }
    put(&mut params, "sessionId", session.id.clone());
    match talk.ask(opener, params).await?.result() {
        Ok(_) => Ok(()),
        Err(_) => not_tested(format!("{opener} does not reopen the session")),
    }
}

/// Opens a session with these additional roots, and returns it if the agent lists the session with
/// them.
async fn reported(talk: &mut Conversation, folder: &Value, roots: &Value) -> Probed<Session> {
    let id = with(talk, folder, roots).await?;
    if shown(talk, &id, folder).await? == *roots {
        return Ok(Session { id, opened: Value::Null });
    }
    not_tested("the agent does not list the additional directories of a session")
}

/// Opens a session with these additional roots and returns its id.
pub(super) async fn with(talk: &mut Conversation, folder: &Value, roots: &Value) -> Probed<Value> {
    let reply =
        talk.call::<SessionNew>(json!({"cwd": folder, "mcpServers": [], KEY: roots})).await?;
    opened(&reply)
}

fn opened(reply: &Reply) -> Probed<Value> {
    Ok(reply.result()?.get("sessionId").cloned().unwrap_or_default())
}

/// Returns the additional roots with which the agent lists a session, or null if it lists none.
/// Runs a turn first, because some agents list only sessions that have had a turn.
pub(super) async fn shown(talk: &mut Conversation, id: &Value, folder: &Value) -> Probed<Value> {
    talk.needs(super::session_list::LIST)
        .map_err(|_| Outcome::NotTested("the agent does not list sessions".to_owned()))?;
    let prompt = json!([{"type": "text", "text": "hi"}]);
    talk.call::<SessionPrompt>(json!({"sessionId": id, "prompt": prompt})).await?;
    let all = entries(talk, json!({"cwd": folder})).await?;
    match entry_of(&all, id) {
        Some(entry) => Ok(entry.get(KEY).cloned().unwrap_or_default()),
        None => not_tested("a session with one prompt is not listed"),
    }
}

fn put(params: &mut Value, key: &str, value: Value) {
    if let Value::Object(params) = params {
        params.insert(key.to_owned(), value);
    }
}
