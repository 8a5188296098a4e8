//! The raw peer as a client of each agent.

use crate::deviations::{Deviation, bindings, play_all, scenarios};
use crate::peers::Agent;
use crate::process::{end, start};
use crate::project::{Project, text};
use attache_scenario::{Scenario, play};

const FILES: &[(&str, &str)] = &[
    ("connection.md", include_str!("../../../../scenarios/connection.md")),
    ("initialize.md", include_str!("../../../../scenarios/initialize.md")),
    ("session.md", include_str!("../../../../scenarios/session.md")),
    ("prompt.md", include_str!("../../../../scenarios/prompt.md")),
];

const KNOWN: &[Deviation] = &[
    Deviation {
        peer: "official-agent",
        title: "Blank lines and CRLF are ignored",
        why: "the SDK answers a blank line with -32700",
    },
    Deviation {
        peer: "official-agent",
        title: "Replies that match no call are dropped",
        why: "the SDK answers a reply with neither result nor error with -32600",
    },
];

async fn converse(agent: Agent) {
    let name = agent.name;
    let plays = scenarios(FILES, KNOWN).into_iter().map(|scenario| {
        let agent = agent.clone();
        (scenario.title.clone(), async move { plays(&agent, &scenario).await })
    });
    play_all(name, KNOWN, plays).await;
}

/// Plays one scenario with a separate agent process, which ends with the scenario.
async fn plays(agent: &Agent, scenario: &Scenario) -> Result<(), String> {
    let project = Project::new();
    let mut bindings = bindings(agent.words);
    bindings.bind("cwd", text(project.cwd()));
    let mut process = start(&agent.command);
    let (input, output) = (process.stdout.take().unwrap(), process.stdin.take().unwrap());
    let played = play(scenario, bindings, input, output).await;
    let ended = end(process).await;
    match played {
        Ok(_) if ended.code() == 0 => Ok(()),
        Ok(_) => {
            Err(format!("\"{}\": it ended with {}: {}", scenario.title, ended.status, ended.stderr))
        }
        Err(failure) => Err(format!("{failure}\nstderr: {}", ended.stderr)),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn our_agent_passes_every_scenario() {
    converse(Agent::ours()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_official_rust_agent_passes_all_but_the_listed_scenarios() {
    converse(Agent::official_rust()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_official_typescript_agent_passes_all_but_the_listed_scenarios() {
    converse(Agent::official_ts()).await;
}
