//! The judge's end of a connection to the peer under test. It can send anything and sees every
//! line.

mod unanswered;

use crate::observer::Observer;
use crate::observer::finding::Finding;
use crate::peer::line::Line;
use crate::peer::link::Link;
use crate::peer::script::Script;
use attache_host::Exit;
use attache_protocol::method::Side;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, sleep_until};

/// The longest line that is read, in bytes.
const LINE: usize = 64 * 1024 * 1024;
/// A peer that sends more bytes than this counts as flooding.
const FLOOD: usize = 256 * 1024 * 1024;
/// A peer that sends more lines than this counts as flooding.
const FLOOD_LINES: usize = 100_000;
/// The size of one read.
const CHUNK: usize = 64 * 1024;
/// The first answer may take this many times as long as the others, because the peer is still
/// starting.
pub(crate) const STARTING: u32 = 3;
/// How long to wait for the end of a process after its stdout has ended.
const EXIT: Duration = Duration::from_secs(2);

/// The reason why a wait for a line failed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitError {
    /// No such line arrived within this time.
    TimedOut(Duration),
    /// The connection ended first. The text describes how.
    Ended(String),
}

impl std::fmt::Display for WaitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TimedOut(after) => {
                write!(f, "no such line within {} s", after.as_secs_f64())
            }
            Self::Ended(how) => f.write_str(how),
        }
    }
}

impl std::error::Error for WaitError {}

/// The judge's end of one connection: the client's end to an agent, or the agent's end to a client.
///
/// It has no background task: it reads and writes only while a method waits. It reads at most 256
/// MiB or 100,000 lines, and no line over 64 MiB. It stops a peer that sends more. An [`Observer`]
/// reads every line.
#[derive(Debug)]
pub struct RawPeer {
    /// The judge's side.
    side: Side,
    link: Link,
    pub(crate) script: Script,
    began: Instant,
    outgoing: Outgoing,
    /// The bytes of an incomplete line.
    incoming: Vec<u8>,
    chunk: Vec<u8>,
    read: usize,
    ended: Option<String>,
    is_given_up: bool,
    lines: Vec<Line>,
    observer: Observer,
    findings: Vec<Finding>,
    /// How long the judge has listened so far.
    listened: Duration,
    /// How long the judge had listened when it sent each of its lines, by line number.
    sent: HashMap<usize, Duration>,
}

/// The bytes to write.
#[derive(Debug, Default)]
struct Outgoing {
    bytes: Vec<u8>,
    written: usize,
    /// Whether no more bytes follow.
    is_last: bool,
}

impl Outgoing {
    fn rest(&self) -> &[u8] {
        self.bytes.get(self.written..).unwrap_or_default()
    }

    fn clear(&mut self) {
        (self.bytes, self.written) = (Vec::new(), 0);
    }
}

impl RawPeer {
    /// Creates the client's end of a connection to an agent. The script answers the agent's calls.
    pub fn new(link: Link, script: Script) -> Self {
        Self::at(Side::Client, link, script)
    }

    /// Creates the agent's end of a connection to a client. The script answers the client's calls.
    pub fn as_agent(link: Link, script: Script) -> Self {
        Self::at(Side::Agent, link, script)
    }

    fn at(side: Side, link: Link, script: Script) -> Self {
        Self {
            side,
            link,
            script,
            began: Instant::now(),
            outgoing: Outgoing::default(),
            incoming: Vec::new(),
            chunk: vec![0; CHUNK],
            read: 0,
            ended: None,
            is_given_up: false,
            lines: Vec::new(),
            observer: Observer::default(),
            findings: Vec::new(),
            listened: Duration::ZERO,
            sent: HashMap::new(),
        }
    }

    /// Returns the side under test.
    pub fn judged(&self) -> Side {
        self.side.other()
    }

