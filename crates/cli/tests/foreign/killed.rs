//! Peers that are killed with `kill -9` at each step.

use crate::clients::started;
use crate::deviations::bindings;
use crate::peers::{Agent, Client, attache_run};
use crate::process::{end, gone, kill, pid_in, pid_of, start};
use crate::project::{Project, text};
use attache_scenario::{Scenario, play};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Child;

/// The time limit for our client to report a killed agent and end.
const AT_ONCE: Duration = Duration::from_secs(5);

const INITIALIZE: &str = r#"<- {"id":"$initialize","method":"initialize"}"#;
const INITIALIZED: &str = r#"-> {"jsonrpc":"2.0","id":"$initialize","result":{"protocolVersion":1}}
<- {"id":"$new","method":"session/new"}"#;
const PROMPTED: &str = r#"-> {"jsonrpc":"2.0","id":"$new","result":{"sessionId":"s1"}}
<- {"id":"$prompt","method":"session/prompt"}"#;
const CALLING: &str = r#"-> {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"Look","status":"in_progress"}}}"#;
const CANCELLED: &str = r#"<- {"method":"session/cancel"}"#;

/// Plays these steps as the agent of `attache run`, kills the agent, and expects this exit code.
async fn killed_after(steps: &[&str], code: i32) {
    let message = ended_after(steps, &[], code).await;
    assert!(message.contains("signal 9") || message.contains("SIGKILL"), "{message}");
    assert!(message.contains("the relay says this on stderr"), "{message}");
}

/// Like [`killed_after`] with further arguments. Returns the error message of our client.
async fn ended_after(steps: &[&str], arguments: &[&str], code: i32) -> String {
    let project = Project::new();
    let command = |agent: &[String]| {
        attache_run(agent, &project, &[arguments, &["--json", "hello"]].concat())
    };
    let (client, mut agent) = started(&project, command).await.unwrap();
    let document = format!("## Until it is killed\nRPC-09\n```acp\n{}\n```\n", steps.join("\n"));
    let scenario = Scenario::read_all(&document).unwrap().remove(0);
    let pid = agent.peer_cred().unwrap().pid().unwrap();
    let (input, output) = agent.split();
    play(&scenario, bindings(&[]), input, output)
        .await
        .unwrap_or_else(|failure| panic!("{failure}"));
    let killed = Instant::now();
    kill(pid.into());
    let ended = end(client).await;
    assert!(killed.elapsed() < AT_ONCE, "it took {:?}", killed.elapsed());
    assert_eq!(ended.code(), code, "{ended:?}");
    let events = ended.events();
    assert_eq!(events.member("error", "exitCode"), [code], "{ended:?}");
    events.member("error", "message")[0].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_agent_killed_before_it_answers_initialize_could_not_start() {
    killed_after(&[INITIALIZE], 3).await;
}

#[tokio::test]
async fn an_agent_killed_before_it_opens_a_session_has_failed() {
    killed_after(&[INITIALIZE, INITIALIZED], 4).await;
}

#[tokio::test]
async fn an_agent_killed_before_its_first_update_has_failed() {
    killed_after(&[INITIALIZE, INITIALIZED, PROMPTED], 4).await;
}

#[tokio::test]
async fn an_agent_killed_in_the_middle_of_a_turn_has_failed() {
    killed_after(&[INITIALIZE, INITIALIZED, PROMPTED, CALLING], 4).await;
}

#[tokio::test]
async fn an_agent_killed_after_a_cancellation_keeps_its_reason() {
    let steps = [INITIALIZE, INITIALIZED, PROMPTED, CALLING, CANCELLED];
    let message = ended_after(&steps, &["--timeout", "4"], 8).await;
    assert!(message.contains("4 s"), "{message}");
}

#[tokio::test]
async fn an_agent_killed_while_it_asks_has_failed() {
    let ask = r#"-> {"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"c","title":"T"},"options":[{"optionId":"n","name":"No","kind":"reject_once"}]}}"#;
    killed_after(&[INITIALIZE, INITIALIZED, PROMPTED, ask], 4).await;
}

/// A foreign client with our agent, which writes its process id to a file beside the project.
struct Pair {
    project: Project,
    client: Child,
}

impl Pair {
    fn started(client: Client, script: &str) -> Self {
        let project = Project::new();
        let line = format!("echo $$ >{}; exec \"$0\" agent", text(project.beside("agent.pid")));
        let agent = vec!["sh".into(), "-c".into(), line, Agent::ours().command[0].clone()];
        let client = start(&client.with_script(&agent, &project, script));
        Self { project, client }
    }

    /// Waits until the client reports this event.
    async fn says(&mut self, event: &str) {
        let mut lines = BufReader::new(self.client.stdout.as_mut().unwrap()).lines();
        let said = format!("\"event\":\"{event}\"");
        while let Some(line) = lines.next_line().await.unwrap() {
            if line.contains(&said) {
                return;
            }
        }
        panic!("the client ended before {event}");
    }

    /// Kills the client, and waits until the agent and its running command, if any, are gone.
    async fn ends(self, command: Option<&[&str]>) {
        let mut pids = vec![pid_in(&self.project.beside("agent.pid")).await];
        if let Some(command) = command {
            pids.push(pid_of(command).await);
        }
        kill(self.client.id().unwrap().into());
        for pid in pids {
            gone(pid).await;
        }
    }
}

const FOREIGN: [Client; 2] = [Client::OfficialRust, Client::OfficialTs];

#[tokio::test]
async fn our_agent_ends_when_its_client_is_killed_at_once() {
    for client in FOREIGN {
        Pair::started(client, "prompt help").ends(None).await;
    }
}

#[tokio::test]
async fn our_agent_and_its_command_end_when_the_client_is_killed() {
    for (number, client) in (600..).zip(FOREIGN) {
        // A process in a sandbox does not know its real id, so the command is found by its sleep
        // time, which no other process uses.
        let time = format!("{number}.{}", std::process::id());
        let script = format!("permission allow_once\nmode auto\nprompt run exec sleep {time}");
        Pair::started(client, &script).ends(Some(&["sleep", &time])).await;
    }
}

#[tokio::test]
async fn our_agent_ends_when_its_client_is_killed_during_a_question() {
    for client in FOREIGN {
        let mut pair = Pair::started(client, "permission wait\nprompt run touch asked.txt");
        pair.says("permission").await;
        pair.ends(None).await;
    }
}

#[tokio::test]
async fn our_agent_ends_when_its_client_is_killed_between_turns() {
    for client in FOREIGN {
        let mut pair = Pair::started(client, "prompt help\nmode auto\nprompt run sleep 600");
        pair.says("stop").await;
        pair.ends(None).await;
    }
}
