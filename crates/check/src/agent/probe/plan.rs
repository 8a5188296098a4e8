//! Plans (PLAN).

use super::driven::play;
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::quoted;
use crate::judging::probe::probes;
use crate::judging::verdict::{Outcome, Probed, expect, fail, skipped};
use crate::model::acts::{call, plan, say};
use serde_json::Value;

probes! { Run:
    "PLAN-01" a_plan_is_reported;
    "PLAN-02" every_plan_is_complete;
}

const STEPS: [&str; 3] = ["attache: look", "attache: think", "attache: act"];

/// Returns the entries of a plan whose steps have these statuses.
fn entries(states: [&str; 3]) -> Value {
    let entry = |(step, state): (&str, &str)| json!({"content": step, "priority": "medium", "status": state});
    STEPS.into_iter().zip(states).map(entry).collect()
}

/// Runs a turn that sets a plan and then updates it, and returns the plans that the agent sends.
async fn plans(run: &mut Run) -> Probed<Vec<Value>> {
    let before = plan(entries(["in_progress", "pending", "pending"]));
    let after = plan(entries(["completed", "in_progress", "pending"]));
    let played = play(run, call(before).then(call(after)).then(say("done"))).await;
    let played = played.map_err(|outcome| match outcome {
        Outcome::NotTested(why) if why.ends_with(": plan") => {
            Outcome::Skipped("the agent makes no plans".to_owned())
        }
        other => other,
    })?;
    Ok(played.updates_of("plan").filter_map(|plan| plan.get("entries").cloned()).collect())
}

async fn a_plan_is_reported(run: &mut Run) -> Probed {
    let plans = plans(run).await?;
    expect(
        plans.len() > 1,
        "a plan update for each of the two plans",
        format!("{} plan updates", plans.len()),
    )
}

async fn every_plan_is_complete(run: &mut Run) -> Probed {
    let plans = plans(run).await?;
    if plans.is_empty() {
        return skipped("the agent reports no plan");
    }
    for plan in &plans {
        let plan = plan.as_array().map_or(&[][..], Vec::as_slice);
        let is_there = |step: &&str| {
            plan.iter().any(|entry| entry.get("content").is_some_and(|it| it == step))
        };
        if let Some(step) = STEPS.iter().find(|step| !is_there(step)) {
            return fail(
                "every step in each plan",
                format!("{step:?} is not in {}", quoted(&json!(plan).to_string())),
            );
        }
    }
    let states: Vec<_> = plans
        .last()
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|entry| entry.get("status"))
        .collect();
    let expected = ["completed", "in_progress", "pending"].map(|state| json!(state));
    let is_current = states == expected.iter().map(Some).collect::<Vec<_>>();
    expect(
        is_current,
        format!("the current statuses of the steps: {expected:?}"),
        format!("{states:?}"),
    )
}
