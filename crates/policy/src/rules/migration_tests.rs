//! Migration of the files of older versions: a migrated rule never allows more than before.

use super::{RuleFile, RuleFileError, Rules};
use crate::asked_call::AskedCall;
use crate::effect::{ReportedCall, ToolEffect};
use crate::{Agents, Effect, Folders, Mode, Policy, Rule, Subject, Touch};
use attache_protocol::v1::{SessionId, ToolKind};
use proptest::prelude::*;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The text of a file that commit 0421281 wrote.
fn saved(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/tests/saved").join(name);
    std::fs::read_to_string(path).unwrap()
}

struct Person {
    folder: tempfile::TempDir,
}

impl Person {
    fn new(toml: Option<&str>, lines: Option<&str>) -> Self {
        let person = Self { folder: tempfile::tempdir().unwrap() };
        for (path, text) in [(person.file(), toml), (person.old(), lines)] {
            if let Some(text) = text {
                std::fs::write(path, text).unwrap();
            }
        }
        person
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("permissions.toml")
    }

    fn old(&self) -> PathBuf {
        self.folder.path().join("client-permissions.txt")
    }

    fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.folder.path().join(name)).ok()
    }

    fn migrate(&self) -> Rules {
        RuleFile::new(self.file()).migrate(&self.old()).unwrap();
        self.rules()
    }

    fn rules(&self) -> Rules {
        let rules = Rules::read(&self.file());
        assert_eq!(rules.faults(), [], "{:?}", self.read("permissions.toml"));
        rules
    }
}

fn without_files(rules: &[Rule]) -> Vec<Rule> {
    rules.iter().map(|rule| Rule { file: None, ..rule.clone() }).collect()
}

#[test]
fn saved_files_become_one_and_stay_as_backups() {
    let (toml, lines) = (saved("permissions.toml"), saved("client-permissions.txt"));
    let person = Person::new(Some(&toml), Some(&lines));
    let before = Rules::parse("f", &toml);
    let clients = RuleFile::read_old(&person.old()).unwrap();
    let rules = person.migrate();
    let expected: Vec<Rule> = before.rules().iter().chain(&clients).cloned().collect();
    assert_eq!(without_files(rules.rules()), without_files(&expected));
    assert!(rules.rules()[..11].iter().all(|rule| rule.agents == Agents::built_in()));
    let agents: Vec<_> = rules.rules()[11..].iter().map(|rule| rule.agents.clone()).collect();
    let all = Agents::All;
    assert_eq!(agents, [Agents::built_in(), all.clone(), all.clone(), all.clone(), all]);
    let text = person.read("permissions.toml").unwrap();
    assert!(
        text.starts_with("version = 2\n") && text.contains("# What my agent may do."),
        "{text}"
    );
    assert!(text.contains("examples.does_not_match = [\"cargo publish\"]"), "{text}");
    assert_eq!(person.read("permissions.toml.v1"), Some(toml));
    assert_eq!(person.read("client-permissions.txt.v1"), Some(lines));
    assert!(!person.old().exists());
}

#[test]
fn an_interrupted_migration_can_be_repeated_without_loss_or_duplicates() {
    let (toml, lines) = (saved("permissions.toml"), saved("client-permissions.txt"));
    let person = Person::new(Some(&toml), Some(&lines));
    let once = without_files(person.migrate().rules());
    // The state after a crash before the old file was renamed.
    std::fs::write(person.old(), &lines).unwrap();
    std::fs::write(person.folder.path().join("permissions.toml.new"), "torn [[").unwrap();
    assert_eq!(without_files(person.migrate().rules()), once);
    assert_eq!(person.read("client-permissions.txt.v1.2"), Some(lines));
    // The state after a crash before the new file was renamed.
    std::fs::write(person.file(), &toml).unwrap();
    std::fs::write(person.old(), saved("client-permissions.txt")).unwrap();
    assert_eq!(without_files(person.migrate().rules()), once);
}

/// Changes the file again while the others lock it for longer than a change waits, as on a busy
/// machine.
fn persistent<T>(change: impl Fn() -> Result<T, RuleFileError>) -> T {
    loop {
        match change() {
            Err(RuleFileError::File { source, .. }) if source.kind() == ErrorKind::TimedOut => {}
            changed => return changed.unwrap(),
        }
    }
}

