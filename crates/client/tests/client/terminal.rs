//! The rules about terminals (TERM), with real commands.

use crate::scripted_agent::{ScriptedAgent, connected_with, opened_with, soon};
use attache_client::{
    AgentConnection, Decision, Options, PermissionRequest, Permissions, SessionHandle,
};
use attache_protocol::v1::ToolKind;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

async fn ready_with(
    permissions: Permissions,
) -> (AgentConnection, ScriptedAgent, SessionHandle, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) =
        connected_with(Options::default().terminals(), json!({ "protocolVersion": 1 })).await;
    let opening = connection.open(folder.path()).permissions(permissions);
    let session = opened_with(opening, &mut agent, json!({ "sessionId": "s1" })).await;
    (connection, agent, session, folder)
}

async fn ready() -> (AgentConnection, ScriptedAgent, SessionHandle, tempfile::TempDir) {
    ready_with(Permissions::AllowAll).await
}

/// Requests a terminal with `params` and the session's id.
async fn create(agent: &mut ScriptedAgent, mut params: Value) -> Value {
    params["sessionId"] = json!("s1");
    agent.call(100, "terminal/create", params).await;
    agent.answer_to(100).await
}

async fn bash(agent: &mut ScriptedAgent, script: &str) -> String {
    let answer = create(agent, json!({ "command": "bash", "args": ["-c", script] })).await;
    answer["result"]["terminalId"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

async fn ask(agent: &mut ScriptedAgent, id: u64, method: &str, terminal: &str) {
    agent
        .call(
            id,
            &format!("terminal/{method}"),
            json!({ "sessionId": "s1", "terminalId": terminal }),
        )
        .await;
}

async fn call(agent: &mut ScriptedAgent, method: &str, terminal: &str) -> Value {
    ask(agent, 200, method, terminal).await;
    agent.answer_to(200).await
}

/// Requests the output until it contains `text`.
async fn until(agent: &mut ScriptedAgent, terminal: &str, text: &str) -> Value {
    soon(async {
        loop {
            let answer = call(agent, "output", terminal).await;
            if answer["result"]["output"].as_str().unwrap().contains(text) {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await
}

/// Waits until there is no such process.
async fn gone(pid: &str) {
    let status = Path::new("/proc").join(pid.trim());
    soon(async {
        while status.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

/// Starts a command whose second process ignores termination signals. Returns its terminal and the
/// id of that process.
async fn stubborn(agent: &mut ScriptedAgent) -> (String, String) {
    let terminal =
        bash(agent, "trap '' TERM HUP INT; (trap '' TERM HUP INT; sleep 600) & echo pid $!; wait")
            .await;
    let answer = until(agent, &terminal, "\n").await;
    let output = answer["result"]["output"].as_str().unwrap();
    let pid = output.split_whitespace().nth(1).unwrap().to_owned();
    assert!(Path::new("/proc").join(&pid).exists());
    (terminal, pid)
}

/// TERM-01, TERM-02: terminals are advertised and served only if they are switched on.
#[tokio::test]
async fn terminals_are_offered_only_if_they_are_switched_on() {
    for (options, offered) in [(Options::default(), false), (Options::default().terminals(), true)]
    {
        let (mut agent, connecting) = crate::scripted_agent::connecting(options);
        let greeting = async {
            let call = agent.expect("initialize").await;
            let capabilities = &call["params"]["clientCapabilities"];
            assert_eq!(capabilities["terminal"] == true, offered, "{call}");
            assert_eq!(capabilities["_meta"]["terminal_output"] == true, offered, "{call}");
            agent.reply(&call, json!({ "protocolVersion": 1 })).await;
        };
        let (connection, ()) = tokio::join!(connecting, greeting);
        connection.unwrap();
    }
}

/// TERM-03, TERM-04.
#[tokio::test]
async fn a_command_runs_with_its_arguments_folder_and_environment() {
    let (_connection, mut agent, _session, folder) = ready().await;
    std::fs::create_dir(folder.path().join("deep")).unwrap();
    let script = r#"printf '%s|' "$PWD" "$A_NAME" "$@"; printf 'error' >&2"#;
    let params = json!({
        "command": "bash",
        "args": ["-c", script, "bash", "a b", "$HOME", ""],
        "env": [{ "name": "A_NAME", "value": "a value" }],
        "cwd": folder.path().join("deep"),
    });
    let answer = create(&mut agent, params).await;
    let terminal = answer["result"]["terminalId"].as_str().unwrap().to_owned();
    assert_eq!(
        call(&mut agent, "wait_for_exit", &terminal).await["result"],
        json!({ "exitCode": 0 })
    );
    let output = call(&mut agent, "output", &terminal).await["result"].clone();
    let real = folder.path().canonicalize().unwrap();
    let expected = format!("{}/deep|a value|a b|$HOME||error", real.display());
    assert_eq!(
        output,
        json!({ "output": expected, "truncated": false, "exitStatus": { "exitCode": 0 } })
    );
}

/// TERM-04: the program that runs the command decides what it inherits.
#[tokio::test]
async fn the_launch_of_a_command_is_prepared_by_the_client() {
    let folder = tempfile::tempdir().unwrap();
    let options =
        Options::default().terminals().terminal_launches(|launch| launch.clear_env().env("A", "1"));
    let (connection, mut agent) = connected_with(options, json!({ "protocolVersion": 1 })).await;
    let opening = connection.open(folder.path()).permissions(Permissions::AllowAll);
    let _session = opened_with(opening, &mut agent, json!({ "sessionId": "s1" })).await;
    let env = json!([{ "name": "B", "value": "2" }]);
    let answer = create(&mut agent, json!({ "command": "env", "env": env })).await;
    let terminal = answer["result"]["terminalId"].as_str().unwrap().to_owned();
    assert_eq!(call(&mut agent, "wait_for_exit", &terminal).await["result"]["exitCode"], 0);
    let answer = call(&mut agent, "output", &terminal).await;
    let mut variables: Vec<_> = answer["result"]["output"].as_str().unwrap().lines().collect();
    variables.sort_unstable();
    assert_eq!(variables, ["A=1", "B=2"]);
}

/// TERM-04: some agents send the whole line as the command.
#[tokio::test]
async fn a_command_with_white_space_and_no_arguments_is_a_line_for_the_shell() {
    let (_connection, mut agent, _session, _folder) = ready().await;
    let answer = create(&mut agent, json!({ "command": "echo one | tr o 0; exit 3" })).await;
    let terminal = answer["result"]["terminalId"].as_str().unwrap().to_owned();
    assert_eq!(call(&mut agent, "wait_for_exit", &terminal).await["result"]["exitCode"], 3);
    assert_eq!(call(&mut agent, "output", &terminal).await["result"]["output"], "0ne\n");
}

/// TERM-05.
#[tokio::test]
async fn old_output_goes_first_and_at_a_character() {
    let (_connection, mut agent, _session, _folder) = ready().await;
    // Each euro sign has 3 bytes. The limit cuts into the third one from the end.
    let params = json!({ "command": "printf", "args": ["start€€€€"], "outputByteLimit": 8 });
    let answer = create(&mut agent, params).await;
    let terminal = answer["result"]["terminalId"].as_str().unwrap().to_owned();
    call(&mut agent, "wait_for_exit", &terminal).await;
    let result = call(&mut agent, "output", &terminal).await["result"].clone();
    assert_eq!((&result["output"], &result["truncated"]), (&json!("€€"), &json!(true)));
    let params = json!({ "command": "printf", "args": ["€€"], "outputByteLimit": 6 });
    let answer = create(&mut agent, params).await;
    let terminal = answer["result"]["terminalId"].as_str().unwrap().to_owned();
    call(&mut agent, "wait_for_exit", &terminal).await;
    let result = call(&mut agent, "output", &terminal).await["result"].clone();
    assert_eq!((&result["output"], &result["truncated"]), (&json!("€€"), &json!(false)));
}

/// TERM-05, TERM-06: an incomplete character is held back until it is complete.
#[tokio::test]
async fn incomplete_and_invalid_characters_in_output_become_text() {
    let (_connection, mut agent, _session, folder) = ready().await;
    let script = r"printf 'a\xe2\x82'; until [ -e go ]; do sleep 0.01; done; printf '\xac\xff'";
    let terminal = bash(&mut agent, script).await;
    let answer = until(&mut agent, &terminal, "a").await;
    assert_eq!(
        answer["result"],
        json!({ "output": "a", "truncated": false }),
        "no exit status yet"
    );
    std::fs::write(folder.path().join("go"), "").unwrap();
    call(&mut agent, "wait_for_exit", &terminal).await;
    assert_eq!(call(&mut agent, "output", &terminal).await["result"]["output"], "a€\u{fffd}");
}

/// TERM-07, TERM-08, TERM-09, TERM-14.
#[tokio::test]
async fn a_kill_ends_the_whole_tree_answers_every_waiter_and_keeps_the_id() {
    let (_connection, mut agent, _session, _folder) = ready().await;
    let (terminal, pid) = stubborn(&mut agent).await;
    ask(&mut agent, 1, "wait_for_exit", &terminal).await;
    ask(&mut agent, 2, "wait_for_exit", &terminal).await;
    ask(&mut agent, 3, "kill", &terminal).await;
    let mut answers = Vec::new();
    for _ in 0..3 {
        answers.push(agent.next().await.unwrap());
    }
    answers.sort_by_key(|answer| answer["id"].as_u64());
    let killed = json!({ "signal": "SIGKILL" });
    let results: Vec<&Value> = answers.iter().map(|answer| &answer["result"]).collect();
    assert_eq!(results, [&killed, &killed, &json!({})]);
    gone(&pid).await;
    let output = call(&mut agent, "output", &terminal).await;
    assert_eq!(
        (&output["result"]["exitStatus"], &output["result"]["output"]),
        (&killed, &json!(format!("pid {pid}\n")))
    );
    assert_eq!(call(&mut agent, "wait_for_exit", &terminal).await["result"], killed, "at once");
    assert_eq!(call(&mut agent, "kill", &terminal).await["result"], json!({}), "a second time");
    assert_eq!(call(&mut agent, "release", &terminal).await["result"], json!({}));
}

/// TERM-05, TERM-09: endless output takes bounded memory and does not delay a kill.
#[tokio::test]
async fn a_command_that_never_stops_writing_can_be_killed() {
    let (_connection, mut agent, _session, _folder) = ready().await;
    let params = json!({ "command": "yes", "outputByteLimit": 1000 });
    let terminal =
        create(&mut agent, params).await["result"]["terminalId"].as_str().unwrap().to_owned();
    until(&mut agent, &terminal, "y\ny\n").await;
    assert_eq!(call(&mut agent, "kill", &terminal).await["result"], json!({}));
    let result = call(&mut agent, "output", &terminal).await["result"].clone();
    assert_eq!(
        (result["output"].as_str().unwrap().len(), &result["truncated"]),
        (1000, &json!(true))
    );
    assert_eq!(result["exitStatus"], json!({ "signal": "SIGKILL" }));
}

/// TERM-11, TERM-12, TERM-14.
#[tokio::test]
async fn a_release_kills_the_command_and_its_output_is_still_shown() {
    let (_connection, mut agent, session, _folder) = ready().await;
    let (terminal, pid) = stubborn(&mut agent).await;
    ask(&mut agent, 1, "wait_for_exit", &terminal).await;
    ask(&mut agent, 2, "release", &terminal).await;
    let mut answers = [agent.next().await.unwrap(), agent.next().await.unwrap()];
    answers.sort_by_key(|answer| answer["id"].as_u64());
    assert_eq!(answers[0]["result"], json!({ "signal": "SIGKILL" }));
    gone(&pid).await;
    for method in ["output", "wait_for_exit", "kill", "release"] {
        assert_eq!(call(&mut agent, method, &terminal).await["error"]["code"], -32602, "{method}");
    }
    let shown = session.terminal(&terminal.as_str().into()).unwrap();
    assert_eq!((shown.output, shown.truncated), (format!("pid {pid}\n"), false));
    assert_eq!(shown.exit_status.unwrap().signal.as_deref(), Some("SIGKILL"));
    assert!(session.terminal(&"unknown".into()).is_none());
}

/// TERM-12: the output that is kept for display is bounded.
#[tokio::test]
async fn only_the_last_released_terminals_are_kept() {
    let (_connection, mut agent, session, _folder) = ready().await;
    let mut terminals = Vec::new();
    for _ in 0..33 {
        let terminal = bash(&mut agent, "true").await;
        call(&mut agent, "release", &terminal).await;
        terminals.push(terminal);
    }
    assert!(session.terminal(&terminals[0].as_str().into()).is_none());
    assert!(session.terminal(&terminals[1].as_str().into()).is_some());
}

/// CANCEL-14, TERM-14: a cancelled wait is answered, and the command continues.
#[tokio::test]
async fn a_wait_can_be_cancelled() {
    let (_connection, mut agent, _session, _folder) = ready().await;
    let terminal = bash(&mut agent, "sleep 600").await;
    ask(&mut agent, 7, "wait_for_exit", &terminal).await;
    agent
        .send(
            json!({ "jsonrpc": "2.0", "method": "$/cancel_request", "params": { "requestId": 7 } }),
        )
        .await;
    assert_eq!(agent.answer_to(7).await["error"]["code"], -32800);
    assert_eq!(call(&mut agent, "output", &terminal).await["result"]["exitStatus"], Value::Null);
}

/// TERM-15.
#[tokio::test]
async fn a_terminal_belongs_to_its_session() {
    let (connection, mut agent, _session, folder) = ready().await;
    let opening = connection.open(folder.path()).permissions(Permissions::AllowAll);
    let _other = opened_with(opening, &mut agent, json!({ "sessionId": "s2" })).await;
    let terminal = bash(&mut agent, "sleep 600").await;
    for session in ["s2", "unknown"] {
        let params = json!({ "sessionId": session, "terminalId": terminal });
        agent.call(1, "terminal/output", params).await;
        let code = agent.answer_to(1).await["error"]["code"].clone();
        assert_eq!(code, if session == "s2" { -32602 } else { -32002 });
    }
}

/// TERM-13, TERM-17.
#[tokio::test]
async fn a_command_that_cannot_start_is_an_error_at_once() {
    let (_connection, mut agent, _session, folder) = ready().await;
    let outside = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("link")).unwrap();
    for (params, why) in [
        (json!({ "command": "no-such-program-anywhere" }), "no program"),
        (json!({ "command": " " }), "empty"),
        (json!({ "command": "true", "cwd": "deep" }), "not absolute"),
        (json!({ "command": "true", "cwd": outside.path() }), "outside"),
        (json!({ "command": "true", "cwd": folder.path().join("link") }), "outside"),
        (json!({ "command": "true", "cwd": folder.path().join("none") }), "does not exist"),
        (json!({ "command": "true", "args": "x" }), "args"),
        (json!({ "command": "true", "env": [{ "name": "A" }] }), "env"),
        (json!({ "command": "true", "outputByteLimit": -1 }), "outputByteLimit"),
    ] {
        let error = create(&mut agent, params).await["error"].clone();
        assert_eq!(error["code"], -32602, "{why}");
        assert!(error["message"].as_str().unwrap().contains(why), "{why}: {error}");
    }
    let params = json!({ "command": "true", "args": null, "env": null, "cwd": null, "outputByteLimit": null });
    assert!(create(&mut agent, params).await["result"]["terminalId"].is_string());
}

/// TERM-10 is about agents. The client limits the number of terminals of a session.
#[tokio::test]
async fn the_number_of_terminals_is_limited() {
    let (_connection, mut agent, _session, _folder) = ready().await;
    let mut opened = 0;
    loop {
        let answer = create(&mut agent, json!({ "command": "true" })).await;
        if let Some(error) = answer["error"]["message"].as_str() {
            assert!(error.contains("release"), "{error}");
            break;
        }
        opened += 1;
    }
    assert_eq!(opened, 64);
}

/// Invariant 4: no process outlives its session.
#[tokio::test]
async fn closing_a_session_ends_its_commands() {
    let folder = tempfile::tempdir().unwrap();
    let capabilities = json!({ "sessionCapabilities": { "close": {} } });
    let answer = json!({ "protocolVersion": 1, "agentCapabilities": capabilities });
    let (connection, mut agent) = connected_with(Options::default().terminals(), answer).await;
    let opening = connection.open(folder.path()).permissions(Permissions::AllowAll);
    let session = opened_with(opening, &mut agent, json!({ "sessionId": "s1" })).await;
    let (terminal, pid) = stubborn(&mut agent).await;
    ask(&mut agent, 1, "wait_for_exit", &terminal).await;
    agent.heard().await;
    let closing = async {
        let call = agent.expect("session/close").await;
        agent.reply(&call, json!({})).await;
        assert_eq!(agent.answer_to(1).await["result"], json!({}), "its exit status is unknown");
    };
    let (closed, ()) = tokio::join!(session.close(), closing);
    closed.unwrap();
    gone(&pid).await;
    assert_eq!(create(&mut agent, json!({ "command": "true" })).await["error"]["code"], -32002);
}

#[tokio::test]
async fn commands_end_with_the_connection_and_with_a_dropped_session() {
    let (connection, mut agent, session, _folder) = ready().await;
    let (_, pid) = stubborn(&mut agent).await;
    drop(agent);
    connection.ended().await;
    gone(&pid).await;
    drop(session);

    let (_connection, mut agent, session, _folder) = ready().await;
    let (_, pid) = stubborn(&mut agent).await;
    drop(session);
    gone(&pid).await;
}

/// PERM-02 for commands: a command runs only if the session's rules allow it.
#[tokio::test]
async fn commands_run_only_if_the_rules_allow_it() {
    for (permissions, runs) in [
        (Permissions::Reject, false),
        (Permissions::AllowKinds(vec![ToolKind::Read]), false),
        (Permissions::AllowKinds(vec![ToolKind::Execute]), true),
        (Permissions::AllowAll, true),
    ] {
        let (_connection, mut agent, _session, folder) = ready_with(permissions.clone()).await;
        let answer = create(&mut agent, json!({ "command": "touch", "args": ["made"] })).await;
        if let Some(terminal) = answer["result"]["terminalId"].as_str() {
            call(&mut agent, "wait_for_exit", terminal).await;
        }
        assert_eq!(folder.path().join("made").exists(), runs, "{permissions:?}: {answer}");
        assert_eq!(answer["error"].is_null(), runs);
    }
}

fn asking() -> (Permissions, mpsc::Receiver<(PermissionRequest, oneshot::Sender<Decision>)>) {
    let (requests, asked) = mpsc::channel(8);
    let permissions = Permissions::ask(move |request| {
        let requests = requests.clone();
        async move {
            let (decide, decided) = oneshot::channel();
            requests.send((request, decide)).await.unwrap();
            decided.await.unwrap_or(Decision::Reject)
        }
    });
    (permissions, asked)
}

/// PERM-05, CANCEL-05 for commands.
#[tokio::test]
async fn the_person_sees_the_whole_command_and_a_cancel_withdraws_the_question() {
    let (permissions, mut asked) = asking();
    let (_connection, mut agent, session, folder) = ready_with(permissions).await;
    let turn = session.prompt("go").await.unwrap();
    agent.expect("session/prompt").await;
    let env = json!([{ "name": "TOKEN", "value": "abc123" }]);
    let params = json!({ "sessionId": "s1", "command": "touch", "args": ["a b"], "env": env });
    agent.call(1, "terminal/create", params.clone()).await;
    let (request, decide) = soon(asked.recv()).await.unwrap();
    assert_eq!(
        (request.title(), request.kind()),
        ("TOKEN=… touch 'a b'", Some(&ToolKind::Execute))
    );
    assert!(!format!("{request:?}").contains("abc123"));
    let command = request.command.as_ref().unwrap();
    assert_eq!(command.cwd, folder.path().canonicalize().unwrap());
    assert!(!folder.path().join("a b").exists(), "it waits for the person");
    decide.send(Decision::Allow).unwrap();
    let terminal = agent.answer_to(1).await["result"]["terminalId"].as_str().unwrap().to_owned();
    call(&mut agent, "wait_for_exit", &terminal).await;
    assert!(folder.path().join("a b").exists());

    agent.call(2, "terminal/create", params).await;
    let (_, mut decide) = soon(asked.recv()).await.unwrap();
    turn.cancel();
    agent.expect("session/cancel").await;
    assert_eq!(agent.answer_to(2).await["error"]["code"], -32800);
    soon(decide.closed()).await;
}

/// TOOL-12: terminals that the agent runs itself and describes in metadata. Some of the metadata
/// arrives before the call that it belongs to.
#[tokio::test]
async fn output_of_the_agents_own_terminals_can_be_shown() {
    let (_connection, mut agent, session, _folder) = ready().await;
    let told = |meta: Value| json!({ "sessionUpdate": "tool_call_update", "toolCallId": "t", "_meta": meta });
    agent.update("s1", told(json!({ "terminal_info": { "terminal_id": "own" } }))).await;
    for data in ["one\n", "two\n"] {
        agent
            .update(
                "s1",
                told(json!({ "terminal_output": { "terminal_id": "own", "data": data } })),
            )
            .await;
    }
    for malformed in
        [json!({ "terminal_output": 1 }), json!({ "terminal_exit": { "terminal_id": 1 } })]
    {
        agent.update("s1", told(malformed)).await;
    }
    agent.heard().await;
    let shown = session.terminal(&"own".into()).unwrap();
    assert_eq!((shown.output.as_str(), shown.exit_status), ("one\ntwo\n", None));
    let exit = json!({ "terminal_id": "own", "exit_code": 3, "signal": null });
    agent.update("s1", told(json!({ "terminal_exit": exit }))).await;
    agent.heard().await;
    assert_eq!(session.terminal(&"own".into()).unwrap().exit_status.unwrap().exit_code, Some(3));
    assert_eq!(
        call(&mut agent, "output", "own").await["error"]["code"],
        -32602,
        "it is not a terminal of this client"
    );

    let ours = bash(&mut agent, "printf ours").await;
    call(&mut agent, "wait_for_exit", &ours).await;
    agent
        .update("s1", told(json!({ "terminal_output": { "terminal_id": ours, "data": "forged" } })))
        .await;
    agent.heard().await;
    assert_eq!(session.terminal(&ours.as_str().into()).unwrap().output, "ours");
    call(&mut agent, "release", &ours).await;
    let data = json!({ "terminal_id": ours, "data": "forged" });
    agent.update("s1", told(json!({ "terminal_output": data }))).await;
    let exit = json!({ "terminal_id": ours, "exit_code": 3, "signal": null });
    agent.update("s1", told(json!({ "terminal_exit": exit }))).await;
    agent.heard().await;
    let shown = session.terminal(&ours.as_str().into()).unwrap();
    assert_eq!((shown.output.as_str(), shown.exit_status.unwrap().exit_code), ("ours", Some(0)));
}
