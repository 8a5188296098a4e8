//! The two streams to a peer and its process, if the judge started it.

use attache_host::{Child, Exit, Launch, StartError, StopPatience};
use attache_protocol::method::Side;
use serde_json::Value;
use std::fmt;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};

/// The number of characters of stderr that are quoted.
const LAST_WORDS: usize = 300;

/// How an agent is stopped between probes: at once, because its work does not matter.
const STOP: StopPatience = StopPatience {
    after_stdin: Duration::from_millis(500),
    after_terminate: Duration::from_millis(500),
};

/// The connection to a peer. Dropping it kills the process that [`Link::start`] started, and all of
/// its descendants.
pub struct Link {
    pub(super) output: Box<dyn AsyncRead + Send + Unpin>,
    pub(super) input: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    process: Option<Child>,
    /// The data of a login, if the program was started for a login and not for a conversation.
    login: Option<Value>,
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").field("process", &self.process).finish_non_exhaustive()
    }
}

impl Link {
    /// Starts an agent as a process, whose stderr is always read.
    ///
    /// # Errors
    /// Returns an error if the process cannot be started.
    pub fn start(launch: Launch) -> Result<Self, StartError> {
        let mut child = launch.start()?;
        let (output, input) = (child.take_stdout(), child.take_stdin());
        Ok(Self {
            output: output
                .map_or_else(|| Box::new(tokio::io::empty()) as _, |output| Box::new(output) as _),
            input: input.map(|input| Box::new(input) as _),
            process: Some(child),
            login: None,
        })
    }

    /// Connects over two streams: the output and the input of the peer.
    pub fn over(
        output: impl AsyncRead + Send + Unpin + 'static,
        input: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        Self { output: Box::new(output), input: Some(Box::new(input)), process: None, login: None }
    }

    /// Marks this as the connection to an agent's program that a client started for a login, not
    /// for a conversation. `login` has the `arguments` that the client added and the `environment`
    /// that it set. The program ends when its input ends, with the exit code that it receives.
    #[must_use]
    pub fn logging_in(mut self, login: Value) -> Self {
        self.login = Some(login);
        self
    }

    /// Ends a login program with this exit code and returns the data of the login.
    pub(crate) async fn logged_in(mut self, exit: u8) -> Option<Value> {
        let mut input = self.input.take()?;
        let said = input.write_all(format!("{exit}\n").as_bytes()).await;
        let ended = input.shutdown().await;
        self.login.take().filter(|_| said.is_ok() && ended.is_ok())
    }

    /// Whether the process has ended. Returns `true` if there is no process.
    pub(super) fn has_exited(&self) -> bool {
        self.process.as_ref().is_none_or(|process| process.try_exit().is_some())
    }

    /// Returns how the process ended, if it has.
    pub(super) fn exit(&self) -> Option<Exit> {
        self.process.as_ref()?.try_exit()
    }

    /// Returns the resident memory of the process in bytes, including shared pages. Linux only.
    pub(super) fn memory(&self) -> Option<u64> {
        let process = self.process.as_ref()?;
        let status = std::fs::read_to_string(format!("/proc/{}/status", process.pid())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
    }

    pub(super) fn kill(&mut self) {
        self.input = None;
        if let Some(process) = &self.process {
            process.kill();
        }
    }

    pub(super) async fn stop(&mut self) {
        self.input = None;
        if let Some(process) = &mut self.process {
            process.stop(STOP).await;
        }
    }

    /// Describes why the peer's output ended: how the process exited, if it exited within
    /// `patience`, and the end of its stderr.
    pub(super) async fn how_it_ended(&mut self, peer: Side, patience: Duration) -> String {
        let peer = peer.as_str();
        let Some(process) = &self.process else {
            return format!("the {peer} closed the connection");
        };
        let how = match tokio::time::timeout(patience, process.wait()).await {
            Ok(exit) => format!("the {peer} ended ({exit})"),
            Err(_) => format!("the {peer} closed its output but still runs"),
        };
        let stderr = process.stderr_tail();
        let said = stderr.trim_end();
        let cut = said.chars().count().saturating_sub(LAST_WORDS);
        let last: String = said.chars().skip(cut).collect();
        if last.is_empty() { how } else { format!("{how}; its last output: {last}") }
    }
}
