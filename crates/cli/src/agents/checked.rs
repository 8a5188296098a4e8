//! The check of one agent, and its findings as JSON.

use crate::agents::versions::Versions;
use crate::chosen_agent::{ChosenAgent, cannot_start};
use crate::exit::Failure;
use crate::probe::{Probe, probe};
use crate::run::waiting::waiting;
use crate::show::json::escaped;
use attache_check::masked;
use attache_client::{AgentProcess, Launch, Options};
use attache_protocol::encode;
use attache_protocol::v1::{AgentCapabilities, AuthMethod, Implementation};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The findings of a check. The agent is stopped by then.
pub(super) struct Checked {
    pub(super) about: Option<Implementation>,
    pub(super) capabilities: AgentCapabilities,
    pub(super) auth_methods: Vec<AuthMethod>,
    pub(super) stray_output: Vec<String>,
    /// The duration of the handshake.
    pub(super) took: Duration,
    /// The result of opening a session.
    pub(super) probe: Probe,
    pub(super) versions: Versions,
}

/// Starts the agent, opens a session and stops the agent. A second process, which `again` starts,
/// is then asked for version 2 of the protocol. If `is_watched` is true, slow steps are shown to
/// the person. Dropping the future kills the agent and all of its processes.
///
/// # Errors
/// Returns an error if the agent does not start.
pub(super) async fn check(
    chosen: ChosenAgent,
    again: Launch,
    is_watched: bool,
) -> Result<Checked, Failure> {
    let (known, name, protocol) = (chosen.known, chosen.name.clone(), chosen.protocol);
    let launch = chosen.into_launch()?;
    let notice = |text: String| is_watched.then_some(text);
    let began = Instant::now();
    let options = Options::default().terminal_login().protocol(protocol);
    let starting =
        waiting(AgentProcess::launch_with(launch, options), notice(format!("starting {name}")));
    let agent = starting.await.map_err(|error| cannot_start(&error, known))?;
    let took = began.elapsed();
    let probe = waiting(probe(&agent), notice(format!("{name} is opening a session"))).await;
    let about = agent.about().cloned();
    let capabilities = agent.capabilities().clone();
    let auth_methods = agent.auth_methods().to_vec();
    let stray_output = agent.stray_output();
    waiting(agent.stop(), notice(format!("stopping {name}"))).await;
    let asking = notice(format!("asking {name} for version 2 of the protocol"));
    let versions = waiting(Versions::of(again), asking).await;
    Ok(Checked { about, capabilities, auth_methods, stray_output, took, probe, versions })
}

/// Returns one JSON object that uses the protocol's names. Secrets, such as a login's environment,
/// are masked.
pub(super) fn json(name: &str, checked: &Checked) -> String {
    let about = checked.about.as_ref().map_or_else(|| "null".to_owned(), encode);
    let methods: Vec<String> = checked.auth_methods.iter().map(encode).collect();
    let stray = Value::from(checked.stray_output.clone());
    let name = Value::from(name);
    let versions = Value::from(checked.versions.numbers());
    let trouble = Value::from(checked.versions.trouble());
    let session = match &checked.probe {
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
        "{{\"name\":{name},\"protocolVersion\":1,\"versions\":{versions},\"versionsError\":{trouble},\"agentInfo\":{about},\"agentCapabilities\":{},\"authMethods\":[{}],\"milliseconds\":{},\"strayOutput\":{stray},\"session\":{session}}}",
        encode(&checked.capabilities),
        methods.join(","),
        checked.took.as_millis()
    );
    escaped(&masked(&line))
}

/// Returns the names of the offered features.
pub(super) fn named(all: &[(bool, &str)]) -> String {
    let offered: Vec<&str> =
        all.iter().filter(|(offered, _)| *offered).map(|(_, name)| *name).collect();
    offered.join(", ")
}