#[test]
fn concurrent_migrations_and_additions_lose_no_rule() {
    let (toml, lines) = (saved("permissions.toml"), saved("client-permissions.txt"));
    let person = Person::new(Some(&toml), Some(&lines));
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (file, old) = (RuleFile::new(person.file()), person.old());
            scope.spawn(move || {
                let command = Subject::Command(vec![format!("made{number}")]);
                let rule = Rule::new(Effect::Deny, command);
                persistent(|| file.migrate(&old));
                persistent(|| file.add(&rule));
            });
        }
    });
    assert_eq!(person.rules().rules().len(), 11 + 5 + 8);
}

#[test]
fn a_migration_names_an_unreadable_rule_and_moves_nothing() {
    let person = Person::new(None, Some("# mine\nallow kind=\"read\"\nreject comand=\"rm\"\n"));
    let error = RuleFile::new(person.file()).migrate(&person.old()).unwrap_err().to_string();
    for part in ["client-permissions.txt, line 3", "comand", "correct the line"] {
        assert!(error.contains(part), "{error}");
    }
    assert!(person.old().exists() && !person.file().exists());
    let person = Person::new(Some("[[deny]]\ncomand = \"rm\"\n"), Some("allow kind=\"read\"\n"));
    let error = RuleFile::new(person.file()).migrate(&person.old()).unwrap_err().to_string();
    assert!(error.contains("permissions.toml, line 1") && error.contains("comand"), "{error}");
    assert!(person.old().exists() && person.read("permissions.toml.v1").is_none());
}

#[test]
fn removing_a_rule_removes_its_comment_and_nothing_else() {
    let text = "# mine\n\nversion = 2\n\n# about all\n\n# about reads\n[[allow]]\nagents = \"all\"\ncall = { kind = \"read\" } # here\n\n# about rm\n[[deny]]\nagents = [\"x\"]\ncommand = \"rm\"\n";
    let person = Person::new(Some(text), None);
    let rules = person.rules();
    RuleFile::new(person.file()).remove(&rules.rules()[0]).unwrap();
    let left = person.read("permissions.toml").unwrap();
    for kept in ["# mine\n", "# about all\n", "# about rm\n[[deny]]"] {
        assert!(left.contains(kept), "{left}");
    }
    assert!(!left.contains("about reads") && person.rules().rules().len() == 1, "{left}");
    RuleFile::new(person.file()).remove(&rules.rules()[1]).unwrap();
    assert!(person.rules().rules().is_empty());
}

