//! The result of judging one peer: its identity, the verdicts and its support of the protocol.
//! Every report is made from it.

pub(crate) mod baseline;
mod document;

use crate::json::json;
use crate::judging::support::Support;
use crate::judging::verdict::worst_of_each;
use crate::{Outcome, Verdict, masked};
use attache_protocol::method::Side;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

/// The result of judging one peer. It contains no secrets: its content is masked when it is
/// created.
///
/// Its JSON form is what `attache check agent --report FILE.json` writes and
/// `attache check compare` reads.
///
/// ```
/// use attache_check::{Judgement, Support};
/// use attache_protocol::method::Side;
///
/// let judgement = Judgement::new(&["my-agent".to_owned()], Vec::new(), Support::of(Side::Agent));
/// assert_eq!(Judgement::read(&judgement.to_json())?, judgement);
///
/// let broken = Judgement::read("{\"version\": 1,\n \"side\": 7}").unwrap_err();
/// assert_eq!((broken.line, broken.column), (2, 10));
/// # Ok::<(), attache_check::JudgementError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Judgement {
    /// The judge and its version.
    pub judge: String,
    /// The command of the peer, as one line.
    pub command: String,
    /// The seed of the first run.
    pub seed: u64,
    /// The number of runs.
    pub repeats: usize,
    /// The total time.
    pub took: Duration,
    /// One verdict per rule, in the order of the rules: the worst of all runs.
    pub verdicts: Vec<Verdict>,
    /// The rules with different verdicts in different runs, with all their outcomes.
    pub flaky: BTreeMap<&'static str, BTreeSet<&'static str>>,
    /// The side of the peer, and the parts of the protocol that it supports.
    pub support: Support,
}

/// The error for a text that is not a judgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgementError {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1, in bytes.
    pub column: usize,
    /// A description of the error.
    pub why: String,
}

impl fmt::Display for JudgementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "line {}, column {}: this is not a judgement: {}",
            self.line, self.column, self.why
        )
    }
}

impl std::error::Error for JudgementError {}

impl Judgement {
    /// Creates the judgement of a peer that this command starts. Secrets in the command and in the
    /// verdicts are masked.
    pub fn new(command: &[String], verdicts: Vec<Verdict>, support: Support) -> Self {
        Self {
            judge: format!("attache {}", env!("CARGO_PKG_VERSION")),
            command: shown(command),
            seed: 0,
            repeats: 1,
            took: Duration::ZERO,
            verdicts: worst_of_each(verdicts.into_iter().map(Verdict::masked).collect()),
            flaky: BTreeMap::new(),
            support,
        }
    }

    /// Adds another run. The worse of two verdicts on a rule counts.
    pub fn repeated(&mut self, verdicts: Vec<Verdict>, support: Support) {
        self.repeats += 1;
        self.support.join(support);
        let again: Vec<Verdict> = verdicts.into_iter().map(Verdict::masked).collect();
        for verdict in &self.verdicts {
            let word = verdict.outcome.as_str();
            let other = again.iter().find(|other| other.rule.id == verdict.rule.id);
            if let Some(other) =
                other.map(|other| other.outcome.as_str()).filter(|other| *other != word)
            {
                self.flaky.entry(verdict.rule.id).or_default().extend([word, other]);
            }
        }
        let all = std::mem::take(&mut self.verdicts).into_iter().chain(again);
        self.verdicts = worst_of_each(all.collect());
    }

    /// Returns the side of the peer.
    pub fn side(&self) -> Side {
        self.support.side
    }

    /// Returns the name of the peer for people: its own name and version, or its command.
    pub fn name(&self) -> String {
        match (&self.support.name, &self.support.version) {
            (Some(name), Some(version)) => format!("{name} {version}"),
            (Some(name), None) => name.clone(),
            _ => self.command.clone(),
        }
    }

    /// Returns the verdict on the rule with this id.
    pub fn verdict(&self, rule: &str) -> Option<&Verdict> {
        self.verdicts.iter().find(|verdict| verdict.rule.id == rule)
    }

    /// Returns the number of verdicts with this word.
    pub fn count(&self, word: &str) -> usize {
        self.verdicts.iter().filter(|verdict| verdict.outcome.as_str() == word).count()
    }

    /// Returns the failed rules, mandatory ones first.
    pub fn fails(&self) -> Vec<&Verdict> {
        let mut fails: Vec<&Verdict> =
            self.verdicts.iter().filter(|verdict| verdict.outcome.is_fail()).collect();
        fails.sort_by_key(|verdict| (!verdict.rule.must_hold(), verdict.rule.strength));
        fails
    }

    /// Returns the number of mandatory rules with a result. Skipped and untested ones do not count.
    pub fn musts(&self) -> usize {
        let is_judged = |verdict: &&Verdict| verdict.outcome.why().is_none();
        self.verdicts.iter().filter(is_judged).filter(|verdict| verdict.rule.must_hold()).count()
    }

    /// Whether the peer breaks a mandatory rule.
    pub fn is_fault(&self) -> bool {
        self.verdicts.iter().any(Verdict::is_fault)
    }

    /// Returns the rules that were not judged, grouped by reason.
    pub fn not_judged(&self) -> Vec<(&Outcome, Vec<&'static str>)> {
        let mut reasons: Vec<(&Outcome, Vec<&str>)> = Vec::new();
        for verdict in self.verdicts.iter().filter(|verdict| verdict.outcome.why().is_some()) {
            match reasons.iter_mut().find(|(other, _)| **other == verdict.outcome) {
                Some((_, rules)) => rules.push(verdict.rule.id),
                None => reasons.push((&verdict.outcome, vec![verdict.rule.id])),
            }
        }
        reasons
    }
}

/// Joins the words of a command, with secrets masked as in the `args` of a message.
fn shown(command: &[String]) -> String {
    let masked = masked(&json!({ "args": command }).to_string());
    let words = serde_json::from_str::<Value>(&masked).ok();
    let words = words.as_ref().and_then(|words| words.get("args")?.as_array());
    words.into_iter().flatten().filter_map(Value::as_str).map(quoted).collect::<Vec<_>>().join(" ")
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    let plain =
        |character: char| character.is_alphanumeric() || "-_./:=@%+,<>{}".contains(character);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
