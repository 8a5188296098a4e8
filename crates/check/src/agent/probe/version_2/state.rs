//! The states of foreground work (V2-31, V2-33 to V2-35, V2-37).

use super::super::cancel::hanging;
use super::super::driven::{ALLOW, OLD, cancel, chosen, file, held, play_in, unjudged, write_over};
use super::driven::{kind, text};
use crate::agent::run::Run;
use crate::judging::conversation::quoted;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested, skipped};
use crate::model::acts::{fail_with, say};
use crate::peer::script::Answer;
use attache_protocol::method::SessionRequestPermission;
use serde_json::Value;

probes! { Run:
    "V2-31" work_begins_with_a_state;
    "V2-33" work_ends_with_a_stop_reason;
    "V2-34" the_stop_reason_error_has_an_error;
    "V2-35" cancelled_work_ends_as_cancelled;
    "V2-37" work_that_continues_is_running;
}

/// Updates that only work sends.
const OUTPUT: [&str; 5] = [
    "agent_message_chunk",
    "agent_message",
    "agent_thought_chunk",
    "agent_thought",
    "tool_call_update",
];

/// The HTTP status of a model that refuses a request for good.
const BAD_REQUEST: u16 = 400;

/// Whether the update reports that work is active.
fn is_active(update: &Value) -> bool {
    kind(update) == "state_update"
        && ["running", "requires_action"].contains(&text(update, "state"))
}

async fn work_begins_with_a_state(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let played = play_in(talk, &session, say("attache: one")).await?;
    let state = played.updates().iter().position(is_active);
    let output = played.updates().iter().position(|update| OUTPUT.contains(&kind(update)));
    let Some(output) = output else { return not_tested("the turn sends no output") };
    let seen = if state.is_none() { "no such state" } else { "the output comes first" };
    let is_first = state.is_some_and(|state| state < output);
    expect(is_first, "the state running or requires_action before the output", seen)
}

async fn work_ends_with_a_stop_reason(run: &mut Run) -> Probed {
    run.answers_prompts().await?;
    let (talk, session) = run.session().await?;
    let played = talk.play(&session, say("attache: one")).await;
    let played = played.map_err(|outcome| unjudged(&outcome))?;
    played.reply.result().map_err(|outcome| unjudged(&outcome))?;
    played.stop_reason().map(|_| ())
}

async fn the_stop_reason_error_has_an_error(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let played = talk.play(&session, fail_with(BAD_REQUEST)).await;
    let played = played.map_err(|outcome| unjudged(&outcome))?;
    match played.ending() {
        Some(end) if text(end, "stopReason") == "error" => {
            let has_error = end.get("error").is_some_and(Value::is_object);
            expect(has_error, "an error beside the stop reason", quoted(&end.to_string()))
        }
        _ => not_tested("a turn whose model fails does not end with the stop reason error"),
    }
}

async fn cancelled_work_ends_as_cancelled(run: &mut Run) -> Probed {
    let (talk, session, turn) = hanging(run).await?;
    cancel(talk, &session);
    let reason = talk.finish(turn).await?.stop_reason()?;
    expect(reason == "cancelled", "the stop reason cancelled", format!("{reason:?}"))
}

/// Allows a request for permission, and checks that the work is reported as running before its next
/// output.
async fn work_that_continues_is_running(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let path = file(run, "attache-running.txt", OLD)?;
    let (talk, session) = run.session().await?;
    talk.answer::<SessionRequestPermission>(|_| Answer::Silence);
    let turn = talk.begin_turn(&session, write_over(&path, "new\n").then(say("attache: after")));
    let Some(asked) = held::<SessionRequestPermission>(talk, &turn).await? else {
        return skipped("the agent does not ask before it writes a file");
    };
    let waits = |update: &Value| text(update, "state") == "requires_action";
    let was_waiting = talk.updates(&session.id, turn.first, usize::MAX).any(waits);
    let answered = talk.now();
    let params = asked.get("params").cloned().unwrap_or_default();
    talk.answer::<SessionRequestPermission>(|params| Answer::Result(chosen(params, &ALLOW)));
    talk.give(&asked, chosen(&params, &ALLOW));
    talk.finish(turn).await.map_err(|outcome| unjudged(&outcome))?;
    if !was_waiting {
        return skipped("the agent does not report requires_action while it waits for the user");
    }
    let after: Vec<&Value> = talk.updates(&session.id, answered, usize::MAX).collect();
    let said = after.iter().position(|update| kind(update).starts_with("agent_message"));
    let running = after.iter().position(|update| text(update, "state") == "running");
    match (running, said) {
        (_, None) => not_tested("the agent sends no message after the answer"),
        (Some(running), Some(said)) if running < said => Ok(()),
        _ => fail("the state running before the next message", "the message comes first"),
    }
}
