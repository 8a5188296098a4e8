//! Permission requests: answers that allow nothing, and requests of cancelled work (V2-61, V2-64 to
//! V2-66).

use super::super::driven::{OLD, cancel, file, held, unjudged, write_over};
use super::super::permission::GatedAction;
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, not_tested, skipped};
use crate::model::acts::say;
use crate::peer::line::Line;
use crate::peer::script::Answer;
use attache_protocol::method::{CancelRequest, SessionRequestPermission};
use serde_json::Value;
use std::time::Duration;

probes! { Run:
    "V2-61" a_permission_request_has_options;
    "V2-64" a_cancelled_outcome_allows_nothing;
    "V2-65" an_option_that_was_not_offered_allows_nothing;
    "V2-65" an_unknown_outcome_allows_nothing;
    "V2-66" the_requests_of_cancelled_work_are_withdrawn;
}

const DOES_NOT_ASK: &str = "the agent does not ask before it writes a file or runs a command";

/// How long an agent may take to withdraw a request.
const SOON: Duration = Duration::from_secs(3);

async fn a_permission_request_has_options(run: &mut Run) -> Probed {
    let requests = requested(run, json!({"outcome": "cancelled"})).await?.0;
    let has_options = |request: &Value| {
        request.get("options").and_then(Value::as_array).is_some_and(|all| !all.is_empty())
    };
    expect(requests.iter().all(has_options), "at least one option", "a request has none")
}

async fn a_cancelled_outcome_allows_nothing(run: &mut Run) -> Probed {
    allows_nothing(run, json!({"outcome": "cancelled"})).await
}

async fn an_option_that_was_not_offered_allows_nothing(run: &mut Run) -> Probed {
    allows_nothing(run, json!({"outcome": "selected", "optionId": "attache-zzz"})).await
}

async fn an_unknown_outcome_allows_nothing(run: &mut Run) -> Probed {
    allows_nothing(run, json!({"outcome": "attache-unknown", "optionId": "attache-zzz"})).await
}

async fn allows_nothing(run: &mut Run, outcome: Value) -> Probed {
    let (_, is_done) = requested(run, outcome.clone()).await?;
    let expected = format!("the outcome {outcome} allows nothing");
    expect(!is_done, expected, "the action is performed")
}

/// Runs a turn that writes a file and one that runs a command, until the agent asks for permission.
/// Answers each request with this outcome. Returns the params of the requests, and whether the
/// action was performed.
async fn requested(run: &mut Run, outcome: Value) -> Probed<(Vec<Value>, bool)> {
    run.follows_prompts().await?;
    for action in [GatedAction::write(run)?, GatedAction::run(run)?] {
        let (talk, session) = run.session().await?;
        let outcome = outcome.clone();
        talk.answer::<SessionRequestPermission>(move |_| {
            Answer::Result(json!({"outcome": outcome}))
        });
        let first = talk.now();
        let played = talk.play(&session, action.acts.clone()).await;
        played.map_err(|outcome| unjudged(&outcome))?;
        let requests = talk.heard(first).filter(|line| line.calls::<SessionRequestPermission>());
        let requests: Vec<Value> =
            requests.filter_map(|line| line.get("params").cloned()).collect();
        if !requests.is_empty() {
            return Ok((requests, action.is_done(talk, first)));
        }
    }
    skipped(DOES_NOT_ASK)
}

/// The agent may also wait for the answer before it reports the work as cancelled.
async fn the_requests_of_cancelled_work_are_withdrawn(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let path = file(run, "attache-withdrawn.txt", OLD)?;
    let (talk, session) = run.session().await?;
    talk.answer::<SessionRequestPermission>(|_| Answer::Silence);
    let turn = talk.begin_turn(&session, write_over(&path, "new\n").then(say("done")));
    let Some(asked) = held::<SessionRequestPermission>(talk, &turn).await? else {
        return skipped(DOES_NOT_ASK);
    };
    let first = talk.now();
    cancel(talk, &session);
    let id = asked.get("id").cloned().unwrap_or_default();
    let withdraws = |line: &Line| {
        let of = line.get("params").and_then(|params| params.get("requestId"));
        line.calls::<CancelRequest>() && of == Some(&id)
    };
    let is_withdrawn = talk.peer.wait_for(first, SOON, withdraws).await.is_ok();
    let was_idle = {
        let ends = turn.end();
        talk.peer.lines().iter().skip(turn.first).any(|line| ends.is(line))
    };
    talk.give(&asked, json!({"outcome": {"outcome": "cancelled"}}));
    talk.finish(turn).await.map_err(|outcome| unjudged(&outcome))?;
    match (is_withdrawn, was_idle) {
        (false, false) => not_tested("the agent waits for the answer before it ends the work"),
        (is_withdrawn, _) => expect(
            is_withdrawn,
            "a $/cancel_request for the open permission request",
            "the work ends while the request is open",
        ),
    }
}
