//! `attache check agent`: drives an agent and says which rules it keeps.

use super::arguments::Agent;
use super::style_of;
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupts;
use crate::mask::masked;
use crate::show::json::escaped;
use crate::show::paint::{BOLD, CYAN, DIM, GREEN, Paint, RED, YELLOW};
use crate::show::sanitize;
use crate::show::width::{cut, wrap};
use crate::terminal;
use anstyle::Style;
use attache_check::{Line, Link, Outcome, Run, Strength, Verdict, select};
use attache_host::Launch;
use attache_protocol::method::Side;
use serde_json::json;
use std::io::{self, IsTerminal, Write};

/// How much of a line is shown without a terminal, in columns.
const LINE_SHOWN: usize = 160;

/// Runs the command.
pub(super) async fn agent(arguments: &Agent) -> Result<Exit, Failure> {
    let only = arguments.only.as_deref().map(select).transpose().map_err(Failure::usage)?;
    let our_fault = |error: io::Error| Failure::new(Exit::OurFault, error);
    let interrupts = Interrupts::listen().map_err(our_fault)?;
    let folder = tempfile::tempdir().map_err(our_fault)?;
    let command = arguments.command.clone();
    let start = move || {
        let mut words = command.iter();
        Link::start(Launch::new(words.next().cloned().unwrap_or_default()).args(words))
    };
    // The folder behind a link would be another one to an agent that resolves it.
    let path = folder.path().canonicalize().map_err(our_fault)?;
    let mut run = Run::new(path, start).patience(arguments.timeout).prompt(&arguments.prompt);
    let progress = Progress { shown: !arguments.json && io::stderr().is_terminal() };
    let verdicts = tokio::select! {
        // Dropping the run kills the agent, with everything it started.
        () = interrupts.cancel() => {
            progress.end();
            return Err(Failure::new(Exit::Cancelled, "cancelled before everything was judged"));
        }
        verdicts = run.judge(only, |probe, number, of| progress.tell(probe, number, of)) => verdicts,
    };
    progress.end();
    let verdicts = verdicts.map_err(|error| Failure::new(Exit::CannotStart, error))?;
    let face = Face { paint: Paint::of(&io::stdout()), columns: terminal::columns() };
    let lines = match arguments.json {
        true => verdicts.iter().map(json_line).collect(),
        false => face.report(&verdicts),
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    let written = lines.iter().try_for_each(|line| writeln!(out, "{}", line.trim_end()));
    written.and_then(|()| out.flush()).map_err(|error| Failure::output(&error))?;
    Ok(if verdicts.iter().any(Verdict::is_fault) { Exit::AgentFailed } else { Exit::Done })
}

/// One line on a person's terminal that tells what is being probed.
struct Progress {
    shown: bool,
}

impl Progress {
    fn tell(&self, probe: &str, number: usize, of: usize) {
        if self.shown {
            let line = format!("{number}/{of} {}", probe.replace('_', " "));
            self.write(&cut(&line, terminal::columns().unwrap_or(LINE_SHOWN)));
        }
    }

    fn end(&self) {
        if self.shown {
            self.write("");
        }
    }

    fn write(&self, line: &str) {
        // Who closes stderr does without.
        let _unseen = write!(io::stderr(), "\r\u{1b}[K{line}");
    }
}

fn json_line(verdict: &Verdict) -> String {
    let rule = verdict.rule;
    let (expected, seen, why) = match &verdict.outcome {
        Outcome::Pass => (None, None, None),
        Outcome::Fail { expected, seen } => (Some(expected.clone()), Some(masked(seen)), None),
        Outcome::Skipped(why) | Outcome::NotTested(why) => (None, None, Some(masked(why))),
    };
    let line = |line: &Line| json!({"line": line.number, "from": line.from.as_str(), "t": line.at.as_secs_f64(), "text": masked(&line.text)});
    let lines: Vec<_> = verdict.lines.iter().map(line).collect();
    let object = json!({
        "rule": rule.id, "strength": rule.strength.as_str(), "verdict": verdict.outcome.as_str(), "grounds": verdict.grounds,
        "expected": expected, "seen": seen, "why": why, "text": rule.text, "lines": lines,
    });
    escaped(&object.to_string())
}

fn style(outcome: &Outcome) -> Style {
    match outcome {
        Outcome::Pass => GREEN,
        Outcome::Fail { .. } => RED,
        Outcome::Skipped(_) => DIM,
        Outcome::NotTested(_) => YELLOW,
    }
}

/// How verdicts are shown to a person.
struct Face {
    paint: Paint,
    columns: Option<usize>,
}

impl Face {
    /// Fails first, those of the strongest rules before others; then what passed, what was not judged, and totals.
    fn report(&self, verdicts: &[Verdict]) -> Vec<String> {
        let mut fails: Vec<&Verdict> = verdicts.iter().filter(|verdict| is_fail(verdict)).collect();
        fails.sort_by_key(|verdict| verdict.rule.strength);
        let mut lines: Vec<String> = fails.iter().flat_map(|verdict| self.fail(verdict)).collect();
        let passed = verdicts.iter().filter(|verdict| verdict.outcome == Outcome::Pass);
        lines.extend(passed.map(|verdict| self.head(verdict)));
        lines.extend(self.not_judged(verdicts));
        lines.push(String::new());
        lines.extend(self.totals(verdicts));
        lines
    }

    /// A rule that is broken: what it says, what was expected and seen, and the lines.
    fn fail(&self, verdict: &Verdict) -> Vec<String> {
        let rule = verdict.rule;
        let Outcome::Fail { expected, seen } = &verdict.outcome else { return Vec::new() };
        let mut lines = vec![self.head(verdict)];
        lines.extend(self.wrapped("rule", &format!("{}: {}", rule.word, rule.text)));
        if expected != rule.text {
            lines.extend(self.wrapped("expected", &sanitize::text(expected)));
        }
        lines.extend(self.wrapped("seen", &sanitize::text(&masked(seen))));
        let room = self.columns.map_or(LINE_SHOWN, |columns| columns.saturating_sub(12).max(20));
        for line in &verdict.lines {
            let arrow = if line.from == Side::Client { "->" } else { "<-" };
            let text = cut(&sanitize::text(&masked(&line.text)), room);
            lines.push(self.paint.paint(DIM, format!("  {:>7.3} {arrow} {text}", line.at.as_secs_f64())));
        }
        lines.push(String::new());
        lines
    }

    fn head(&self, verdict: &Verdict) -> String {
        let rule = verdict.rule;
        let outcome = self.paint.paint(style(&verdict.outcome), format!("{:<10}", verdict.outcome.as_str()));
        let id = self.paint.paint(CYAN, format!("{:<9}", rule.id));
        let strength = self.paint.paint(style_of(rule.strength), format!("{:<8}", rule.strength.as_str()));
        let grounds = self.paint.paint(DIM, verdict.grounds.replace('_', " "));
        format!("{outcome} {id} {strength} {grounds}")
    }

    /// What was not judged, by reason, with the rules that each reason holds for.
    fn not_judged(&self, verdicts: &[Verdict]) -> Vec<String> {
        let mut reasons: Vec<(&Outcome, Vec<&str>)> = Vec::new();
        for verdict in verdicts {
            let outcome = &verdict.outcome;
            if matches!(outcome, Outcome::Pass | Outcome::Fail { .. }) {
                continue;
            }
            match reasons.iter_mut().find(|(other, _)| *other == outcome) {
                Some((_, rules)) => rules.push(verdict.rule.id),
                None => reasons.push((outcome, vec![verdict.rule.id])),
            }
        }
        let told = reasons.into_iter().flat_map(|(outcome, rules)| {
            let why = match outcome {
                Outcome::Skipped(why) | Outcome::NotTested(why) => sanitize::text(&masked(why)).into_owned(),
                _ => String::new(),
            };
            let head = self.paint.paint(style(outcome), format!("{}: {why}", outcome.as_str()));
            std::iter::once(head).chain(self.wrapped("", &rules.join(" ")))
        });
        told.collect()
    }

    fn wrapped(&self, name: &str, text: &str) -> Vec<String> {
        let lines = match self.columns {
            Some(columns) => wrap(text, columns.saturating_sub(12).max(20)),
            None => vec![text.to_owned()],
        };
        let named = (0..).zip(lines).map(|(number, line)| {
            let name = if number == 0 { name } else { "" };
            format!("  {} {line}", self.paint.paint(DIM, format!("{name:<9}")))
        });
        named.collect()
    }

    fn totals(&self, verdicts: &[Verdict]) -> Vec<String> {
        let count = |word: &str| verdicts.iter().filter(|verdict| verdict.outcome.as_str() == word).count();
        let faults = verdicts.iter().filter(|verdict| verdict.is_fault()).count();
        let musts = verdicts.iter().filter(|verdict| verdict.rule.strength == Strength::Must).count();
        let passed = self.paint.paint(BOLD, format!("{} pass", count("pass")));
        let total = format!(
            "{} {}: {passed}, {} fail, {} skipped, {} not tested.",
            verdicts.len(),
            if verdicts.len() == 1 { "rule" } else { "rules" },
            count("fail"),
            count("skipped"),
            count("not tested")
        );
        let must = match faults {
            0 if musts == 0 => "None of them must hold.".to_owned(),
            0 => format!("None of the {musts} that must hold is broken."),
            faults => self.paint.paint(RED, format!("Broken: {faults} of the {musts} that must hold.")),
        };
        vec![format!("{total} {must}"), "`attache check rules ID` tells a rule.".to_owned()]
    }
}

fn is_fail(verdict: &Verdict) -> bool {
    matches!(verdict.outcome, Outcome::Fail { .. })
}
