//! Output to a pipe: only the answer, or one JSON object per line. Without a person, actions are
//! rejected.

use crate::project::{MAIN, Project};
use crate::script::Script;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write;
use std::process::Stdio;

const RENAME: &str = "rename total to sum in main.rs";

#[test]
fn only_the_answer_goes_to_a_pipe() {
    let ended = Project::new().run(&["run", "where is `total` used"]);
    assert!(ended.stdout.contains("main.rs"), "{ended:#?}");
    assert!(!ended.stdout.contains('✓') && ended.stderr.contains("✓ search"), "{ended:#?}");
    assert!(!ended.stdout.contains('\u{1b}') && !ended.stderr.contains('\u{1b}'), "{ended:#?}");
    let quiet = Project::new().run(&["run", "--quiet", "where is `total` used"]);
    assert_eq!((quiet.stdout, quiet.stderr), (ended.stdout, String::new()));
}

#[test]
fn nothing_is_approved_without_a_person() {
    for flags in [&[][..], &["--allow", "execute"], &["--json"]] {
        let project = Project::new();
        let ended = project.run(&[&["run", RENAME], flags].concat());
        assert_eq!(project.main(), MAIN, "{flags:?}");
        assert_eq!(ended.code, Some(11), "{ended:#?}");
        let told = if flags == ["--json"] { &ended.stdout } else { &ended.stderr };
        assert!(
            told.contains(if flags == ["--json"] { "\"by\":\"nobody\"" } else { "--allow edit" }),
            "{ended:#?}"
        );
    }
}

#[test]
fn flags_allow_everything_or_a_kind() {
    for flags in
        [&["--yes"][..], &["--allow", "edit"], &["--allow", "execute", "--allow", "edit", "--json"]]
    {
        let project = Project::new();
        let ended = project.run(&[&["run", RENAME], flags].concat());
        assert_eq!(project.main(), MAIN.replace("total", "sum"), "{flags:?}: {ended:#?}");
    }
}

#[test]
fn a_prompt_can_come_from_a_pipe() {
    let project = Project::new();
    for arguments in [&["run"][..], &["run", "-"], &["run", "where is", "-"]] {
        let mut child = project.attache(arguments).stdin(Stdio::piped()).spawn().unwrap();
        let text = if arguments.len() == 3 { "`total` used" } else { "where is `total` used" };
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(
            String::from_utf8_lossy(&output.stdout).contains("main.rs"),
            "{arguments:?}: {output:?}"
        );
    }
}

#[test]
fn an_agent_cannot_send_terminal_control_through_a_pipe() {
    let evil = r"\u001b[2J\u001b]0;owned\u0007\u009b1mevil\u202e";
    let prompt = format!(
        r#"update '{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{evil}"}}}}'
        update '{{"sessionUpdate":"tool_call","toolCallId":"c","title":"{evil}","status":"failed","locations":[{{"path":"/{evil}"}}]}}'
        update '{{"sessionUpdate":"session_info_update","title":"{evil}"}}'
        refuse '{{"code":-32603,"message":"{evil}"}}'"#
    );
    for flags in [&[][..], &["--verbose"], &["--json"]] {
        let project = Project::new();
        // The shell's printf would interpret escapes in its format string, but not in its
        // arguments.
        let agent = Script { prompt: &prompt, ..Script::default() }.install(&project);
        let ended = project.run(&[&["run", "--agent", &agent, "hello"], flags].concat());
        let all = ended.stdout.clone() + &ended.stderr;
        assert!(all.contains("evil"), "{ended:#?}");
        let commands =
            |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c);
        assert!(!all.contains(commands), "{ended:#?}");
    }
}

/// Returns the members that JSON.md lists for each event.
fn documented() -> BTreeMap<String, String> {
    let text = include_str!("../../JSON.md");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split_once("` |"))
        .map(|(event, rest)| (event.to_owned(), rest.to_owned()))
        .collect()
}

#[test]
fn json_lines_have_the_documented_events_and_members() {
    let documented = documented();
    assert!(documented.len() >= 14, "{documented:?}");
    let mut seen = BTreeMap::new();
    for prompt in ["summarize this project", RENAME, "run ls"] {
        let ended = Project::new().run(&["run", "--json", "--allow", "edit", prompt]);
        assert_eq!(ended.stderr, "", "{ended:#?}");
        let lines: Vec<Value> =
            ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let events: Vec<&str> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
        assert_eq!(events[..2], ["agent", "session"], "{events:?}");
        assert_eq!(events.last(), Some(&"stop"), "{events:?}");
        for line in &lines {
            let event = line["event"].as_str().unwrap();
            let row =
                documented.get(event).unwrap_or_else(|| panic!("JSON.md has no event {event}"));
            for member in line.as_object().unwrap().keys().filter(|member| *member != "event") {
                assert!(
                    row.contains(&format!("`{member}`")),
                    "JSON.md lists no {member} of {event}"
                );
            }
            *seen.entry(event.to_owned()).or_insert(0) += 1;
        }
        let text: String = lines
            .iter()
            .filter(|line| line["event"] == "text")
            .filter_map(|line| line["text"].as_str())
            .collect();
        assert!(!text.is_empty());
    }
    for event in [
        "agent",
        "session",
        "text",
        "tool_call",
        "plan",
        "permission",
        "usage",
        "title",
        "config",
        "stop",
    ] {
        assert!(seen.contains_key(event), "no {event} was seen: {seen:?}");
    }
}

#[test]
fn a_failure_is_an_event_with_the_exit_code() {
    let ended = Project::new().run(&["run", "--json", "--agent", "no-such-agent", "hello"]);
    let event: Value = serde_json::from_str(ended.stdout.trim()).unwrap();
    assert_eq!((&event["event"], &event["exitCode"]), (&"error".into(), &3.into()));
    ended.failed(3, &["no-such-agent"]);
}

/// A summary replaces a part of the conversation, so every output tells it.
#[test]
fn a_compaction_is_told() {
    let prompt = r#"
        update '{"sessionUpdate":"compaction_update","compactionId":"k","status":"in_progress"}'
        update '{"sessionUpdate":"compaction_summary_chunk","compactionId":"k","content":{"type":"text","text":"The person wants tea."}}'
        update '{"sessionUpdate":"compaction_update","compactionId":"k","status":"completed"}'
        update '{"sessionUpdate":"compaction_update","compactionId":"l","status":"failed","error":"no room"}'
        update '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done."}}'
        reply '{"stopReason":"end_turn"}'"#;
    let project = Project::new();
    let agent = Script { prompt, ..Script::default() }.install(&project);
    let run =
        |flags: &[&str]| project.run(&[&["run", "--agent", &agent], flags, &["hello"]].concat());
    let plain = run(&[]);
    assert_eq!(plain.stdout, "Done.\n");
    let told = "the conversation was compacted\nthe compaction failed: no room\n";
    assert!(plain.stderr.contains(told), "{plain:#?}");
    let verbose = run(&["-v"]);
    let told = "the conversation was compacted\n  The person wants tea.\n";
    assert!(verbose.stderr.contains(told), "{verbose:#?}");
    let json = run(&["--json"]);
    let told = r#"{"event":"compaction","compactionId":"k","status":"completed","summary":[{"type":"text","text":"The person wants tea."}],"error":null}"#;
    assert!(json.stdout.contains(told), "{json:#?}");
    assert!(
        json.stdout.contains(r#""status":"failed","summary":[],"error":"no room"}"#),
        "{json:#?}"
    );
}
