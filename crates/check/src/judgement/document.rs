//! The JSON form of a judgement. Unknown members are ignored.

use super::{Judgement, JudgementError};
use crate::judging::support::{Calls, Support, Topic};
use crate::{Line, Outcome, Selection, Verdict, select};
use attache_protocol::method::Side;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The version of the format. It increases when a member changes its meaning or is removed. It does
/// not increase when a member is added.
const VERSION: u32 = 1;

/// A static text. It is a separate type because serde would borrow a plain reference from its
/// input.
type Known = &'static str;

/// The counts of names, by the key of their topic.
type Names = BTreeMap<String, BTreeMap<String, usize>>;

#[derive(Serialize, Deserialize)]
struct Document {
    version: Version,
    judge: String,
    side: SideName,
    command: String,
    #[serde(default)]
    seed: u64,
    #[serde(default = "once")]
    repeats: usize,
    #[serde(default)]
    seconds: f64,
    #[serde(default)]
    flaky: BTreeMap<RuleId, BTreeSet<Word>>,
    verdicts: Vec<Entry>,
    support: Supported,
}

#[derive(Serialize, Deserialize)]
struct Supported {
    /// The version of the protocol. Judgements of version 1 leave it out, as they always did.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    protocol: u16,
    name: Option<String>,
    version: Option<String>,
    capabilities: BTreeSet<String>,
    answered: BTreeMap<String, Calls>,
    called: BTreeMap<String, Calls>,
    sent: Names,
    taken: Names,
}

/// A verdict. Each line of `--json` with a verdict has the same format.
#[derive(Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
#[derive(Clone)]
struct Entry(Verdict);

#[derive(Serialize, Deserialize)]
struct Written {
    rule: RuleId,
    #[serde(default)]
    strength: String,
    verdict: String,
    grounds: String,
    expected: Option<String>,
    seen: Option<String>,
    why: Option<String>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    seconds: f64,
    #[serde(default)]
    lines: Vec<WrittenLine>,
}

#[derive(Serialize, Deserialize)]
struct WrittenLine {
    line: usize,
    from: SideName,
    t: f64,
    text: String,
}

/// Declares a type that is serialized as another type. Reading it fails if the function rejects the
/// value.
macro_rules! written_as {
    ($(#[$doc:meta])* $name:ident($inner:ty) as $form:literal $ty:ty, $read:expr, $write:expr;) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = $form, into = $form)]
        struct $name($inner);

        impl TryFrom<$ty> for $name {
            type Error = String;

            fn try_from(value: $ty) -> Result<Self, String> {
                let read: fn($ty) -> Result<$inner, String> = $read;
                read(value).map(Self)
            }
        }

        impl From<$name> for $ty {
            fn from(value: $name) -> Self {
                let write: fn($inner) -> $ty = $write;
                write(value.0)
            }
        }
    };
}

written_as! {
    Version(u32) as "u32" u32,
    |version| match version {
        VERSION => Ok(version),
        other => Err(format!("it has version {other}, and this program reads version {VERSION}: use the attache that wrote it")),
    },
    |version| version;
}

written_as! {
    /// The id of a rule, which this version must have.
    RuleId(Known) as "String" String,
    |id| match select(&id) {
        Ok(Selection::Rule(rule)) => Ok(rule.id),
        _ => Err(format!("this version has no rule {id:?}: use the attache that wrote it")),
    },
    str::to_owned;
}

written_as! {
    /// The word for an outcome.
    Word(Known) as "String" String,
    |word| Outcome::WORDS.iter().find(|known| **known == word).copied().ok_or(format!("{word:?} is not a verdict")),
    str::to_owned;
}

written_as! {
    SideName(bool) as "String" String,
    |side| match side.as_str() {
        "agent" => Ok(true),
        "client" => Ok(false),
        other => Err(format!("{other:?} is neither \"agent\" nor \"client\"")),
    },
    |is_agent| side(is_agent).as_str().to_owned();
}

fn side(is_agent: bool) -> Side {
    if is_agent { Side::Agent } else { Side::Client }
}

impl From<Side> for SideName {
    fn from(side: Side) -> Self {
        Self(side == Side::Agent)
    }
}

fn first() -> u16 {
    1
}

fn is_first(protocol: &u16) -> bool {
    *protocol == first()
}

fn once() -> usize {
    1
}

impl From<Entry> for Written {
    fn from(Entry(verdict): Entry) -> Self {
        let Verdict { rule, outcome, grounds, lines, took } = verdict;
        let word = outcome.as_str().to_owned();
        let (expected, seen, why) = match outcome {
            Outcome::Pass => (None, None, None),
            Outcome::Fail { expected, seen } => (Some(expected), Some(seen), None),
            Outcome::Skipped(why) | Outcome::NotTested(why) => (None, None, Some(why)),
        };
        let line = |line: Line| WrittenLine {
            line: line.number,
            from: line.from.into(),
            t: line.at.as_secs_f64(),
            text: line.text,
        };
        Self {
            rule: RuleId(rule.id),
            strength: rule.strength.as_str().to_owned(),
            verdict: word,
            grounds: grounds.into_owned(),
            expected,
            seen,
            why,
            text: rule.text.to_owned(),
            seconds: took.as_secs_f64(),
            lines: lines.into_iter().map(line).collect(),
        }
    }
}

impl TryFrom<Written> for Entry {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let why = written.why.unwrap_or_default();
        let outcome = match written.verdict.as_str() {
            Outcome::PASS => Outcome::Pass,
            Outcome::FAIL => Outcome::Fail {
                expected: written.expected.unwrap_or_default(),
                seen: written.seen.unwrap_or_default(),
            },
            Outcome::SKIPPED => Outcome::Skipped(why),
            Outcome::NOT_TESTED => Outcome::NotTested(why),
            other => return Err(format!("{other:?} is not a verdict")),
        };
        let line = |line: WrittenLine| Line {
            number: line.line,
            from: side(line.from.0),
            at: Duration::try_from_secs_f64(line.t).unwrap_or_default(),
            text: line.text,
            value: None,
            // The kind depends on the side, which is known only after the whole document is read.
            is_theirs: false,
        };
        let lines = written.lines.into_iter().map(line).collect();
        let took = Duration::try_from_secs_f64(written.seconds).unwrap_or_default();
        let verdict = Verdict::new(written.rule.0, outcome, written.grounds, lines);
        verdict.map(|verdict| Self(Verdict { took, ..verdict })).ok_or_else(String::new)
    }
}

