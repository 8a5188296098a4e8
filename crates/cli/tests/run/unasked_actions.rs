//! `attache run` with agents that write files and run commands through it without asking first.

use crate::project::{Ended, Project};
use crate::script::Script;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// The files that the agent tries to write in one turn. The protected ones come last.
const NAMES: [&str; 5] =
    ["plain.txt", ".git/hooks/pre-commit", ".vscode/settings.json", ".envrc", "link/pre-push"];

/// Runs an agent that only writes files, and stores the client's replies.
fn run(project: &Project, flags: &[&str]) -> Ended {
    let writes: String = NAMES
        .iter()
        .map(|name| {
            let params = format!(r#"{{"sessionId":"s","path":"'"$PWD"'/{name}","content":"x"}}"#);
            format!(
                r#"printf '%s\n' '{{"jsonrpc":"2.0","id":900,"method":"fs/write_text_file","params":{params}}}'
      IFS= read -r answer; printf '%s\n' "$answer" >> answers
      "#
            )
        })
        .collect();
    fs::create_dir_all(project.path().join(".git/hooks")).unwrap();
    let _there = std::os::unix::fs::symlink(".git/hooks", project.path().join("link"));
    let prompt = format!(r#"{writes} reply '{{"stopReason":"end_turn"}}'"#);
    let agent = Script { prompt: &prompt, ..Script::default() }.install(project);
    attache(project, &[&["run", "--agent", &agent, "write"], flags].concat())
}

/// Runs the program and lets it store decisions.
fn attache(project: &Project, arguments: &[&str]) -> Ended {
    let path = |name: &str| project.path().join(name);
    let mut command = project.attache(arguments);
    command.env("ATTACHE_STORE", path("sessions.db")).env("XDG_DATA_HOME", path("data"));
    command.output().unwrap().into()
}

fn written(project: &Project) -> Vec<&'static str> {
    NAMES.into_iter().filter(|name| project.path().join(name).exists()).collect()
}

/// Returns the decisions in the log, with their files.
fn audit(project: &Project) -> Vec<(String, Vec<String>)> {
    let ended = attache(project, &["permissions", "audit", "--json"]);
    let lines = ended.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .map(|line| {
            let paths = line["effect"]["paths"].as_array().cloned().unwrap_or_default();
            let paths = paths.iter().map(|path| path.as_str().unwrap().to_owned()).collect();
            (line["verdict"].as_str().unwrap().to_owned(), paths)
        })
        .collect()
}

/// PERM-02 for files: the decision about each attempt is shown and logged with the path. A refused
/// attempt is answered with an error.
#[test]
fn writes_without_a_question_are_refused_unless_a_flag_allows_them() {
    for (flags, expected) in [
        (&[][..], &[][..]),
        (&["--allow", "execute"], &[]),
        (&["--allow", "edit"], &["plain.txt"]),
        (&["--yes"], &["plain.txt"]),
    ] {
        let project = Project::new();
        let ended = run(&project, flags);
        assert_eq!(written(&project), expected, "{flags:?}: {ended:#?}");
        let audit = audit(&project);
        let log = attache(&project, &["permissions", "audit"]).stdout;
        assert_eq!(
            log.matches(&format!("allowed by {}: ", flags.join(" "))).count(),
            expected.len(),
            "{log}"
        );
        let decided: Vec<&str> = audit.iter().map(|(verdict, _)| verdict.as_str()).collect();
        let allowed = if expected.is_empty() { "rejected" } else { "allowed" };
        assert_eq!(decided, [allowed, "rejected", "rejected", "rejected", "rejected"], "{audit:?}");
        let answers = fs::read_to_string(project.path().join("answers")).unwrap();
        let refused = answers.matches("no person, rule or setting allows it").count();
        assert_eq!(refused, NAMES.len() - expected.len(), "{answers}");
        for ((_, paths), name) in audit.iter().zip(NAMES) {
            let name = name.replace("link/", ".git/hooks/");
            let path = PathBuf::from(project.path()).join(&name);
            assert!(paths.contains(&path.to_string_lossy().into_owned()), "{paths:?} {name}");
            assert!(ended.stderr.contains(&name), "each decision is shown: {ended:#?}");
        }
    }
}

/// A rule that rejects edits stops writes in spite of `--yes`. A rule that names the path of a
/// protected file allows writes to that file.
#[test]
fn rules_about_writes_override_flags() {
    let remember = |project: &Project, rules: &str| {
        let file = project.path().join(".no-settings/attache/client-permissions.txt");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, rules).unwrap();
    };
    let project = Project::new();
    remember(&project, "reject kind=\"edit\"\n");
    let ended = run(&project, &["--yes"]);
    assert!(written(&project).is_empty(), "{ended:#?}");
    assert_eq!(
        ended.stderr.matches("rejected by your rule reject kind=\"edit\"").count(),
        5,
        "{ended:#?}"
    );

    let project = Project::new();
    let hook = project.path().join(".git/hooks/pre-commit");
    remember(&project, &format!("allow kind=\"edit\"\nallow path={hook:?}\n"));
    let ended = run(&project, &[]);
    assert_eq!(written(&project), ["plain.txt", ".git/hooks/pre-commit"], "{ended:#?}");
}

