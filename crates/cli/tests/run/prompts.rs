//! Prompts: scripts of several prompts, and files named with `@path`.

use crate::project::{Ended, Project};
use crate::script::Script;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

/// Answers each prompt with its number, and stores the received line.
const COUNTING: &str = r#"count=$((count + 1)); printf '%s\n' "$line" >>seen.jsonl
update '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"answer '$count'"}}'
reply '{"stopReason":"end_turn"}'"#;

fn seen(project: &Project) -> Vec<Value> {
    let text = fs::read_to_string(project.path().join("seen.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["params"]["prompt"].clone())
        .collect()
}

fn events(stdout: &str) -> Vec<Value> {
    stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_script_sends_its_prompts_in_order_to_one_session() {
    let project = Project::new();
    let agent = Script { prompt: COUNTING, ..Script::default() }.install(&project);
    fs::write(project.path().join("prompts.md"), "first\n---\n\nsecond\nline\n---\n\n").unwrap();
    let ended = project.run(&["run", "--agent", &agent, "--file", "prompts.md"]);
    assert_eq!((ended.code, &*ended.stdout), (Some(0), "answer 1\n\nanswer 2\n"), "{ended:#?}");
    assert!(
        ended.stderr.contains("› first") && ended.stderr.contains("› second line"),
        "{ended:#?}"
    );
    let texts: Vec<Value> = seen(&project).iter().map(|prompt| prompt[0]["text"].clone()).collect();
    assert_eq!(texts, ["first", "second\nline"]);

    let ended = project.run(&["run", "--agent", &agent, "--file", "prompts.md", "--json"]);
    let events = events(&ended.stdout);
    let prompts: Vec<&Value> = events.iter().filter(|event| event["event"] == "prompt").collect();
    assert_eq!(prompts.len(), 2);
    assert_eq!((&prompts[1]["number"], &prompts[1]["count"]), (&2.into(), &2.into()));
    assert_eq!(events.iter().filter(|event| event["event"] == "stop").count(), 2);
    assert_eq!(events.last().unwrap()["event"], "stop");
}

#[test]
fn a_script_from_stdin_stops_at_a_failed_prompt() {
    let project = Project::new();
    let prompt = r#"case "$line" in *bad*) reply '{"stopReason":"refusal"}' ;; *) printf x >>done; reply '{"stopReason":"end_turn"}' ;; esac"#;
    let agent = Script { prompt, ..Script::default() }.install(&project);
    let arguments = ["run", "--agent", &agent, "-f", "-"];
    let mut child = project.attache(&arguments).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"good\n---\nbad\n---\nnever\n").unwrap();
    let ended: crate::project::Ended = child.wait_with_output().unwrap().into();
    ended.failed(6, &["refused"]);
    assert_eq!(fs::read_to_string(project.path().join("done")).unwrap(), "x");
}

#[test]
fn an_unusable_script_ends_with_2() {
    let project = Project::new();
    fs::write(project.path().join("empty.md"), "---\n \n---\n").unwrap();
    fs::write(project.path().join("binary"), [0xff, 0xfe]).unwrap();
    project.run(&["run", "--file", "empty.md"]).failed(2, &["empty.md contains no prompt"]);
    project
        .run(&["run", "--file", "missing.md"])
        .failed(2, &["--file", "missing.md cannot be read"]);
    project.run(&["run", "--file", "binary"]).failed(2, &["not UTF-8"]);
    project.run(&["run", "--file", "empty.md", "hello"]).failed(2, &["cannot be used with"]);
}

/// PROMPT-02, PROMPT-03.
#[test]
fn a_named_file_is_sent_in_a_form_that_the_agent_accepts() {
    let project = Project::new();
    fs::write(project.path().join("a shot.png"), [0x89, b'P', b'N', b'G']).unwrap();
    let initialize = r#"reply '{"protocolVersion":1,"agentCapabilities":{"promptCapabilities":{"image":true,"embeddedContext":true}}}'"#;
    for (initialize, kinds) in [
        (initialize, ["text", "image", "text", "resource", "text"]),
        (Script::default().initialize, ["text", "resource_link", "text", "resource_link", "text"]),
    ] {
        let agent = Script { initialize, prompt: COUNTING, ..Script::default() }.install(&project);
        let ended =
            project.run(&["run", "--agent", &agent, "look at", "@\"a shot.png\"", "and @main.rs."]);
        assert_eq!(
            (ended.code, ended.stderr.contains("sent as text")),
            (Some(0), false),
            "{ended:#?}"
        );
        let prompt = seen(&project).pop().unwrap();
        let types: Vec<&str> = prompt
            .as_array()
            .unwrap()
            .iter()
            .map(|block| block["type"].as_str().unwrap())
            .collect();
        assert_eq!(types, kinds);
        if initialize.contains("image") {
            assert_eq!(prompt[1]["data"], "iVBORw==");
            assert_eq!(prompt[3]["resource"]["text"], crate::project::MAIN);
        }
    }
}

#[test]
fn a_missing_or_outside_file_stays_text_with_a_warning() {
    let project = Project::new();
    let agent = Script { prompt: COUNTING, ..Script::default() }.install(&project);
    let ended = project.run(&["run", "--agent", &agent, "see @missing.rs and @../../etc/passwd"]);
    assert_eq!(ended.code, Some(0));
    for text in
        ["@missing.rs is sent as text", "does not exist", "@../../etc/passwd is sent as text"]
    {
        assert!(ended.stderr.contains(text), "{ended:#?}");
    }
    assert_eq!(seen(&project)[0].as_array().unwrap().len(), 1);
    let json = project.run(&["run", "--agent", &agent, "--json", "see @missing.rs"]);
    assert!(events(&json.stdout).iter().any(|event| event["event"] == "warning"), "{json:#?}");
}

#[test]
fn piped_text_cannot_attach_files() {
    let project = Project::new();
    let agent = Script { prompt: COUNTING, ..Script::default() }.install(&project);
    let mut child = project
        .attache(&["run", "--agent", &agent, "review", "-"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"@@ -1 +1 @@\n @main.rs\n").unwrap();
    let stderr = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
    assert!(!stderr.contains("main.rs"), "a mention was looked for: {stderr}");
    assert_eq!(seen(&project)[0][0]["text"], "review @@ -1 +1 @@\n @main.rs\n");
}

/// Commands in a sandbox do not get them, because they can be credentials; git fails if only some
/// of them are removed.
#[test]
fn git_works_with_options_in_the_environment() {
    let project = Project::new();
    let commit = "-c user.name=a -c user.email=a@example.org commit -q --allow-empty -m first";
    for arguments in ["init -q", commit] {
        let arguments = arguments.split(' ');
        let git = Command::new("git").args(arguments).current_dir(project.path()).status();
        assert!(git.unwrap().success());
    }
    for prompt in ["/review", "run git status --short"] {
        let ended: Ended = project
            .attache(&["run", "--yes", prompt])
            .env("GIT_CONFIG_COUNT", "1")
            .env("GIT_CONFIG_KEY_0", "http.extraHeader")
            .env("GIT_CONFIG_VALUE_0", "Authorization: hush")
            .output()
            .unwrap()
            .into();
        assert_eq!(ended.code, Some(0), "{ended:#?}");
        assert!(ended.stdout.contains("main.rs"), "{ended:#?}");
        assert!(!ended.stdout.contains("GIT_CONFIG"), "{ended:#?}");
    }
}
