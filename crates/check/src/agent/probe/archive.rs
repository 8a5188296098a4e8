//! Archiving sessions (ARCH).

use super::session::{NO_SESSION, is_unknown};
use super::session_list::{LIST, entries, entry_of, listed, page};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, Session, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail};
use attache_protocol::method::{
    Method, SessionArchive, SessionList, SessionPrompt, SessionUnarchive,
};
use serde_json::Value;

probes! { Run:
    "ARCH-01" an_agent_with_archive_offers_list;
    "ARCH-02" an_archived_session_is_hidden_and_kept;
    "ARCH-02" an_archived_session_refuses_prompts;
    "ARCH-03" archive_and_unarchive_may_be_repeated;
    "ARCH-03" an_unknown_session_cannot_be_archived;
    "ARCH-04" a_list_may_include_archived_sessions;
    "ARCH-04" an_unknown_filter_is_invalid;
    "ARCH-05" every_listed_session_says_whether_it_is_archived;
    "ARCH-06" unarchive_does_not_open_the_session;
}

const ARCHIVE: &str = "/sessionCapabilities/archive";

async fn an_agent_with_archive_offers_list(run: &mut Run) -> Probed {
    let talk = run.talk().await?;
    talk.needs(ARCHIVE)?;
    expect(talk.offers(LIST), "sessionCapabilities.list together with archive", "only archive")
}

async fn an_archived_session_is_hidden_and_kept(run: &mut Run) -> Probed {
    let folder = json!(run.folder());
    let (talk, session) = archived(run).await?;
    let shown = entries(talk, json!({"cwd": folder})).await?;
    expect(
        entry_of(&shown, &session.id).is_none(),
        "an archived session is not listed",
        "it is listed",
    )?;
    let kept = entries(talk, json!({"cwd": folder, "archived": "include"})).await?;
    expect(
        entry_of(&kept, &session.id).is_some(),
        "an archived session is still listed under its id with archived: include",
        "it is not listed",
    )
}

async fn an_archived_session_refuses_prompts(run: &mut Run) -> Probed {
    let words = run.words();
    let (talk, session) = archived(run).await?;
    let prompt = json!({"sessionId": session.id, "prompt": words});
    talk.call::<SessionPrompt>(prompt).await?.is_refused()
}

async fn archive_and_unarchive_may_be_repeated(run: &mut Run) -> Probed {
    let of_folder = json!({"cwd": run.folder()});
    let (talk, session) = archived(run).await?;
    archive(talk, &session).await?;
    for _ in 0..2 {
        unarchive(talk, &session).await?;
    }
    let shown = entries(talk, of_folder).await?;
    expect(entry_of(&shown, &session.id).is_some(), "it is listed again", "it is not listed")
}

async fn an_unknown_session_cannot_be_archived(run: &mut Run) -> Probed {
    let talk = run.talk().await?;
    talk.needs(ARCHIVE)?;
    for method in [SessionArchive::ROW.name, SessionUnarchive::ROW.name] {
        is_unknown(&talk.ask(method, json!({"sessionId": NO_SESSION})).await?, method)?;
    }
    Ok(())
}

async fn a_list_may_include_archived_sessions(run: &mut Run) -> Probed {
    let folder = json!(run.folder());
    let (_, other) = listed(run).await?;
    let (talk, session) = archived(run).await?;
    for (filter, holds_archived, holds_other) in [
        (json!("exclude"), false, true),
        (Value::Null, false, true),
        (json!("include"), true, true),
        (json!("only"), true, false),
    ] {
        let all = entries(talk, json!({"cwd": folder, "archived": filter})).await?;
        for (id, is_expected, which) in
            [(&session.id, holds_archived, "the archived"), (&other.id, holds_other, "the other")]
        {
            let is_there = entry_of(&all, id).is_some();
            let part = |is: bool| if is { "with" } else { "without" };
            let expected = format!(
                "the filter archived: {filter} lists {} {which} session",
                part(is_expected)
            );
            expect(is_there == is_expected, expected, format!("{} it", part(is_there)))?;
        }
    }
    let elsewhere =
        entries(talk, json!({"cwd": "/attache/no-such-folder", "archived": "only"})).await?;
    expect(
        elsewhere.is_empty(),
        "archived sessions are filtered by folder",
        format!("{} from other folders", elsewhere.len()),
    )
}

async fn an_unknown_filter_is_invalid(run: &mut Run) -> Probed {
    let talk = run.talk().await?;
    talk.needs(ARCHIVE)?;
    page(talk, json!({})).await?;
    talk.call::<SessionList>(json!({"archived": "_attache"})).await?.is_error(-32602)
}

async fn every_listed_session_says_whether_it_is_archived(run: &mut Run) -> Probed {
    let folder = json!(run.folder());
    let (talk, session) = archived(run).await?;
    for entry in entries(talk, json!({"cwd": folder, "archived": "include"})).await? {
        let is_ours = entry.get("sessionId") == Some(&session.id);
        let reported = entry.get("archived").and_then(Value::as_bool);
        if reported.is_none_or(|reported| is_ours && !reported) {
            return fail("the member archived in every listed session", quoted(&entry.to_string()));
        }
    }
    let shown = entries(talk, json!({"cwd": folder})).await?;
    match shown.iter().find(|entry| entry.get("archived") != Some(&Value::Bool(false))) {
        Some(entry) => fail(
            "archived: false in every session that is listed by default",
            quoted(&entry.to_string()),
        ),
        None => Ok(()),
    }
}

async fn unarchive_does_not_open_the_session(run: &mut Run) -> Probed {
    let words = run.words();
    let (talk, session) = archived(run).await?;
    unarchive(talk, &session).await?;
    let prompt = json!({"sessionId": session.id, "prompt": words});
    talk.call::<SessionPrompt>(prompt).await?.is_refused()
}

/// Archives a listed session and returns it.
async fn archived(run: &mut Run) -> Probed<(&mut Conversation, Session)> {
    run.talk().await?.needs(ARCHIVE)?;
    let (talk, session) = listed(run).await?;
    archive(talk, &session).await?;
    Ok((talk, session))
}

async fn archive(talk: &mut Conversation, session: &Session) -> Probed<Value> {
    talk.call::<SessionArchive>(json!({"sessionId": session.id})).await?.result()
}

async fn unarchive(talk: &mut Conversation, session: &Session) -> Probed<Value> {
    talk.call::<SessionUnarchive>(json!({"sessionId": session.id})).await?.result()
}
