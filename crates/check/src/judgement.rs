//! What came of judging one peer: who it was, the verdicts, and what it supports. It is what every
//! report is made of.

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

/// What came of judging one peer. There is no secret in it: what is put in is masked.
///
/// Written as JSON it is the format of `attache check agent --report FILE.json`, which
/// `attache check compare` and baselines read.
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
    /// Who judged, with its version.
    pub judge: String,
    /// The command that was judged, as one line.
    pub command: String,
    /// Which order of the probes it began with.
    pub seed: u64,
    /// How often everything was judged.
    pub repeats: usize,
    /// How long that took.
    pub took: Duration,
    /// One verdict a rule, in the order of the rules: where repeats differ the worst.
    pub verdicts: Vec<Verdict>,
    /// The rules about which repeats differ, with all the words that were said.
    pub flaky: BTreeMap<&'static str, BTreeSet<&'static str>>,
    /// What the peer supports, and which end it is.
    pub support: Support,
}

/// A text that is no judgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgementError {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1, in bytes.
    pub column: usize,
    /// What is wrong there.
    pub why: String,
}

impl fmt::Display for JudgementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: this is no judgement: {}", self.line, self.column, self.why)
    }
}

impl std::error::Error for JudgementError {}

impl Judgement {
    /// The judgement of a peer that this command starts. Secrets in the command and in what was
    /// seen are hidden.
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

    /// Everything was judged once more: of two verdicts about a rule the worse stands.
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

    /// Which end was judged.
    pub fn side(&self) -> Side {
        self.support.side
    }

    /// The name of the peer for people: what it calls itself, with its version, else its command.
    pub fn name(&self) -> String {
        match (&self.support.name, &self.support.version) {
            (Some(name), Some(version)) => format!("{name} {version}"),
            (Some(name), None) => name.clone(),
            _ => self.command.clone(),
        }
    }

    /// The verdict on the rule with this id.
    pub fn verdict(&self, rule: &str) -> Option<&Verdict> {
        self.verdicts.iter().find(|verdict| verdict.rule.id == rule)
    }

    /// How many verdicts of this word there are.
    pub fn count(&self, word: &str) -> usize {
        self.verdicts.iter().filter(|verdict| verdict.outcome.as_str() == word).count()
    }

    /// The rules that fail, those of the strongest first.
    pub fn fails(&self) -> Vec<&Verdict> {
        let mut fails: Vec<&Verdict> =
            self.verdicts.iter().filter(|verdict| verdict.outcome.is_fail()).collect();
        fails.sort_by_key(|verdict| (!verdict.rule.must_hold(), verdict.rule.strength));
        fails
    }

    /// How many rules that must hold were judged: what was skipped or not tested is not counted.
    pub fn musts(&self) -> usize {
        let is_judged = |verdict: &&Verdict| verdict.outcome.why().is_none();
        self.verdicts.iter().filter(is_judged).filter(|verdict| verdict.rule.must_hold()).count()
    }

    /// Whether something is broken that must hold.
    pub fn is_fault(&self) -> bool {
        self.verdicts.iter().any(Verdict::is_fault)
    }

    /// What was not judged, by reason, with the rules that each reason holds for.
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

/// The words of a command as one line, secrets hidden as in the `args` of a message.
fn shown(command: &[String]) -> String {
    let masked = masked(&json!({ "args": command }).to_string());
    let words = serde_json::from_str::<Value>(&masked).ok();
    let words = words.as_ref().and_then(|words| words.get("args")?.as_array());
    words.into_iter().flatten().filter_map(Value::as_str).map(quoted).collect::<Vec<_>>().join(" ")
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain =
        |character: char| character.is_alphanumeric() || "-_./:=@%+,<>{}".contains(character);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
