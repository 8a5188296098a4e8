//! The status of a session: open in the agent, or only saved (STAT).

use super::session::{NO_SESSION, is_unknown};
use super::session_list::{entries, saved};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, not_tested};
use attache_protocol::method::{Method, SessionPrompt, SessionStatusQuery};
use serde_json::Value;

probes! { Run:
    "STAT-01" a_status_request_opens_no_session;
    "STAT-02" a_session_is_open_or_saved;
    "STAT-02" an_unknown_session_has_no_status;
}

const STATUS: &str = "/sessionCapabilities/status";

async fn a_status_request_opens_no_session(run: &mut Run) -> Probed {
    let (of_folder, words) = (json!({"cwd": run.folder()}), run.words());
    run.talk().await?.needs(STATUS)?;
    let (talk, session) = saved(run).await?;
    let before = entries(talk, of_folder.clone()).await?;
    status(talk, &session.id).await?;
    status(talk, &session.id).await?;
    let after = entries(talk, of_folder).await?;
    expect(
        before == after,
        "the list of sessions does not change",
        quoted(&json!(after).to_string()),
    )?;
    let prompt = json!({"sessionId": session.id, "prompt": words});
    talk.call::<SessionPrompt>(prompt).await?.is_refused()
}

async fn a_session_is_open_or_saved(run: &mut Run) -> Probed {
    run.talk().await?.needs(STATUS)?;
    let (talk, open) = run.session().await?;
    let reported = status(talk, &open.id).await?;
    expect(reported == "open", "a new session is open", reported.to_string())?;
    let (talk, session) = match saved(run).await {
        Ok(saved) => saved,
        Err(_) => return not_tested("the agent lists no closed session"),
    };
    let reported = status(talk, &session.id).await?;
    expect(reported == "saved", "a closed session is saved", reported.to_string())
}

async fn an_unknown_session_has_no_status(run: &mut Run) -> Probed {
    let talk = run.talk().await?;
    talk.needs(STATUS)?;
    let reply = talk.call::<SessionStatusQuery>(json!({"sessionId": NO_SESSION})).await?;
    is_unknown(&reply, SessionStatusQuery::ROW.name)
}

/// Returns the status that the agent reports for the session.
async fn status(talk: &mut Conversation, id: &Value) -> Probed<Value> {
    let result = talk.call::<SessionStatusQuery>(json!({"sessionId": id})).await?.result()?;
    Ok(result.get("status").cloned().unwrap_or_default())
}
