//! Running a command for a tool: through the client if it has terminals, else on this machine.

use crate::{Result, ToolCallHandle, Turn};
use attache_protocol::Secret;
use std::path::PathBuf;
use std::time::Duration;

/// The default limit of kept output, in bytes.
const OUTPUT: usize = 32 * 1024;

/// A command for [`Turn::run`].
#[derive(Debug, Clone)]
pub struct Command {
    pub(crate) program: String,
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(String, Secret)>,
    pub(crate) cwd: PathBuf,
    pub(crate) output_limit: usize,
    pub(crate) time: Option<Duration>,
}

impl Command {
    /// Creates a command that runs a program in the working directory of the session, without
    /// arguments and without a time limit.
    pub fn new(program: impl Into<String>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            cwd: PathBuf::from("."),
            output_limit: OUTPUT,
            time: None,
        }
    }

    /// Creates a command that runs a command line in `/bin/sh -c`.
    pub fn shell(line: impl Into<String>) -> Self {
        Self::new("/bin/sh").arg("-c").arg(line)
    }

    /// Adds an argument, which is passed unchanged.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Sets an environment variable. The value may be secret.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<Secret>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Sets the working directory, which must be inside the session's roots. A relative path starts
    /// at the working directory of the session.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = cwd.into();
        self
    }

    /// Sets how many bytes of output are kept; the default is 32 KiB. A client's terminal keeps the
    /// end; this machine keeps half from the start and half from the end.
    #[must_use]
    pub fn output_limit(mut self, bytes: usize) -> Self {
        self.output_limit = bytes;
        self
    }

    /// Sets a time limit, after which the command is killed.
    #[must_use]
    pub fn time(mut self, time: Duration) -> Self {
        self.time = Some(time);
        self
    }
}

/// The result of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandOutput {
    /// The kept part of stdout and stderr, in the order written.
    pub output: String,
    /// Whether part of the output is missing.
    pub truncated: bool,
    /// The exit code, if the command ended by itself and the code is known.
    // TERM-16.
    pub exit_code: Option<u32>,
    /// The name of the signal that killed the command.
    pub signal: Option<String>,
    /// Whether the command was killed because of its time limit.
    pub timed_out: bool,
}

impl CommandOutput {
    /// Returns whether the command ended by itself with code 0.
    pub fn success(&self) -> bool {
        self.exit_code == Some(0) && !self.timed_out
    }
}

impl Turn {
    /// Runs a command to its end: in a terminal of the client if it has terminals, else, with the
    /// feature `host`, on this machine. While it runs, `call` shows its output after its other
    /// content. When the turn is cancelled or this future is dropped, the command is killed; on
    /// this machine, so are all processes that it started.
    ///
    /// # Errors
    /// Returns [`Error::Client`](crate::Error::Client) if the client refuses, or if it has no
    /// terminals and the feature is off; [`Error::Invalid`](crate::Error::Invalid) if the working
    /// directory is outside of the session's roots; [`Error::Failed`](crate::Error::Failed) if the
    /// command cannot be started on this machine; or the same errors as [`Turn::say`]. A command
    /// that fails is not an error here.
    pub async fn run(
        &self,
        command: &Command,
        call: Option<&mut ToolCallHandle>,
    ) -> Result<CommandOutput> {
        #[cfg(feature = "host")]
        if !self.client_has_terminals() {
            return self.run_here(command, call).await;
        }
        self.run_there(command, call).await
    }

    async fn run_there(
        &self,
        command: &Command,
        call: Option<&mut ToolCallHandle>,
    ) -> Result<CommandOutput> {
        let mut new =
            self.terminal(command.program.as_str()).args(command.args.iter().map(String::as_str));
        for (name, value) in &command.env {
            new = new.env(name.as_str(), value.clone());
        }
        let limit = u64::try_from(command.output_limit).unwrap_or(u64::MAX);
        let terminal = new.cwd(&command.cwd).output_limit(limit).create().await?;
        if let Some(call) = call {
            call.content(terminal.content()).await?;
        }
        let exit = match command.time {
            None => Some(terminal.wait().await?),
            Some(time) => tokio::time::timeout(time, terminal.wait()).await.ok().transpose()?,
        };
        let timed_out = exit.is_none();
        if timed_out {
            terminal.kill().await?;
        }
        let output = terminal.output().await?;
        terminal.release();
        let exit = exit.or(output.exit_status);
        Ok(CommandOutput {
            output: output.output,
            truncated: output.truncated,
            exit_code: exit.as_ref().and_then(|exit| exit.exit_code),
            signal: exit.and_then(|exit| exit.signal),
            timed_out,
        })
    }
}
