//! Records and judges the traffic, on a separate thread.

use super::lane::Piece;
use super::line::Line;
use super::notice::say;
use crate::args;
use crate::check::report::tally::Tally;
use crate::exit::Failure;
use crate::record::{create, record};
use attache_check::{Finding, Observer};
use attache_protocol::method::Side;
use jiff::Timestamp;
use std::io::{self, Write};
use std::path::PathBuf;
use tokio::sync::mpsc;

/// Joins the pieces of both directions into lines.
pub(super) struct Recorder {
    file: Option<Recording>,
    judge: Option<(Observer, Tally)>,
    /// The number of lines so far.
    number: usize,
    client: Line,
    agent: Line,
}

/// The file of the recording.
struct Recording {
    path: PathBuf,
    file: Box<dyn Write + Send>,
    /// The text to write next.
    next: String,
    /// The reason why writing stopped.
    error: Option<io::Error>,
}

impl Recorder {
    /// Creates the file.
    pub(super) fn new(arguments: &args::Trace) -> Result<Self, Failure> {
        let file = arguments.file.clone().map(Recording::create).transpose()?;
        let judge = arguments.judge.then(Default::default);
        Ok(Self { file, judge, number: 0, client: Line::default(), agent: Line::default() })
    }

    /// Records everything until both directions end. Returns the problem, if any.
    pub(super) fn record(mut self, mut pieces: mpsc::Receiver<Piece>) -> Option<String> {
        while let Some(Piece { from, at, bytes, .. }) = pieces.blocking_recv() {
            for part in bytes.split_inclusive(|byte| *byte == b'\n') {
                let line = self.line(from);
                match part.split_last() {
                    Some((b'\n', rest)) => {
                        line.push(rest);
                        self.ended(from, at, "");
                    }
                    _ => line.push(part),
                }
            }
            self.write();
        }
        self.end();
        self.file.and_then(Recording::trouble)
    }

    fn line(&mut self, from: Side) -> &mut Line {
        match from {
            Side::Client => &mut self.client,
            Side::Agent => &mut self.agent,
        }
    }

    fn ended(&mut self, from: Side, at: Timestamp, more: &str) {
        let line = std::mem::take(self.line(from));
        self.number += 1;
        if let Some(file) = &mut self.file {
            let cut = if line.is_cut() {
                format!(",\"length\":{}", line.length())
            } else {
                String::new()
            };
            file.next += &record(("from", from.as_str()), at, line.kept(), &format!("{cut}{more}"));
        }
        if let Some((observer, tally)) = &mut self.judge {
            tally.lines += 1;
            if !line.is_cut() {
                report(tally, from.as_str(), &observer.line(self.number, from, line.kept()));
            }
        }
    }

    fn end(&mut self) {
        for from in [Side::Client, Side::Agent] {
            if self.line(from).length() > 0 {
                self.ended(from, Timestamp::now(), ",\"unended\":true");
            }
        }
        self.write();
        if let Some((observer, tally)) = &mut self.judge {
            report(tally, "at the end", &observer.end());
            say(&tally.sentence());
        }
    }

    fn write(&mut self) {
        if let Some(file) = &mut self.file {
            file.write();
        }
    }
}

fn report(tally: &mut Tally, place: &str, findings: &[Finding]) {
    for finding in findings {
        tally.finding(finding);
        let (rule, line) = (finding.rule, finding.line);
        let earlier =
            finding.earlier.map_or_else(String::new, |earlier| format!(" (see line {earlier})"));
        say(&format!("line {line}, {place}, {} {}: {}{earlier}", rule.id, rule.word, finding.seen));
    }
}

impl Recording {
    fn create(path: PathBuf) -> Result<Self, Failure> {
        let file: Box<dyn Write + Send> = match path.to_str() {
            Some("-") => Box::new(io::stderr()),
            _ => Box::new(create("--file", &path)?),
        };
        Ok(Self { path, file, next: String::new(), error: None })
    }

    fn write(&mut self) {
        if self.error.is_none() && !self.next.is_empty() {
            self.error = self.file.write_all(self.next.as_bytes()).err();
        }
        self.next.clear();
    }

    fn trouble(self) -> Option<String> {
        let error = self.error?;
        Some(format!(
            "the recording {} is incomplete: it cannot be written: {error}",
            self.path.display()
        ))
    }
}
