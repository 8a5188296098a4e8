//! `attache check rules`: shows the rules as tables, one rule in detail, or all as JSON.

use super::arguments::Rules;
use super::report::colour::style_of;
use crate::exit::{Exit, Failure};
use crate::show::json::escaped;
use crate::show::paint::{BOLD, CYAN, DIM, GREEN, Paint};
use crate::show::width::{cut, wrap};
use crate::terminal;
use attache_check::{
    Fault, Group, Judged, ProbeName, Rule, Selection, Strength, faults, groups, mutations_of,
    probes, rules as all, select, tests_of, why_not_judged,
};
use attache_protocol::method::Side;
use serde_json::json;
use std::io::{self, Write};

/// All strengths, the strongest first.
const STRENGTHS: [Strength; 5] =
    [Strength::Must, Strength::Should, Strength::May, Strength::Practice, Strength::Advice];

/// The number of columns before the text of a rule.
const BEFORE_TEXT: usize = 42;

/// Runs `attache check rules`.
pub(crate) fn rules(arguments: &Rules) -> Result<Exit, Failure> {
    let selection = arguments.rule.as_deref().map(select).transpose().map_err(Failure::usage)?;
    let chosen: &[Rule] = match selection {
        None => all(),
        Some(Selection::Group(group)) => group.rules,
        Some(Selection::Rule(rule)) => std::slice::from_ref(rule),
    };
    let out = io::stdout().lock();
    let printer = Printer { paint: Paint::of(&out), columns: terminal::columns() };
    let lines = match (arguments.json, selection) {
        (true, _) => chosen.iter().map(json_line).collect(),
        (false, Some(Selection::Rule(rule))) => printer.rule(rule),
        (false, Some(Selection::Group(group))) => {
            [printer.group(group), printer.totals(chosen)].concat()
        }
        (false, None) => {
            let tables = groups().iter().flat_map(|group| printer.group(group));
            tables.chain(printer.totals(chosen)).collect()
        }
    };
    write(out, &lines).map(|()| Exit::Done).map_err(|error| Failure::output(&error))
}

fn write(out: impl Write, lines: &[String]) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    lines.iter().try_for_each(|line| writeln!(out, "{}", line.trim_end()))?;
    out.flush()
}

fn json_line(rule: &Rule) -> String {
    let tests: Vec<String> = tests_of(rule.id).iter().map(ToString::to_string).collect();
    let mutations: Vec<_> = mutations_of(rule.id)
        .map(|mutation| {
            let test = mutation.test.to_string();
            json!({ "name": mutation.name, "file": mutation.file, "test": test })
        })
        .collect();
    let probes: Vec<_> = probes_of(rule)
        .map(|probe| json!({"side": probe.side.as_str(), "name": probe.name}))
        .collect();
    let faults: Vec<_> = faults_of(rule)
        .map(|fault| {
            let (judged, by) = (fault.judged.as_str(), fault.by.as_str());
            json!({"judged": judged, "by": by, "companions": fault.companions})
        })
        .collect();
    let line = json!({
        "id": rule.id, "group": rule.prefix(), "binds": rule.binds.as_str(),
        "strength": rule.strength.as_str(), "word": rule.word,
        "text": rule.text, "observation": rule.observation, "source": rule.source, "wireVisible": rule.is_wire_visible(),
        "tests": tests, "mutations": mutations, "probes": probes, "faults": faults, "whyNotJudged": why_not_judged(rule.id),
    });
    escaped(&line.to_string())
}

/// Formats rules for a person.
struct Printer {
    paint: Paint,
    /// The width of the terminal; `None` if nothing is cut.
    columns: Option<usize>,
}

impl Printer {
    fn group(&self, group: &Group) -> Vec<String> {
        let shown = group.rules.iter().filter(|rule| is_shown(rule)).count();
        let count = self.paint.paint(DIM, format!("{shown} of {} covered", group.rules.len()));
        let heading = format!("{}  {}  {count}", self.paint.paint(BOLD, group.prefix), group.title);
        let rows = group.rules.iter().map(|rule| self.row(rule));
        std::iter::once(heading).chain(rows).chain([String::new()]).collect()
    }

    fn row(&self, rule: &Rule) -> String {
        let tests = tests_of(rule.id).len();
        let (style, tests) =
            if tests > 0 { (GREEN, tests.to_string()) } else { (DIM, "-".to_owned()) };
        let text = match self.columns {
            Some(columns) => cut(rule.text, columns.saturating_sub(BEFORE_TEXT).max(10)),
            None => rule.text.to_owned(),
        };
        let id = self.paint.paint(CYAN, format!("{:<9}", rule.id));
        let word = self.paint.paint(style_of(rule.strength), format!("{:<10}", cut(rule.word, 10)));
        let tests = self.paint.paint(style, format!("{tests:>3}"));
        let judged = self.paint.paint(CYAN, judged(rule));
        format!("  {id} {word} {:<9} {judged} {tests}  {text}", rule.binds.as_str())
    }

