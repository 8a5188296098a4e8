//! `--budget`: the maximum cost of a session.

use crate::project::Project;
use crate::script::Script;
use crate::terminal::Terminal;

fn costing(cost: &str) -> String {
    format!(
        r#"update '{{"sessionUpdate":"usage_update","used":10,"size":100,"cost":{cost}}}'
        printf '%s' "$id" >turn"#
    )
}

/// Responds to the prompt once it is cancelled.
const CANCELLED: &str =
    r#"*'"session/cancel"'*) id=$(cat turn); reply '{"stopReason":"cancelled"}' ;;"#;

/// USE-04, CANCEL-02.
#[test]
fn a_turn_over_the_budget_is_cancelled_with_exit_code_7() {
    let project = Project::new();
    let prompt = costing(r#"{"amount":0.75,"currency":"USD"}"#);
    let agent = Script { prompt: &prompt, other: CANCELLED, ..Script::default() }.install(&project);
    // If the budget did not work, the turn would never end.
    let ended =
        project.run(&["run", "--agent", &agent, "--budget", "0.50USD", "--timeout", "20", "hello"]);
    ended.failed(7, &["has cost 0.75 USD, and its budget is 0.5 USD", "--budget"]);
}

#[test]
fn a_turn_over_the_budget_stops_the_script() {
    let project = Project::new();
    // Each prompt costs the same. The agent reports the total of the session (USE-05).
    let prompt = r#"count=$((count + 1))
        update '{"sessionUpdate":"usage_update","used":10,"size":100,"cost":{"amount":'$count',"currency":"USD"}}'
        reply '{"stopReason":"end_turn"}'"#;
    let agent = Script { prompt, ..Script::default() }.install(&project);
    std::fs::write(project.path().join("prompts"), "one\n---\ntwo\n---\nthree\n").unwrap();
    let within = project.run(&["run", "--agent", &agent, "--budget", "3", "--file", "prompts"]);
    assert_eq!(within.code, Some(0), "{within:#?}");
    let beyond = project.run(&["run", "--agent", &agent, "--budget", "1.5", "--file", "prompts"]);
    beyond.failed(7, &["has cost 2 USD, and its budget is 1.5 USD"]);
    assert!(!beyond.stderr.contains("› three"), "{beyond:#?}");
}

#[test]
fn a_cost_that_cannot_be_compared_is_reported() {
    for (cost, says) in [
        ("null", "no cost so far: --budget has no effect until the agent reports one"),
        (r#"{"amount":9,"currency":"EUR"}"#, "in EUR, not in USD"),
    ] {
        let project = Project::new();
        let prompt = costing(cost) + "; reply '{\"stopReason\":\"end_turn\"}'";
        let agent = Script { prompt: &prompt, ..Script::default() }.install(&project);
        let ended = project.run(&["run", "--agent", &agent, "--budget", "1", "hello"]);
        ended.failed(0, &[says, "--budget has no effect"]);
    }
    Project::new().run(&["run", "--budget", "lots", "hello"]).failed(2, &["0.50USD"]);
}

/// The person can end a turn whose cost is not limited before it costs more. The end of this turn
/// says nothing about its cost, because it fails.
#[test]
fn a_budget_without_effect_is_reported_during_the_turn() {
    let project = Project::new();
    let prompt = costing("null") + r#"; refuse '{"code":-32603,"message":"no licence"}'"#;
    let agent = Script { prompt: &prompt, ..Script::default() }.install(&project);
    let ended = project.run(&["run", "--agent", &agent, "--budget", "1", "hello"]);
    ended.failed(4, &["--budget has no effect", "no licence"]);
    assert_eq!(ended.stderr.matches("--budget has no effect").count(), 1, "{ended:#?}");
}

/// `--budget` also applies to a conversation, which continues if the person raises the limit.
#[test]
fn a_conversation_respects_its_budget() {
    let project = Project::new();
    let prompt = r#"count=$((count + 1))
        update '{"sessionUpdate":"usage_update","used":10,"size":100,"cost":{"amount":'$count',"currency":"USD"}}'
        case $count in 2) turn=$id ;; *) reply '{"stopReason":"end_turn"}' ;; esac"#;
    let other = r#"*'"session/cancel"'*) id=$turn; reply '{"stopReason":"cancelled"}' ;;"#;
    let agent = Script { prompt, other, ..Script::default() }.install(&project);
    let mut terminal =
        Terminal::start(&project, &["chat", "--agent", &agent, "--budget", "1.5"], &[]);
    for (said, shown) in [
        ("one", "cost 1 USD"),
        ("two", "has cost 2 USD, and its budget is 1.5 USD"),
        ("/budget 5", "is 5 USD"),
        ("three", "cost 3 USD"),
    ] {
        terminal.wait_for("› ");
        terminal.press(&format!("{said}\r"));
        terminal.wait_for(shown);
    }
    terminal.wait_for("› ");
    terminal.press("\u{4}");
    assert_eq!(terminal.end().0, Some(0));
}
