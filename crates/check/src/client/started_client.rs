//! A client that was started for a task: the connections to its agent, its output and its exit.

use crate::{Link, RelayListener};
use attache_host::{Bounded, Child, Exit, Launch, StartError, StopPatience};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinSet;

/// How many bytes are kept of a client's stdout, and of its stderr.
const KEPT: usize = 1024 * 1024;

/// The maximum size of one read, in bytes.
const CHUNK: usize = 64 * 1024;

/// The time limits for stopping a client. They are short, because the client has nothing to save.
const STOP: StopPatience = StopPatience {
    after_stdin: Duration::from_millis(200),
    after_terminate: Duration::from_millis(500),
};

/// A client that was started for a task. Dropping it kills it and all processes that it started.
///
/// Its output is always read, so that the client never blocks. Only the first and the last 512 KiB
/// of stdout and of stderr are kept.
pub struct StartedClient {
    body: Body,
    connections: Connections,
    printed: Arc<Printed>,
    /// The tasks that read the client's output, aborted when this value is dropped.
    _readers: JoinSet<()>,
}

/// How the client runs.
enum Body {
    Process(Child),
    /// The client runs in this process and receives interrupts on this channel.
    Memory(mpsc::Sender<()>),
    /// A person runs the client: the judge neither starts nor ends it.
    Elsewhere(Operator),
}

/// A person who runs the client and performs its tasks by hand.
#[derive(Debug, Clone)]
pub struct Operator {
    /// The listener for the program that the client starts as its agent. It is the same for every
    /// task.
    pub listener: Arc<RelayListener>,
    /// How long the person may take for a task.
    pub patience: Duration,
    /// Notified when the person skips a task.
    pub passes: Arc<Notify>,
}

enum Connections {
    RelayListener(Arc<RelayListener>),
    Given(mpsc::Receiver<Link>),
}

/// The output of a client so far.
#[derive(Debug)]
struct Printed {
    stdout: Mutex<Bounded>,
    stderr: Mutex<Bounded>,
    /// The number of chunks read so far, and whether stdout has ended.
    news: watch::Sender<(u64, bool)>,
}

/// The output and the exit of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientOutput {
    /// The exit status; `None` if the judge stopped the client, or if the judge did not start it as
    /// a process.
    pub exit: Option<Exit>,
    /// Whether the client ended without being stopped by the judge.
    pub by_itself: bool,
    /// The contents of stdout; the middle is left out if it is long.
    pub stdout: String,
    /// The contents of stderr; the middle is left out if it is long.
    pub stderr: String,
}

impl ClientOutput {
    /// Whether the client printed this text.
    pub fn shows(&self, text: &str) -> bool {
        self.stdout.contains(text) || self.stderr.contains(text)
    }
}

impl fmt::Debug for StartedClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StartedClient").field("printed", &self.printed).finish_non_exhaustive()
    }
}

impl StartedClient {
    /// Starts a client whose agents connect to this listener.
    ///
    /// # Errors
    /// Returns an error if the client cannot be started.
    pub fn start(launch: Launch, listener: RelayListener) -> Result<Self, StartError> {
        let printed = Arc::new(Printed::new());
        let stderr = printed.clone();
        let mut child =
            launch.on_stderr(move |bytes| stderr.push(&stderr.stderr, bytes)).start()?;
        // Close the client's stdin.
        drop(child.take_stdin());
        let mut readers = JoinSet::new();
        if let Some(stdout) = child.take_stdout() {
            readers.spawn(printed.clone().read(stdout));
        }
        let connections = Connections::RelayListener(Arc::new(listener));
        Ok(Self { body: Body::Process(child), connections, printed, _readers: readers })
    }

    /// Creates a client that runs in this process, from the connections to its agent, its stdout,
    /// and a channel for interrupts. The client counts as ended when its stdout ends.
    pub fn in_memory(
        connections: mpsc::Receiver<Link>,
        stdout: impl AsyncRead + Send + Unpin + 'static,
        interrupt: mpsc::Sender<()>,
    ) -> Self {
        let printed = Arc::new(Printed::new());
        let mut readers = JoinSet::new();
        readers.spawn(printed.clone().read(stdout));
        let connections = Connections::Given(connections);
        Self { body: Body::Memory(interrupt), connections, printed, _readers: readers }
    }

    /// Creates a client that a person runs by hand. The judge neither sees its output nor ends it.
    pub fn by_hand(person: Operator) -> Self {
        let printed = Arc::new(Printed::new());
        let connections = Connections::RelayListener(person.listener.clone());
        Self { body: Body::Elsewhere(person), connections, printed, _readers: JoinSet::new() }
    }

    /// Returns how long to wait for the client's next step in a task: `patience`, or longer if a
    /// person performs the task.
    pub(crate) fn task_patience(&self, patience: Duration) -> Duration {
        match &self.body {
            Body::Elsewhere(person) => patience.max(person.patience),
            _ => patience,
        }
    }

