//! Compacting a conversation at the user's request (COMP).

use super::driven::{play_in, unjudged};
use super::mode::of_session;
use crate::agent::judge_client::capabilities;
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, Session, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested, skipped};
use crate::model::acts::say;
use serde_json::Value;

probes! { Run:
    "COMP-01" compactions_are_sent_only_if_supported;
    "COMP-02" each_compaction_has_a_unique_id;
    "COMP-03" a_compaction_ends_once;
    "COMP-04" summary_chunks_come_before_the_compaction_ends;
    "COMP-08" only_a_completed_compaction_has_a_summary;
}

/// Names that agents give their compaction command.
const COMMANDS: [&str; 3] = ["compact", "compress", "summarize"];
/// The kind of the updates about a compaction.
const UPDATE: &str = "compaction_update";
/// The kind of the updates with a piece of a summary.
const CHUNK: &str = "compaction_summary_chunk";

async fn compactions_are_sent_only_if_supported(run: &mut Run) -> Probed {
    compaction(run).await?;
    let mut client = capabilities();
    if let Some(Value::Object(session)) = client.pointer_mut("/session") {
        session.remove("compaction");
    }
    let folder = run.folder().to_owned();
    let talk = run.fresh_with(client).await?;
    let session = talk.open(&folder).await?;
    match compacted(talk, &session).await?.first() {
        Some(update) => fail("no update about a compaction", quoted(&update.to_string())),
        None => Ok(()),
    }
}

async fn each_compaction_has_a_unique_id(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let mut ids = Vec::new();
    for _ in 0..2 {
        for update in reported(talk, &session).await? {
            // All updates of one compaction have the same id.
            let id = update.get("compactionId").cloned().unwrap_or_default();
            if state(&update) == Some("in_progress") || is_over(&update) && !ids.contains(&id) {
                ids.push(id);
            }
        }
    }
    let is_again =
        ids.iter().enumerate().any(|(at, id)| ids.iter().take(at).any(|other| other == id));
    expect(!is_again, "a different id for each compaction of the session", format!("{ids:?}"))
}

async fn a_compaction_ends_once(run: &mut Run) -> Probed {
    let updates = compaction(run).await?;
    let ends = updates.iter().filter(|update| is_over(update)).count();
    expect(ends == 1, "one update with a final status", format!("{ends} such updates"))
}

async fn summary_chunks_come_before_the_compaction_ends(run: &mut Run) -> Probed {
    let updates = compaction(run).await?;
    let is_piece = |update: &Value| kind(update) == Some(CHUNK);
    let began = updates.iter().position(|update| state(update) == Some("in_progress"));
    let (first, last) = (updates.iter().position(is_piece), updates.iter().rposition(is_piece));
    let end = updates.iter().position(is_over);
    if first.is_none() {
        return skipped("the agent sends no summary in chunks");
    }
    let holds = began < first && began.is_some() && last < end;
    expect(
        holds,
        "all summary chunks between the start and the end of the compaction",
        order(&updates),
    )
}

async fn only_a_completed_compaction_has_a_summary(run: &mut Run) -> Probed {
    for update in compaction(run).await? {
        let summary =
            update.get("summary").and_then(Value::as_array).is_some_and(|all| !all.is_empty());
        let error = update.get("error").is_some_and(|error| !error.is_null());
        let is_wrong = (summary && state(&update) != Some("completed"))
            || (error && state(&update) != Some("failed"));
        expect(
            !is_wrong,
            "a summary only with completed, an error only with failed",
            quoted(&update.to_string()),
        )?;
    }
    Ok(())
}

/// Returns the updates of a compaction in a new session.
async fn compaction(run: &mut Run) -> Probed<Vec<Value>> {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    reported(talk, &session).await
}

/// Compacts this session and returns the updates. The rule is not tested if there are none.
async fn reported(talk: &mut Conversation, session: &Session) -> Probed<Vec<Value>> {
    let updates = compacted(talk, session).await?;
    if updates.is_empty() {
        return not_tested("the agent has a compaction command, but reports no compaction");
    }
    Ok(updates)
}

/// Runs a turn and the agent's compaction command, and returns the updates about compactions.
async fn compacted(talk: &mut Conversation, session: &Session) -> Probed<Vec<Value>> {
    play_in(talk, session, say("attache: one thing")).await?;
    let is_announced = of_session(session, "available_commands_update");
    let announced = talk.heard(0).filter(|line| is_announced(line)).last();
    let commands = announced
        .and_then(|line| line.get("params")?.pointer("/update/availableCommands")?.as_array());
    let names: Vec<&str> = commands
        .into_iter()
        .flatten()
        .filter_map(|command| command.get("name")?.as_str())
        .collect();
    let Some(command) = COMMANDS.iter().find(|command| names.contains(command)) else {
        return skipped("the agent has no compaction command");
    };
    let prompt = json!([{"type": "text", "text": format!("/{command}")}]);
    let turn = talk.begin_turn_with(session, json!({"sessionId": session.id, "prompt": prompt}));
    let played = talk.finish(turn).await.map_err(|outcome| unjudged(&outcome))?;
    played.stop_reason().map_err(|outcome| unjudged(&outcome))?;
    let is_of_one = |update: &&Value| [Some(UPDATE), Some(CHUNK)].contains(&kind(update));
    Ok(played.updates().iter().filter(is_of_one).cloned().collect())
}

fn kind(update: &Value) -> Option<&str> {
    update.get("sessionUpdate")?.as_str()
}

fn state(update: &Value) -> Option<&str> {
    update.get("status")?.as_str()
}

fn is_over(update: &Value) -> bool {
    state(update).is_some_and(|state| ["completed", "failed", "cancelled"].contains(&state))
}

/// Formats the updates for a message.
fn order(updates: &[Value]) -> String {
    let name = |update: &Value| state(update).unwrap_or("a piece").to_owned();
    updates.iter().map(name).collect::<Vec<_>>().join(", ")
}
