//! `attache check client`.

use crate::project::{Ended, Project};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const ATTACHE: &str = env!("CARGO_BIN_EXE_attache");

/// Judges the client that this command starts.
fn check(arguments: &[&str], command: &[&str]) -> Ended {
    Project::empty().run(&[&["check", "client"], arguments, &["--"], command].concat())
}

fn verdicts(ended: &Ended) -> Vec<Value> {
    ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[track_caller]
fn verdict<'v>(verdicts: &'v [Value], rule: &str) -> &'v Value {
    verdicts.iter().find(|verdict| verdict["rule"] == rule).unwrap()
}

/// The command of our client for a prompt.
const OURS: [&str; 5] = [ATTACHE, "run", "--agent", "{agent}", "{prompt}"];

#[test]
fn our_client_breaks_no_rule() {
    let ended = check(&["--json", "--timeout", "60"], &OURS);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    let verdicts = verdicts(&ended);
    let fails: Vec<_> = verdicts.iter().filter(|verdict| verdict["verdict"] == "fail").collect();
    assert!(fails.is_empty(), "{fails:#?}");
    let passes = verdicts.iter().filter(|verdict| verdict["verdict"] == "pass").count();
    assert!(passes > 140, "{passes}");
    for rule in ["SESS-12", "LIST-07", "MODE-06", "AUTH-02", "CONF-24", "PERM-03", "TERM-05"] {
        assert_eq!(verdict(&verdicts, rule)["verdict"], "pass", "{rule}");
    }
}

#[test]
fn our_client_breaks_no_rule_of_version_2() {
    let ours = [ATTACHE, "run", "--protocol", "2", "--agent", "{agent}", "{prompt}"];
    let ended = check(&["--json", "--protocol", "2", "--timeout", "60"], &ours);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    let verdicts = verdicts(&ended);
    let fails: Vec<_> = verdicts.iter().filter(|verdict| verdict["verdict"] == "fail").collect();
    assert!(fails.is_empty(), "{fails:#?}");
    let passes = verdicts.iter().filter(|verdict| verdict["verdict"] == "pass").count();
    assert!(passes > 95, "{passes}");
}

/// A client that never starts its agent, dies, hangs, floods or prints other text still gets a
/// verdict and is soon ended.
#[test]
fn a_client_without_a_prompt_gets_a_verdict_and_ends_soon() {
    let began = Instant::now();
    for (command, seen) in [
        ("exec sleep 600 # {agent}", "the client continues"),
        ("echo no display >&2; exit 3 # {agent}", "(exit code 3); its last output: no display"),
        ("yes # {agent}", "its last output: y"),
        ("sleep 600 | {agent}", "no such line within"),
        ("yes | {agent} >/dev/null", "flooded the judge"),
        ("{agent} </dev/null", "the client closed the connection"),
    ] {
        let ended =
            check(&["--json", "--timeout", "0.4", "--only", "INIT"], &["sh", "-c", command]);
        assert_eq!(ended.code, Some(4), "{command}: {ended:#?}");
        let verdicts = verdicts(&ended);
        let first = verdict(&verdicts, "INIT-01");
        let told = first["seen"].as_str().unwrap_or_default();
        assert!(first["verdict"] == "fail" && told.contains(seen), "{command}: {first}");
        assert_eq!(verdict(&verdicts, "INIT-12")["verdict"], "not tested");
    }
    assert!(began.elapsed() < Duration::from_secs(240), "sleeping processes delayed the end");
}

#[test]
fn a_task_without_a_command_is_reported_with_its_option() {
    // Behind `env`, the program is not recognized as a known client.
    let command: Vec<&str> = [&["env"], &OURS[..]].concat();
    let ended = check(&["--only", "FORK-01"], &command);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    assert!(
        ended.stdout.contains("no task \"fork\"") && ended.stdout.contains("--to fork=CMD"),
        "{ended:#?}"
    );
    let load = format!("env {ATTACHE} run --agent {{agent}} --resume {{session}} {{prompt}}");
    let ended = check(&["--only", "SESS-12", "--to", &format!("load={load}")], &command);
    assert!(ended.stdout.starts_with("pass\n            SESS-12\n"), "{ended:#?}");
}

#[test]
fn wrong_arguments_are_reported() {
    check(&[], &["my-client", "{prompt}"]).failed(2, &["write {agent} there"]);
    check(&["--to", "load=my-client"], &OURS).failed(2, &["--to load", "write {agent} there"]);
    check(&["--to", "loda=my-client {agent}"], &OURS).failed(2, &["unknown task", "load"]);
    check(&["--to", "load=my-client '{agent}"], &OURS).failed(2, &["--to load", "quote"]);
    check(&[], &["no-such-client", "{agent}"]).failed(3, &["no program no-such-client in PATH"]);
}

/// A client that a person operates: the judge prints the command and the steps, and the relay
/// passes messages.
#[test]
fn a_client_operated_by_a_person_is_judged() {
    let project = Project::empty();
    let arguments =
        ["check", "client", "--wait", "--only", "EXT-02,RPC-16", "--json", "--patience", "60"];
    let mut judge = project.attache(&arguments).stdin(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(judge.stderr.take().unwrap()).lines();
    let mut until =
        |word: &str| told.by_ref().map(Result::unwrap).find(|line| line.contains(word)).unwrap();
    let command = until("check relay");
    assert!(until("restart the agent").contains("attache check asks"));
    let mut agent =
        project.attache(&[]).args(command.split_whitespace().skip(1)).stdin(Stdio::piped()).spawn();
    let agent = agent.as_mut().unwrap();
    let answered = person(agent);
    let ended = judge.wait_with_output().unwrap();
    agent.wait().unwrap();
    assert!(answered >= 2, "{answered}");
    let verdicts: Vec<Value> = String::from_utf8(ended.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(verdict(&verdicts, "EXT-02")["verdict"], "pass", "{verdicts:#?}");
    assert_eq!(verdict(&verdicts, "RPC-16")["verdict"], "pass", "{verdicts:#?}");
}

/// Opens a session and sends prompts in it until the agent is gone. Returns the number of unknown
/// calls that were answered.
fn person(agent: &mut Child) -> usize {
    let mut to_agent = agent.stdin.take().unwrap();
    let mut answered = 0;
    let initialize =
        serde_json::json!({"protocolVersion": 1, "clientInfo": {"name": "person", "version": "1"}});
    let mut say = |message: Value| writeln!(to_agent, "{message}").is_ok();
    fn call(id: u64, method: &str, params: Value) -> Value {
        serde_json::json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    }
    say(call(1, "initialize", initialize));
    for line in BufReader::new(agent.stdout.take().unwrap()).lines() {
        let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let id = line["id"].as_u64();
        let next = match (line["method"].as_str(), id) {
            (Some(_), Some(_)) => {
                answered += 1;
                let error = serde_json::json!({"code": -32601, "message": "what is that"});
                serde_json::json!({"jsonrpc": "2.0", "id": line["id"], "error": error})
            }
            (Some(_), None) => continue,
            (None, Some(1)) => {
                call(2, "session/new", serde_json::json!({"cwd": "/", "mcpServers": []}))
            }
            (None, id) => {
                let prompt = serde_json::json!([{"type": "text", "text": "attache check asks"}]);
                let params = serde_json::json!({"sessionId": "check-session-1", "prompt": prompt});
                call(id.unwrap() + 1, "session/prompt", params)
            }
        };
        if !say(next) {
            break;
        }
    }
    answered
}