    /// Waits until the person who runs the client skips the task. Never returns for a client that
    /// no person runs.
    pub(crate) async fn is_skipped(&self) {
        match &self.body {
            Body::Elsewhere(person) => person.passes.notified().await,
            _ => std::future::pending().await,
        }
    }

    /// Waits for the next connection. Returns `None` if the client ends, the person skips the task,
    /// or the time elapses first.
    pub(crate) async fn next(&mut self, patience: Duration) -> Option<Link> {
        let Self { body, connections, printed, .. } = self;
        let next = async {
            match connections {
                Connections::RelayListener(listener) => listener.next().await.ok(),
                Connections::Given(links) => links.recv().await,
            }
        };
        let gone = async {
            match body {
                Body::Process(child) => drop(child.wait().await),
                Body::Memory(_) => printed.ended().await,
                Body::Elsewhere(person) => person.passes.notified().await,
            }
        };
        let either = async {
            tokio::select! {
                biased;
                link = next => link,
                () = gone => None,
            }
        };
        tokio::time::timeout(patience, either).await.ok().flatten()
    }

    /// Interrupts the client, as Ctrl-C in a terminal does. Returns `false` if that is impossible.
    pub(crate) fn interrupt(&self) -> bool {
        match &self.body {
            Body::Process(child) => {
                child.interrupt();
                true
            }
            Body::Memory(interrupt) => interrupt.try_send(()).is_ok(),
            Body::Elsewhere(_) => false,
        }
    }

    /// Whether the judge sees the client's output. It does not if a person runs the client.
    pub(crate) fn is_seen(&self) -> bool {
        !matches!(self.body, Body::Elsewhere(_))
    }

    /// Waits until the client has printed this text. Returns `false` if it does not do so in this
    /// time, or its stdout ends first.
    pub(crate) async fn prints(&self, text: &str, patience: Duration) -> bool {
        let mut news = self.printed.news.subscribe();
        let printed = async {
            loop {
                let (_, has_ended) = *news.borrow_and_update();
                if self.printed.left(None, false).shows(text) {
                    return true;
                }
                if has_ended || news.changed().await.is_err() {
                    return false;
                }
            }
        };
        tokio::time::timeout(patience, printed).await.unwrap_or(false)
    }

    /// Returns the exit status if the judge started the client as a process and it has exited.
    pub(crate) fn exit(&self) -> Option<Exit> {
        match &self.body {
            Body::Process(child) => child.try_exit(),
            Body::Memory(_) | Body::Elsewhere(_) => None,
        }
    }

    /// Returns the output of the client so far.
    pub(crate) fn printed(&self) -> ClientOutput {
        self.printed.left(None, false)
    }

    /// Waits until the client exits, and stops it if it has not done so in this time. All its
    /// processes have exited when this returns.
    pub(crate) async fn ended(&mut self, patience: Duration) -> ClientOutput {
        match &mut self.body {
            Body::Process(child) => {
                let exit = tokio::time::timeout(patience, child.wait()).await.ok();
                if exit.is_none() {
                    child.stop(STOP).await;
                }
                // Read the output to its end, which comes soon: every process that held the pipe
                // has been killed.
                let _late = tokio::time::timeout(STOP.after_terminate, self.printed.ended()).await;
                self.printed.left(exit, exit.is_some())
            }
            Body::Memory(_) => {
                let ended = tokio::time::timeout(patience, self.printed.ended()).await.is_ok();
                self.printed.left(None, ended)
            }
            Body::Elsewhere(_) => self.printed.left(None, false),
        }
    }

    /// Stops the client and all processes that it started.
    pub(crate) async fn stop(&mut self) -> ClientOutput {
        self.ended(Duration::ZERO).await
    }
}

impl Printed {
    fn new() -> Self {
        let bounded = || Mutex::new(Bounded::new(KEPT));
        Self { stdout: bounded(), stderr: bounded(), news: watch::Sender::new((0, false)) }
    }

    fn push(&self, stream: &Mutex<Bounded>, bytes: &[u8]) {
        locked(stream).push(bytes);
        self.news.send_modify(|(pieces, _)| *pieces = pieces.wrapping_add(1));
    }

    /// Reads stdout to its end.
    async fn read(self: Arc<Self>, mut stdout: impl AsyncRead + Unpin) {
        let mut chunk = vec![0; CHUNK];
        while let Ok(count @ 1..) = stdout.read(&mut chunk).await {
            self.push(&self.stdout, chunk.get(..count).unwrap_or_default());
        }
        self.news.send_modify(|(_, has_ended)| *has_ended = true);
    }

    async fn ended(&self) {
        // The sender is in `self`, so it cannot be dropped during this wait.
        let mut news = self.news.subscribe();
        let _kept = news.wait_for(|(_, has_ended)| *has_ended).await;
    }

    fn left(&self, exit: Option<Exit>, by_itself: bool) -> ClientOutput {
        ClientOutput {
            exit,
            by_itself,
            stdout: locked(&self.stdout).text(),
            stderr: locked(&self.stderr).text(),
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
