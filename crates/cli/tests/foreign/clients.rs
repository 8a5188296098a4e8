//! The raw peer as the agent of each client. The client runs as a process and starts a relay to the
//! test as its agent.

use crate::deviations::{Deviation, bindings, play_all, scenarios};
use crate::peers::{Client, relay};
use crate::process::{end, start};
use crate::project::{Project, text};
use attache_scenario::{Scenario, play};
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};
use tokio::process::Child;

const TURNS: &[(&str, &str)] = &[("client.md", include_str!("../../../../scenarios/client.md"))];
const CANCELLED: &[(&str, &str)] =
    &[("client-cancel.md", include_str!("../../../../scenarios/client-cancel.md"))];

const KNOWN: &[Deviation] = &[
    Deviation {
        peer: "official-client",
        title: "Lines that are not messages do no harm",
        why: "the SDK answers stray text as RPC-19 requires",
    },
    Deviation {
        peer: "client.mjs",
        title: "Lines that are not messages do no harm",
        why: "the SDK answers stray text as RPC-19 requires",
    },
];

/// The exit code of our client in scenarios where it is not 0.
const OUR_CODES: &[(&str, i32)] = &[
    ("An unknown protocol version ends the client", 3),
    ("An unknown stop reason ends the turn", 4),
    ("An error of any code ends the turn", 4),
    ("Without a session the client sends no prompt", 4),
    ("The client ends when the agent ends in the middle of a turn", 4),
    ("Requests that are not allowed are rejected", 11),
    ("Several permission requests may be open at once", 11),
    ("A client still listens after it cancels", 8),
    ("A turn that ended before its cancel arrived keeps its stop reason", 8),
];

/// The time limit for a client to start its agent. It only prevents endless waiting.
const PATIENCE: Duration = Duration::from_secs(30);

async fn converse(client: Client) {
    let turns = scenarios(TURNS, KNOWN).into_iter().map(|scenario| (scenario, false));
    let cancelled = scenarios(CANCELLED, &[]).into_iter().map(|scenario| (scenario, true));
    let plays = turns.chain(cancelled).map(|(scenario, cancelling)| {
        (scenario.title.clone(), async move { plays(client, &scenario, cancelling).await })
    });
    play_all(client.name(), KNOWN, plays).await;
}

/// Plays one scenario with a separate client process, which ends with the scenario.
async fn plays(client: Client, scenario: &Scenario, cancelling: bool) -> Result<(), String> {
    let project = Project::new();
    let mut bindings = bindings(&[("outside_name", "outside.txt")]);
    bindings.bind("cwd", text(project.cwd()));
    bindings.bind("outside", text(project.outside()));
    let (process, agent) =
        started(&project, |agent| client.hello(agent, &project, cancelling)).await?;
    let (input, output) = agent.into_split();
    let played = play(scenario, bindings, input, output).await;
    let ended = end(process).await;
    let outside = std::fs::read_to_string(project.outside()).unwrap();
    let code =
        OUR_CODES.iter().find(|(title, _)| *title == scenario.title).map_or(0, |(_, code)| *code);
    match played {
        Err(failure) => Err(format!("{failure}\n{ended:?}")),
        Ok(_) if outside != "not yours\n" => {
            Err(format!("\"{}\": a file outside was changed", scenario.title))
        }
        Ok(_) if client == Client::Ours && ended.code() != code => {
            Err(format!("\"{}\" should end with {code}: {ended:?}", scenario.title))
        }
        Ok(_) => Ok(()),
    }
}

/// Starts a client, and waits until it has started its agent. `command` gets the command that
/// starts the agent, and returns the command that starts the client.
pub(crate) async fn started(
    project: &Project,
    command: impl FnOnce(&[String]) -> Vec<String>,
) -> Result<(Child, UnixStream), String> {
    let socket = project.beside("agent.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let process = start(&command(&relay(&socket)));
    match tokio::time::timeout(PATIENCE, listener.accept()).await {
        Ok(accepted) => Ok((process, accepted.unwrap().0)),
        Err(_) => Err("the client did not start its agent".to_owned()),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn our_client_passes_every_scenario() {
    converse(Client::Ours).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_official_rust_client_passes_all_but_the_listed_scenarios() {
    converse(Client::OfficialRust).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_official_typescript_client_passes_all_but_the_listed_scenarios() {
    converse(Client::OfficialTs).await;
}
