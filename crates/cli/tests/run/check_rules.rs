//! `attache check rules`.

use crate::project::{Ended, Project};
use serde_json::Value;

fn check(arguments: &[&str]) -> Ended {
    Project::empty().run(&[&["check", "rules"], arguments].concat())
}

#[track_caller]
fn objects(ended: &Ended) -> Vec<Value> {
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_table_has_every_rule_with_its_tests_and_totals() {
    let ended = check(&[]);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    let rules = objects(&check(&["--json"]));
    assert_eq!(rules.len(), 506);
    for rule in &rules {
        let (id, tests) = (rule["id"].as_str().unwrap(), rule["tests"].as_array().unwrap().len());
        let row = ended
            .stdout
            .lines()
            .find(|line| line.trim_start().starts_with(&format!("{id} ")))
            .unwrap();
        let before = row
            .strip_suffix(rule["text"].as_str().unwrap())
            .unwrap_or_else(|| panic!("a pipe cuts nothing: {row}"));
        let count = before.split_whitespace().last().unwrap();
        assert_eq!(count, if tests == 0 { "-".to_owned() } else { tests.to_string() }, "{row}");
        let word: String = rule["word"].as_str().unwrap().chars().take(9).collect();
        assert!(before.contains(&word), "{row}");
    }
    let shown = rules.iter().filter(|rule| rule["tests"] != Value::Array(Vec::new())).count();
    assert!(
        ended.stdout.contains("\n506 rules, ")
            && ended.stdout.contains(&format!("\n{shown} are covered")),
        "{}",
        ended.stdout
    );
    assert!(!ended.stdout.contains('\u{1b}'), "no colours without a terminal");
}

#[test]
fn a_group_is_shown_alone() {
    let ended = check(&["conf"]);
    assert!(ended.stdout.starts_with("CONF  Config options"), "{}", ended.stdout);
    assert!(
        ended.stdout.contains("\n24 rules, ") && !ended.stdout.contains("MODE-01"),
        "{}",
        ended.stdout
    );
    assert_eq!(objects(&check(&["CONF", "--json"])).len(), 24);
}

#[test]
fn a_rule_is_shown_with_the_mutations_that_its_tests_find() {
    let ended = check(&["conf-7"]);
    assert_eq!(ended.code, Some(0));
    let rule = objects(&check(&["CONF-07", "--json"])).remove(0);
    assert_eq!(
        (&rule["binds"], &rule["strength"], &rule["word"]),
        (&"agent".into(), &"must".into(), &"must*".into())
    );
    let mutation = &rule["mutations"][0];
    for text in [
        &rule["text"],
        &rule["observation"],
        &rule["source"],
        &mutation["name"],
        &mutation["file"],
        &mutation["test"],
    ] {
        assert!(
            ended.stdout.contains(text.as_str().unwrap()),
            "{text} is missing: {}",
            ended.stdout
        );
    }
    assert!(check(&["RPC-06"]).stdout.contains("No test covers it"));
}

#[test]
fn a_rule_is_shown_with_its_probes_and_their_faults() {
    let ended = check(&["RPC-13"]);
    for text in [
        "judged    agent: ",
        "judged    traffic: watching",
        "fails for a faulty agent in memory that breaks it, with RPC-15",
    ] {
        assert!(ended.stdout.contains(text), "{text} is missing: {}", ended.stdout);
    }
    let rule = objects(&check(&["RPC-13", "--json"])).remove(0);
    assert_eq!(rule["probes"][0]["side"], "agent", "{rule}");
    assert_eq!(rule["faults"][0]["companions"], serde_json::json!(["RPC-15"]), "{rule}");
    assert!(check(&["TERM-05"]).stdout.contains("judged    client: "));
}

#[test]
fn an_unknown_rule_is_refused_with_suggestions() {
    check(&["CONF-25"]).failed(2, &["CONF-25", "use one of CONF-01 to CONF-24"]);
    check(&["CONFIG-01"]).failed(2, &["CONFIG-01", "use one of CONF"]);
    check(&["CONF", "MODE"]).failed(2, &["MODE"]);
    Project::empty().run(&["check"]).failed(2, &["Usage"]);
}
