//! Prints a table that compares the speed of our library, the official SDKs and a raw pipe at the
//! same work.
//!
//! `cargo run --release -p attache-bench [-- ROW [ROUNDS]]` builds the programs and measures the
//! rows whose name contains ROW, or all rows. Every number is the median of nine rounds, or of
//! ROUNDS. In each round every program runs once, one after the other, so that each ratio compares
//! measurements made close together in time. Rows that read other figures of the same programs
//! share their runs.
//!
//! `checkpoint [ROUNDS [FILES]]` compares checkpoints of a folder with git, which takes long.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::indexing_slicing,
    reason = "a benchmark stops at the first error"
)]

mod attach_rows;
mod build;
mod checkpoint_rows;
mod checkpoint_tree;
mod coder_rows;
mod kept_rows;
mod rows;
mod run;
mod screen_rows;
mod watch_rows;

use rows::{Beside, Row, Target};
use run::median;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// The number of rounds, unless the second argument has another one.
const ROUNDS: usize = 9;

/// The reports of the runs of a command, one for each round.
type Reports = HashMap<Vec<String>, Vec<Value>>;

fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let rounds = std::env::args().nth(2).map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    let programs = build::Programs::find();
    let all = [
        rows::all(&programs),
        rows::fold(&programs),
        kept_rows::all(&programs),
        coder_rows::all(&programs),
        screen_rows::all(&programs),
        attach_rows::all(&programs),
        watch_rows::all(&programs),
    ];
    let rows: Vec<Row> =
        all.into_iter().flatten().filter(|row| row.name.contains(&wanted)).collect();
    let decode = wanted.is_empty() || "decode".contains(&wanted);
    programs.build(&rows, decode);
    println!("medians of {rounds} rounds; cpu: microseconds of both processes for one item\n");
    let mut reports = Reports::new();
    rows.iter().for_each(|row| print_row(row, rounds, &mut reports));
    if decode {
        rows::decode(&programs, rounds);
    }
    if wanted == "checkpoint" {
        let files = std::env::args().nth(3).map(|files| files.parse().unwrap());
        checkpoint_rows::print(&programs, rounds, files.unwrap_or(checkpoint_rows::FILES));
    }
    if wanted.is_empty() || "build".contains(&wanted) {
        build::clean_builds();
    }
}

fn print_row(row: &Row, rounds: usize, reports: &mut Reports) {
    let mut figures: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut costs: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for round in 0..rounds {
        eprint!("\r{} {}/{rounds} ", row.name, round + 1);
        for program in &row.programs {
            let known = reports.entry(program.key()).or_default();
            if known.len() <= round {
                known.push(program.run());
            }
            let report = known[round].clone();
            figures.entry(program.name).or_default().push((row.figure)(&report));
            costs.entry(program.name).or_default().push(run::cpu(&report));
        }
    }
    eprint!("\r{:60}\r", "");
    println!("{} ({})", row.name, row.unit);
    for program in &row.programs {
        let cost = median(costs[program.name].clone());
        let cost = if cost > 0.0 { format!("cpu {cost:.2}") } else { String::new() };
        println!(
            "  {:<34} {:>12}  {cost}",
            program.name,
            run::number(median(figures[program.name].clone()))
        );
    }
    for target in &row.targets {
        println!("  {}", verdict(target, &figures));
    }
    println!();
}

/// Ratios and differences are computed per round. Then the median is taken.
fn verdict(target: &Target, figures: &BTreeMap<&str, Vec<f64>>) -> String {
    let ours = &figures[target.ours];
    let with = |other: &str, combine: fn(f64, f64) -> f64| {
        median(
            ours.iter()
                .zip(&figures[other])
                .map(|(ours, theirs)| combine(*ours, *theirs))
                .collect(),
        )
    };
    let (value, what) = match target.beside {
        Beside::Times(other) => (
            with(other, |ours, theirs| ours / theirs.max(f64::MIN_POSITIVE)),
            format!("{} is {{}} x {other}", target.ours),
        ),
        Beside::Above(other) => (
            with(other, |ours, theirs| ours - theirs),
            format!("{} is {{}} above {other}", target.ours),
        ),
        Beside::Nothing => (median(ours.clone()), format!("{} is {{}}", target.ours)),
    };
    let met = if target.at_least { value >= target.bound } else { value <= target.bound };
    let wanted = if target.at_least { "at least" } else { "at most" };
    let what = what.replace("{}", &run::number(value));
    format!(
        "{} {what}; target {wanted} {}",
        if met { "met:" } else { "NOT MET:" },
        run::number(target.bound)
    )
}
