//! Tests that read, check and extend files of rules.

use super::Rules;
use crate::{Pattern, RuleScope, Subject};
use std::path::Path;

/// The example in `PERMISSIONS.md` is a valid file of rules, and all of it applies.
#[test]
fn the_example_of_the_document_applies_in_full() {
    let document = include_str!("../../PERMISSIONS.md");
    let example = document.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let rules = Rules::parse("PERMISSIONS.md", example);
    assert_eq!(rules.faults(), []);
    assert_eq!(rules.sentences().count(), 13);
}

#[test]
fn a_failing_example_is_named_and_disables_allowing_rules() {
    let text = "[[deny]]\ncommand = \"rm\"\n\n[[allow]]\ncommand = \"cargo\"\n\n[[allow]]\nchanges = \"src/*\"\n\
                examples.matches = [\"src/a/b.rs\"]\nexamples.does_not_match = [\"src/c.rs\"]\n";
    let rules = Rules::parse("permissions.toml", text);
    let faults: Vec<_> = rules.faults().iter().map(ToString::to_string).collect();
    assert_eq!(
        faults,
        [
            "permissions.toml, line 7: the rule for edits of `src/*` does not match its example `src/a/b.rs`: correct one of them; until then, no \
             rule in this file allows anything",
            "permissions.toml, line 7: the rule for edits of `src/*` matches its counterexample `src/c.rs`: correct one of them; until then, no \
             rule in this file allows anything",
        ]
    );
    assert_eq!(
        rules.sentences().collect::<Vec<_>>(),
        ["commands that start with `rm` are forbidden"]
    );
    assert!(!rules.broken);
}

#[test]
fn an_unreadable_rule_is_named_with_its_line() {
    for (text, line, words, broken) in [
        ("[[allow]]\ncommand = \"a; b\"\n", Some(1), "plain beginning of one command", false),
        ("\n[[deny]]\ncomand = \"rm\"\n", Some(2), "comand", true),
        ("[[deny]]\ncommand = \"rm\"\nreads = \"x\"\n", Some(1), "a rule has one of", true),
        ("[[ask]]\n", Some(1), "a rule has one of", true),
        ("[[allow]]\nhost = \"https://docs.rs/\"\n", Some(1), "is not a host", false),
        ("[[allow]]\nchanges = \"../x\"\n", Some(1), "contains no `..`", false),
        ("[[allow]]\nchanges = \"a[\"\n", Some(1), "is not a valid pattern", false),
        ("[[allow]]\ncommand = \"ls\"\nproject = \"here\"\n", Some(1), "absolute path", false),
        ("[[allow]]\ncommand = 3\n", Some(1), "string", false),
        (
            "[[allow]]\nreads = \"x\"\nunsandboxed = true\n",
            Some(1),
            "belong to a rule for commands",
            false,
        ),
        (
            "[[deny]]\nhost = \"docs.rs\"\nnetwork = true\n",
            Some(1),
            "belong to a rule for commands",
            true,
        ),
        ("[[forbid]]\ncommand = \"rm\"\n", Some(1), "forbid", true),
        ("x = [\n", None, "not a file of rules", true),
    ] {
        let rules = Rules::parse("f", text);
        let [fault] = rules.faults() else { panic!("{text}: {:?}", rules.faults()) };
        assert!(fault.to_string().contains(words), "{text}: {fault}");
        assert!(line.is_none() || fault.line() == line, "{text}: {fault}");
        assert_eq!((rules.broken, rules.rules.len()), (broken, 0), "{text}");
    }
}

#[test]
fn an_added_rule_reads_back_the_same_and_nothing_else_changes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("new/permissions.toml");
    let subjects = [
        Subject::Command(vec!["cargo".into(), "test".into()]),
        Subject::Line("a \"b\" \\ 'c'\n\td\u{7f}é".into()),
        Subject::Changes(Pattern::new("**").unwrap()),
        Subject::Reads(Pattern::exactly("odd [name]*.env").unwrap()),
        Subject::Mcp { server: "a/b".into(), tool: Some("x\"y".into()) },
        Subject::Mcp { server: "a".into(), tool: None },
        Subject::Host("localhost:3000".into()),
        Subject::Beyond {
            commands: Box::new(Subject::Command(vec!["npm".into(), "test".into()])),
            unsandboxed: true,
            network: true,
        },
        Subject::Beyond {
            commands: Box::new(Subject::Line("a \"b\"".into())),
            unsandboxed: false,
            network: true,
        },
    ];
    Rules::add(&file, &subjects[0], Some(Path::new("/p q"))).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("# mine\n{}", text.trim_end())).unwrap();
    for subject in &subjects[1..] {
        Rules::add(&file, subject, None).unwrap();
    }
    let rules = Rules::read(&file);
    assert_eq!(rules.faults(), []);
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("# mine\n"));
    assert_eq!(rules.rules.iter().map(|rule| rule.subject.clone()).collect::<Vec<_>>(), subjects);
    assert_eq!(rules.rules[0].scope, RuleScope::Project("/p q".into()));
}

#[test]
fn a_missing_file_has_no_rules_and_an_unreadable_one_is_broken() {
    let folder = tempfile::tempdir().unwrap();
    let none = Rules::read(&folder.path().join("none.toml"));
    assert!(none.faults().is_empty() && !none.broken);
    let unreadable = Rules::read(folder.path());
    assert!(unreadable.broken && unreadable.faults()[0].to_string().contains("cannot be read"));
}

/// Sessions and files of older versions have no keys for runs without a sandbox or with the
/// network.
#[test]
fn a_rule_of_an_older_version_covers_runs_in_a_sandbox_without_the_network() {
    use crate::rule::{Effect, Run};
    let stored: Subject = serde_json::from_str(r#"{"Command":["cargo","test"]}"#).unwrap();
    for (sandboxed, network) in [(true, false), (true, true), (false, true)] {
        let run = Run { sandboxed, network };
        assert_eq!(stored.covers(Effect::Allow, run), sandboxed && !network);
        assert!(stored.covers(Effect::Deny, run) && stored.covers(Effect::Ask, run));
        let offered = stored.clone().for_run(run);
        assert!(offered.covers(Effect::Allow, run));
        let again: Subject =
            serde_json::from_str(&serde_json::to_string(&offered).unwrap()).unwrap();
        assert_eq!(again, offered);
    }
}
