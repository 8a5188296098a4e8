//! Output, recordings and decisions are about the actual effect of a call, whatever its title says.
//! Refused actions are reported.

use crate::project::{Ended, MAIN, Project};
use crate::script::Script;
use crate::terminal::Terminal;
use serde_json::{Value, json};
use std::fs;

const LINE: &str = "touch x && rm y";

/// An agent that asks once for this call, ignores the answer, and ends its turn.
fn asking(project: &Project, call: &Value) -> String {
    let options = json!([
        {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
        {"optionId": "no", "name": "Reject", "kind": "reject_once"},
    ]);
    let params = json!({"sessionId": "s", "toolCall": call, "options": options});
    let request = json!({"jsonrpc": "2.0", "id": 7, "method": "session/request_permission", "params": params});
    fs::write(project.path().join("request.json"), request.to_string() + "\n").unwrap();
    let file = project.path().join("request.json");
    let prompt = format!(
        "cat '{}'; IFS= read -r _; reply '{{\"stopReason\":\"end_turn\"}}'",
        file.display()
    );
    Script { prompt: &prompt, ..Script::default() }.install(project)
}

fn call(input: &Value) -> Value {
    json!({"toolCallId": "c", "title": "mock", "kind": "execute", "rawInput": input})
}

fn run(project: &Project, agent: &str, flags: &[&str]) -> Ended {
    project.run(&[&["run", "--agent", agent, "go"], flags].concat())
}

fn remember(project: &Project, rules: &str) {
    let file = project.path().join(".no-settings/attache/client-permissions.txt");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, rules).unwrap();
}

/// Rejects the question of the agent, which ends the run. Returns what was shown before the answer.
fn rejected_question(project: &Project, agent: &str) -> String {
    let mut terminal =
        Terminal::start(project, &["run", "--agent", agent, "go"], &[("NO_COLOR", "1")]);
    terminal.wait_for("allow? [");
    terminal.press("n");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(11), "{shown}");
    shown.split("allow?").next().unwrap().to_owned()
}

#[test]
fn the_command_is_shown_and_recorded_whatever_the_title_says() {
    for input in [
        json!({"command": LINE}),
        json!({"command": ["bash", "-lc", LINE], "cwd": "/elsewhere"}),
        json!({"cmd": LINE}),
        json!({"command": LINE, "commands": [LINE]}),
    ] {
        let project = Project::new();
        let agent = asking(&project, &call(&input));
        let path = |name: &str| project.path().join(name);
        let output = project
            .attache(&["run", "--agent", &agent, "--yes", "go"])
            .env("ATTACHE_STORE", path("sessions.db"))
            .env("XDG_DATA_HOME", path("data"))
            .output()
            .unwrap();
        let ended: Ended = output.into();
        let told = format!("allowed by --yes: mock  $ {LINE}");
        assert!(ended.code == Some(0) && ended.stderr.contains(&told), "{input}: {ended:#?}");
        let log = fs::read_to_string(path("data/attache/client-permissions.jsonl")).unwrap();
        let entry: Value = serde_json::from_str(log.trim()).unwrap();
        assert_eq!(entry["title"], "mock");
        assert_eq!(entry["effect"]["commands"][0]["command"], LINE, "{entry}");
        let audit = project
            .attache(&["permissions", "audit"])
            .env("ATTACHE_STORE", path("sessions.db"))
            .env("XDG_DATA_HOME", path("data"))
            .output()
            .unwrap();
        let audit: Ended = audit.into();
        assert!(audit.stdout.contains(&format!("mock  $ {LINE}")), "{audit:#?}");
        let ended = run(&project, &agent, &["--json", "--yes"]);
        let mut lines =
            ended.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let permission = lines.find(|line| line["event"] == "permission").unwrap();
        assert_eq!(permission["effect"]["commands"][0]["command"], LINE, "{permission}");
    }
}

