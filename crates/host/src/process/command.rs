//! A command that is run for its output: stdout and stderr are one stream, and it may have a
//! deadline.

use std::process::{self, Stdio};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::Instant;

use crate::launch::Launch;
use crate::launch::start_error::StartError;
use crate::process::exit::Exit;
use crate::process::system::output::Output;
use crate::process::system::pipes::{self, OutputPipe};
use crate::process::system::tree::Tree;

/// A command started by [`Launch::run`] or [`Launch::run_in_terminal`]. [`Command::chunk`] reads
/// its output, so memory stays bounded, and a command that writes faster waits.
///
/// Dropping it kills the whole tree, as with [`crate::Child`]. Cancel a command by dropping it.
///
/// ```
/// # async fn example() -> Result<(), attache_host::StartError> {
/// use attache_host::{Bounded, Launch};
///
/// let mut command = Launch::shell("cargo test").cwd("/a/project").run()?;
/// command.deadline(std::time::Duration::from_secs(600));
/// let mut output = Bounded::new(32 * 1024);
/// while let Some(chunk) = command.chunk().await {
///     output.push(chunk);
/// }
/// let exit = command.wait().await;
/// println!("{}\n{exit}{}", output.text(), if command.timed_out() { " after ten minutes" } else { "" });
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Command {
    output: Output,
    buffer: Box<[u8]>,
    tree: Tree,
    deadline: Option<Instant>,
    timed_out: bool,
    /// Whether there is no more output.
    drained: bool,
}

impl Launch {
    /// Starts the program with an empty stdin, and stdout and stderr merged into one stream. What
    /// [`Launch::start`] says about the process group, the session, the descriptors and the runtime
    /// also applies here. A deadline also needs a runtime with time enabled.
    pub fn run(self) -> Result<Command, StartError> {
        Handle::try_current().map_err(|_| StartError::NoRuntime)?;
        StartError::check_folder(&self)?;
        let other = |source| StartError::Other { program: self.program().into(), source };
        let (output, [stdout, stderr]) = pipes::merged().map_err(other)?;
        let stdio = |command: &mut process::Command| {
            command.stdin(Stdio::null()).stdout(stdout).stderr(stderr);
        };
        Command::start(&self, output, stdio)
    }

    /// Starts the program in a pseudo terminal with this many rows and columns, which is its stdin,
    /// its stdout, its stderr and its controlling terminal. The output contains the program's
    /// control sequences. The program never receives any input. Otherwise it is like
    /// [`Launch::run`].
    ///
    /// # Errors
    /// On Windows this always fails, because it has no pseudo terminals of this kind.
    pub fn run_in_terminal(mut self, rows: u16, columns: u16) -> Result<Command, StartError> {
        Handle::try_current().map_err(|_| StartError::NoRuntime)?;
        StartError::check_folder(&self)?;
        let other = |source| StartError::Other { program: self.program().into(), source };
        let (output, [stdin, stdout, stderr]) = pipes::terminal(rows, columns).map_err(other)?;
        self.in_terminal = true;
        let stdio = |command: &mut process::Command| {
            command.stdin(stdin).stdout(stdout).stderr(stderr);
        };
        Command::start(&self, output, stdio)
    }
}

impl Command {
    fn start(
        launch: &Launch,
        output: OutputPipe,
        stdio: impl FnOnce(&mut process::Command),
    ) -> Result<Command, StartError> {
        let (tree, _) =
            Tree::start(launch, stdio).map_err(|error| StartError::new(launch, error))?;
        let output = Output::new(output, tree.end().clone());
        let buffer = vec![0; 64 * 1024].into_boxed_slice();
        Ok(Command { output, buffer, tree, deadline: None, timed_out: false, drained: false })
    }

    /// Kills the tree if it has not ended after this time. The deadline takes effect while
    /// [`Command::chunk`] or [`Command::wait`] is awaited.
    pub fn deadline(&mut self, from_now: Duration) {
        self.deadline = Instant::now().checked_add(from_now);
    }

    /// Returns the next chunk of output, at most 64 KiB, or `None` once the program has ended, its
    /// tree is gone and all output was returned. Cancel-safe.
    ///
    /// When the program ends, its descendants are killed, so a descendant that still holds the
    /// stream open does not block the reader. If a program closes its output and keeps running, its
    /// end is waited for.
    pub async fn chunk(&mut self) -> Option<&[u8]> {
        let count = self.read().await?;
        self.buffer.get(..count)
    }

    /// Waits for the end and discards the remaining output. Cancel-safe.
    pub async fn wait(&mut self) -> Exit {
        while self.read().await.is_some() {}
        self.tree.end().wait().await
    }

    /// Kills the whole tree. Returns at once. Earlier output can still be read.
    pub fn kill(&self) {
        self.tree.kill();
    }

    /// Returns whether the deadline ended the command.
    pub fn timed_out(&self) -> bool {
        self.timed_out
    }

    /// Returns how the program ended, once its whole tree is gone.
    pub fn try_exit(&self) -> Option<Exit> {
        self.tree.end().exit()
    }

    /// The program's process id, for messages and logs; see [`crate::Child::pid`].
    pub fn pid(&self) -> u32 {
        self.tree.pid()
    }

    /// Reads into the buffer. Returns `None` when there is no more output and the tree is gone.
    async fn read(&mut self) -> Option<usize> {
        loop {
            self.observe_deadline();
            if self.drained {
                if within(self.deadline, self.tree.end().wait()).await.is_some() {
                    return None;
                }
                continue;
            }
            match within(self.deadline, self.output.read(&mut self.buffer)).await {
                Some(Some(count)) => return Some(count),
                Some(None) => self.drained = true,
                None => {}
            }
        }
    }

    fn observe_deadline(&mut self) {
        if self.deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            self.deadline = None;
            self.timed_out = self.try_exit().is_none();
            self.tree.kill();
        }
    }
}

/// Waits for the event, but at most until the deadline.
async fn within<T>(deadline: Option<Instant>, event: impl Future<Output = T>) -> Option<T> {
    match deadline {
        Some(deadline) => tokio::time::timeout_at(deadline, event).await.ok(),
        None => Some(event.await),
    }
}