    /// Returns every line so far, of both sides.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Returns the findings of the [`Observer`] on the peer's lines. It leaves out findings on the
    /// judge's lines, which may be wrong on purpose.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Returns the ids of the rules that the peer's lines could have broken.
    pub fn tested(&self) -> &BTreeSet<&'static str> {
        self.observer.tested(self.judged())
    }

    /// Returns a sentence about the end of the connection, if it has ended.
    pub fn ended(&self) -> Option<&str> {
        self.ended.as_deref()
    }

    /// Returns the start of a line that was incomplete when the peer's output ended.
    pub fn unfinished(&self) -> Option<String> {
        (!self.incoming.is_empty()).then(|| String::from_utf8_lossy(&self.incoming).into_owned())
    }

    /// Queues a message as one line.
    pub fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    /// Queues a line unchanged. It is written while a method waits.
    pub fn send_line(&mut self, line: &str) {
        self.send_bytes(line.as_bytes());
        self.send_bytes(b"\n");
        self.record(self.side, line.as_bytes());
    }

    /// Queues bytes that are not a whole line. They are neither recorded nor judged.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        self.outgoing.bytes.extend_from_slice(bytes);
    }

    /// Records and judges a line that was sent as bytes.
    pub(crate) fn note(&mut self, line: &[u8]) {
        self.record(self.side, line);
    }

    /// Whether the judge ended the connection because the peer sent too much.
    pub(crate) fn was_stopped_by_judge(&self) -> bool {
        self.is_given_up
    }

    /// Returns how the peer's process ended, if the judge started it and it has ended.
    pub(crate) fn exit(&self) -> Option<Exit> {
        self.link.exit()
    }

    /// Returns the memory of the peer's process in bytes, if the system reports it.
    pub(crate) fn memory(&self) -> Option<u64> {
        self.link.memory()
    }

    /// Closes the peer's input after everything queued is written.
    pub fn close(&mut self) {
        self.outgoing.is_last = true;
    }

    /// Waits for the first matching line of either side, from the index `first` on, and returns it.
    ///
    /// # Errors
    /// Returns an error if no such line arrives within `patience`, or if the connection ends first.
    pub fn wait_for<'a>(
        &'a mut self,
        first: usize,
        patience: Duration,
        wanted: impl Fn(&Line) -> bool + Send + 'a,
    ) -> impl Future<Output = Result<Line, WaitError>> + Send + 'a {
        self.wait_for_wanted(first, patience, Box::new(wanted))
    }

    async fn wait_for_wanted(
        &mut self,
        first: usize,
        patience: Duration,
        wanted: Box<dyn Fn(&Line) -> bool + Send + '_>,
    ) -> Result<Line, WaitError> {
        let deadline = Instant::now() + patience;
        let mut next = first;
        loop {
            if let Some(found) = self.lines.iter().skip(next).find(|line| wanted(line)) {
                return Ok(found.clone());
            }
            next = next.max(self.lines.len());
            if let Some(how) = &self.ended {
                return Err(WaitError::Ended(how.clone()));
            }
            if !self.step(deadline).await {
                return Err(WaitError::TimedOut(patience));
            }
        }
    }

    /// Waits until the connection and the process have ended. Returns `true` if that took at most
    /// `patience`.
    pub async fn wait_for_end(&mut self, patience: Duration) -> bool {
        matches!(
            self.wait_for(self.lines.len(), patience, |_| false).await,
            Err(WaitError::Ended(_))
        ) && self.link.has_exited()
    }

    /// Ends the connection: closes the peer's input and then stops the process, if the judge
    /// started one, with increasing force. The process and its descendants have ended when this
    /// returns.
    pub async fn stop(&mut self) {
        self.link.stop().await;
    }

    /// Reads or writes once. Returns `false` if the deadline passed first.
    async fn step(&mut self, deadline: Instant) -> bool {
        let began = Instant::now();
        let is_in_time = self.read_or_write(deadline).await;
        self.listened += began.elapsed();
        is_in_time
    }

    async fn read_or_write(&mut self, deadline: Instant) -> bool {
        let Self { link, outgoing, chunk, .. } = self;
        if outgoing.rest().is_empty() {
            outgoing.clear();
            if outgoing.is_last {
                link.input = None;
            }
        }
        let is_writing = !outgoing.rest().is_empty() && link.input.is_some();
        let write = async {
            match &mut link.input {
                Some(input) => input.write(outgoing.rest()).await,
                None => Ok(0),
            }
        };
        tokio::select! {
            read = link.output.read(chunk) => {
                match read {
                    Ok(count) if count > 0 => self.took(count),
                    _ => self.output_ended().await,
                }
                true
            }
            written = write, if is_writing => {
                match written {
                    Ok(count) => outgoing.written += count,
                    // The peer has closed its input. Continue to read its output.
                    Err(_) => {
                        link.input = None;
                        outgoing.clear();
                    }
                }
                true
            }
            () = sleep_until(deadline) => false,
        }
    }

    fn took(&mut self, count: usize) {
        self.read += count;
        let mut chunk = std::mem::take(&mut self.chunk);
        let mut rest = chunk.get(..count).unwrap_or_default();
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, after) = rest.split_at(end);
            self.incoming.extend_from_slice(line);
            let line = std::mem::take(&mut self.incoming);
            self.record(self.judged(), line.strip_suffix(b"\r").unwrap_or(&line));
            rest = after.get(1..).unwrap_or_default();
        }
        self.incoming.extend_from_slice(rest);
        chunk.resize(CHUNK, 0);
        self.chunk = chunk;
        if self.incoming.len() > LINE {
            self.give_up("sent a line of more than 64 MiB and was stopped");
        } else if self.read > FLOOD || self.lines.len() > FLOOD_LINES {
            self.give_up(
                "flooded the judge with more than 256 MiB or 100,000 lines and was stopped",
            );
        }
    }

    fn give_up(&mut self, why: &str) {
        self.incoming = Vec::new();
        self.link.kill();
        self.is_given_up = true;
        self.ended = Some(format!("the {} {why}", self.judged().as_str()));
    }

    async fn output_ended(&mut self) {
        let how = self.link.how_it_ended(self.judged(), EXIT).await;
        self.ended.get_or_insert(how);
    }

    fn record(&mut self, from: Side, line: &[u8]) {
        let number = self.lines.len() + 1;
        let (found, meant) = self.observer.read(number, from, line);
        let (is_theirs, judged) = (from != self.side, self.judged());
        self.findings.extend(found.into_iter().filter(|finding| finding.by == judged));
        if !is_theirs {
            self.sent.insert(number, self.listened);
        }
        let line = Line {
            number,
            from,
            is_theirs,
            at: self.began.elapsed(),
            text: String::from_utf8_lossy(line).into_owned(),
            value: meant.filter(|_| is_theirs).or_else(|| serde_json::from_slice(line).ok()),
        };
        let (before, answer) = (self.script.before_reply(&line), self.script.reply(&line));
        self.lines.push(line);
        before.iter().for_each(|message| self.send(message));
        if let Some(answer) = answer {
            self.send(&answer);
        }
    }
}