    /// Returns lines with the numbers of all, visible, covered and judged rules.
    fn totals(&self, rules: &[Rule]) -> Vec<String> {
        let visible = rules.iter().filter(|rule| rule.is_wire_visible()).count();
        let shown: Vec<&Rule> = rules.iter().filter(|rule| is_shown(rule)).collect();
        let visible_shown = shown.iter().filter(|rule| rule.is_wire_visible()).count();
        let by_strength = STRENGTHS.iter().filter_map(|strength| {
            let of = rules.iter().filter(|rule| rule.strength == *strength).count();
            let shown = shown.iter().filter(|rule| rule.strength == *strength).count();
            (of > 0).then(|| {
                format!(
                    "{} {shown} of {of}",
                    self.paint.paint(style_of(*strength), strength.as_str())
                )
            })
        });
        vec![
            format!(
                "{} rules, {visible} of them visible on the wire",
                self.paint.paint(BOLD, rules.len().to_string())
            ),
            format!(
                "{} are covered by a test that fails when the behaviour is broken, {visible_shown} of them visible on the wire",
                self.paint.paint(BOLD, shown.len().to_string())
            ),
            format!("covered, by strength: {}", by_strength.collect::<Vec<_>>().join(", ")),
            format!(
                "{} are judged: A by a probe of agents, C by a probe of clients, T from the traffic of either side",
                self.paint.paint(
                    BOLD,
                    rules.iter().filter(|rule| judged(rule) != NOWHERE).count().to_string()
                )
            ),
        ]
    }

    /// Returns one rule in detail.
    fn rule(&self, rule: &Rule) -> Vec<String> {
        let group = groups()
            .iter()
            .find(|group| group.prefix == rule.prefix())
            .map_or("", |group| group.title);
        let heading =
            format!("{}  {}", self.paint.paint(BOLD, rule.id), self.paint.paint(DIM, group));
        let strength = self.paint.paint(style_of(rule.strength), rule.word);
        let mut lines = vec![heading, String::new()];
        lines.push(format!("{} {}", self.name("binds"), rule.binds.as_str()));
        lines.push(format!("{} {strength} ({})", self.name("strength"), rule.strength.as_str()));
        lines.extend(self.wrapped("rule", rule.text));
        lines.extend(
            self.wrapped("seen", rule.observation.unwrap_or("it cannot be seen from outside")),
        );
        lines.extend(
            self.wrapped("source", rule.source.unwrap_or("the specification leaves it open")),
        );
        lines.extend(self.judged(rule));
        lines.push(String::new());
        let tests = tests_of(rule.id);
        if tests.is_empty() {
            lines.push("No test covers it: no mutation breaks it.".to_owned());
        }
        for test in tests {
            lines.push(self.paint.paint(GREEN, test));
            for mutation in mutations_of(rule.id).filter(|mutation| mutation.test == test) {
                lines.push(format!(
                    "  fails when: {}  {}",
                    mutation.name,
                    self.paint.paint(DIM, mutation.file)
                ));
            }
        }
        lines
    }

    /// Returns how the rule is judged, and the faults that its probe finds.
    fn judged(&self, rule: &Rule) -> Vec<String> {
        let probes = probes_of(rule)
            .map(|probe| format!("{}: {}", probe.side.as_str(), probe.name.replace('_', " ")));
        let watched = faults_of(rule).any(|fault| fault.judged == Judged::Traffic);
        let mut judges: Vec<String> =
            probes.chain(watched.then(|| "traffic: watching".to_owned())).collect();
        if judges.is_empty() {
            let why = why_not_judged(rule.id).unwrap_or("it has no probe");
            return self.wrapped("judged", &format!("not: {why}"));
        }
        judges.dedup();
        let mut lines: Vec<String> =
            judges.iter().flat_map(|judge| self.wrapped("judged", judge)).collect();
        for fault in faults_of(rule) {
            let with = match fault.companions.as_slice() {
                [] => String::new(),
                companions => format!(", with {}", companions.join(", ")),
            };
            let place = match fault.judged {
                Judged::Traffic => {
                    format!("a line of the {} that breaks it{with}", fault.by.as_str())
                }
                judged => format!("a faulty {} in memory that breaks it{with}", judged.as_str()),
            };
            lines.extend(self.wrapped("fails for", &place));
        }
        lines.dedup();
        lines
    }

    /// Formats a label and its text, wrapped.
    fn wrapped(&self, name: &str, text: &str) -> Vec<String> {
        const INDENT: usize = 10;
        let lines = match self.columns {
            Some(columns) => wrap(text, columns.saturating_sub(INDENT)),
            None => vec![text.to_owned()],
        };
        let mut head = format!("{} ", self.name(name));
        lines.iter().map(|line| std::mem::replace(&mut head, " ".repeat(INDENT)) + line).collect()
    }

    fn name(&self, name: &str) -> String {
        self.paint.paint(DIM, format!("{name:<9}"))
    }
}

/// The entry in a table for a rule that is not judged.
const NOWHERE: &str = "---";

/// Returns a letter for each way to judge the rule: A by agents' probes, C by clients' probes, T by
/// traffic.
fn judged(rule: &Rule) -> String {
    let by = |side: Side| probes_of(rule).any(|probe| probe.side == side);
    let watched = faults_of(rule).any(|fault| fault.judged == Judged::Traffic);
    let letters = [(by(Side::Agent), 'A'), (by(Side::Client), 'C'), (watched, 'T')];
    letters.into_iter().map(|(is, letter)| if is { letter } else { '-' }).collect()
}

fn probes_of(rule: &Rule) -> impl Iterator<Item = ProbeName> {
    probes().filter(|probe| probe.rule == rule.id)
}

fn faults_of(rule: &Rule) -> impl Iterator<Item = &'static Fault> {
    faults().iter().filter(|fault| fault.rule == rule.id)
}

fn is_shown(rule: &Rule) -> bool {
    mutations_of(rule.id).next().is_some()
}
