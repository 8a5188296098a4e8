//! Resuming sessions (V2-25, V2-26, V2-74).

use super::super::driven::{play_in, unjudged};
use super::driven::{close, kind, text};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::quoted;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested};
use crate::model::acts::say;
use attache_protocol::method::SessionResume;
use serde_json::Value;

probes! { Run:
    "V2-25" a_resume_reports_the_state_after_the_history;
    "V2-26" a_resume_without_a_cursor_replays_nothing;
    "V2-74" a_resume_from_the_start_replays_the_history;
}

const SAID: &str = "attache-replayed-3817";

/// Updates that belong to the history of a session.
const HISTORY: [&str; 7] = [
    "user_message",
    "user_message_chunk",
    "agent_message",
    "agent_message_chunk",
    "agent_thought",
    "agent_thought_chunk",
    "tool_call_update",
];

/// Runs a turn, closes its session, and resumes the session in another process. Returns the updates
/// before the reply to `session/resume`.
async fn resumed(run: &mut Run, cursor: &Value) -> Probed<Vec<Value>> {
    run.follows_prompts().await?;
    let folder = run.folder().to_owned();
    let (talk, session) = run.session().await?;
    play_in(talk, &session, say(SAID)).await?;
    close(talk, &session).await?.result().map_err(|outcome| unjudged(&outcome))?;
    run.restart().await;
    let mut params = json!({"sessionId": session.id, "cwd": folder});
    if let (Value::Object(params), false) = (&mut params, cursor.is_null()) {
        params.insert("replayFrom".to_owned(), cursor.clone());
    }
    let talk = run.talk().await?;
    let first = talk.now();
    let reply = talk.call::<SessionResume>(params).await?;
    if reply.result().is_err() {
        return not_tested(format!("the session does not resume: {}", quoted(reply.text())));
    }
    Ok(talk.updates(&session.id, first, reply.number()).cloned().collect())
}

async fn a_resume_reports_the_state_after_the_history(run: &mut Run) -> Probed {
    for cursor in [Value::Null, json!({"type": "start"})] {
        let updates = resumed(run, &cursor).await?;
        let state = updates.iter().rposition(|update| kind(update) == "state_update");
        let last = updates.iter().rposition(|update| HISTORY.contains(&kind(update)));
        let expected = "a state_update after the history and before the reply to session/resume";
        match (state, last) {
            (None, _) => return fail(expected, "no state_update before the reply"),
            (Some(state), Some(last)) if state < last => {
                return fail(expected, "the state_update comes before the end of the history");
            }
            _ => {}
        }
    }
    Ok(())
}

async fn a_resume_without_a_cursor_replays_nothing(run: &mut Run) -> Probed {
    let updates = resumed(run, &Value::Null).await?;
    match updates.iter().find(|update| HISTORY.contains(&kind(update))) {
        Some(update) => fail("no history", quoted(&update.to_string())),
        None => Ok(()),
    }
}

async fn a_resume_from_the_start_replays_the_history(run: &mut Run) -> Probed {
    let updates = resumed(run, &json!({"type": "start"})).await?;
    let of = |by: &str| -> String {
        let all = updates.iter().filter(|update| kind(update).starts_with(by));
        all.filter_map(|update| update.get("content")).map(all_text).collect()
    };
    let (user, agent) = (of("user_message"), of("agent_message"));
    let is_whole = user.contains("\"acts\"") && agent.contains(SAID);
    let seen = format!("the user's text {:?} and the agent's {:?}", quoted(&user), quoted(&agent));
    expect(is_whole, "the text of the user and of the agent", seen)
}

/// Returns the text of a content block, or of a list of them.
fn all_text(content: &Value) -> String {
    match content.as_array() {
        Some(blocks) => blocks.iter().map(|block| text(block, "text")).collect(),
        None => text(content, "text").to_owned(),
    }
}
