//! Faults: valid conversations of all that the protocol has, spoiled by chance, until a peer
//! breaks.
//!
//! A case is a conversation by the shapes of the protocol crate, so that every method, kind of
//! update and member comes up, and between none and four bad things done to it: delayed, left out,
//! said twice, in another order, cut off, split inside a character, padded, nested deep, of the
//! wrong type, with an odd id, text that is no message, the end of the input. Everything follows
//! from a seed.
//!
//! It is no fault of a peer to answer an error. It is one to die, to hang, to write what is no
//! message, to grow, or to break a rule that a line breaks by itself.

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

/// How long a failing case is made smaller, in patiences.
const SHRINKING: u32 = 30;

/// What a peer did.
#[derive(Debug, Clone, PartialEq)]
pub enum Broken {
    /// It ended, as the sentence says.
    Dies(String),
    /// It does not answer any more, or does not end, as the sentence says.
    Hangs(String),
    /// It wrote or kept more than anybody can take, as the sentence says.
    Grows(String),
    /// It wrote a line that breaks this rule, as the sentence says.
    Breaks(&'static Rule, String),
}

impl Broken {
    /// Whether this is the same fault, as far as that can be told.
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
            Self::Dies(how) => write!(f, "it dies: {how}"),
            Self::Hangs(how) => write!(f, "it hangs: {how}"),
            Self::Grows(how) => write!(f, "it grows: {how}"),
            Self::Breaks(rule, how) => write!(f, "it breaks {}: {how}", rule.id),
        }
    }
}

/// A case that a peer did not stand, made as small as it can be.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Failure {
    /// The number of the case, counted from 0: with the seed it gives the case as it was first.
    pub number: u64,
    /// What the peer did.
    pub broken: Broken,
    /// What was said.
    pub case: Case,
    /// The conversation as a recording: what `attache check trace` reads and [`Case::read`] plays
    /// again.
    pub recording: String,
}

type StartAgent = Box<dyn FnMut() -> Result<Link, StartError> + Send>;
type StartClient = Box<dyn FnMut(&ClientTask) -> Result<StartedClient, ClientRunError> + Send>;

enum PeerStarter {
    Agent(StartAgent),
    Client(StartClient),
}

/// Looks for conversations that a peer does not stand.
///
/// A case takes one start of the peer and at most three patiences and a few; making a failure
/// smaller at most 300 cases and 30 patiences.
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
    /// Over the agent that `start` starts for every case, with sessions in `folder`. An answer may
    /// take 10 s.
    pub fn agent(
        folder: impl Into<PathBuf>,
        start: impl FnMut() -> Result<Link, StartError> + Send + 'static,
    ) -> Self {
        Self::new(PeerStarter::Agent(Box::new(start)), folder.into())
    }

    /// Over the client that `start` starts on the task `prompt` for every case, with its session
    /// in `folder`. What is spoiled is said while it waits for its turn to end.
    pub fn client(
        folder: impl Into<PathBuf>,
        start: impl FnMut(&ClientTask) -> Result<StartedClient, ClientRunError> + Send + 'static,
    ) -> Self {
        Self::new(PeerStarter::Client(Box::new(start)), folder.into())
    }

    fn new(peer: PeerStarter, folder: PathBuf) -> Self {
        Self { peer, folder, patience: Duration::from_secs(10), seed: 0 }
    }

    /// How long an answer may take; the first one three times as long.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The number that all cases follow from, 0 unless set.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Which side is judged.
    pub fn judged(&self) -> Side {
        match self.peer {
            PeerStarter::Agent(_) => Side::Agent,
            PeerStarter::Client(_) => Side::Client,
        }
    }

    /// Says the cases with these numbers, until one fails or the time is over, and gives the one
    /// that failed. `progress` is told the number before each case.
    ///
    /// # Errors
    /// The peer cannot be started.
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

    /// Says a case again; what fails is not made smaller.
    ///
    /// # Errors
    /// The peer cannot be started.
    pub async fn replay(&mut self, case: Case) -> Result<Option<Failure>, ClientRunError> {
        self.judge(0, case, false).await
    }

    /// The case with this number.
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
