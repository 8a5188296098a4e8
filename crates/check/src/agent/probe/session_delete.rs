//! Deleting sessions (DEL).

use super::session::NO_SESSION;
use super::session_list::{entries, entry_of, listed};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect};
use attache_protocol::method::{SessionDelete, SessionLoad, SessionPrompt};

probes! { Run:
    "DEL-02" a_deleted_session_is_not_listed;
    "DEL-03" deleting_an_unknown_session_succeeds;
    "DEL-04" requests_for_a_deleted_session_are_answered;
}

const DELETE: &str = "/sessionCapabilities/delete";

async fn a_deleted_session_is_not_listed(run: &mut Run) -> Probed {
    run.talk().await?.needs(DELETE)?;
    let of_folder = json!({"cwd": run.folder()});
    let (talk, session) = listed(run).await?;
    talk.call::<SessionDelete>(json!({"sessionId": session.id})).await?.result()?;
    let is_gone = entry_of(&entries(talk, of_folder).await?, &session.id).is_none();
    expect(is_gone, "the deleted session is not listed", format!("{} is still listed", session.id))
}

async fn deleting_an_unknown_session_succeeds(run: &mut Run) -> Probed {
    run.talk().await?.needs(DELETE)?;
    let (talk, session) = run.session().await?;
    for id in [session.id.clone(), session.id, json!(NO_SESSION)] {
        talk.call::<SessionDelete>(json!({"sessionId": id})).await?.result()?;
    }
    Ok(())
}

/// The agent may choose how a deleted session behaves, but it must answer requests for the session
/// and keep running.
async fn requests_for_a_deleted_session_are_answered(run: &mut Run) -> Probed {
    run.talk().await?.needs(DELETE)?;
    let (folder, words) = (json!(run.folder()), run.words());
    let (talk, session) = run.session().await?;
    talk.call::<SessionDelete>(json!({"sessionId": session.id})).await?.result()?;
    talk.call::<SessionPrompt>(json!({"sessionId": session.id, "prompt": words})).await?;
    if talk.offers("/loadSession") {
        let params = json!({"sessionId": session.id, "cwd": folder, "mcpServers": []});
        talk.call::<SessionLoad>(params).await?;
    }
    talk.is_still_there().await
}
