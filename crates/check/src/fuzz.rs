//! Fuzzing: randomly corrupted conversations over the whole protocol, until a peer fails.
//!
//! A case is a conversation built from the shapes of the protocol crate, so that every method, kind
//! of update and member occurs. It has up to four corruptions: a delay, an omission, a repetition,
//! another order, a truncation, a split inside a character, padding, deep nesting, a wrong type, an
//! unusual id, text that is not a message, or the end of the input. A seed determines everything.
//!
//! A peer may answer with an error. It must not crash, hang, write anything but messages, use too
//! much memory, or break a rule that a single line can break.

mod case;
mod conversation;
mod mutate;
mod play;
mod random_numbers;
mod shrink;
mod value;

pub use case::Case;

use crate::client::run::ClientRunError;
use crate::client::started_client::StartedClient;
use crate::{ClientTask, Link, Rule};
use attache_host::StartError;
use attache_protocol::method::Side;
use random_numbers::RandomNumbers;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;
use tokio::time::Instant;

/// How long the reduction of a failing case may take, as a multiple of the patience.
const SHRINKING: u32 = 30;

/// The failure of a peer.
#[derive(Debug, Clone, PartialEq)]
pub enum Broken {
    /// The peer ended. The text describes how.
    Dies(String),
    /// The peer no longer answers or does not end. The text has the details.
    Hangs(String),
    /// The peer wrote or stored too much. The text has the details.
    Grows(String),
    /// The peer wrote a line that breaks this rule. The text has the details.
    Breaks(&'static Rule, String),
}

impl Broken {
    /// Whether the two failures are probably the same.
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Breaks(one, _), Self::Breaks(other, _)) => one.id == other.id,
            (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
        }
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dies(how) => write!(f, "it ends: {how}"),
            Self::Hangs(how) => write!(f, "it hangs: {how}"),
            Self::Grows(how) => write!(f, "it grows: {how}"),
            Self::Breaks(rule, how) => write!(f, "it breaks {}: {how}", rule.id),
        }
    }
}

/// A case that makes a peer fail, as small as the reduction could make it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Failure {
    /// The number of the case, counted from 0. Together with the seed it reproduces the original
    /// case.
    pub number: u64,
    /// The failure of the peer.
    pub broken: Broken,
    /// The reduced case.
    pub case: Case,
    /// The conversation as a recording. `attache check trace` judges it, and [`Case::read`] reads
    /// it for a replay.
    pub recording: String,
}

type StartAgent = Box<dyn FnMut() -> Result<Link, StartError> + Send>;
type StartClient = Box<dyn FnMut(&ClientTask) -> Result<StartedClient, ClientRunError> + Send>;

enum PeerStarter {
    Agent(StartAgent),
    Client(StartClient),
}

/// Searches for conversations that make a peer fail.
///
/// Playing a case starts the peer once and takes a little over three times the
/// [`patience`](Self::patience). Reducing a failure plays at most 300 cases and takes at most 30
/// times the patience.
pub struct Fuzz {
    peer: PeerStarter,
    folder: PathBuf,
    patience: Duration,
    seed: u64,
}

impl fmt::Debug for Fuzz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fuzz")
            .field("folder", &self.folder)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

impl Fuzz {
    /// Fuzzes the agent that `start` starts for every case, with sessions in `folder`. The agent
    /// may take 10 s per answer.
    pub fn agent(
        folder: impl Into<PathBuf>,
        start: impl FnMut() -> Result<Link, StartError> + Send + 'static,
    ) -> Self {
        Self::new(PeerStarter::Agent(Box::new(start)), folder.into())
    }

    /// Fuzzes the client that `start` starts for every case with the task `prompt` and its session
    /// in `folder`. The client receives the corrupted messages while it waits for the end of its
    /// turn.
    pub fn client(
        folder: impl Into<PathBuf>,
        start: impl FnMut(&ClientTask) -> Result<StartedClient, ClientRunError> + Send + 'static,
    ) -> Self {
        Self::new(PeerStarter::Client(Box::new(start)), folder.into())
    }

    fn new(peer: PeerStarter, folder: PathBuf) -> Self {
        Self { peer, folder, patience: Duration::from_secs(10), seed: 0 }
    }

    /// Sets how long an answer may take. The first answer may take three times as long.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Sets the seed of all cases. The default is 0.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Returns the side under test.
    pub fn judged(&self) -> Side {
        match self.peer {
            PeerStarter::Agent(_) => Side::Agent,
            PeerStarter::Client(_) => Side::Client,
        }
    }

    /// Plays the cases with these numbers until one fails or `time` elapses, and returns the
    /// failure. `progress` receives the number of each case before it is played.
    ///
    /// # Errors
    /// Returns an error if the peer cannot be started.
    pub async fn run(
        &mut self,
        numbers: impl IntoIterator<Item = u64>,
        time: Option<Duration>,
        mut progress: impl FnMut(u64),
    ) -> Result<Option<Failure>, ClientRunError> {
        let until = time.map(|time| Instant::now() + time);
        for number in numbers {
            if until.is_some_and(|until| Instant::now() >= until) {
                break;
            }
            progress(number);
            let case = self.case(number);
            if let Some(failure) = self.judge(number, case, true).await? {
                return Ok(Some(failure));
            }
        }
        Ok(None)
    }

    /// Plays a case again without reducing a failure.
    ///
    /// # Errors
    /// Returns an error if the peer cannot be started.
    pub async fn replay(&mut self, case: Case) -> Result<Option<Failure>, ClientRunError> {
        self.judge(0, case, false).await
    }

    /// Returns the case with this number.
    fn case(&self, number: u64) -> Case {
        let mut chance = RandomNumbers::new(RandomNumbers::new(self.seed).next() ^ number);
        let mut case = conversation::conversation(self.judged(), &mut chance);
        for _ in 0..chance.below(5) {
            mutate::mutate(&mut case, &mut chance);
        }
        case
    }

    async fn judge(
        &mut self,
        number: u64,
        case: Case,
        shrinks: bool,
    ) -> Result<Option<Failure>, ClientRunError> {
        let mut played = self.play(&case).await?;
        let Some(broken) = played.broken.take() else { return Ok(None) };
        let (case, played, broken) = if shrinks {
            let until = Instant::now() + self.patience * SHRINKING;
            self.shrink(case, played, broken, until).await?
        } else {
            (case, played, broken)
        };
        let recording = case::written(&played.said, self.judged(), case.closes);
        Ok(Some(Failure { number, broken, case, recording }))
    }
}