#[test]
fn a_new_file_names_its_version_and_the_agents_of_each_rule() {
    let person = Person::new(None, None);
    let rule = Rule::from_line(r#"allow agent="a \"b\"" project="/p q" command="cargo test""#);
    RuleFile::new(person.file()).add(&rule.unwrap()).unwrap();
    let text = person.read("permissions.toml").unwrap();
    let table = "[[allow]]\nagents = [\"a \\\"b\\\"\"]\ncall = { command = \"cargo test\" }\nproject = \"/p q\"\n";
    assert!(text.contains("version = 2\n") && text.ends_with(table), "{text}");
    for (text, words) in [
        ("version = 2\n[[deny]]\ncommand = \"rm\"\n", "names no agents: add"),
        ("version = 3\n", "newer version"),
        ("version = 2\n[[deny]]\nagents = []\ncommand = \"rm\"\n", "names no agent"),
        ("[[allow]]\nagents = \"all\"\ncall = {}\n", "about every call"),
        ("[[allow]]\nagents = \"all\"\ncall = { kind = \"write\" }\n", "is not a kind"),
        ("[[allow]]\nagents = \"all\"\ncall = { path = \"x\" }\n", "whole path"),
        ("[[allow]]\nagents = \"all\"\ncall = { kind = \"edit\" }\nnetwork = true\n", "belong to"),
    ] {
        let rules = Rules::parse("f", text);
        let said = rules.faults().first().map(ToString::to_string).unwrap_or_default();
        assert!(said.contains(words) && rules.names_agents(), "{text}: {said}");
    }
}

/// A line of a file from an older version.
fn line() -> impl Strategy<Value = String> {
    let part = |name: &'static str, values: &'static [&'static str]| {
        prop::option::of(prop::sample::select(values))
            .prop_map(move |value| value.map(|value| format!(" {name}={value:?}")))
    };
    let commands = &["git", "git push", "rm", "cargo test", "a | b", "cat x"];
    let parts = (
        part("agent", &["attache", "other"]),
        part("project", &["/home/app", "/home"]),
        part("kind", &["read", "edit", "execute"]),
        part("tool", &["shell", "mcp__a__*"]),
        part("path", &["/home/app/src", "/etc"]),
        part("command", commands),
    );
    (prop::bool::ANY, parts).prop_filter_map("about everything", |(allows, parts)| {
        let (agent, project, kind, tool, path, command) = parts;
        [&kind, &tool, &path, &command].iter().any(|part| part.is_some()).then(|| {
            let parts = [agent, project, kind, tool, path, command];
            let word = if allows { "allow" } else { "reject" };
            parts.into_iter().flatten().fold(word.to_owned(), |line, part| line + &part)
        })
    })
}

/// A call as agents describe it.
fn call() -> impl Strategy<Value = (ToolKind, Option<&'static str>, serde_json::Value)> {
    let kind = prop::sample::select(vec![ToolKind::Read, ToolKind::Edit, ToolKind::Execute]);
    let tool = prop::option::of(prop::sample::select(vec!["shell", "mcp__a__b"]));
    let lines = ["git push -f", "git log", "sudo rm x", "cargo test -q", "a | b", "cat .env"];
    let command = prop::sample::select(lines.to_vec());
    let path = prop::sample::select(vec!["/home/app/src/a", "/etc/passwd", "b"]);
    let input = prop_oneof![
        command.prop_map(|line| serde_json::json!({ "command": line })),
        path.prop_map(|path| serde_json::json!({ "file_path": path })),
    ];
    (kind, tool, input)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Migrated client rules decide as before about each call of the agents that they name. Rules
    /// for the built-in agent do not decide about calls of other agents.
    #[test]
    fn a_migrated_rule_decides_about_calls_as_before(
        lines in prop::collection::vec(line(), 0..5),
        (kind, tool, input) in call(),
        agent in prop::sample::select(vec!["attache", "other", "third"]),
    ) {
        let text = lines.join("\n");
        let person = Person::new(Some(&saved("permissions.toml")), Some(&text));
        let before = RuleFile::read_old(&person.old()).unwrap();
        let after = person.migrate();
        let session = SessionId::from("s");
        let effect = ToolEffect::of(&ReportedCall {
            kind: Some(&kind),
            raw_input: Some(&input),
            ..ReportedCall::default()
        });
        let call = AskedCall {
            agent,
            session: &session,
            cwd: Path::new("/home/app"),
            kind: Some(&kind),
            tool,
            effect,
            title: "",
            text: String::new(),
            other_paths: Vec::new(),
            runs_here: false,
            protected: None,
        };
        let (before, after) = (call.decide(&before, false), call.decide(after.rules(), false));
        prop_assert!(after.effect >= before.effect, "{before:?} became {after:?}");
        if agent != "attache" {
            prop_assert_eq!(before.effect, after.effect);
        }
    }

    /// Client rules do not affect the decisions of the built-in agent.
    #[test]
    fn a_migrated_rule_of_a_client_does_not_affect_the_built_in_agent(
        lines in prop::collection::vec(line(), 0..5),
        command in prop::sample::select(
            vec!["git push", "rm x", "cargo test", "make && ./check", "ls"],
        ),
        mode in prop::sample::select(Mode::ALL.to_vec()),
        sandboxed: bool,
    ) {
        let person = Person::new(Some(&saved("permissions.toml")), Some(&lines.join("\n")));
        let project = tempfile::tempdir().unwrap();
        let folders = Folders::new(&[project.path().to_owned()]).unwrap();
        let decided = || {
            let policy = Policy::read(Some(&person.file()), &folders);
            let touch = Touch::Runs { command, sandboxed, network: false };
            let decision = policy.judge(mode, &folders, None).decide("execute", &touch);
            (decision.effect, decision.reason.to_string())
        };
        let before = decided();
        person.migrate();
        prop_assert_eq!(before, decided());
    }
}
