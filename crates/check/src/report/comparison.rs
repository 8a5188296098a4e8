//! Judgements side by side.

use crate::json::json;
use crate::report::markdown;
use crate::{Judgement, Rule, rules};
use serde_json::{Map, Value};

/// The mark of a rule without a verdict.
pub const NO_VERDICT: &str = "–";

/// Judgements side by side, rule by rule.
///
/// ```
/// use attache_check::{Comparison, Judgement, Support};
/// use attache_protocol::method::Side;
///
/// let judgement = |name: &str| Judgement::new(&[name.to_owned()], Vec::new(), Support::of(Side::Agent));
/// let comparison = Comparison::of(&[judgement("one"), judgement("two")]);
/// assert_eq!(comparison.names, ["one", "two"]);
/// assert!(comparison.rows.is_empty(), "neither has a verdict");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Comparison {
    /// The names of the peers, with their commands if two names are equal.
    pub names: Vec<String>,
    /// One row per rule with a verdict, in the order of the rules.
    pub rows: Vec<ComparisonRow>,
}

/// The verdicts of several judgements on one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ComparisonRow {
    /// The rule.
    pub rule: &'static Rule,
    /// The words of the verdicts, in the order of the judgements, or [`NO_VERDICT`] for a judgement
    /// without one.
    pub words: Vec<&'static str>,
}

impl ComparisonRow {
    /// Whether the judgements differ.
    pub fn differs(&self) -> bool {
        self.words.windows(2).any(|pair| pair.first() != pair.last())
    }
}

impl Comparison {
    /// Compares these judgements.
    pub fn of(judgements: &[Judgement]) -> Self {
        let rows = rules().iter().filter_map(|rule| {
            let word = |judgement: &Judgement| {
                judgement.verdict(rule.id).map(|verdict| verdict.outcome.as_str())
            };
            let words: Vec<Option<&str>> = judgements.iter().map(word).collect();
            let is_reported = words.iter().any(Option::is_some);
            let words = words.into_iter().map(|word| word.unwrap_or(NO_VERDICT)).collect();
            is_reported.then_some(ComparisonRow { rule, words })
        });
        Self { names: names(judgements), rows: rows.collect() }
    }

    /// Keeps only the rules on which the judgements differ.
    #[must_use]
    pub fn differences(mut self) -> Self {
        self.rows.retain(ComparisonRow::differs);
        self
    }

    /// Returns how many of the remaining rows have this word for the judgement with this index.
    pub fn count(&self, place: usize, word: &str) -> usize {
        self.rows
            .iter()
            .filter(|row| row.words.get(place).is_some_and(|said| *said == word))
            .count()
    }

    /// Returns the comparison as a Markdown table.
    pub fn to_markdown(&self) -> String {
        let names: Vec<String> = self.names.iter().map(|name| markdown(name)).collect();
        let mut out = format!(
            "| Rule | Strength | {} | Says |\n|{}\n",
            names.join(" | "),
            "---|".repeat(names.len() + 3)
        );
        for ComparisonRow { rule, words } in &self.rows {
            out.push_str(&format!(
                "| {} | {} | {} | {} |\n",
                rule.id,
                rule.strength_word(),
                words.join(" | "),
                rule.text
            ));
        }
        out
    }

    /// Returns the comparison as one JSON document with `names` and `rules`. Each rule has `rule`,
    /// `strength`, `text` and the `verdicts` by name.
    pub fn to_json(&self) -> String {
        let row = |row: &ComparisonRow| {
            let said = self
                .names
                .iter()
                .zip(&row.words)
                .map(|(name, word)| (name.clone(), Value::from(*word)));
            let verdicts: Map<String, Value> = said.collect();
            json!({
                "rule": row.rule.id,
                "strength": row.rule.strength.as_str(),
                "text": row.rule.text,
                "verdicts": verdicts,
            })
        };
        let rules: Vec<Value> = self.rows.iter().map(row).collect();
        json!({"version": 1, "names": self.names, "rules": rules}).to_string()
    }
}

/// Returns unique names of the peers.
fn names(judgements: &[Judgement]) -> Vec<String> {
    let names: Vec<String> = judgements.iter().map(Judgement::name).collect();
    let is_alone = |name: &String| names.iter().filter(|other| *other == name).count() == 1;
    let mut reported: Vec<String> = Vec::new();
    for (judgement, name) in judgements.iter().zip(&names) {
        let name =
            if is_alone(name) { name.clone() } else { format!("{name} ({})", judgement.command) };
        let same = reported
            .iter()
            .filter(|other| **other == name || other.starts_with(&format!("{name} #")))
            .count();
        reported.push(if same == 0 { name } else { format!("{name} #{}", same + 1) });
    }
    reported
}
