//! How a hub starts an agent.

use crate::agent::agent_connection::AgentConnection;
use crate::agent::agent_process::AgentProcess;
use crate::agent::evidence::Evidence;
use crate::agent::options::Options;
use crate::agent::start_error::StartError;
use attache_host::{Child, Launch, ParseError, StopPatience};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// How a hub starts an agent each time: by starting a program, or by connecting to something else.
/// Cheap to clone.
#[derive(Clone)]
pub struct AgentSource(Arc<Starting>);

type Starting = dyn Fn(Options) -> Start + Send + Sync;
type Start = Pin<Box<dyn Future<Output = Result<RunningAgent, StartError>> + Send>>;

/// An agent that runs, with its process if the hub started one.
pub(crate) struct RunningAgent {
    pub(crate) connection: Arc<AgentConnection>,
    child: Option<Child>,
}

impl AgentSource {
    /// Starts a program. `launch` is called for each start.
    ///
    /// ```
    /// use attache_client::AgentSource;
    /// use attache_host::Launch;
    ///
    /// let source = AgentSource::launch(|| Launch::new("gemini").arg("--acp").env("GEMINI_SANDBOX", "true"));
    /// # drop(source);
    /// ```
    pub fn launch(launch: impl Fn() -> Launch + Send + Sync + 'static) -> Self {
        Self(Arc::new(move |options| {
            let starting = AgentProcess::launch_with(launch(), options);
            Box::pin(async move {
                let (connection, child) = starting.await?.into_parts();
                Ok(RunningAgent { connection: Arc::new(connection), child: Some(child) })
            })
        }))
    }

    /// Starts a command line such as `gemini --acp`, which is parsed without a shell: see
    /// [`Launch::parse`].
    ///
    /// # Errors
    /// Returns an error if the command line is not well-formed.
    pub fn command(command_line: &str) -> Result<Self, ParseError> {
        Launch::parse(command_line)?;
        let command_line = command_line.to_owned();
        // The command line has been parsed before, so parsing it again does not fail.
        Ok(Self::launch(move || {
            Launch::parse(&command_line).unwrap_or_else(|_| Launch::new(&command_line))
        }))
    }

    /// Connects to something other than a program, such as an agent in this process. `connect` is
    /// called for each start and gets the options to connect with.
    pub fn connect<F, C>(connect: F) -> Self
    where
        F: Fn(Options) -> C + Send + Sync + 'static,
        C: Future<Output = Result<AgentConnection, StartError>> + Send + 'static,
    {
        Self(Arc::new(move |options| {
            let connecting = connect(options);
            Box::pin(async move {
                Ok(RunningAgent { connection: Arc::new(connecting.await?), child: None })
            })
        }))
    }

    /// Changes the hub's options for this agent.
    #[must_use]
    pub fn with_options(self, change: impl Fn(Options) -> Options + Send + Sync + 'static) -> Self {
        Self(Arc::new(move |options| (self.0)(change(options))))
    }

    /// Starts the agent and performs the handshake.
    pub(crate) async fn start(&self, options: Options) -> Result<RunningAgent, StartError> {
        (self.0)(options).await
    }
}

impl std::fmt::Debug for AgentSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AgentSource")
    }
}

impl RunningAgent {
    /// The process id, if the hub started a process.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::pid)
    }

    /// The evidence about the agent's process: how it ended and what it printed.
    pub(crate) fn evidence(&self) -> Evidence {
        let watch = self.child.as_ref().map(Child::watch);
        Evidence::of(watch.as_ref(), self.connection.stray_output())
    }

    /// Ends the connection and then the process, step by step; see [`AgentProcess::stop`].
    pub(crate) async fn stop(mut self) {
        self.connection.close().await;
        if let Some(child) = &mut self.child {
            child.stop(StopPatience::default()).await;
        }
    }

    /// Kills the process with everything it started, and waits until it is gone and everything in
    /// flight is settled, so that it cannot affect a session that continues elsewhere.
    pub(crate) async fn kill(self) {
        if let Some(child) = &self.child {
            child.kill();
            child.wait().await;
        }
        self.connection.close().await;
    }
}
