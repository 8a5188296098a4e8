//! Prints a table that compares the speed of our library, the official SDKs and a raw pipe at the
//! same work.
//!
//! `cargo run --release -p attache-bench [-- ROW]` builds the programs and measures the rows whose
//! name contains ROW, or all rows. Every number is the median of nine rounds. In each round every
//! program runs once, one after the other, so that each ratio compares measurements made close
//! together in time.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::indexing_slicing,
    reason = "a benchmark stops at the first error"
)]

mod build;
mod coder_rows;
mod kept_rows;
mod rows;
mod run;

use rows::{Beside, Row, Target};
use std::collections::BTreeMap;

const ROUNDS: usize = 9;

fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let programs = build::Programs::find();
    let all = [
        rows::all(&programs),
        rows::fold(&programs),
        kept_rows::all(&programs),
        coder_rows::all(&programs),
    ];
    let rows: Vec<Row> =
        all.into_iter().flatten().filter(|row| row.name.contains(&wanted)).collect();
    let decode = wanted.is_empty() || "decode".contains(&wanted);
    programs.build(&rows, decode);
    println!("medians of {ROUNDS} rounds; cpu: microseconds of both processes for one item\n");
    rows.iter().for_each(print_row);
    if decode {
        rows::decode(&programs);
    }
    if wanted.is_empty() || "build".contains(&wanted) {
        build::clean_builds();
    }
}

fn print_row(row: &Row) {
    let mut figures: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut costs: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for round in 0..ROUNDS {
        eprint!("\r{} {}/{ROUNDS} ", row.name, round + 1);
        for program in &row.programs {
            let report = program.run();
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

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
