//! Shows a judgement on a terminal.

use super::colour::{style_of, style_of_verdict};
use crate::say::counted;
use crate::show::paint::{BOLD, CYAN, DIM, Paint, RED, YELLOW};
use crate::show::width::{cut, wrap};
use attache_check::{Judgement, Outcome, Verdict};
use attache_protocol::method::Side;
use attache_view::sanitize;

/// The width of a line if there is no terminal, in columns.
const LINE_SHOWN: usize = 160;

/// Formats a judgement for a person.
pub(in crate::check) struct Printer {
    pub(in crate::check) paint: Paint,
    /// The width of the terminal; `None` if nothing is cut.
    pub(in crate::check) columns: Option<usize>,
}

impl Printer {
    /// Returns the report: rules that pass, rules that were not judged, then failures with the
    /// strongest rules last, and totals. The most important lines come last, so that they stay
    /// visible on the terminal.
    pub(in crate::check) fn report(&self, judgement: &Judgement) -> Vec<String> {
        let mut lines = self.passed(judgement);
        lines.extend(self.not_judged(judgement));
        lines.push(String::new());
        lines.extend(judgement.fails().into_iter().flat_map(|verdict| self.fail(verdict)));
        lines.extend(self.flaky(judgement));
        lines.extend(self.totals(judgement));
        lines
    }

    /// Lists the rules that pass.
    fn passed(&self, judgement: &Judgement) -> Vec<String> {
        let passed = judgement.verdicts.iter().filter(|verdict| verdict.outcome == Outcome::Pass);
        let rules: Vec<&str> = passed.map(|verdict| verdict.rule.id).collect();
        match rules.len() {
            0 => Vec::new(),
            _ => self.listed(Outcome::PASS, Outcome::PASS.to_owned(), &rules),
        }
    }

    /// Formats a verdict with its reason, and the rules below it.
    fn listed(&self, word: &str, said: String, rules: &[&str]) -> Vec<String> {
        let head = self.paint.paint(style_of_verdict(word), said);
        std::iter::once(head).chain(self.wrapped("", &rules.join(" "))).collect()
    }

    /// Formats a broken rule: its text, the expected and the actual behaviour, and the lines.
    fn fail(&self, verdict: &Verdict) -> Vec<String> {
        let rule = verdict.rule;
        let Outcome::Fail { expected, seen } = &verdict.outcome else { return Vec::new() };
        let mut lines = vec![self.head(verdict)];
        lines.extend(self.wrapped("rule", &format!("{}: {}", rule.word, rule.text)));
        if !expected.ends_with(rule.text) {
            lines.extend(self.wrapped("expected", &sanitize::text(expected)));
        }
        lines.extend(self.wrapped("seen", &sanitize::text(seen)));
        let room = self.columns.map_or(LINE_SHOWN, |columns| columns.saturating_sub(13).max(20));
        for line in &verdict.lines {
            let arrow = if line.from == Side::Client { "->" } else { "<-" };
            let text = cut(&sanitize::text(&line.text), room);
            lines.push(
                self.paint.paint(DIM, format!("  {:>7.3} {arrow} {text}", line.at.as_secs_f64())),
            );
        }
        lines.push(String::new());
        lines
    }

    fn head(&self, verdict: &Verdict) -> String {
        let rule = verdict.rule;
        let outcome = self.paint.paint(
            style_of_verdict(verdict.outcome.as_str()),
            format!("{:<10}", verdict.outcome.as_str()),
        );
        let id = self.paint.paint(CYAN, format!("{:<9}", rule.id));
        let strength =
            self.paint.paint(style_of(rule.strength), format!("{:<10}", rule.strength_word()));
        let grounds = self.paint.paint(DIM, verdict.grounds.replace('_', " "));
        format!("{outcome} {id} {strength} {grounds}")
    }

    /// Lists the rules that were not judged, by reason.
    fn not_judged(&self, judgement: &Judgement) -> Vec<String> {
        let lines = judgement.not_judged().into_iter().flat_map(|(outcome, rules)| {
            let why = sanitize::text(outcome.why().unwrap_or_default()).into_owned();
            self.listed(outcome.as_str(), format!("{}: {why}", outcome.as_str()), &rules)
        });
        lines.collect()
    }

    /// Lists the rules whose verdicts differ between repeats.
    fn flaky(&self, judgement: &Judgement) -> Vec<String> {
        let line = |(rule, words): (&&str, &std::collections::BTreeSet<&str>)| {
            let words = words.iter().copied().collect::<Vec<_>>().join(" and ");
            let word = self.paint.paint(YELLOW, format!("{:<10}", "flaky"));
            format!(
                "{word} {} {words} in {} rounds",
                self.paint.paint(CYAN, format!("{rule:<9}")),
                judgement.repeats
            )
        };
        judgement.flaky.iter().map(line).collect()
    }

    fn wrapped(&self, name: &str, text: &str) -> Vec<String> {
        let wrapped = |line: &str| match self.columns {
            Some(columns) => wrap(line, columns.saturating_sub(12).max(20)),
            None => vec![line.to_owned()],
        };
        let lines = text.split('\n').flat_map(wrapped);
        let named = (0..).zip(lines).map(|(number, line)| {
            let name = if number == 0 { name } else { "" };
            format!("  {} {line}", self.paint.paint(DIM, format!("{name:<9}")))
        });
        named.collect()
    }

    fn totals(&self, judgement: &Judgement) -> Vec<String> {
        let count = counted(judgement.verdicts.len(), "rule");
        let faults = judgement.verdicts.iter().filter(|verdict| verdict.is_fault());
        let broken: Vec<&str> = faults.map(|verdict| verdict.rule.id).collect();
        let passed = self.paint.paint(BOLD, format!("{} pass", judgement.count(Outcome::PASS)));
        let total = format!(
            "{count}{}: {passed}, {} fail, {} skipped, {} not tested.",
            match judgement.support.protocol {
                1 => String::new(),
                protocol => format!(" of version {protocol} of the protocol"),
            },
            judgement.count(Outcome::FAIL),
            judgement.count(Outcome::SKIPPED),
            judgement.count(Outcome::NOT_TESTED)
        );
        let must = match (broken.len(), judgement.musts()) {
            _ if judgement.verdicts.iter().all(|verdict| verdict.outcome.why().is_some()) => {
                "No rule was judged.".to_owned()
            }
            (0, 0) => "No mandatory rule was judged.".to_owned(),
            (0, 1) => "The one mandatory rule that was judged is kept.".to_owned(),
            (0, musts) => format!("All {musts} mandatory rules that were judged are kept."),
            (count, musts) => {
                let broken = broken.join(", ");
                self.paint
                    .paint(RED, format!("{count} of {musts} mandatory rules are broken: {broken}."))
            }
        };
        vec![total, must, "`attache check rules ID` explains a rule.".to_owned()]
    }
}
