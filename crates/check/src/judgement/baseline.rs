//! Known failures: rules that a peer breaks for a known reason, kept as Markdown next to its
//! source.

use crate::{Judgement, Rule, Selection, Verdict, select};
use std::fmt;

/// The marker of a rule whose verdict may change.
const FLAKY: &str = "flaky";

/// The known failures of a peer.
///
/// The file is Markdown. Each list item is a known failure, such as
/// `- RPC-22: replies without a result are answered`. An item such as
/// `- RPC-22, flaky: now and then` is for a rule that may also pass. Indented lines continue the
/// reason. All other text is ignored.
///
/// ```
/// use attache_check::Baseline;
///
/// let baseline = Baseline::read("# Known failures\n\n- RPC-22: a reply without a result is answered\n  with -32600\n")?;
/// assert_eq!(baseline.entries[0].reason, "a reply without a result is answered with -32600");
///
/// let broken = Baseline::read("- RPC-22\n").unwrap_err();
/// assert_eq!((broken.line, broken.column), (1, 9));
/// # Ok::<(), attache_check::BaselineError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Baseline {
    /// The entries in the order of the file, at most one per rule.
    pub entries: Vec<KnownFailure>,
}

/// A known failure.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownFailure {
    /// The rule.
    pub rule: &'static Rule,
    /// Whether the rule may also pass.
    pub is_flaky: bool,
    /// The reason, as one line of Markdown.
    pub reason: String,
}

/// The error for a file that is not a baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaselineError {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1, in bytes.
    pub column: usize,
    /// A description of the error.
    pub why: String,
}

impl fmt::Display for BaselineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.why)
    }
}

impl std::error::Error for BaselineError {}

/// The difference between a judgement and a baseline.
#[derive(Debug)]
#[non_exhaustive]
pub struct BaselineDiff<'a> {
    /// Failures that the baseline does not list.
    pub new: Vec<&'a Verdict>,
    /// Failures that the baseline lists.
    pub known: Vec<&'a KnownFailure>,
    /// Rules that the baseline lists but that now pass. Flaky rules do not count.
    pub healed: Vec<&'a KnownFailure>,
    /// Rules that the baseline lists but that were not judged.
    pub untold: Vec<&'a KnownFailure>,
}

impl BaselineDiff<'_> {
    /// Whether the peer differs from the baseline.
    pub fn differs(&self) -> bool {
        !self.new.is_empty() || !self.healed.is_empty()
    }
}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    /// Returns an error with the position of the first list item that is not a known failure.
    pub fn read(text: &str) -> Result<Self, BaselineError> {
        let mut entries: Vec<KnownFailure> = Vec::new();
        // Whether the previous lines belong to an entry.
        let mut is_entry = false;
        for (number, line) in (1..).zip(text.lines()) {
            let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
            if let Some(item) = item {
                let at = |column: usize, why: String| BaselineError { line: number, column, why };
                let entry = entry(item).map_err(|(offset, why)| at(offset + 3, why))?;
                if entries.iter().any(|other| other.rule.id == entry.rule.id) {
                    return Err(at(
                        3,
                        format!("{} is listed twice: remove one of the entries", entry.rule.id),
                    ));
                }
                entries.push(entry);
                is_entry = true;
            } else if is_entry && line.starts_with(' ') && !line.trim().is_empty() {
                if let Some(entry) = entries.last_mut() {
                    entry.reason.push(' ');
                    entry.reason.push_str(line.trim());
                }
            } else {
                is_entry = false;
            }
        }
        Ok(Self { entries })
    }

    /// Compares a judgement with the baseline.
    pub fn against<'a>(&'a self, judgement: &'a Judgement) -> BaselineDiff<'a> {
        let entry = |rule: &str| self.entries.iter().find(|entry| entry.rule.id == rule);
        let new = judgement.fails().into_iter().filter(|verdict| entry(verdict.rule.id).is_none());
        let mut against = BaselineDiff {
            new: new.collect(),
            known: Vec::new(),
            healed: Vec::new(),
            untold: Vec::new(),
        };
        for entry in &self.entries {
            match judgement.verdict(entry.rule.id).map(|verdict| &verdict.outcome) {
                Some(outcome) if outcome.is_fail() => against.known.push(entry),
                Some(outcome) if outcome.why().is_none() => {
                    if !entry.is_flaky {
                        against.healed.push(entry);
                    }
                }
                _ => against.untold.push(entry),
            }
        }
        against
    }

    /// Returns a baseline file that matches this judgement. Known failures keep their reasons, and
    /// entries for rules that were not judged are kept.
    pub fn rewritten(&self, judgement: &Judgement) -> String {
        let mut entries: Vec<KnownFailure> =
            self.against(judgement).untold.into_iter().cloned().collect();
        for verdict in judgement.fails() {
            let known = self.entries.iter().find(|entry| entry.rule.id == verdict.rule.id);
            let is_flaky = judgement.flaky.contains_key(verdict.rule.id)
                || known.is_some_and(|known| known.is_flaky);
            let reason = known.map_or_else(|| reason(verdict), |known| known.reason.clone());
            entries.push(KnownFailure { rule: verdict.rule, is_flaky, reason });
        }
        // Keep a flaky rule even if it passes.
        let passing = self.entries.iter().filter(|entry| entry.is_flaky);
        let passing = passing.filter(|entry| {
            judgement.verdict(entry.rule.id).is_some_and(|verdict| {
                verdict.outcome.why().is_none() && !verdict.outcome.is_fail()
            })
        });
        entries.extend(passing.cloned());
        entries
            .sort_by_key(|entry| crate::rules().iter().position(|rule| rule.id == entry.rule.id));
        let mut out = format!("# Known failures of {}\n\n", one_line(&judgement.name()));
        if entries.is_empty() {
            out.push_str("None.\n");
        }
        for KnownFailure { rule, is_flaky, reason } in entries {
            let flaky = if is_flaky { format!(", {FLAKY}") } else { String::new() };
            out.push_str(&format!("- {}{flaky}: {reason}\n", rule.id));
        }
        out
    }
}