impl From<Support> for Supported {
    fn from(support: Support) -> Self {
        let names = |topics: BTreeMap<Topic, BTreeMap<String, usize>>| {
            topics.into_iter().map(|(topic, names)| (topic.key().to_owned(), names)).collect()
        };
        Self {
            protocol: support.protocol,
            name: support.name,
            version: support.version,
            capabilities: support.capabilities,
            answered: support.answered,
            called: support.called,
            sent: names(support.sent),
            taken: names(support.taken),
        }
    }
}

fn of_side(mut verdict: Verdict, side: Side) -> Verdict {
    for line in &mut verdict.lines {
        line.is_theirs = line.from == side;
    }
    verdict
}

impl Supported {
    fn of_side(self, side: Side) -> Support {
        let topics = |mut names: Names| {
            Topic::ALL
                .iter()
                .filter_map(|topic| Some((*topic, names.remove(topic.key())?)))
                .collect()
        };
        Support {
            side,
            protocol: self.protocol,
            name: self.name,
            version: self.version,
            capabilities: self.capabilities,
            answered: self.answered,
            called: self.called,
            sent: topics(self.sent),
            taken: topics(self.taken),
        }
    }
}

impl Verdict {
    /// Returns the verdict as one line of JSON, with `rule`, `strength`, `verdict`, `grounds`, the
    /// `text` of the rule and the `lines`. A failure also has `expected` and `seen`; a rule without
    /// a result has `why`. Secrets are masked only if the verdict comes from a [`Judgement`].
    pub fn to_json(&self) -> String {
        serde_json::to_string(&Entry(self.clone())).unwrap_or_default()
    }
}

impl Judgement {
    /// Returns the judgement as a JSON document of several lines. Its `version` is 1.
    pub fn to_json(&self) -> String {
        let judgement = self.clone();
        let word = |word| Word(word);
        let document = Document {
            version: Version(VERSION),
            judge: judgement.judge,
            side: judgement.support.side.into(),
            command: judgement.command,
            seed: judgement.seed,
            repeats: judgement.repeats,
            seconds: judgement.took.as_secs_f64(),
            flaky: judgement
                .flaky
                .into_iter()
                .map(|(rule, words)| (RuleId(rule), words.into_iter().map(word).collect()))
                .collect(),
            verdicts: judgement.verdicts.into_iter().map(Entry).collect(),
            support: judgement.support.into(),
        };
        let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Reads a document of [`Judgement::to_json`], from this version or from a later one with the
    /// same format.
    ///
    /// # Errors
    /// Returns an error with the position if the text is not JSON, a member is missing or has a
    /// wrong value, or the format has another version.
    pub fn read(text: &str) -> Result<Self, JudgementError> {
        let document: Document = serde_json::from_str(text).map_err(|error| {
            let (line, column) = (error.line().max(1), error.column().max(1));
            let why = error.to_string();
            let place = format!(" at line {} column {}", error.line(), error.column());
            JudgementError {
                line,
                column,
                why: why.strip_suffix(&place).unwrap_or(&why).to_owned(),
            }
        })?;
        let words = |words: BTreeSet<Word>| words.into_iter().map(|word| word.0).collect();
        let side = side(document.side.0);
        Ok(Self {
            judge: document.judge,
            command: document.command,
            seed: document.seed,
            repeats: document.repeats,
            took: Duration::try_from_secs_f64(document.seconds).unwrap_or_default(),
            verdicts: document.verdicts.into_iter().map(|entry| of_side(entry.0, side)).collect(),
            flaky: document.flaky.into_iter().map(|(rule, said)| (rule.0, words(said))).collect(),
            support: document.support.of_side(side),
        })
    }
}
