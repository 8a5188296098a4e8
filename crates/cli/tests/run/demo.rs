//! The commands that a new user runs first: `attache demo` and `attache doctor`.

use crate::project::{MAIN, Project};
use std::fs;
use std::path::Path;

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap_or_default())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn the_demo_shows_the_main_features_and_changes_nothing() {
    let project = Project::new();
    let before = files(project.path());
    let ended = project.run(&["demo"]);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    for text in [
        "a copy of this folder: 2 files",
        "› summarize this project",
        "› where is `total` used",
        "+2 -2",
        "allowed by the demo",
        "› run ls",
        "messages to the agent",
        "Your files did not change",
        "attache run \"summarize this project\"",
    ] {
        assert!(ended.stdout.contains(text), "the demo lacks {text:?}: {}", ended.stdout);
    }
    // All prompts share one session; its start is shown only once.
    assert!(!ended.stdout.contains("beginning"), "{}", ended.stdout);
    assert_eq!(files(project.path()), before);
    assert_eq!(project.main(), MAIN);
}

#[test]
fn the_demo_works_in_an_empty_folder_and_in_one_of_prose() {
    let empty = Project::empty();
    let ended = empty.run(&["demo"]);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    assert!(
        ended.stdout.contains("a small sample project") && ended.stdout.contains("› rename"),
        "{}",
        ended.stdout
    );
    assert!(files(empty.path()).is_empty());
    fs::write(empty.path().join("notes.txt"), "one\n").unwrap();
    let ended = empty.run(&["demo"]);
    assert!(ended.stdout.contains("Your files did not change"), "{ended:#?}");
}

#[test]
fn the_demo_leaves_no_copy_behind() {
    let (project, temporary) = (Project::new(), Project::empty());
    let output = project.attache(&["demo"]).env("TMPDIR", temporary.path()).output().unwrap();
    assert!(output.status.success());
    assert!(files(temporary.path()).is_empty());
}

#[test]
fn doctor_shows_no_key_and_writes_nothing() {
    let (project, home) = (Project::empty(), Project::empty());
    let mut command = project.attache(&["doctor"]);
    command
        .env("HOME", home.path())
        .env("ANTHROPIC_API_KEY", "sk-very-secret")
        .env_remove("XDG_CONFIG_HOME");
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    for part in [
        "ANTHROPIC_API_KEY    set",
        "built-in",
        "Landlock",
        "pipe",
        "not a terminal",
        "/.config/attache",
    ] {
        assert!(text.contains(part), "doctor lacks {part:?}: {text}");
    }
    assert!(!text.contains("very-secret"));
    assert!(files(project.path()).is_empty() && files(home.path()).is_empty());
}

#[test]
fn doctor_finds_agents_on_the_path() {
    use std::os::unix::fs::PermissionsExt;
    let (project, folder) = (Project::empty(), Project::empty());
    let program = folder.path().join("gemini");
    fs::write(&program, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let output = project.attache(&["doctor"]).env("PATH", folder.path()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(&format!("{}  (--agent gemini)", program.display())), "{text}");
    assert!(text.contains("qwen                 not found; install: npm install"), "{text}");
}

#[test]
fn the_agent_prints_nothing_but_the_protocol_and_ends_with_its_client() {
    use std::io::Write;
    use std::process::Stdio;
    let mut child = Project::empty().attache(&["agent"]).stdin(Stdio::piped()).spawn().unwrap();
    let initialize =
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}"#;
    writeln!(child.stdin.take().unwrap(), "{initialize}").unwrap();
    let output = child.wait_with_output().unwrap();
    let reply: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(reply["result"]["protocolVersion"], 1);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn the_agents_log_has_methods_and_sizes_but_no_content() {
    use std::io::Write;
    use std::process::Stdio;
    let project = Project::empty();
    let mut child = project.attache(&["agent", "--verbose"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    writeln!(
        input,
        r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":1}}}}"#
    )
    .unwrap();
    let server =
        r#"{"name":"s","command":"/bin/s","args":[],"env":[{"name":"KEY","value":"sk-secret"}]}"#;
    writeln!(
        input,
        r#"{{"jsonrpc":"2.0","id":2,"method":"session/new","params":{{"cwd":"/","mcpServers":[{server}]}}}}"#
    )
    .unwrap();
    writeln!(input, "sk-secret, which is not JSON").unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(
        log.contains("<- session/new, call 2, ") && log.contains("-> error -32700 to call null"),
        "{log}"
    );
    assert!(!log.contains("secret"), "{log}");
}
