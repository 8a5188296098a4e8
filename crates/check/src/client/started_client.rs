//! A client that was started, as the judge has it: the connections to its agent, what it prints,
//! how it ends.

use crate::{Link, RelayListener};
use attache_host::{Bounded, Child, Exit, Launch, StartError, StopPatience};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinSet;

/// How much is kept of what a client prints, of stdout and of stderr, in bytes.
const KEPT: usize = 1024 * 1024;

/// How much is read at once.
const CHUNK: usize = 64 * 1024;

/// How a client is stopped: none of its work matters.
const STOP: StopPatience = StopPatience {
    after_stdin: Duration::from_millis(200),
    after_terminate: Duration::from_millis(500),
};

/// A client that was started on a task. Dropping it kills it and everything it started.
///
/// What it prints is always read. Of stdout and of stderr the first and the last 512 KiB are kept.
pub struct StartedClient {
    body: Body,
    connections: Connections,
    printed: Arc<Printed>,
    /// The readers of what it prints; they end with it.
    _readers: JoinSet<()>,
}

/// What it runs in.
enum Body {
    Process(Child),
    /// In memory: whom to tell of an interrupt.
    Memory(mpsc::Sender<()>),
    /// A person's own: the judge neither started it nor ends it.
    Elsewhere(Operator),
}

/// Who does by hand what a task says.
#[derive(Debug, Clone)]
pub struct Operator {
    /// Where the client's agent comes in; the same for every task.
    pub door: Arc<RelayListener>,
    /// How long it may take.
    pub patience: Duration,
    /// Notified when the person passes over a task.
    pub passes: Arc<Notify>,
}

enum Connections {
    RelayListener(Arc<RelayListener>),
    Given(mpsc::Receiver<Link>),
}

/// What a client printed so far.
#[derive(Debug)]
struct Printed {
    stdout: Mutex<Bounded>,
    stderr: Mutex<Bounded>,
    /// How many pieces came, and whether stdout has ended.
    news: watch::Sender<(u64, bool)>,
}

/// What was left when a client had ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientOutput {
    /// How it ended; nothing if it had to be ended by force, or runs in memory.
    pub exit: Option<Exit>,
    /// Whether it ended by itself.
    pub by_itself: bool,
    /// What it wrote to stdout, the middle of it left out where it was long.
    pub stdout: String,
    /// The same of stderr.
    pub stderr: String,
}

impl ClientOutput {
    /// Whether this text was printed.
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
    /// Starts a client whose agents come in by this door.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(launch: Launch, door: RelayListener) -> Result<Self, StartError> {
        let printed = Arc::new(Printed::new());
        let stderr = printed.clone();
        let mut child =
            launch.on_stderr(move |bytes| stderr.push(&stderr.stderr, bytes)).start()?;
        // It is asked nothing on stdin.
        drop(child.take_stdin());
        let mut readers = JoinSet::new();
        if let Some(stdout) = child.take_stdout() {
            readers.spawn(printed.clone().read(stdout));
        }
        let connections = Connections::RelayListener(Arc::new(door));
        Ok(Self { body: Body::Process(child), connections, printed, _readers: readers })
    }

    /// A client in memory: the connections to its agent as it makes them, what it prints, and whom
    /// to tell that it is interrupted. It has ended when what it prints has.
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

    /// A client that a person runs by hand. What it prints is not seen, and it is not ended.
    pub fn by_hand(person: Operator) -> Self {
        let printed = Arc::new(Printed::new());
        let connections = Connections::RelayListener(person.door.clone());
        Self { body: Body::Elsewhere(person), connections, printed, _readers: JoinSet::new() }
    }

    /// How long what it is told may take, where an answer takes `patience`.
    pub(crate) fn takes(&self, patience: Duration) -> Duration {
        match &self.body {
            Body::Elsewhere(person) => patience.max(person.patience),
            _ => patience,
        }
    }

    /// Waits until the person passes over the task; for ever where nobody does.
    pub(crate) async fn is_passed_over(&self) {
        match &self.body {
            Body::Elsewhere(person) => person.passes.notified().await,
            _ => std::future::pending().await,
        }
    }

    /// The next connection; nothing when the client has ended without one, or this time is over.
    pub(crate) async fn next(&mut self, patience: Duration) -> Option<Link> {
        let Self { body, connections, printed, .. } = self;
        let next = async {
            match connections {
                Connections::RelayListener(door) => door.next().await.ok(),
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

    /// Interrupts it as Ctrl-C on a terminal would. False where that cannot be done.
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

    /// Whether what it prints can be seen.
    pub(crate) fn is_seen(&self) -> bool {
        !matches!(self.body, Body::Elsewhere(_))
    }

    /// Waits until it has printed this text. False if it did not within this time, or ended
    /// without.
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

    /// How it ended, if it has and is a process of the judge's.
    pub(crate) fn exit(&self) -> Option<Exit> {
        match &self.body {
            Body::Process(child) => child.try_exit(),
            Body::Memory(_) | Body::Elsewhere(_) => None,
        }
    }

    /// What it printed so far.
    pub(crate) fn printed(&self) -> ClientOutput {
        self.printed.left(None, false)
    }

    /// Waits until it has ended by itself, and ends it by force after this time. Nothing of it is
    /// left then.
    pub(crate) async fn leaves(&mut self, patience: Duration) -> ClientOutput {
        match &mut self.body {
            Body::Process(child) => {
                let exit = tokio::time::timeout(patience, child.wait()).await.ok();
                if exit.is_none() {
                    child.stop(STOP).await;
                }
                // What it wrote is read to the end; a descendant that holds the pipe was killed
                // with it.
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

    /// Ends it at once, with all that it started.
    pub(crate) async fn stop(&mut self) -> ClientOutput {
        self.leaves(Duration::ZERO).await
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
        // The sender is in `self`, so that waiting ends with what is waited for.
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
