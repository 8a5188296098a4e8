//! Where a hub gets an agent from, as often as it must.

use crate::agent::agent_connection::AgentConnection;
use crate::agent::agent_process::AgentProcess;
use crate::agent::evidence::Evidence;
use crate::agent::options::Options;
use crate::agent::start_error::StartError;
use attache_host::{Child, Launch, ParseError, StopPatience};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// Where a hub gets an agent from, as often as it must: a program that is started, or anything that
/// can be connected to. Cheap to clone.
#[derive(Clone)]
pub struct AgentSource(Arc<Starting>);

type Starting = dyn Fn(Options) -> Pin<Box<dyn Future<Output = Result<RunningAgent, StartError>> + Send>>
    + Send
    + Sync;

/// An agent that runs, with its process if that is ours.
pub(crate) struct RunningAgent {
    pub(crate) connection: Arc<AgentConnection>,
    child: Option<Child>,
}

impl AgentSource {
    /// A program, started as `launch` says at that moment.
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

    /// A command line such as `gemini --acp`, read without a shell: see [`Launch::parse`].
    ///
    /// # Errors
    /// The command line cannot be read.
    pub fn command(command_line: &str) -> Result<Self, ParseError> {
        Launch::parse(command_line)?;
        let command_line = command_line.to_owned();
        // What could be read once can be read again.
        Ok(Self::launch(move || {
            Launch::parse(&command_line).unwrap_or_else(|_| Launch::new(&command_line))
        }))
    }

    /// Anything that can be connected to, such as an agent in this process; `connect` is called for
    /// each start and gets the options to connect with.
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

    /// The same source, whose agent is offered what `change` makes of the hub's options.
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
    /// The process id, if the agent is a process of ours.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::pid)
    }

    /// What is known about the agent now.
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

    /// Kills the process with all it started and waits until it is gone and everything in flight is
    /// settled, so that nothing of it can happen to a session that goes on elsewhere.
    pub(crate) async fn kill(self) {
        if let Some(child) = &self.child {
            child.kill();
            child.wait().await;
        }
        self.connection.close().await;
    }
}
