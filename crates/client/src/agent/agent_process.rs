//! An agent as a child process.

use super::login_environment;
use crate::agent::agent_connection::AgentConnection;
use crate::agent::evidence::Evidence;
use crate::agent::options::Options;
use crate::agent::start_error::StartError;
use crate::catalogue::known_agents::KnownAgent;
use attache_connection::transport::LineTransport;
use attache_host::{Child, Exit, Launch, StopPatience};
use std::io;
use std::ops::Deref;
use std::path::Path;
use tokio::io::{AsyncRead, AsyncWrite};

/// An agent as a child process, with the handshake done. It derefs to its [`AgentConnection`].
/// Dropping this kills the agent and everything it started. [`AgentProcess::stop`] first lets the
/// agent end by itself. If the current process dies, for any reason, the agent's process tree dies
/// too.
#[derive(Debug)]
pub struct AgentProcess {
    // Declared before the child and so dropped first: the connection then ends because it was
    // closed, and not because the agent was killed.
    connection: AgentConnection,
    child: Child,
}

impl AgentProcess {
    /// Starts a command line such as `gemini --acp` (parsed without a shell, see [`Launch::parse`])
    /// and performs the handshake within 30 s. Must be called inside a tokio runtime with I/O and
    /// time enabled.
    ///
    /// # Errors
    /// Returns a [`StartError`] if the agent does not start. No process is left behind then.
    pub async fn start(command_line: &str) -> Result<Self, StartError> {
        Self::launch(Launch::parse(command_line)?).await
    }

    /// Starts a program with the arguments, environment and folder of `launch`.
    pub async fn launch(launch: Launch) -> Result<Self, StartError> {
        Self::launch_with(launch, Options::default()).await
    }

    /// Starts a program with options other than the defaults.
    ///
    /// If the program is not in the `PATH` of this process, it is looked up in the `PATH` of the
    /// person's login shell (`SHELL`), which is run once, for at most 5 s. The program then also
    /// gets the variables of that shell that are not set in this process.
    pub async fn launch_with(launch: Launch, options: Options) -> Result<Self, StartError> {
        let known = KnownAgent::with_program(Path::new(launch.program()));
        let misreads = known.is_some_and(|known| known.misreads_missing_files);
        let options = if misreads && options.unsaved_text.is_none() {
            options.without_reading()
        } else {
            options
        };
        let program =
            Path::new(launch.program()).file_name().map(|name| name.to_string_lossy().into_owned());
        let (child, input, output) = start(launch).await?;
        let watch = child.watch();
        let transport = LineTransport::new(input, output);
        let connection =
            AgentConnection::with_child(transport, options, Some(&watch), program.as_deref())
                .await?;
        Ok(Self { connection, child })
    }

    /// The process id, for display and logs. The system may reuse it once the agent has ended.
    pub fn pid(&self) -> u32 {
        self.child.pid()
    }

    /// The evidence about the process: its exit and its output.
    pub fn evidence(&self) -> Evidence {
        Evidence::of(Some(&self.child.watch()), self.connection.stray_output())
    }

    /// Ends the connection and then the process: closes its stdin, then asks it to terminate, then
    /// kills it and everything it started. Each step takes at most as long as the default
    /// [`StopPatience`] allows.
    pub async fn stop(mut self) -> Exit {
        self.connection.close().await;
        self.child.stop(StopPatience::default()).await
    }
}

/// Starts a program, and returns its process, its stdout and its stdin.
pub(super) async fn start(
    launch: Launch,
) -> Result<(Child, impl AsyncRead + Send + 'static, impl AsyncWrite + Send + 'static), StartError>
{
    let mut child = login_environment::equipped(launch).await.start()?;
    let (Some(input), Some(output)) = (child.take_stdout(), child.take_stdin()) else {
        let missing = io::Error::other("the child has no pipes");
        return Err(StartError::Program(attache_host::StartError::Other {
            program: "the agent".into(),
            source: missing,
        }));
    };
    Ok((child, input, output))
}

impl AgentProcess {
    /// Splits into the connection and the process. The process must outlive the connection.
    pub(crate) fn into_parts(self) -> (AgentConnection, Child) {
        (self.connection, self.child)
    }
}

impl Deref for AgentProcess {
    type Target = AgentConnection;

    fn deref(&self) -> &AgentConnection {
        &self.connection
    }
}
