//! Connecting to the agents of the shared hub.

use super::{SharedHub, same_stores};
use crate::chosen_agent::ChosenAgent;
use crate::exit::Failure;
use crate::serve::VERSION;
use crate::serve::status::refused;
use attache_client::{AgentConnection, AgentSource, Hub, Options, StartError};
use attache_protocol::v1::ProtocolVersion;
use attache_serve::socket::{ConnectError, HubConnection};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long to wait for a hub that does not run: it may be restarting.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long to wait before a socket is tried again.
const AGAIN: Duration = Duration::from_millis(100);

/// What other front ends call the screen.
const TITLE: &str = "terminal";

impl SharedHub {
    /// Adds the agent with this name or command line to the hub of the screen, unless it is there.
    /// The shared hub runs it.
    ///
    /// # Errors
    /// Returns an error if there is no such agent.
    pub(in crate::screen) fn add_agent(
        &self,
        hub: &Hub,
        given: Option<&str>,
    ) -> Result<ChosenAgent, Failure> {
        let agent = ChosenAgent::of(given)?;
        if hub.agent(&agent.name).is_none() {
            let given = given.unwrap_or(&agent.name);
            hub.add(agent.name.as_str(), self.source(given)).map_err(Failure::usage)?;
        }
        Ok(agent)
    }

    fn source(&self, agent: &str) -> AgentSource {
        let (shared, agent) = (self.clone(), agent.to_owned());
        AgentSource::connect(move |options| {
            let (shared, agent) = (shared.clone(), agent.clone());
            async move { shared.connect(&agent, options).await }
        })
    }

    /// Connects to an agent of the shared hub. In version 2 of the protocol, the hub also tells of
    /// turns that other front ends begin.
    pub(super) async fn connect(
        &self,
        agent: &str,
        options: Options,
    ) -> Result<AgentConnection, StartError> {
        let deadline = Instant::now() + PATIENCE;
        let (connection, theirs) = loop {
            match HubConnection::acp_of_agent(&self.place.socket(), VERSION, agent).await {
                Ok(connected) => break connected,
                Err(ConnectError::NotRunning | ConnectError::Ended)
                    if Instant::now() < deadline =>
                {
                    sleep(AGAIN).await;
                }
                Err(error) => {
                    let why = refused(&self.place, &error).message;
                    return Err(StartError::Connect(why.into()));
                }
            }
        };
        // The hub may have been started again with other stores.
        if let Err(why) = same_stores(&theirs) {
            let what = format!("the shared hub {why}: start it as before, or start this again");
            return Err(StartError::Connect(what.into()));
        }
        let (input, output) = connection.into_parts();
        let mut options = options.protocol(ProtocolVersion::V2);
        options.about.title = Some(TITLE.to_owned());
        AgentConnection::connect(input, output, options).await
    }
}
