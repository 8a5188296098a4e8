//! Titles set by the client (TITLE).

use super::session::{NO_SESSION, is_unknown};
use super::session_list::{LIST, entries, entry_of, listed, saved};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, not_tested};
use attache_protocol::method::{Method, SessionSetTitle};
use serde_json::Value;

probes! { Run:
    "TITLE-01" a_title_is_stored_and_listed;
    "TITLE-01" a_closed_session_can_be_renamed;
    "TITLE-02" an_empty_title_is_invalid;
    "TITLE-02" an_unknown_session_cannot_be_renamed;
}

const TITLE: &str = "/sessionCapabilities/title";

async fn a_title_is_stored_and_listed(run: &mut Run) -> Probed {
    let of_folder = json!({"cwd": run.folder()});
    run.talk().await?.needs(TITLE)?;
    let (talk, session) = listed(run).await?;
    is_named(talk, &session.id, of_folder).await
}

async fn a_closed_session_can_be_renamed(run: &mut Run) -> Probed {
    let of_folder = json!({"cwd": run.folder()});
    run.talk().await?.needs(TITLE)?;
    let (talk, session) = saved(run).await?;
    is_named(talk, &session.id, of_folder).await
}

async fn an_empty_title_is_invalid(run: &mut Run) -> Probed {
    run.talk().await?.needs(TITLE)?;
    let (talk, session) = run.session().await?;
    for title in ["", "  ", "\t\n"] {
        let params = json!({"sessionId": session.id, "title": title});
        talk.call::<SessionSetTitle>(params).await?.is_error(-32602)?;
    }
    Ok(())
}

async fn an_unknown_session_cannot_be_renamed(run: &mut Run) -> Probed {
    let talk = run.talk().await?;
    talk.needs(TITLE)?;
    let params = json!({"sessionId": NO_SESSION, "title": "a title"});
    is_unknown(&talk.call::<SessionSetTitle>(params).await?, SessionSetTitle::ROW.name)
}

/// Sets a title, and checks that the list of sessions has the title that the reply contains.
async fn is_named(talk: &mut Conversation, id: &Value, of_folder: Value) -> Probed {
    let stored = name(talk, id, "Étude no. 7").await?;
    if !talk.offers(LIST) {
        return not_tested("the agent does not list sessions, so titles cannot be judged");
    }
    let all = entries(talk, of_folder).await?;
    let Some(entry) = entry_of(&all, id) else { return not_tested("the session is not listed") };
    expect(
        entry.get("title") == Some(&stored),
        format!("the list shows {stored}"),
        quoted(&entry.to_string()),
    )
}

/// Sets the title of the session and returns the stored one.
pub(super) async fn name(talk: &mut Conversation, id: &Value, title: &str) -> Probed<Value> {
    let result =
        talk.call::<SessionSetTitle>(json!({"sessionId": id, "title": title})).await?.result()?;
    let stored = result.get("title").cloned().unwrap_or_default();
    let is_title = stored.as_str().is_some_and(|stored| !stored.trim().is_empty());
    expect(is_title, "title, which is a string", quoted(&result.to_string()))?;
    Ok(stored)
}
