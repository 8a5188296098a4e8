//! Real processes: small agents in shell scripts that end, hang, print stray lines or are killed.

use attache_client::{AgentProcess, OpenError, Options, Permissions, StartError, TurnError};
use attache_connection::{CallError, ConnectionEnd};
use attache_host::Launch;
use std::time::Duration;

const INITIALIZED: &str =
    r#"read line; echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}'; "#;
const OPENED: &str = r#"read line; echo '{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s1"}}'; "#;
/// The script of an agent that writes a reason to stderr and kills itself.
const KILLED: &str = "read line; echo 'fuel is out' >&2; kill -9 $$";

fn shell(script: impl Into<std::ffi::OsString>) -> Launch {
    Launch::new("/bin/sh").arg("-c").arg(script)
}

async fn failed(script: impl Into<std::ffi::OsString>) -> StartError {
    AgentProcess::launch(shell(script)).await.unwrap_err()
}

fn names_the_end(text: &str) {
    assert!(text.contains("SIGKILL") && text.contains("fuel is out"), "{text}");
}

#[tokio::test]
async fn an_agent_that_exits_at_once_is_reported_with_status_and_stderr() {
    let error = failed("echo 'unknown option' >&2; echo Usage: agent; exit 3").await;
    let text = error.to_string();
    let evidence = error.evidence().unwrap();
    assert_eq!(evidence.exit.unwrap().code, Some(3));
    assert_eq!(evidence.stdout, ["Usage: agent"]);
    assert!(
        ["exit code 3", "unknown option", "Usage: agent", "--acp"]
            .iter()
            .all(|part| text.contains(part)),
        "{text}"
    );
}

#[tokio::test]
async fn an_agent_that_never_answers_is_killed_at_the_deadline() {
    let options = Options::default().handshake(Duration::from_millis(50));
    let error =
        AgentProcess::launch_with(shell("echo thinking; sleep 600"), options).await.unwrap_err();
    assert!(matches!(error, StartError::Silent { .. }), "{error}");
}

#[tokio::test]
async fn a_program_or_folder_that_does_not_exist_is_named() {
    let error = AgentProcess::start("no-such-agent --acp").await.unwrap_err();
    assert!(
        matches!(error, StartError::Program(_)) && error.to_string().contains("no-such-agent"),
        "{error}"
    );
    assert!(matches!(AgentProcess::start("agent 'open").await, Err(StartError::Command(_))));
    let error = AgentProcess::launch(shell("true").cwd("/no/such/folder")).await.unwrap_err();
    assert!(error.to_string().contains("/no/such/folder"), "{error}");
}

#[tokio::test]
async fn an_agent_with_a_banner_works() {
    let agent = AgentProcess::launch(shell(format!("echo Welcome; {INITIALIZED} cat >/dev/null")))
        .await
        .unwrap();
    assert_eq!(agent.stray_output(), ["Welcome"]);
    let exit = agent.stop().await;
    assert!(exit.success(), "closing stdin is enough for an agent that reads it: {exit}");
}

#[tokio::test]
async fn an_agent_of_another_version_is_rejected() {
    let script = INITIALIZED.replace("\"protocolVersion\":1", "\"protocolVersion\":9");
    assert!(
        matches!(failed(format!("{script} cat")).await, StartError::Version { answered, .. } if answered.0 == 9)
    );
}

#[tokio::test]
async fn an_agent_killed_before_its_first_answer_fails_the_start() {
    let error = failed(KILLED).await;
    names_the_end(&error.to_string());
    assert!(matches!(error, StartError::Ended { .. }));
}

#[tokio::test]
async fn an_agent_killed_before_a_session_is_open_fails_the_opening() {
    let folder = tempfile::tempdir().unwrap();
    let agent = AgentProcess::launch(shell(format!("{INITIALIZED}{KILLED}"))).await.unwrap();
    let error = agent.open(folder.path()).await.unwrap_err();
    assert!(
        matches!(error, OpenError::Call(CallError::Disconnected(ConnectionEnd::PeerClosed { .. }))),
        "{error}"
    );
    names_the_end(&error.to_string());
}

