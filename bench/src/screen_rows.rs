//! Rows for the screen in a terminal of 120x40 cells, beside the screens of others with the same
//! model.

use crate::build::Programs;
use crate::rows::Beside::Nothing;
use crate::rows::{OURS, Row, Target, at_most};
use crate::run::Program;
use serde_json::Value;

const CODEX: &str = "Codex";
const OPENCODE: &str = "opencode";

/// A stored session whose log has 100 MB.
const LARGE: &str = "updates-1100000";

/// Builds the rows.
struct Rows<'p> {
    programs: &'p Programs,
}

impl Rows<'_> {
    fn program(&self, name: &'static str, figure: &[&str]) -> Program {
        let programs = self.programs;
        let (screen, command) = match name {
            CODEX => ("codex", programs.screen("codex")),
            OPENCODE => ("opencode", programs.screen("opencode")),
            _ => ("attache", programs.ours("attache")),
        };
        let file = programs.kept(&format!("{}.db", figure.join("-")));
        let words = [programs.ours("attache-bench-screen"), figure[0].to_owned()];
        let more = figure[1..].iter().map(|word| (*word).to_owned());
        let command = words
            .into_iter()
            .chain([screen.to_owned(), file])
            .chain(more)
            .chain(["--".to_owned(), command])
            .collect();
        Program { name, command, environment: vec![], stops: false }
    }

    fn row(
        &self,
        name: &'static str,
        unit: &'static str,
        figure: &[&str],
        read: fn(&Value) -> f64,
        targets: Vec<Target>,
    ) -> Row {
        let programs = vec![self.program(OURS, figure)];
        Row { name, unit, programs, figure: read, targets }
    }

    /// Returns a row with the screens of others.
    fn beside(
        &self,
        name: &'static str,
        unit: &'static str,
        figure: &[&str],
        read: fn(&Value) -> f64,
        targets: Vec<Target>,
    ) -> Row {
        let programs = [OURS, CODEX, OPENCODE].map(|name| self.program(name, figure));
        Row { programs: programs.into(), ..self.row(name, unit, figure, read, targets) }
    }
}

/// Returns a function that reads a member of a report.
macro_rules! member {
    ($name:literal) => {
        |report: &Value| report[$name].as_f64().unwrap()
    };
}

/// Returns the target of our screen.
fn most(bound: f64) -> Vec<Target> {
    vec![at_most(OURS, bound, Nothing)]
}

pub(crate) fn all(programs: &Programs) -> Vec<Row> {
    let rows = Rows { programs };
    [beside_others(&rows), many(&rows)].into_iter().flatten().collect()
}

fn beside_others(rows: &Rows<'_>) -> Vec<Row> {
    let (paint, ms) = (member!("paint_ms"), "ms");
    let (p50, p99) = (member!("p50_ms"), member!("p99_ms"));
    let (lag, gap) = (member!("lag_ms"), member!("gap_ms"));
    let (lines, line) = (&["lines"], &["line"]);
    vec![
        rows.beside("screen: first useful paint", ms, &["start"], paint, most(50.0)),
        rows.beside(
            "screen: idle, CPU",
            "% of a core",
            &["idle"],
            member!("cpu_percent"),
            most(0.0),
        ),
        rows.beside(
            "screen: idle, written",
            "bytes in 10 s",
            &["idle"],
            member!("bytes"),
            most(0.0),
        ),
        rows.beside(
            "screen: idle, memory of all processes",
            "MB",
            &["idle"],
            member!("memory_mb"),
            vec![],
        ),
        rows.beside("screen: a key to its echo, p50", ms, &["echo"], p50, vec![]),
        rows.beside("screen: a key to its echo, p99", ms, &["echo"], p99, vec![]),
        rows.row("screen: 20,000 lines in 5 s, shown after the last byte", ms, lines, lag, vec![]),
        rows.row(
            "screen: 20,000 lines, CPU of all processes",
            "s",
            lines,
            member!("cpu_s"),
            vec![],
        ),
        rows.row(
            "screen: 20,000 lines, memory of all processes",
            "MB",
            lines,
            member!("memory_mb"),
            vec![],
        ),
        rows.row(
            "screen: 3 MB in one line in 5 s, shown after the last byte",
            ms,
            line,
            lag,
            vec![],
        ),
        rows.row("screen: 3 MB in one line, longest time without output", ms, line, gap, vec![]),
    ]
}

fn many(rows: &Rows<'_>) -> Vec<Row> {
    let (ms, streams) = ("ms", &["streams"]);
    let (messages, large): (&[&str], &[&str]) = (&["stored", "messages-10000"], &["stored", LARGE]);
    let (opened, resident) = (member!("open_ms"), member!("resident_mb"));
    vec![
        rows.row(
            "screen: 4 x 500 updates a second, a key to its echo, p50",
            ms,
            streams,
            member!("p50_ms"),
            vec![],
        ),
        rows.row(
            "screen: 4 x 500 updates a second, a key to its echo, p99",
            ms,
            streams,
            member!("p99_ms"),
            most(30.0),
        ),
        rows.row(
            "screen: 4 x 500 updates a second, CPU",
            "% of a core",
            streams,
            member!("cpu_percent"),
            most(40.0),
        ),
        rows.row("screen: 10,000 stored messages, open", ms, messages, opened, vec![]),
        rows.row("screen: 10,000 stored messages, resident", "MB", messages, resident, most(60.0)),
        rows.row("screen: a stored session of 100 MB, open", ms, large, opened, most(300.0)),
        rows.row("screen: a stored session of 100 MB, resident", "MB", large, resident, vec![]),
        rows.row(
            "screen: 5,000 sessions, first rows of the picker",
            ms,
            &["picker"],
            member!("rows_ms"),
            most(50.0),
        ),
        rows.row("screen: 5,000 sessions, a filter", ms, &["picker"], member!("filter_ms"), vec![]),
    ]
}
