//! An agent that was started for a check.

use crate::chosen_agent::{ChosenAgent, cannot_start};
use crate::exit::Failure;
use crate::probe::{Probe, probe};
use crate::run::waiting::waiting;
use crate::show::json::escaped;
use attache_check::masked;
use attache_client::{AgentProcess, Options};
use attache_protocol::encode;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A started agent, the duration of its handshake, and the result of opening a session.
pub(super) struct Checked {
    pub(super) agent: AgentProcess,
    pub(super) took: Duration,
    pub(super) probe: Probe,
}

/// Starts the agent and opens a session. If `is_watched` is true, a slow start is shown to the
/// person.
///
/// # Errors
/// Returns an error if the agent does not start.
pub(super) async fn start(chosen: ChosenAgent, is_watched: bool) -> Result<Checked, Failure> {
    let ChosenAgent { launch, known, name, .. } = chosen;
    let began = Instant::now();
    let options = Options::default().terminal_login();
    let starting = waiting(
        AgentProcess::launch_with(launch, options),
        is_watched.then(|| format!("starting {name}")),
    );
    let agent = starting.await.map_err(|error| cannot_start(&error, known))?;
    let took = began.elapsed();
    let probe =
        waiting(probe(&agent), is_watched.then(|| format!("{name} is opening a session"))).await;
    Ok(Checked { agent, took, probe })
}

/// Returns one JSON object that uses the protocol's names. Secrets, such as a login's environment,
/// are masked.
pub(super) fn json(name: &str, agent: &AgentProcess, took: Duration, probe: &Probe) -> String {
    let about = agent.about().map_or_else(|| "null".to_owned(), encode);
    let methods: Vec<String> = agent.auth_methods().iter().map(encode).collect();
    let stray = Value::from(agent.stray_output());
    let name = Value::from(name);
    let session = match probe {
        Probe::Opened(took) => {
            json!({"opened": true, "milliseconds": took.as_millis(), "loginNeeded": false, "error": null})
        }
        Probe::LoginNeeded(said) => {
            json!({"opened": false, "milliseconds": null, "loginNeeded": true, "error": said})
        }
        Probe::Failed(why) => {
            json!({"opened": false, "milliseconds": null, "loginNeeded": false, "error": why})
        }
    };
    let line = format!(
        "{{\"name\":{name},\"protocolVersion\":1,\"agentInfo\":{about},\"agentCapabilities\":{},\"authMethods\":[{}],\"milliseconds\":{},\"strayOutput\":{stray},\"session\":{session}}}",
        encode(agent.capabilities()),
        methods.join(","),
        took.as_millis()
    );
    escaped(&masked(&line))
}

/// Returns the names of the offered features.
pub(super) fn named(all: &[(bool, &str)]) -> String {
    let offered: Vec<&str> =
        all.iter().filter(|(offered, _)| *offered).map(|(_, name)| *name).collect();
    offered.join(", ")
}