#[test]
fn files_addresses_and_arguments_are_shown() {
    for (kind, input, shown) in [
        ("edit", json!({"file_path": "/elsewhere/a.rs"}), "file /elsewhere/a.rs"),
        ("fetch", json!({"url": "https://example.org/a"}), "https://example.org/a"),
        ("other", json!({"query": "x", "deep": true}), r#"with {"deep":true,"query":"x"}"#),
        ("execute", json!({"command": "ls", "env": {"PATH": "/evil"}}), "$ PATH=/evil ls"),
        (
            "execute",
            json!({"command": "ls \u{202e}x\u{200b}\u{1b}[8m"}),
            "$ ls \u{fffd}x\u{fffd}␛[8m",
        ),
        ("execute", json!({"command": "cat <<E\none\nE"}), "$ cat <<E\n    one\n    E"),
    ] {
        let project = Project::new();
        let agent = asking(
            &project,
            &json!({"toolCallId": "c", "title": "mock", "kind": kind, "rawInput": input}),
        );
        let ended = run(&project, &agent, &["--yes"]);
        assert!(ended.stderr.contains(&format!("mock  {shown}")), "{shown}: {ended:#?}");
    }
}

/// A title can contain the actual command, file or address and still claim the opposite, so the
/// effect is shown too.
#[test]
fn a_title_with_the_command_in_it_hides_nothing() {
    for (kind, title, input, shown) in [
        ("execute", "Skip rm -rf b", json!({"command": "rm -rf b"}), "$ rm -rf b"),
        ("execute", "echo rm -rf b", json!({"command": "rm -rf b"}), "$ rm -rf b"),
        ("edit", "Read README and do not edit a", json!({"file_path": "a"}), "file a"),
        ("edit", "Compare README to .envrc", json!({"file_path": ".envrc"}), "file .envrc"),
        (
            "fetch",
            "Fetch https://a.x not https://b.x/",
            json!({"url": "https://b.x/"}),
            "https://b.x/",
        ),
    ] {
        let project = Project::new();
        let agent = asking(
            &project,
            &json!({"toolCallId": "c", "title": title, "kind": kind, "rawInput": input}),
        );
        let ended = run(&project, &agent, &[]);
        let told = format!("{title}  {shown}");
        assert!(
            ended.code == Some(11) && ended.stderr.replace("\n    ", "").contains(&told),
            "{ended:#?}"
        );
    }
}

/// If an agent asks this program to run a command, the question shows the command with its
/// variables.
#[test]
fn a_question_about_a_terminal_shows_its_command() {
    let project = Project::new();
    let command = json!({"sessionId": "s", "command": LINE, "env": [{"name": "PATH", "value": "/evil"}, {"name": "MY_TOKEN", "value": "abc"}]});
    let request =
        json!({"jsonrpc": "2.0", "id": 7, "method": "terminal/create", "params": command});
    let file = project.path().join("request.json");
    fs::write(&file, request.to_string() + "\n").unwrap();
    let prompt = format!(
        "cat '{}'; IFS= read -r _; reply '{{\"stopReason\":\"end_turn\"}}'",
        file.display()
    );
    let agent = Script { prompt: &prompt, ..Script::default() }.install(&project);
    let question = rejected_question(&project, &agent);
    assert!(question.contains(&format!("$ PATH=/evil MY_TOKEN=… {LINE}")), "{question}");
}

#[test]
fn a_question_shows_the_ids_of_terminals() {
    let project = Project::new();
    let content = json!([{"type": "terminal", "terminalId": "term-1"}]);
    let call = json!({"toolCallId": "c", "title": "mock", "kind": "other", "content": content});
    let agent = asking(&project, &call);
    let question = rejected_question(&project, &agent);
    assert!(question.contains("terminal term-1"), "{question}");
}

#[test]
fn a_question_shows_the_whole_command() {
    let project = Project::new();
    let long = format!("echo {} && rm y", "word ".repeat(60).trim());
    let agent = asking(&project, &call(&json!({"command": long, "sandbox": false})));
    let mut terminal =
        Terminal::start(&project, &["run", "--agent", &agent, "go"], &[("NO_COLOR", "1")]);
    terminal.wait_for("allow? [y/n/r]");
    terminal.press("y");
    let (code, shown) = terminal.end();
    let question = shown.split("allow?").next().unwrap().replace("\r\n    ", "");
    assert!(code == Some(0) && question.contains(&format!("$ {long}")), "{shown}");
    assert!(question.contains(r#"with {"sandbox":false}"#), "{shown}");
    assert!(shown.lines().all(|line| line.trim_end().chars().count() <= 80), "{shown}");
}

/// Every command can be remembered. If a rule that allows the command would also allow others, only
/// a rule that rejects it is offered.
#[test]
fn an_answer_can_be_remembered_for_the_commands_of_every_agent() {
    for (call, keys) in [
        (call(&json!({"cmd": LINE})), "remember? [s/p/a/n/b]"),
        (
            json!({"toolCallId": "c", "title": "git status -s", "kind": "execute"}),
            "remember? [s/p/a/n/b]",
        ),
        (
            json!({"toolCallId": "c", "title": "Bash", "kind": "execute", "content":
                [{"type": "content", "content": {"type": "text", "text": "Running: ls"}}]}),
            "remember? [s/p/a/n/b]",
        ),
        (call(&json!({"command": "ls", "env": {"PATH": "/evil"}})), "remember? [s/p/a/b]"),
        (call(&json!({"commands": ["ls", "rm y"]})), "remember? [s/p/a/b]"),
    ] {
        let project = Project::new();
        let agent = asking(&project, &call);
        let mut terminal =
            Terminal::start(&project, &["run", "--agent", &agent, "go"], &[("NO_COLOR", "1")]);
        terminal.wait_for("[r] Remember an answer as a rule");
        terminal.wait_for("allow? [y/n/r]");
        terminal.press("r");
        terminal.wait_for(keys);
        terminal.press("a");
        let (code, shown) = terminal.end();
        let rejects = !keys.contains("/n");
        assert_eq!(code, Some(if rejects { 11 } else { 0 }), "{shown}");
        let ended = run(&project, &agent, &["--yes"]);
        let word =
            if rejects { "rejected by your rule reject" } else { "allowed by your rule allow" };
        assert!(ended.stderr.contains(word), "{call}: {ended:#?}");
    }
}

#[test]
fn rules_match_commands_and_not_their_text() {
    for line in
        ["\"rm\" y", "env rm y", "/bin/rm y", "FOO=1 rm y", "sudo rm y", "sh -c 'rm y'", LINE]
    {
        let project = Project::new();
        remember(&project, "reject command=\"rm\"\n");
        let agent = asking(&project, &call(&json!({"command": ["bash", "-lc", line]})));
        let ended = run(&project, &agent, &["--yes"]);
        assert_eq!(ended.code, Some(11), "{line}: {ended:#?}");
        assert!(
            ended.stderr.contains("rejected by your rule reject command=\"rm\": mock  $ "),
            "{ended:#?}"
        );
    }
}

/// Exit code 11 is about the last turn. The message does not blame a person who was not asked.
#[test]
fn a_refused_action_ends_with_11() {
    let project = Project::new();
    let agent = asking(&project, &call(&json!({"command": LINE})));
    let ended = run(&project, &agent, &[]);
    assert_eq!(ended.code, Some(11), "{ended:#?}");
    assert!(ended.stderr.contains("refused, because no rule or flag allows it"), "{ended:#?}");
    assert!(ended.stderr.contains("1 action was refused"), "{ended:#?}");
    for (flags, code) in
        [(&["--allow", "edit"][..], 11), (&["--allow", "execute"], 0), (&["--yes"], 0)]
    {
        assert_eq!(run(&project, &agent, flags).code, Some(code), "{flags:?}");
    }
    let ended = run(&project, &agent, &["--json"]);
    let last: Value = serde_json::from_str(ended.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&last["event"], &last["refused"], ended.code),
        (&"stop".into(), &1.into(), Some(11))
    );

    let project = Project::new();
    let ended = project.run(&["run", "rename total to sum in main.rs"]);
    assert_eq!((ended.code, project.main()), (Some(11), MAIN.to_owned()), "{ended:#?}");
    let all = format!("{}{}", ended.stdout, ended.stderr);
    assert!(!all.contains("person rejected") && all.contains("it was not allowed"), "{ended:#?}");
}

#[test]
fn an_agent_that_offers_no_way_to_allow_is_refused() {
    let project = Project::new();
    let agent = asking(&project, &call(&json!({"command": LINE})));
    let file = project.path().join("request.json");
    let request = fs::read_to_string(&file).unwrap().replace("allow_once", "reject_always");
    fs::write(&file, request).unwrap();
    let ended = run(&project, &agent, &["--yes"]);
    assert_eq!(ended.code, Some(11), "{ended:#?}");
    assert!(ended.stderr.contains("the agent offers no answer that allows it"), "{ended:#?}");
}

#[test]
fn a_conversation_shows_an_approved_diff_once() {
    let project = Project::new();
    let mut terminal = Terminal::start(&project, &["chat"], &[("NO_COLOR", "1")]);
    terminal.wait_for("ask › ");
    terminal.press("rename total to sum in main.rs\r");
    terminal.wait_for("allow? [");
    terminal.press("y");
    terminal.wait_for("allowed by you");
    terminal.wait_for("session “");
    terminal.wait_for("› ");
    terminal.press("\u{4}");
    let (code, shown) = terminal.end();
    assert_eq!((code, project.main()), (Some(0), MAIN.replace("total", "sum")), "{shown}");
    for once in ["@@ ", "context "] {
        assert_eq!(shown.matches(once).count(), 1, "{once}: {shown}");
    }
}

/// A build of commit 0421281 wrote these files.
#[test]
fn rules_and_logs_of_an_old_build_are_read() {
    let project = Project::new();
    remember(&project, include_str!("../saved/client-permissions.txt"));
    let data = project.path().join("data");
    fs::create_dir_all(data.join("attache")).unwrap();
    let log = include_str!("../saved/client-permissions.jsonl");
    fs::write(data.join("attache/client-permissions.jsonl"), log).unwrap();
    let ask = |arguments: &[&str]| -> Ended {
        let mut command = project.attache(arguments);
        command
            .env("ATTACHE_STORE", project.path().join("sessions.db"))
            .env("XDG_DATA_HOME", &data);
        command.output().unwrap().into()
    };
    let list = ask(&["permissions"]);
    assert!(list.code == Some(0) && list.stdout.contains("commands that start with"), "{list:#?}");
    let audit = ask(&["permissions", "audit"]);
    let count = log.lines().count();
    assert!(
        audit.code == Some(0) && audit.stdout.contains(&format!("of {count} decisions")),
        "{audit:#?}"
    );
}
