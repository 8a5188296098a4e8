//! How a client shows plans (PLAN, PLANU) and commands (CMD).

use crate::client::run::ClientRun;
use crate::json::json;
use crate::judging::conversation::quoted;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, not_tested};
use serde_json::Value;

probes! { ClientRun:
    "PLAN-03" a_plan_replaces_the_earlier_one;
    "PLAN-05" a_malformed_entry_is_skipped;
    "PLANU-02" a_plan_with_an_id_replaces_only_that_plan;
    "CMD-02" commands_replace_earlier_ones;
    "CMD-03" a_command_is_sent_as_text;
    "CMD-05" a_command_with_an_unknown_input_is_shown;
}

fn entry(content: &str, priority: &str) -> Value {
    json!({"content": content, "priority": priority, "status": "pending"})
}

fn plan(entries: &[Value]) -> Value {
    json!({"sessionUpdate": "plan", "entries": entries})
}

fn commands(names: &[&String]) -> Value {
    let command = |name: &&String| json!({"name": name, "description": "Attache check"});
    json!({"sessionUpdate": "available_commands_update", "availableCommands": names.iter().map(command).collect::<Vec<_>>()})
}

/// Checks that the output for a new list contains none of the texts in `gone`, which the new list
/// replaces. The rule is not tested if the output lacks `wanted`, a text of the new list.
fn replaces(seen: &str, wanted: &str, gone: &[&String]) -> Probed {
    if !seen.contains(wanted) {
        return not_tested("the client does not show the list again after an update");
    }
    let old = gone.iter().find(|old| seen.contains(old.as_str()));
    expect(old.is_none(), "only the later list", quoted(seen.trim()))
}

pub(super) async fn a_plan_replaces_the_earlier_one(run: &mut ClientRun) -> Probed {
    let [a, b, c, d] = run.several();
    let mut screen = run.screen(&["prompt"]).await?;
    let first = plan(&[&a, &b, &c].map(|content| entry(content, "high")));
    if !screen.shows([first]).await?.contains(&a) {
        return not_tested("the client shows no plan");
    }
    let seen = screen.shows([plan(&[entry(&d, "low")])]).await?;
    replaces(&seen, &d, &[&a, &b, &c])
}

async fn a_malformed_entry_is_skipped(run: &mut ClientRun) -> Probed {
    let [a, b, c] = run.several();
    let mut screen = run.screen(&["prompt"]).await?;
    if !screen.shows([plan(&[entry(&a, "high")])]).await?.contains(&a) {
        return not_tested("the client shows no plan");
    }
    let seen = screen.shows([plan(&[entry(&b, "urgent"), entry(&c, "low")])]).await?;
    expect(seen.contains(&c), "the well-formed entry is shown", quoted(seen.trim()))
}

async fn a_plan_with_an_id_replaces_only_that_plan(run: &mut ClientRun) -> Probed {
    let [a, b, c] = run.several();
    let mut screen = run.screen(&["prompt"]).await?;
    screen.talk.needs("/plan")?;
    let plan = |id: &str, content: &str| {
        let plan = json!({"type": "items", "planId": id, "entries": [entry(content, "high")]});
        json!({"sessionUpdate": "plan_update", "plan": plan})
    };
    screen.shows([plan("one", &a)]).await?;
    let shows_all = screen.shows([plan("two", &b)]).await?.contains(&a);
    let seen = screen.shows([plan("one", &c)]).await?;
    replaces(&seen, &c, &[&a])?;
    expect(!shows_all || seen.contains(&b), "the other plan is kept", quoted(seen.trim()))
}

pub(super) async fn commands_replace_earlier_ones(run: &mut ClientRun) -> Probed {
    let [a, b, c] = run.several();
    let mut screen = run.screen(&["prompt"]).await?;
    if !screen.shows([commands(&[&a, &b])]).await?.contains(&a) {
        return not_tested("the client shows no commands");
    }
    let seen = screen.shows([commands(&[&c])]).await?;
    replaces(&seen, &c, &[&a, &b])
}

pub(super) async fn a_command_is_sent_as_text(run: &mut ClientRun) -> Probed {
    const COMMAND: &str = "/attache_check one two";
    let task = run.task("prompt").with("prompt", COMMAND);
    let turn = run.start(task).await?.set_up().await?;
    let texts = turn.prompt.as_array().map_or(&[][..], Vec::as_slice).iter();
    let mut texts = texts.filter_map(|block| block.get("text").and_then(Value::as_str));
    expect(
        texts.any(|text| text == COMMAND),
        format!("a text block {COMMAND:?}"),
        quoted(&turn.prompt.to_string()),
    )
}

async fn a_command_with_an_unknown_input_is_shown(run: &mut ClientRun) -> Probed {
    let [a, b] = run.several();
    let mut screen = run.screen(&["prompt"]).await?;
    if !screen.shows([commands(&[&a])]).await?.contains(&a) {
        return not_tested("the client shows no commands");
    }
    let odd = json!([{"name": b, "description": "Attache check", "input": {"weird": 1}}]);
    let seen = screen
        .shows([json!({"sessionUpdate": "available_commands_update", "availableCommands": odd})])
        .await?;
    expect(seen.contains(&b), "the command is shown", quoted(seen.trim()))
}