/// Reads the entry of an item. The error contains the position and the description.
fn entry(item: &str) -> Result<KnownFailure, (usize, String)> {
    let Some((head, reason)) = item.split_once(':') else {
        return Err((
            item.len(),
            format!("a known failure needs its reason: `- {}: why`", item.trim()),
        ));
    };
    let (id, mark) =
        head.split_once(',').map_or((head, None), |(id, mark)| (id, Some(mark.trim())));
    let rule = match select(id) {
        Ok(Selection::Rule(rule)) => rule,
        Ok(Selection::Group(group)) => {
            return Err((0, format!("{} is a group: list its rules one by one", group.prefix)));
        }
        Err(unknown) => return Err((0, unknown.to_string())),
    };
    if let Some(mark) = mark.filter(|mark| *mark != FLAKY) {
        return Err((
            id.len() + 1,
            format!("{mark:?} is unknown: only `{FLAKY}` may follow a rule"),
        ));
    }
    let reason = reason.trim();
    if reason.is_empty() {
        return Err((item.len(), format!("a known failure needs its reason: `- {id}: why`")));
    }
    Ok(KnownFailure { rule, is_flaky: mark.is_some(), reason: reason.to_owned() })
}

/// Suggests a reason: the description of the failure.
fn reason(verdict: &Verdict) -> String {
    match &verdict.outcome {
        crate::Outcome::Fail { seen, .. } => format!("seen: {}", one_line(seen)),
        other => other.as_str().to_owned(),
    }
}

fn one_line(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|character| if character.is_control() { ' ' } else { character })
        .collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::Baseline;

    #[test]
    fn an_invalid_entry_is_reported_with_line_and_column() {
        for (text, line, column, why) in [
            ("# a\n\n- RPC-99: x", 3, 3, "there is no rule \"RPC-99\""),
            ("- RPC: x", 1, 3, "RPC is a group"),
            ("* RPC-22:  ", 1, 12, "needs its reason"),
            ("- RPC-22, odd: x", 1, 10, "\"odd\" is unknown"),
            ("- RPC-22: x\n- rpc-22: y", 2, 3, "listed twice"),
        ] {
            let error = Baseline::read(text).unwrap_err();
            assert_eq!((error.line, error.column), (line, column), "{error}");
            assert!(error.why.contains(why), "{error}");
        }
    }

    #[test]
    fn text_outside_lists_is_ignored() {
        let text = "# RPC-22\n\nSee RPC-08.\n- RPC-22, flaky: a: b\n   c\n\n  d\n";
        let baseline = Baseline::read(text).unwrap();
        assert_eq!(baseline.entries.len(), 1);
        let entry = &baseline.entries[0];
        assert_eq!(
            (entry.rule.id, entry.is_flaky, entry.reason.as_str()),
            ("RPC-22", true, "a: b c")
        );
    }
}
