//! Commands that a session runs. The model in these tests does what the prompt says: each line is
//! the name of a tool and its arguments.

mod asking;
mod bounds;
mod reading;

use crate::Coder;
use crate::models::Models;
use crate::scripted::client::{Client, LONGEST_LINE};
use crate::scripted::{ScriptedModel, Step, TurnView};
use attache_host::Sandbox;
use attache_protocol::method::{Method, SessionPrompt};
use serde_json::{Value, json};
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Runs each line of the prompt, then replies with the results and the notes that came with the
/// prompt.
fn run_lines(seen: &TurnView<'_>) -> Step {
    let mut replies = seen.replies.iter().map(|reply| reply.text.as_str());
    let Some(line) = seen.prompt.lines().nth(replies.len()) else {
        let said: Vec<&str> = seen.notes.iter().copied().chain(replies).collect();
        return Step::Says(said.join("\n---\n"));
    };
    let (name, arguments) = line.split_once(' ').unwrap();
    let earlier = replies.next_back().unwrap_or_default();
    let id = earlier
        .split_once("as bg")
        .and_then(|(_, rest)| rest.split_once(':'))
        .map_or("?", |(id, _)| id);
    Step::Uses(name.to_owned(), arguments.replace("LAST", &format!("bg{id}")))
}

fn coder() -> Coder {
    Coder::with(Models::with_offline(Arc::new(ScriptedModel(run_lines))))
}

async fn open(coder: Coder, folder: &Path, capabilities: Value) -> Client {
    let mut client =
        Client::serve_author(coder, capabilities, json!({ "cwd": folder, "mcpServers": [] })).await;
    client.set("mode", "auto").await;
    client
}

/// A project that is a repository, and a file next to it.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("project/.git/hooks")).unwrap();
    fs::create_dir(folder.path().join("project/src")).unwrap();
    fs::write(folder.path().join("project/src/a"), "inside\n").unwrap();
    fs::write(folder.path().join("beside"), "outside\n").unwrap();
    folder
}

fn execute(arguments: Value) -> String {
    format!("execute {arguments}")
}

/// Every sandbox that works on this machine, by name. The tests of `host` check that the system's
/// sandbox is found.
async fn sandboxes() -> Vec<Sandbox> {
    let found = [Sandbox::bubblewrap().await, Sandbox::landlock().await];
    // SAFETY: with these arguments the system call only returns a number.
    #[cfg(target_os = "linux")]
    let offered =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, 0_usize, 0_usize, 1_usize) } > 0;
    #[cfg(not(target_os = "linux"))]
    let offered = false;
    let found: Vec<Sandbox> = found.into_iter().flatten().collect();
    assert!(!offered || !found.is_empty(), "the kernel offers a sandbox and none is active");
    found
}

#[tokio::test]
async fn command_in_auto_mode_runs_in_a_sandbox() {
    for sandbox in sandboxes().await {
        let folder = project();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let (beside, port) = (folder.path().join("beside"), listener.local_addr().unwrap().port());
        let name = sandbox.name();
        let mut client =
            open(coder().sandbox(Some(sandbox)), &folder.path().join("project"), json!({})).await;
        // The person allows every call that needs approval; the sandbox still restricts the
        // command.
        client.otherwise = Some("allow_once");
        let connect = format!(
            "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}))' || perl -e 'use IO::Socket; IO::Socket::INET->new(\"127.0.0.1:{port}\") or die' || bash -c 'echo > /dev/tcp/127.0.0.1/{port}'"
        );
        let lines = [
            execute(
                json!({ "command": "cat src/a; echo new > src/new; echo t > $TMPDIR/t && cat $TMPDIR/t" }),
            ),
            execute(json!({ "command": format!("echo evil > '{}'", beside.display()) })),
            execute(json!({ "command": "echo evil > .git/hooks/pre-commit" })),
            execute(json!({ "command": connect })),
        ];
        let turn = client.prompt(&lines.join("\n")).await;
        let said = turn.text();
        let said: Vec<&str> = said.split("\n---\n").collect();
        assert_eq!(said[0], "inside\nt\n[exit code 0]", "{name}");
        assert!(
            said[2..]
                .iter()
                .all(|said| said.contains(&format!("This command ran in a sandbox ({name})"))),
            "{name}: {said:?}"
        );
        assert!(said[3].contains("`network: true` asks"), "{name}: {}", said[3]);
        assert_eq!(
            fs::read_to_string(folder.path().join("project/src/new")).unwrap(),
            "new\n",
            "{name}"
        );
        assert_eq!(fs::read_to_string(&beside).unwrap(), "outside\n", "{name}");
        assert_eq!(
            fs::read_dir(folder.path().join("project/.git/hooks")).unwrap().count(),
            0,
            "{name}"
        );
        assert!(listener.accept().is_err(), "{name}: reached");
        assert_eq!(turn.tool_calls()[0]["rawOutput"]["sandbox"], name);
        // A file with an unknown name, a file outside the project, and a file that affects
        // programs.
        assert_eq!(client.asked.len(), 3, "{name}: {:?}", client.asked);
    }
}

