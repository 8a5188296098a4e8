//! `attache agents`, and agents by name.

use crate::project::{Ended, Project};
use crate::script::Script;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// The program with a PATH that begins with the project's folder and holds no known agent.
fn run(project: &Project, arguments: &[&str]) -> Ended {
    let path = format!("{}:/usr/bin:/bin", project.path().display());
    let home = project.path().join("home");
    project.attache(arguments).env("PATH", path).env("XDG_CONFIG_HOME", home).output().unwrap().into()
}

/// Installs the scripted agent as if it were the program of a known one, in a package of npm.
fn install(project: &Project, program: &str, package: &str, script: &Script<'_>) {
    let start = script.install(project);
    let folder = project.path().join("node_modules").join(package);
    fs::create_dir_all(folder.join("dist")).unwrap();
    fs::write(folder.join("package.json"), r#"{"name":"x","version":"7.8.9"}"#).unwrap();
    let file = folder.join("dist/index.js");
    fs::write(&file, format!("#!/bin/sh\necho \"$@\" >started\nexec {start}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink(&file, project.path().join(program)).unwrap();
}

#[test]
fn a_known_agent_is_started_by_its_name() {
    let project = Project::new();
    install(&project, "gemini", "@google/gemini-cli", &Script::default());
    assert_eq!(run(&project, &["run", "--agent", "gemini", "hello"]).code, Some(0));
    assert_eq!(fs::read_to_string(project.path().join("started")).unwrap(), "--acp\n");
    assert_eq!(run(&project, &["run", "--agent", "attache", "help"]).code, Some(0));
}

#[test]
fn a_known_agent_that_is_missing_is_told_with_its_install_line() {
    let project = Project::new();
    for agent in ["gemini", "gemini --acp --debug"] {
        let ended = run(&project, &["run", "--agent", agent, "hello"]);
        ended.failed(
            3,
            &["Gemini CLI is not installed", "npm install -g @google/gemini-cli", "Google account"],
        );
    }
    run(&project, &["agents", "check", "vibe"]).failed(3, &["uv tool install mistral-vibe"]);
}

#[test]
fn the_list_tells_what_is_here_and_how_the_rest_is_installed() {
    let project = Project::new();
    install(&project, "qwen", "@qwen-code/qwen-code", &Script::default());
    let shown = run(&project, &["agents"]).stdout;
    assert!(shown.contains("✓ qwen        7.8.9"), "{shown}");
    assert!(shown.contains("- gemini      npm install -g @google/gemini-cli"), "{shown}");
    let json = run(&project, &["agents", "list", "--json"]).stdout;
    let lines: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let qwen = lines.iter().find(|line| line["name"] == "qwen").unwrap();
    assert_eq!((&qwen["version"], qwen["program"].is_string()), (&"7.8.9".into(), true));
    assert!(lines.iter().any(|line| line["name"] == "gemini" && line["program"].is_null()));
    let documented = include_str!("../../JSON.md");
    for member in qwen.as_object().unwrap().keys() {
        assert!(documented.contains(&format!("`{member}`")), "JSON.md lists no {member}");
    }
    assert!(!project.path().join("started").exists(), "a list starts nothing");
}

#[test]
fn a_check_tells_what_the_agent_offers_and_opens_no_session() {
    let project = Project::new();
    let initialize = r#"echo Welcome; reply '{"protocolVersion":1,"agentInfo":{"name":"robot","version":"2"},
        "agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true},"sessionCapabilities":{"resume":{}}},
        "authMethods":[{"id":"term","name":"Robot account","type":"terminal","env":{"KEY":"s3cret"}}]}'"#;
    let initialize = initialize.replace("\n        ", "");
    let script = Script { initialize: &initialize, new: "echo made >made; exit 1", ..Script::default() };
    let agent = script.install(&project);
    let shown = run(&project, &["agents", "check", &agent]);
    assert_eq!(shown.code, Some(0), "{shown:#?}");
    for text in ["robot 2", "load, resume", "images", "Robot account", "Welcome"] {
        assert!(shown.stdout.contains(text), "{shown:#?}");
    }
    let json = run(&project, &["agents", "check", &agent, "--json"]);
    let line: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(
        (&line["agentInfo"]["name"], &line["agentCapabilities"]["loadSession"]),
        (&"robot".into(), &true.into())
    );
    assert!(!json.stdout.contains("s3cret") && json.stdout.contains("Robot account"), "{json:#?}");
    for member in line.as_object().unwrap().keys() {
        assert!(include_str!("../../JSON.md").contains(&format!("`{member}`")), "JSON.md lists no {member}");
    }
    assert!(!project.path().join("made").exists());
    run(&project, &["agents", "check", "sh -c 'exit 9'"]).failed(3, &["exit code 9"]);
}

#[test]
fn a_persons_own_names_are_kept_and_go_before_known_ones() {
    let (project, home) = (Project::new(), Project::empty());
    let own = |arguments: &[&str]| -> Ended {
        let mut command = project.attache(arguments);
        command.env("XDG_CONFIG_HOME", home.path()).output().unwrap().into()
    };
    let agent = Script::default().install(&project);
    own(&["agents", "add", "gemini", &format!("KEY=s3cret {agent}")])
        .failed(0, &["agents check gemini", "agents.json"]);
    let file = home.path().join("attache/agents.json");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(own(&["run", "--agent", "gemini", "hello"]).code, Some(0));
    assert!(own(&["agents"]).stdout.contains("✓ gemini      yours     KEY"));
    own(&["agents", "remove", "gemini"]).failed(0, &["no longer"]);
    own(&["agents", "remove", "gemini"]).failed(2, &["no agent of your own named gemini"]);
    own(&["agents", "add", "a b", "sh"]).failed(2, &["cannot be a name"]);
    own(&["agents", "add", "a", "'open"]).failed(2, &["quote"]);
    for broken in ["{", "[]", r#"{"agents":{"x":"s3cret"}}"#] {
        fs::write(&file, broken).unwrap();
        let ended = own(&["run", "--agent", "mine", "hello"]);
        ended.failed(2, &["agents.json", "expected", "mend it or remove it"]);
        assert!(!ended.stderr.contains("s3cret"));
        assert_eq!(own(&["run", "--agent", &agent, "hello"]).code, Some(0), "a command line needs no names");
    }
}

#[test]
fn a_login_that_a_known_agent_needs_is_told() {
    let project = Project::new();
    let new = r#"refuse '{"code":-32000,"message":"Authentication required"}'"#;
    install(
        &project,
        "claude-agent-acp",
        "@agentclientprotocol/claude-agent-acp",
        &Script { new, ..Script::default() },
    );
    run(&project, &["run", "--agent", "claude", "hello"])
        .failed(5, &["login", "Claude subscription", "run `claude` once"]);
}
