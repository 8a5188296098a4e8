//! Rules about actions, applied to the calls of other agents.

use super::AskedCall;
use crate::effect::{ReportedCall, ToolEffect};
use crate::{Agents, Effect, Guard, Rules};
use attache_protocol::v1::{SessionId, ToolKind};
use serde_json::{Value, json};
use std::path::Path;

/// The rules' decision about a call of an agent in `/home/app`.
fn decided(rules: &str, agent: &str, (kind, input): (ToolKind, Value)) -> Effect {
    decided_with(rules, agent, (kind, input), None)
}

fn decided_with(
    rules: &str,
    agent: &str,
    (kind, input): (ToolKind, Value),
    protected: Option<Guard>,
) -> Effect {
    let rules = Rules::parse("f", &format!("version = 2\n{rules}"));
    assert_eq!(rules.faults(), []);
    let session = SessionId::from("s");
    let reported =
        ReportedCall { kind: Some(&kind), raw_input: Some(&input), ..ReportedCall::default() };
    let call = AskedCall {
        agent,
        session: &session,
        cwd: Path::new("/home/app"),
        kind: Some(&kind),
        tool: input["tool"].as_str(),
        effect: ToolEffect::of(&reported),
        title: "",
        text: String::new(),
        other_paths: Vec::new(),
        runs_here: false,
        protected,
    };
    call.decide(rules.rules(), false).effect
}

fn runs(line: &str) -> (ToolKind, Value) {
    (ToolKind::Execute, json!({ "command": line }))
}

fn edits(path: &str) -> (ToolKind, Value) {
    (ToolKind::Edit, json!({ "file_path": path }))
}

fn reads(path: &str) -> (ToolKind, Value) {
    (ToolKind::Read, json!({ "file_path": path }))
}

#[test]
fn rules_that_deny_or_ask_match_everything_that_the_call_may_do() {
    for (subject, calls) in [
        ("command = \"rm\"", vec![runs("rm x"), runs("ls; sudo rm x"), runs("eval rm $x")]),
        ("line = \"a | b\"", vec![runs("a | b")]),
        ("reads = \"private/**\"", vec![reads("private/x"), runs("cat private/x")]),
        ("reads = \"/etc/**\"", vec![reads("../../etc/passwd")]),
        ("changes = \"*.sql\"", vec![edits("/home/app/a.sql"), runs("sort -o a.sql b")]),
        ("tool = \"execute\"", vec![runs("ls")]),
        ("tool = \"edit\"", vec![edits("a")]),
        ("mcp = \"github\"", vec![(ToolKind::Other, json!({ "tool": "mcp__github__list" }))]),
        ("host = \"docs.rs\"", vec![(ToolKind::Fetch, json!({ "url": "https://docs.rs/x" }))]),
        ("command = \"rm\"\nunsandboxed = true", vec![runs("rm x")]),
    ] {
        for call in calls {
            for (table, effect) in [("deny", Effect::Deny), ("ask", Effect::Ask)] {
                let rule = format!("[[{table}]]\nagents = \"all\"\n{subject}\n");
                assert_eq!(decided(&rule, "other", call.clone()), effect, "{rule} {call:?}");
                let allow = format!(
                    "{rule}[[allow]]\nagents = \"all\"\ncall = {{ kind = \"{}\" }}\n",
                    call.0.as_str()
                );
                assert_eq!(decided(&allow, "other", call.clone()), effect, "the strictest wins");
            }
        }
    }
    for (subject, call) in [
        ("command = \"rm\"", runs("rmdir x")),
        ("reads = \"private/**\"", edits("private/x")),
        ("changes = \"*.sql\"", reads("a.sql")),
        ("changes = \"*.sql\"", runs("cat a.sql")),
        (
            "host = \"docs.rs\"",
            (ToolKind::Fetch, json!({ "url": "https://docs.rs.evil.example/" })),
        ),
        ("command = \"rm\"\nnetwork = true", runs("ls")),
    ] {
        let rule = format!(
            "[[deny]]\nagents = \"all\"\n{subject}\n[[allow]]\nagents = [\"other\"]\ncall = {{ kind = \"{}\" }}\n",
            call.0.as_str()
        );
        assert_eq!(decided(&rule, "other", call.clone()), Effect::Allow, "{rule} {call:?}");
    }
}