#[tokio::test]
async fn network_and_unsandboxed_runs_are_shown_to_the_person() {
    for sandbox in sandboxes().await {
        let folder = project();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let (beside, port) = (folder.path().join("beside"), listener.local_addr().unwrap().port());
        let mut client =
            open(coder().sandbox(Some(sandbox)), &folder.path().join("project"), json!({})).await;
        client.choices = vec!["allow_once"; 4].into();
        let connect = format!("bash -c 'echo > /dev/tcp/127.0.0.1/{port}'");
        let change = format!("echo changed > '{}'", beside.display());
        let lines = [
            execute(json!({ "command": connect, "network": true })),
            execute(json!({ "command": change, "unsandboxed": "it is\nbeside the project" })),
        ];
        let turn = client.prompt(&lines.join("\n")).await;
        assert!(listener.accept().is_ok(), "{}", turn.text());
        assert_eq!(fs::read_to_string(&beside).unwrap(), "changed\n", "{}", turn.text());
        let calls = turn.tool_calls();
        assert!(
            calls[0]["title"].as_str().unwrap().starts_with("Run with the network: bash"),
            "{}",
            calls[0]
        );
        assert!(
            calls[1]["title"].as_str().unwrap().starts_with("Run outside the sandbox: echo"),
            "{}",
            calls[1]
        );
        assert_eq!(calls[1]["rawOutput"]["sandbox"], Value::Null);
        let shown = turn.all("tool_call")[1]["content"].to_string();
        assert!(shown.contains("it is beside the project"), "{shown}");
    }
}

#[tokio::test]
async fn secret_variables_do_not_reach_a_sandboxed_command() {
    let names: Vec<_> = super::bounds::secret_variables().collect();
    assert!(names.iter().all(|name| name.to_string_lossy() != "PATH"));
    if sandboxes().await.is_empty() {
        return;
    }
    let folder = project();
    let mut client = open(coder(), &folder.path().join("project"), json!({})).await;
    let turn = client.prompt(&execute(json!({ "command": "env | cut -d= -f1" }))).await;
    assert!(
        turn.text().contains("\nTMPDIR\n") || turn.text().starts_with("TMPDIR\n"),
        "{}",
        turn.text()
    );
    assert!(
        !names.iter().any(|name| turn.text().lines().any(|line| line == name.to_string_lossy()))
    );
}

/// `seq 1 400000` writes 2.7 MB.
#[tokio::test]
async fn long_output_is_cut_for_the_model_and_kept_in_a_file() {
    let folder = project();
    let mut client = open(coder(), &folder.path().join("project"), json!({})).await;
    client.otherwise = Some("allow_once");
    let turn = client.prompt(&execute(json!({ "command": "seq 1 400000" }))).await;
    let said = turn.text();
    assert!(
        said.starts_with("1\n2\n3\n") && said.contains("\n400000\n[exit code 0]\n"),
        "{said:.100}"
    );
    assert!(said.len() < 17 * 1024, "{} bytes for the model", said.len());
    let longest = turn.updates.iter().map(|update| update.to_string().len()).max().unwrap();
    let sent: usize = turn.updates.iter().map(|update| update.to_string().len()).sum();
    println!(
        "the model got {} bytes, the client {sent} in {} updates of at most {longest}",
        said.len(),
        turn.updates.len()
    );
    assert!(longest < LONGEST_LINE);
    let (_, rest) = said.split_once("[it wrote 2,688,895 bytes; ").unwrap();
    let (file, _) = rest.split_once(" has all of them").unwrap();
    assert_eq!(fs::metadata(file).unwrap().len(), 2_688_895);
    let lines = [
        format!("read {}", json!({ "path": file, "line": 399_999 })),
        execute(json!({ "command": format!("grep -c 99 '{file}'; echo evil > '{file}'") })),
    ];
    let turn = client.prompt(&lines.join("\n")).await;
    let said = turn.text();
    assert!(said.starts_with("[lines 399999-400000 of the output]\n399999\n400000\n"), "{said}");
    assert!(said.contains("\n---\n14764\n"), "commands can search it: {said}");
    if !sandboxes().await.is_empty() {
        assert_eq!(fs::metadata(file).unwrap().len(), 2_688_895, "and not change it");
    }
    // In every mode, a command that only reads may read this file, but no other outside the
    // project.
    client.asked.clear();
    client.otherwise = Some("reject_once");
    client.set("mode", "plan").await;
    let said =
        client.prompt(&execute(json!({ "command": format!("grep -c 99 '{file}'") }))).await.text();
    assert!(said.starts_with("14764\n") && client.asked.is_empty(), "{said}");
    let outputs = Path::new(file).parent().unwrap().display();
    for (index, path) in
        [format!("{outputs}/../../../etc/passwd"), "/etc/passwd".to_owned()].iter().enumerate()
    {
        client.prompt(&execute(json!({ "command": format!("grep -c root {path}") }))).await;
        assert_eq!(client.asked.len(), index + 1, "{path}");
    }
    client.close().await;
    eventually(|| !Path::new(file).exists()).await;
}