#[tokio::test]
async fn an_agent_killed_in_a_turn_ends_the_turn() {
    let folder = tempfile::tempdir().unwrap();
    let agent =
        AgentProcess::launch(shell(format!("{INITIALIZED}{OPENED}{KILLED}"))).await.unwrap();
    let session = agent.open(folder.path()).await.unwrap();
    let mut turn = session.prompt("go").await.unwrap();
    let error = turn.outcome().await.unwrap_err();
    assert!(matches!(error, TurnError::Disconnected(ConnectionEnd::PeerClosed { .. })), "{error}");
    names_the_end(&error.to_string());
    assert_eq!(agent.evidence().exit.unwrap().signal, Some(9));
}

#[tokio::test]
async fn an_agent_that_exits_silently_in_a_turn_ends_the_turn() {
    let folder = tempfile::tempdir().unwrap();
    let agent = AgentProcess::launch(shell(format!("{INITIALIZED}{OPENED} read line; exit 0")))
        .await
        .unwrap();
    let session = agent.open(folder.path()).await.unwrap();
    let mut turn = session.prompt("go").await.unwrap();
    let error = turn.outcome().await.unwrap_err();
    assert!(error.to_string().contains("exit code 0"), "{error}");
}

#[tokio::test]
async fn a_grandchild_that_holds_the_pipes_does_not_hide_the_agents_death() {
    let folder = tempfile::tempdir().unwrap();
    let agent = AgentProcess::launch(shell(format!("{INITIALIZED}{OPENED} sleep 600 & {KILLED}")))
        .await
        .unwrap();
    let session = agent.open(folder.path()).await.unwrap();
    let mut turn = session.prompt("go").await.unwrap();
    names_the_end(&turn.outcome().await.unwrap_err().to_string());
}

#[tokio::test]
async fn killing_an_agent_withdraws_its_question() {
    let folder = tempfile::tempdir().unwrap();
    let ask = r#"read line; echo '{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"t"},"options":[]}}'; "#;
    // The agent dies once the question is open: the question's handler creates this file.
    let open = folder.path().join("open");
    let wait = format!(
        "until test -e {}; do sleep 0.01; done; echo 'fuel is out' >&2; kill -9 $$",
        open.display()
    );
    let agent =
        AgentProcess::launch(shell(format!("{INITIALIZED}{OPENED}{ask}{wait}"))).await.unwrap();
    let (withdrawn, mut is_withdrawn) = tokio::sync::mpsc::channel::<()>(1);
    let permissions = Permissions::ask(move |_| {
        let (open, withdrawn) = (open.clone(), withdrawn.clone());
        async move {
            std::fs::write(open, "").unwrap();
            let _held_until_dropped = withdrawn;
            std::future::pending().await
        }
    });
    let session = agent.open(folder.path()).permissions(permissions).await.unwrap();
    let mut turn = session.prompt("go").await.unwrap();
    names_the_end(&turn.outcome().await.unwrap_err().to_string());
    assert_eq!(session.snapshot().open_permissions().count(), 0);
    assert_eq!(session.snapshot().permissions().len(), 1);
    drop((session, turn, agent));
    assert_eq!(is_withdrawn.recv().await, None);
}

#[tokio::test]
async fn later_calls_of_a_dead_agent_fail() {
    let folder = tempfile::tempdir().unwrap();
    let agent =
        AgentProcess::launch(shell(format!("{INITIALIZED} echo 'fuel is out' >&2; kill -9 $$")))
            .await
            .unwrap();
    names_the_end(&agent.ended().await.to_string());
    names_the_end(&agent.open(folder.path()).await.unwrap_err().to_string());
}