#[test]
fn rules_that_allow_match_only_what_they_name() {
    for (subject, call, effect) in [
        ("command = \"cargo test\"\nunsandboxed = true", runs("cargo test -q"), Effect::Allow),
        ("command = \"cargo test\"\nunsandboxed = true", runs("cargo test; rm x"), Effect::Ask),
        ("command = \"cargo test\"", runs("cargo test -q"), Effect::Ask),
        ("command = \"cargo test\"\nnetwork = true", runs("cargo test -q"), Effect::Ask),
        ("line = \"a | b\"\nunsandboxed = true", runs("a | b"), Effect::Allow),
        ("line = \"a | b\"\nunsandboxed = true", runs("a | b; c"), Effect::Ask),
        ("tool = \"execute\"\nunsandboxed = true", runs("a | b"), Effect::Allow),
        ("tool = \"edit\"", edits("a"), Effect::Ask),
        ("changes = \"docs/**\"", edits("docs/a"), Effect::Allow),
        ("changes = \"docs/**\"", edits("docs/../a"), Effect::Ask),
        ("changes = \"docs/**\"", reads("docs/a"), Effect::Ask),
        (
            "changes = \"docs/**\"",
            (ToolKind::Edit, json!({ "file_path": "docs/a", "command": "x" })),
            Effect::Ask,
        ),
        ("reads = \"docs/**\"", reads("docs/a"), Effect::Allow),
        (
            "host = \"docs.rs\"",
            (ToolKind::Fetch, json!({ "url": "https://docs.rs/x" })),
            Effect::Allow,
        ),
        (
            "host = \"docs.rs\"",
            (ToolKind::Fetch, json!({ "url": "https://a@docs.rs/x" })),
            Effect::Ask,
        ),
        (
            "host = \"docs.rs\"",
            (ToolKind::Fetch, json!({ "urls": ["https://docs.rs/x", "https://e.example/"] })),
            Effect::Ask,
        ),
        (
            "mcp = \"github\"",
            (ToolKind::Other, json!({ "tool": "mcp__github__list" })),
            Effect::Allow,
        ),
        ("mcp = \"git\"", (ToolKind::Other, json!({ "tool": "mcp__github__list" })), Effect::Ask),
    ] {
        let rule = format!("[[allow]]\nagents = \"all\"\n{subject}\n");
        assert_eq!(decided(&rule, "other", call.clone()), effect, "{rule} {call:?}");
        assert_eq!(
            decided(&rule, "attache", call),
            Effect::Ask,
            "the built-in agent has already applied it"
        );
        let other = rule.replace("\"all\"", "[\"another\"]");
        assert!(
            Rules::parse("f", &other)
                .rules()
                .iter()
                .all(|rule| rule.agents == Agents::only("another"))
        );
    }
}

#[test]
fn protected_actions_need_a_rule_that_names_them() {
    for (subject, call, effect) in [
        ("changes = \"**\"", edits(".git/hooks/x"), Effect::Ask),
        ("changes = \".git/hooks/x\"", edits(".git/hooks/x"), Effect::Allow),
        ("tool = \"execute\"\nunsandboxed = true", runs("tee .envrc"), Effect::Ask),
        ("command = \"tee\"\nunsandboxed = true", runs("tee .envrc"), Effect::Ask),
        ("line = \"tee .envrc\"\nunsandboxed = true", runs("tee .envrc"), Effect::Allow),
    ] {
        let rule = format!("[[allow]]\nagents = \"all\"\n{subject}\n");
        let decided = decided_with(&rule, "other", call, Some(Guard::Obeyed));
        assert_eq!(decided, effect, "{rule}");
    }
}