async fn eventually(condition: impl Fn() -> bool) {
    let holds = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), holds).await.expect("the condition never holds");
}

#[tokio::test]
async fn program_gets_a_terminal_and_the_model_reads_plain_text() {
    let folder = project();
    let mut client = open(coder(), &folder.path().join("project"), json!({})).await;
    let command = r"test -t 0 && test -t 1 && printf '\033[31mred\033[0m\n10%%\r100%%\n\033]0;title\007end'; tput cols || true";
    let turn = client.prompt(&execute(json!({ "command": command, "terminal": true }))).await;
    assert!(turn.text().starts_with("red\n100%\nend"), "{:?}", turn.text());
    assert!(
        turn.updates.iter().all(|update| !update.to_string().contains("\\u001b[")),
        "{:?}",
        turn.updates
    );
    let turn = client.prompt(&execute(json!({ "command": "test -t 1 || echo none" }))).await;
    assert!(turn.text().starts_with("none\n"), "{:?}", turn.text());
}

#[tokio::test]
async fn client_with_terminals_receives_the_output_once() {
    let folder = project();
    let capabilities = json!({ "_meta": { "terminal_output": true } });
    let mut client = open(coder(), &folder.path().join("project"), capabilities).await;
    let command = "for n in 1 2 3; do echo line $n €; sleep 0.15; done; exit 3";
    let turn = client.prompt(&execute(json!({ "command": command }))).await;
    let told = |key: &str| -> Vec<Value> {
        let metas = turn.updates.iter().map(|update| update["_meta"][key].clone());
        metas.filter(|value| !value.is_null()).collect()
    };
    let (info, output, exit) =
        (told("terminal_info"), told("terminal_output"), told("terminal_exit"));
    assert_eq!((info.len(), exit.len()), (1, 1), "{:?}", turn.updates);
    assert_eq!(exit[0]["exit_code"], 3);
    let data: String = output.iter().map(|output| output["data"].as_str().unwrap()).collect();
    assert_eq!(data, "line 1 €\nline 2 €\nline 3 €\n");
    assert!(output.iter().all(|output| output["terminal_id"] == info[0]["terminal_id"]));
    let shown = turn
        .updates
        .iter()
        .any(|update| update["content"][0]["terminalId"] == info[0]["terminal_id"]);
    assert!(shown, "{:?}", turn.updates);
    assert!(
        turn.tool_calls()[0]["content"].to_string().contains("line 1 €\\nline 2 €"),
        "a client that loads the session later sees it too"
    );
}

/// However a command ends (by itself, by a cancel or by its time limit), the client is told once,
/// so that it can end its terminal.
#[tokio::test]
async fn terminal_ends_however_its_command_ends() {
    for (command, cancels, signal) in [
        (json!({ "command": "echo one; sleep 100" }), true, json!("SIGKILL")),
        (json!({ "command": "echo one; exec >&- 2>&-; sleep 100" }), true, json!("SIGKILL")),
        (json!({ "command": "echo one; sleep 100", "seconds": 1 }), false, json!("SIGKILL")),
        (json!({ "command": "echo one" }), false, Value::Null),
    ] {
        let folder = project();
        let capabilities = json!({ "_meta": { "terminal_output": true } });
        let mut client =
            open(coder().sandbox(None), &folder.path().join("project"), capabilities).await;
        client.otherwise = Some("allow_once");
        let prompt = json!([{ "type": "text", "text": execute(command) }]);
        let params = json!({ "sessionId": client.session, "prompt": prompt });
        let id = client.start(SessionPrompt::ROW.name, params).await;
        let wrote = client
            .until(|sent| !sent["params"]["update"]["_meta"]["terminal_output"].is_null())
            .await;
        assert!(wrote.to_string().contains("one"), "{wrote}");
        if cancels {
            client.cancel().await;
        }
        let turn = client.finish(id).await;
        assert_eq!(turn.stop_reason(), if cancels { "cancelled" } else { "end_turn" });
        let at = |found: &dyn Fn(&Value) -> bool| turn.updates.iter().position(found);
        let exits = |update: &Value| !update["_meta"]["terminal_exit"].is_null();
        let exit = at(&exits).expect("the terminal ends");
        assert_eq!(turn.updates.iter().filter(|update| exits(update)).count(), 1);
        assert_eq!(
            turn.updates[exit]["_meta"]["terminal_exit"]["signal"], signal,
            "{:?}",
            turn.updates
        );
        let settled =
            at(&|update| matches!(update["status"].as_str(), Some("failed" | "completed")));
        assert!(settled.expect("the call is settled") > exit, "{:?}", turn.updates);
    }
}

