//! A program with three pipes, such as an agent.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::JoinSet;

use crate::launch::Launch;
use crate::launch::start_error::StartError;
use crate::process::exit::Exit;
use crate::process::exit_watch::ExitWatch;
use crate::process::stderr::Stderr;
use crate::process::system::output::Output;
use crate::process::system::pipes::{self, InputPipe, OutputPipe};
use crate::process::system::tree::Tree;

/// A program started by [`Launch::start`], with its whole process tree.
///
/// Dropping it kills the tree. The drop does not wait; the tree is gone some milliseconds later,
/// with or without a runtime. If this process dies in any way, the tree dies too.
#[derive(Debug)]
pub struct Child {
    stdin: Option<InputPipe>,
    stdout: Option<OutputPipe>,
    tree: Tree,
    watch: ChildWatch,
    /// The task that reads stderr. It ends with the child.
    _tasks: JoinSet<()>,
}

/// A handle that reports how a [`Child`] ended and what it last wrote to stderr. Cheap to clone. It
/// outlives the child and does not keep it alive.
#[derive(Debug, Clone)]
pub struct ChildWatch {
    end: ExitWatch,
    stderr: Arc<Stderr>,
}

/// How long [`Child::stop`] waits after each step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopPatience {
    /// After stdin is closed. Default: 1 s.
    pub after_stdin: Duration,
    /// After `SIGTERM`. Default: 2 s. Not used on Windows.
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
    /// Starts the program with pipes for stdin, stdout and stderr, and no other descriptors. It has
    /// a process group and session of its own, so it has no terminal, and its signal dispositions
    /// are the defaults. On Windows it has an invisible console of its own, and inherits the three
    /// pipes and any handle that other code of this process made inheritable.
    ///
    /// Call it inside a tokio runtime with I/O enabled ([`Child::stop`] also needs time). It blocks
    /// until the system has found and started the program, about a millisecond.
    pub fn start(mut self) -> Result<Child, StartError> {
        let runtime = Handle::try_current().map_err(|_| StartError::NoRuntime)?;
        StartError::check_folder(&self)?;
        let failed = |error| StartError::new(&self, error);
        let other = |source| StartError::Other { program: self.program().into(), source };

        let stdio = |command: &mut Command| {
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        };
        let (tree, ends) = Tree::start(&self, stdio).map_err(failed)?;
        let stdin = ends.stdin.map(pipes::input).transpose().map_err(other)?;
        let stdout = ends.stdout.map(pipes::output).transpose().map_err(other)?;
        let stderr_pipe = ends.stderr.map(pipes::errors).transpose().map_err(other)?;

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

impl Child {
    /// Takes the writing end of the program's stdin. Returns `None` the second time. Dropping it
    /// ends the program's input.
    pub fn take_stdin(&mut self) -> Option<InputPipe> {
        self.stdin.take()
    }

    /// Takes the reading end of the program's stdout. Returns `None` the second time.
    pub fn take_stdout(&mut self) -> Option<OutputPipe> {
        self.stdout.take()
    }

    /// The program's process id, for messages and logs. Do not signal it: once the program has
    /// ended, the system may reuse the number.
    pub fn pid(&self) -> u32 {
        self.tree.pid()
    }

    /// Returns a handle that reports how the program ended and what it last wrote to stderr.
    pub fn watch(&self) -> ChildWatch {
        self.watch.clone()
    }

    /// Returns how the program ended, once its whole tree is gone.
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

    /// Stops the program step by step until it and its tree are gone: close stdin, wait, send
    /// `SIGTERM` to its process group, wait, kill the whole tree. Windows has no such signal, so
    /// the tree is killed after the first wait.
    ///
    /// Stdin is closed here only if it was not taken; otherwise drop it first. Dropping the future
    /// stops at the current step: the child stays usable, and dropping the child still kills the
    /// tree.
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

    /// Sends `SIGINT` to its process group, like Ctrl-C at a terminal. On Windows this kills the
    /// whole tree, because a program without our console cannot receive Ctrl-C.
    pub fn interrupt(&self) {
        self.tree.interrupt();
    }

    /// Kills the whole tree. Returns at once; [`Child::wait`] returns when the tree is gone.
    pub fn kill(&self) {
        self.tree.kill();
    }
}

async fn within(patience: Duration, exit: impl Future<Output = Exit>) -> Option<Exit> {
    tokio::time::timeout(patience, exit).await.ok()
}

impl ChildWatch {
    /// Returns how the program ended, once its whole tree is gone.
    pub fn exit(&self) -> Option<Exit> {
        self.end.exit()
    }

    /// Waits until the program has ended, its whole tree is gone and its stderr is read to the end.
    /// Cancel-safe, for any number of callers.
    pub async fn wait(&self) -> Exit {
        let exit = self.end.wait().await;
        self.stderr.drained().await;
        exit
    }

    /// The last 64 KiB of stderr, from the start of a character. Invalid UTF-8 becomes U+FFFD.
    pub fn stderr_tail(&self) -> String {
        self.stderr.text()
    }
}