/// With `--json`, scripts get the same event as for any other permission.
#[test]
fn a_refused_write_is_a_permission_event() {
    let project = Project::new();
    let ended = run(&project, &["--json"]);
    let lines = ended.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let events: Vec<Value> = lines.filter(|line| line["event"] == "permission").collect();
    assert_eq!(events.len(), NAMES.len(), "{ended:#?}");
    for event in events {
        let expected = ("edit", "rejected", "nobody");
        let member = |name: &str| event[name].as_str().unwrap();
        assert_eq!((member("kind"), member("decision"), member("by")), expected, "{event}");
    }
}

/// An agent that only reads these files, and stores the client's replies.
fn reading(project: &Project, names: &[&str]) -> String {
    let reads: String = names
        .iter()
        .map(|name| {
            let params = format!(r#"{{"sessionId":"s","path":"'"$PWD"'/{name}"}}"#);
            format!(
                r#"printf '%s\n' '{{"jsonrpc":"2.0","id":900,"method":"fs/read_text_file","params":{params}}}'
      IFS= read -r answer; printf '%s\n' "$answer" >> answers
      "#
            )
        })
        .collect();
    let prompt = format!(r#"{reads} reply '{{"stopReason":"end_turn"}}'"#);
    Script { prompt: &prompt, ..Script::default() }.install(project)
}

/// A rule that rejects stops a plain read in spite of `--yes`: the decision is shown and logged,
/// and the exit code is 11. A read that needs no permission is neither shown nor logged.
#[test]
fn a_denying_rule_stops_a_read_of_a_plain_file() {
    let project = Project::new();
    let file = project.path().join(".no-settings/attache/client-permissions.txt");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::create_dir(project.path().join("priv")).unwrap();
    fs::write(project.path().join("priv/a"), "closed words").unwrap();
    std::os::unix::fs::symlink("priv/a", project.path().join("link")).unwrap();
    let names = ["main.rs", "priv/a", "link"];
    for (rule, refused) in [
        (format!("reject path={:?}", project.path().join("priv")), &names[1..]),
        ("reject kind=\"read\"".to_owned(), &names[..]),
        (format!("reject path={:?}", project.path().join("other")), &[]),
    ] {
        let _ = fs::remove_file(file.with_file_name("permissions.toml"));
        fs::write(&file, format!("{rule}\n")).unwrap();
        let _ = fs::remove_file(project.path().join("answers"));
        let _ = fs::remove_dir_all(project.path().join("data"));
        let agent = reading(&project, &names);
        let ended = attache(&project, &["run", "--agent", &agent, "--yes", "read"]);
        assert_eq!(ended.code, Some(if refused.is_empty() { 0 } else { 11 }), "{rule}: {ended:#?}");
        let said = ended.stderr.matches("rejected by your rule").count();
        assert_eq!(said, refused.len(), "{rule}: {ended:#?}");
        let log = audit(&project);
        assert_eq!(log.len(), refused.len(), "{rule}: {log:?}");
        assert!(log.iter().all(|(verdict, _)| verdict == "rejected"), "{log:?}");
        let answers = fs::read_to_string(project.path().join("answers")).unwrap();
        assert_eq!(answers.contains("closed words"), refused.is_empty(), "{rule}: {answers}");
    }
}

/// If a flag chooses the agent's only option, which allows always, the log names the flag for later
/// writes too.
#[test]
fn the_log_names_the_flag_that_allowed_a_write() {
    let project = Project::new();
    let options = r#"[{"optionId":"a","name":"Always","kind":"allow_always"}]"#;
    let diff = r#"[{"type":"diff","path":"'"$PWD"'/plain.txt","newText":"1"}]"#;
    let call = format!(r#"{{"toolCallId":"t","title":"Edit","kind":"edit","content":{diff}}}"#);
    let send = |method: &str, params: &str| {
        format!(
            r#"printf '%s\n' '{{"jsonrpc":"2.0","id":900,"method":"{method}","params":{params}}}'
      IFS= read -r answer
      "#
        )
    };
    let ask = send(
        "session/request_permission",
        &format!(r#"{{"sessionId":"s","toolCall":{call},"options":{options}}}"#),
    );
    let write = |text: &str| {
        let params =
            format!(r#"{{"sessionId":"s","path":"'"$PWD"'/plain.txt","content":"{text}"}}"#);
        send("fs/write_text_file", &params)
    };
    let prompt =
        format!(r#"{ask} {} {} reply '{{"stopReason":"end_turn"}}'"#, write("1"), write("2"));
    let agent = Script { prompt: &prompt, ..Script::default() }.install(&project);
    let ended = attache(&project, &["run", "--agent", &agent, "--yes", "write"]);
    assert_eq!(ended.stderr.matches("allowed by --yes").count(), 2, "{ended:#?}");
    assert!(!ended.stderr.contains("allowed by you"), "{ended:#?}");
    let log = attache(&project, &["permissions", "audit"]).stdout;
    assert_eq!(log.matches("allowed by --yes").count(), 2, "{log}");
}

/// Flags do not cover a command whose words name a protected file: without a person it is refused,
/// and the decision is shown and logged.
#[test]
fn a_command_that_names_a_protected_file_is_refused() {
    for (flags, rule) in
        [(&["--yes"][..], ""), (&["--allow", "execute"], ""), (&[], "allow kind=\"execute\"\n")]
    {
        let project = Project::new();
        let file = project.path().join(".no-settings/attache/client-permissions.txt");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, rule).unwrap();
        let create = |line: &str| {
            let params = format!(r#"{{"sessionId":"s","command":"{line}"}}"#);
            format!(
                r#"printf '%s\n' '{{"jsonrpc":"2.0","id":900,"method":"terminal/create","params":{params}}}'
      IFS= read -r answer; printf '%s\n' "$answer" >> answers
      "#
            )
        };
        let lines = ["echo x > .envrc", "echo hi | tee .git/hooks/pre-commit", "cat main.rs"];
        let creates: String = lines.iter().map(|line| create(line)).collect();
        let prompt = format!(r#"{creates} reply '{{"stopReason":"end_turn"}}'"#);
        let agent = Script { prompt: &prompt, ..Script::default() }.install(&project);
        let ended = attache(&project, &[&["run", "--agent", &agent, "go"], flags].concat());
        assert_eq!(ended.code, Some(11), "{flags:?}: {ended:#?}");
        let answers = fs::read_to_string(project.path().join("answers")).unwrap();
        assert_eq!(answers.matches("terminalId").count(), 1, "{answers}");
        let verdicts: Vec<String> =
            audit(&project).into_iter().map(|(verdict, _)| verdict).collect();
        assert_eq!(verdicts, ["rejected", "rejected", "allowed"], "{ended:#?}");
        assert!(ended.stderr.contains("add a rule with this whole command line"), "{ended:#?}");
    }
}
