//! `attache check rules`: the rules as tables, one of them whole, or all as JSON.

use super::arguments::Rules;
use super::style_of;
use crate::exit::{Exit, Failure};
use crate::show::json::escaped;
use crate::show::paint::{BOLD, CYAN, DIM, GREEN, Paint};
use crate::show::width::{cut, wrap};
use crate::terminal;
use attache_check::{Group, Rule, Selection, Strength, groups, mutations_of, rules as all, select, tests_of};
use serde_json::json;
use std::io::{self, Write};

/// Every strength, the strongest first.
const STRENGTHS: [Strength; 5] =
    [Strength::Must, Strength::Should, Strength::May, Strength::Practice, Strength::Advice];

/// The columns before a rule's text.
const BEFORE_TEXT: usize = 38;

/// Runs the command.
pub(crate) fn rules(arguments: &Rules) -> Result<Exit, Failure> {
    let selection = arguments.rule.as_deref().map(select).transpose().map_err(Failure::usage)?;
    let chosen: &[Rule] = match selection {
        None => all(),
        Some(Selection::Group(group)) => group.rules,
        Some(Selection::Rule(rule)) => std::slice::from_ref(rule),
    };
    let out = io::stdout().lock();
    let face = Face { paint: Paint::of(&out), columns: terminal::columns() };
    let lines = match (arguments.json, selection) {
        (true, _) => chosen.iter().map(json_line).collect(),
        (false, Some(Selection::Rule(rule))) => face.rule(rule),
        (false, Some(Selection::Group(group))) => [face.group(group), face.totals(chosen)].concat(),
        (false, None) => {
            let tables = groups().iter().flat_map(|group| face.group(group));
            tables.chain(face.totals(chosen)).collect()
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
        .map(|mutation| json!({ "name": mutation.name, "file": mutation.file, "test": mutation.test.to_string() }))
        .collect();
    let line = json!({
        "id": rule.id, "group": rule.prefix(), "binds": rule.binds.as_str(), "strength": rule.strength.as_str(), "word": rule.word,
        "text": rule.text, "observation": rule.observation, "source": rule.source, "wireVisible": rule.is_wire_visible(),
        "tests": tests, "mutations": mutations,
    });
    escaped(&line.to_string())
}

/// How rules are shown to a person.
struct Face {
    paint: Paint,
    /// Nothing is cut without.
    columns: Option<usize>,
}

impl Face {
    fn group(&self, group: &Group) -> Vec<String> {
        let shown = group.rules.iter().filter(|rule| is_shown(rule)).count();
        let count = self.paint.paint(DIM, format!("{shown} of {} shown", group.rules.len()));
        let heading = format!("{}  {}  {count}", self.paint.paint(BOLD, group.prefix), group.title);
        let rows = group.rules.iter().map(|rule| self.row(rule));
        std::iter::once(heading).chain(rows).chain([String::new()]).collect()
    }

    fn row(&self, rule: &Rule) -> String {
        let tests = tests_of(rule.id).len();
        let (style, tests) = if tests > 0 { (GREEN, tests.to_string()) } else { (DIM, "-".to_owned()) };
        let text = match self.columns {
            Some(columns) => cut(rule.text, columns.saturating_sub(BEFORE_TEXT).max(10)),
            None => rule.text.to_owned(),
        };
        let id = self.paint.paint(CYAN, format!("{:<9}", rule.id));
        let word = self.paint.paint(style_of(rule.strength), format!("{:<10}", cut(rule.word, 10)));
        let tests = self.paint.paint(style, format!("{tests:>3}"));
        format!("  {id} {word} {:<9} {tests}  {text}", rule.binds.as_str())
    }

    /// How many rules there are, how many can be seen, how many are shown.
    fn totals(&self, rules: &[Rule]) -> Vec<String> {
        let visible = rules.iter().filter(|rule| rule.is_wire_visible()).count();
        let shown: Vec<&Rule> = rules.iter().filter(|rule| is_shown(rule)).collect();
        let visible_shown = shown.iter().filter(|rule| rule.is_wire_visible()).count();
        let by_strength = STRENGTHS.iter().filter_map(|strength| {
            let of = rules.iter().filter(|rule| rule.strength == *strength).count();
            let shown = shown.iter().filter(|rule| rule.strength == *strength).count();
            (of > 0).then(|| {
                format!("{} {shown} of {of}", self.paint.paint(style_of(*strength), strength.as_str()))
            })
        });
        vec![
            format!(
                "{} rules, {visible} of them can be seen on the wire",
                self.paint.paint(BOLD, rules.len().to_string())
            ),
            format!(
                "{} are shown by a test that fails when the behaviour is broken, {visible_shown} of them on the wire",
                self.paint.paint(BOLD, shown.len().to_string())
            ),
            format!("shown by strength: {}", by_strength.collect::<Vec<_>>().join(", ")),
        ]
    }

    /// All about one rule.
    fn rule(&self, rule: &Rule) -> Vec<String> {
        let group =
            groups().iter().find(|group| group.prefix == rule.prefix()).map_or("", |group| group.title);
        let heading = format!("{}  {}", self.paint.paint(BOLD, rule.id), self.paint.paint(DIM, group));
        let strength = self.paint.paint(style_of(rule.strength), rule.word);
        let mut lines = vec![heading, String::new()];
        lines.push(format!("{} {}", self.name("binds"), rule.binds.as_str()));
        lines.push(format!("{} {strength} ({})", self.name("strength"), rule.strength.as_str()));
        lines.extend(self.wrapped("rule", rule.text));
        lines.extend(self.wrapped("seen", rule.observation.unwrap_or("it cannot be seen from outside")));
        lines.extend(self.wrapped("source", rule.source.unwrap_or("the specification leaves it open")));
        lines.push(String::new());
        let tests = tests_of(rule.id);
        if tests.is_empty() {
            lines.push("No test shows it: no mutation of ours breaks it.".to_owned());
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

    /// A named text in as many lines as it takes.
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

fn is_shown(rule: &Rule) -> bool {
    mutations_of(rule.id).next().is_some()
}
