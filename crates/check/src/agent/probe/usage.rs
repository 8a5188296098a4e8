//! Reports of tokens and cost (USE).

use super::history::refused;
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Played, Session, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested, skipped};
use crate::model::acts::say;
use attache_protocol::method::{SessionLoad, SessionUpdateNotification};
use serde_json::Value;

probes! { Run:
    "USE-02" used_and_size_are_whole_numbers;
    "USE-03" an_unknown_context_window_is_not_reported;
    "USE-04" the_cost_covers_the_whole_session;
    "USE-06" cached_tokens_count_as_used;
    "USE-09" usage_is_reported_after_a_load;
    "USE-10" the_usage_of_a_turn_is_complete;
    "USE-11" no_token_field_is_in_snake_case;
}

/// A number of input tokens that exceeds the size of an agent's first request, but fits into a
/// usual context window.
const MANY: u64 = 60_000;

async fn used_and_size_are_whole_numbers(run: &mut Run) -> Probed {
    for update in usage(run).await? {
        let is_number = |key: &str| update.get(key).is_some_and(Value::is_u64);
        let seen = quoted(&update.to_string());
        expect(is_number("used") && is_number("size"), "whole numbers in used and size", seen)?;
    }
    Ok(())
}

async fn an_unknown_context_window_is_not_reported(run: &mut Run) -> Probed {
    match usage(run).await?.iter().find(|update| update.get("size") == Some(&json!(0))) {
        Some(update) => fail("no usage_update if the size is unknown", quoted(&update.to_string())),
        None => Ok(()),
    }
}

async fn the_cost_covers_the_whole_session(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let mut before: Option<(f64, Value)> = None;
    // The second turn costs less than the first, so the cost would decrease if it covered only one
    // turn.
    for (input, output) in [(MANY, 500), (10, 1), (MANY, 500)] {
        let acts = say("attache-costs").usage(json!({"input": input, "output": output}));
        let played = talk.play(&session, acts).await?;
        played.stop_reason()?;
        for cost in played.updates_of("usage_update").filter_map(|update| update.get("cost")) {
            let Some(amount) = cost.get("amount").and_then(Value::as_f64) else { continue };
            let currency = cost.get("currency").cloned().unwrap_or_default();
            if let Some((earlier, of)) = &before
                && *of == currency
            {
                let seen = format!("{amount} after {earlier}");
                expect(
                    amount >= *earlier,
                    "a cost that never decreases, because it covers the session",
                    seen,
                )?;
            }
            before = Some((amount, currency));
        }
    }
    if before.is_none() { skipped("no usage_update has a cost") } else { Ok(()) }
}

async fn cached_tokens_count_as_used(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let reported = |cached: u64| json!({"input": MANY, "output": 10, "cached": cached});
    let without = used(&talk.play(&session, say("attache-fresh").usage(reported(0))).await?)?;
    if without < MANY {
        return not_tested(format!(
            "used does not follow the usage that the model reports: {without} after {MANY} tokens of input"
        ));
    }
    let with =
        used(&talk.play(&session, say("attache-cached").usage(reported(MANY - 100))).await?)?;
    let seen = format!("{with} after {MANY} tokens of input, all but 100 of them from a cache");
    expect(with >= MANY, "used includes tokens from a cache", seen)
}

async fn usage_is_reported_after_a_load(run: &mut Run) -> Probed {
    run.talk().await?.needs("/loadSession")?;
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let played = talk.play(&session, say("attache-before")).await?;
    played.stop_reason()?;
    if played.updates_of("usage_update").next().is_none() {
        return skipped("the agent sends no usage_update");
    }
    let is_usage = |update: &Value| update.get("sessionUpdate") == Some(&json!("usage_update"));
    let reported = replayed(run, &session).await?.iter().any(is_usage);
    expect(reported, "a usage_update after the load, because the session sent one before", "none")
}

async fn the_usage_of_a_turn_is_complete(run: &mut Run) -> Probed {
    let usage = turn_usage(run).await?;
    for key in ["totalTokens", "inputTokens", "outputTokens"] {
        let expected = format!("{key} as a whole number in the usage of the reply");
        expect(usage.get(key).is_some_and(Value::is_u64), expected, quoted(&usage.to_string()))?;
    }
    Ok(())
}

async fn no_token_field_is_in_snake_case(run: &mut Run) -> Probed {
    let usage = turn_usage(run).await?;
    let mut keys = usage.as_object().into_iter().flat_map(|usage| usage.keys());
    match keys.find(|key| key.ends_with("_tokens")) {
        Some(key) => fail("token fields in camelCase", format!("{key} in the usage of the reply")),
        None => Ok(()),
    }
}

/// Returns the usage in the reply to a prompt.
async fn turn_usage(run: &mut Run) -> Probed<Value> {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let acts = say("attache-used")
        .usage(json!({"input": MANY, "output": 10, "cached": 5, "reasoning": 2}));
    let result = talk.play(&session, acts).await?.reply.result()?;
    match result.get("usage").filter(|usage| !usage.is_null()) {
        Some(usage) => Ok(usage.clone()),
        None => skipped("the reply to a prompt has no usage"),
    }
}

/// Returns the `usage_update`s of a turn. Skips the probe if there are none.
async fn usage(run: &mut Run) -> Probed<Vec<Value>> {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let played = talk.play(&session, say("attache-usage")).await?;
    played.stop_reason()?;
    let updates: Vec<Value> = played.updates_of("usage_update").cloned().collect();
    if updates.is_empty() { skipped("the agent sends no usage_update") } else { Ok(updates) }
}

/// Returns the last value of `used` in a turn. Skips the probe if there is none.
fn used(played: &Played) -> Probed<u64> {
    played.stop_reason()?;
    match played.updates_of("usage_update").filter_map(|update| update.get("used")?.as_u64()).last()
    {
        Some(used) => Ok(used),
        None => skipped("the agent sends no usage_update"),
    }
}

/// Loads a session in a new process and returns its updates.
pub(super) async fn replayed(run: &mut Run, session: &Session) -> Probed<Vec<Value>> {
    let folder = run.folder().to_owned();
    run.restart().await;
    let talk = run.talk().await?;
    let first = talk.now();
    let params = json!({"sessionId": session.id, "cwd": folder, "mcpServers": []});
    talk.call::<SessionLoad>(params).await?.result().map_err(|outcome| refused(&outcome))?;
    talk.is_still_there().await?;
    let updates = talk.heard(first).filter(|line| line.calls::<SessionUpdateNotification>());
    Ok(updates.filter_map(|line| line.get("params")?.get("update").cloned()).collect())
}
