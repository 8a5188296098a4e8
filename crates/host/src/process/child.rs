//! A program with three pipes, such as an agent: started, watched, stopped step by step.

use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::unix::pipe;
use tokio::runtime::Handle;
use tokio::task::JoinSet;

use crate::launch::Launch;
use crate::launch::start_error::StartError;
use crate::process::exit::Exit;
use crate::process::output::Output;
use crate::process::stderr::Stderr;
use crate::process::tree::{End, Tree};

/// What is asked of the system as size of the stdin and stdout pipes: big messages then go through
/// in a few wake-ups.
#[cfg(target_os = "linux")]
const PIPE_SIZE: libc::c_int = 1024 * 1024;

/// A program started by [`Launch::start`], with its whole process tree.
///
/// Dropping it kills the tree: asked for at once, without waiting, and complete some milliseconds
/// later, runtime or not. Should this process die, however it dies, the tree dies too.
#[derive(Debug)]
pub struct Child {
    stdin: Option<pipe::Sender>,
    stdout: Option<pipe::Receiver>,
    tree: Tree,
    watch: ChildWatch,
    /// The drain of stderr; ends with the child.
    _tasks: JoinSet<()>,
}

/// Tells how a [`Child`] ended and what it last wrote to stderr. Cheap to clone, outlives the
/// child, keeps nothing alive.
#[derive(Debug, Clone)]
pub struct ChildWatch {
    end: End,
    stderr: Arc<Stderr>,
}

/// How long [`Child::stop`] waits after each step before it takes the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopPatience {
    /// After stdin is closed. Default: 1 s.
    pub after_stdin: Duration,
    /// After the group is asked to terminate. Default: 2 s.
    pub after_terminate: Duration,
}

impl Default for StopPatience {
    fn default() -> StopPatience {
        StopPatience {
            after_stdin: Duration::from_secs(1),
            after_terminate: Duration::from_secs(2),
        }
    }
}

impl Launch {
    /// Starts the program with pipes for stdin, stdout and stderr, in a process group and session
    /// of its own and so without a terminal, with default signal dispositions and no other
    /// descriptor than the three.
    ///
    /// Call it inside a tokio runtime with I/O enabled ([`Child::stop`] needs time enabled too). It
    /// blocks until the system has found and begun the program, about a millisecond.
    pub fn start(mut self) -> Result<Child, StartError> {
        let runtime = Handle::try_current().map_err(|_| StartError::NoRuntime)?;
        StartError::check_folder(&self)?;
        let failed = |error| StartError::new(&self, error);
        let other = |source| StartError::Other { program: self.program().into(), source };

        let stdio = |command: &mut Command| {
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        };
        let (tree, pipes) = Tree::start(&self, stdio).map_err(failed)?;
        let stdin = pipes
            .stdin
            .map(|end| pipe::Sender::from_owned_fd(enlarge(end)))
            .transpose()
            .map_err(other)?;
        let stdout = pipes
            .stdout
            .map(|end| pipe::Receiver::from_owned_fd(enlarge(end)))
            .transpose()
            .map_err(other)?;
        let stderr_pipe = pipes
            .stderr
            .map(|end| pipe::Receiver::from_owned_fd(end.into()))
            .transpose()
            .map_err(other)?;

        let watch = ChildWatch { end: tree.end().clone(), stderr: Arc::new(Stderr::new()) };
        let mut tasks = JoinSet::new();
        if let Some(pipe) = stderr_pipe {
            let output = Output::new(pipe, watch.end.clone());
            let (stderr, hook) = (watch.stderr.clone(), self.stderr_hook.take());
            tasks.spawn_on(async move { stderr.drain(output, hook).await }, &runtime);
        }
        Ok(Child { stdin, stdout, tree, watch, _tasks: tasks })
    }
}

/// A pipe's end with room for 1 MiB if the system (Linux) grants it. A refusal costs only speed.
fn enlarge(end: impl Into<OwnedFd>) -> OwnedFd {
    let end = end.into();
    #[cfg(target_os = "linux")]
    // SAFETY: the descriptor is open and owned by `end`.
    unsafe {
        libc::fcntl(std::os::fd::AsRawFd::as_raw_fd(&end), libc::F_SETPIPE_SZ, PIPE_SIZE);
    }
    end
}

impl Child {
    /// The writing end of the program's stdin, once. Dropping it is the program's end of input.
    pub fn take_stdin(&mut self) -> Option<pipe::Sender> {
        self.stdin.take()
    }

    /// The reading end of the program's stdout, once.
    pub fn take_stdout(&mut self) -> Option<pipe::Receiver> {
        self.stdout.take()
    }

    /// The program's process id, for people and logs. Do not signal it: once the program has ended
    /// the system may give its number to another.
    pub fn pid(&self) -> u32 {
        self.tree.pid()
    }

    /// A handle that tells the same about the end and stderr, for those who do not own the child.
    pub fn watch(&self) -> ChildWatch {
        self.watch.clone()
    }

    /// How the program ended, if it has and its tree is gone.
    pub fn try_exit(&self) -> Option<Exit> {
        self.watch.exit()
    }

    /// See [`ChildWatch::wait`].
    pub async fn wait(&self) -> Exit {
        self.watch.wait().await
    }

    /// See [`ChildWatch::stderr_tail`].
    pub fn stderr_tail(&self) -> String {
        self.watch.stderr_tail()
    }

    /// Stops the program step by step, and ends as soon as it and its tree are gone: close stdin;
    /// wait; send `SIGTERM` to its process group; wait; kill the whole tree.
    ///
    /// Stdin is closed here only if it was not taken: who took it drops it before. Dropping the
    /// future leaves off at the step reached; the child stays usable and dropping it still kills
    /// the tree.
    pub async fn stop(&mut self, patience: StopPatience) -> Exit {
        drop(self.stdin.take());
        if let Some(exit) = within(patience.after_stdin, self.watch.wait()).await {
            return exit;
        }
        self.tree.terminate();
        if let Some(exit) = within(patience.after_terminate, self.watch.wait()).await {
            return exit;
        }
        self.kill();
        self.watch.wait().await
    }

    /// Sends `SIGINT` to its process group, as a terminal does for Ctrl-C. Whether it ends is up to
    /// it.
    pub fn interrupt(&self) {
        self.tree.interrupt();
    }

    /// Kills the whole tree. Returns at once; [`Child::wait`] tells when it is gone.
    pub fn kill(&self) {
        self.tree.kill();
    }
}

async fn within(patience: Duration, exit: impl Future<Output = Exit>) -> Option<Exit> {
    tokio::time::timeout(patience, exit).await.ok()
}

impl ChildWatch {
    /// How the program ended, if it has and its tree is gone.
    pub fn exit(&self) -> Option<Exit> {
        self.end.exit()
    }

    /// Waits until the program has ended, its whole tree is gone and its stderr is read to the end.
    /// Cancel-safe, for any number of waiters.
    pub async fn wait(&self) -> Exit {
        let exit = self.end.wait().await;
        self.stderr.drained().await;
        exit
    }

    /// The last 64 KiB of stderr, beginning at a character; bytes that are not UTF-8 read as
    /// U+FFFD.
    pub fn stderr_tail(&self) -> String {
        self.stderr.text()
    }
}