/// The number of processes with these words in their command line.
fn running(words: &str) -> usize {
    let has = |path: std::path::PathBuf| {
        let line = fs::read(path.join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).replace('\0', " ").contains(words)
    };
    fs::read_dir("/proc").unwrap().flatten().filter(|entry| has(entry.path())).count()
}

#[tokio::test]
async fn background_command_outlives_its_turn_until_it_is_killed() {
    let folder = project();
    let mut client = open(coder(), &folder.path().join("project"), json!({})).await;
    let sleep = format!("sleep 20{:09}", std::process::id());
    let start = execute(
        json!({ "command": format!("echo one; {sleep} & until test -e go; do sleep 0.01; done; echo two; wait"), "background": true }),
    );
    let turn = client.prompt(&format!("{start}\noutput {{\"id\":\"LAST\",\"seconds\":60}}")).await;
    let said = turn.text();
    assert!(
        said.contains("runs in the background as bg1")
            && said.ends_with("\n---\none\n[still running]"),
        "{said}"
    );
    assert!(
        turn.tool_calls()[0]["title"]
            .as_str()
            .unwrap()
            .starts_with("Run in the background: echo one")
    );
    assert!(running(&sleep) > 0, "it outlives the turn");
    fs::write(folder.path().join("project/go"), "").unwrap();
    let turn = client
        .prompt("output {\"id\":\"bg1\",\"seconds\":60}\nkill {\"id\":\"bg1\"}\noutput {\"id\":\"bg1\"}")
        .await;
    let said = turn.text();
    let said: Vec<&str> = said.split("\n---\n").collect();
    assert_eq!(said[0], "two\n[still running]");
    assert!(said[1].starts_with("(nothing new)\n[killed by signal 9 (SIGKILL)"), "{said:?}");
    assert!(said[2].contains("SIGKILL"), "{said:?}");
    eventually(|| running(&sleep) == 0).await;
    let turn = client.prompt("kill {\"id\":\"bg7\"}").await;
    assert!(
        turn.text().contains("no background command bg7: the background commands are bg1"),
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn end_of_a_background_command_is_told_once_in_the_next_turn() {
    let folder = project();
    let mut client = open(coder(), &folder.path().join("project"), json!({})).await;
    client.prompt(&execute(json!({ "command": "exit 5", "background": true }))).await;
    let told = async {
        loop {
            let turn = client.prompt("list {}").await;
            if turn.text().contains("has ended") {
                return turn.text();
            }
        }
    };
    let said = tokio::time::timeout(Duration::from_secs(20), told).await.unwrap();
    assert!(
        said.starts_with("[The background command bg1 (exit 5) has ended: exit code 5."),
        "{said}"
    );
    let again = client.prompt("list {}").await.text();
    assert_eq!(again.matches("has ended").count(), 1, "{again}");
}

#[tokio::test]
async fn background_commands_are_bounded_and_end_with_their_session() {
    let folder = project();
    let mut client = open(coder(), &folder.path().join("project"), json!({})).await;
    let sleep = format!("sleep 30{:09}", std::process::id());
    let start =
        execute(json!({ "command": format!("{sleep} & setsid {sleep}"), "background": true }));
    let turn = client.prompt(&vec![start; 9].join("\n")).await;
    assert!(
        turn.text()
            .ends_with("8 background commands are already running: end one with `kill` first"),
        "{}",
        turn.text()
    );
    assert!(running(&sleep) >= 16, "{}", running(&sleep));
    client.close().await;
    eventually(|| running(&sleep) == 0).await;
}
