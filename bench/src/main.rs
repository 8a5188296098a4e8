//! Prints the table of speed: ours beside the official SDKs and the raw pipe, on the same work.
//!
//! `cargo run --release -p attache-bench [-- ROW]` builds the peers and measures. Every number is the median of nine rounds; in a round
//! every program runs once, one after the other, so that a ratio compares neighbours in time. Rows whose name contains ROW, or all.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::indexing_slicing,
    reason = "a benchmark stops at the first surprise"
)]

mod build;
mod rows;
mod run;

use rows::{Row, Target};
use std::collections::BTreeMap;

const ROUNDS: usize = 9;

fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let programs = build::Programs::build();
    println!("medians of {ROUNDS} rounds; cpu: microseconds of both processes for one item\n");
    for row in
        rows::all(&programs).into_iter().chain(rows::fold(&programs)).filter(|row| row.name.contains(&wanted))
    {
        print_row(&row);
    }
    if wanted.is_empty() || "decode".contains(&wanted) {
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
        println!("  {:<34} {:>12}  {cost}", program.name, run::number(median(figures[program.name].clone())));
    }
    for target in &row.targets {
        println!("  {}", verdict(target, &figures));
    }
    println!();
}

/// Ratios are taken within a round, then their median.
fn verdict(target: &Target, figures: &BTreeMap<&str, Vec<f64>>) -> String {
    let ours = &figures[target.ours];
    let (value, what) = match target.than {
        Some(than) => {
            let ratios = ours
                .iter()
                .zip(&figures[than])
                .map(|(ours, theirs)| ours / theirs.max(f64::MIN_POSITIVE))
                .collect();
            (median(ratios), format!("{} is {{}} x {than}", target.ours))
        }
        None => (median(ours.clone()), format!("{} is {{}}", target.ours)),
    };
    let met = if target.at_least { value >= target.bound } else { value <= target.bound };
    let wanted = if target.at_least { "at least" } else { "at most" };
    let what = what.replace("{}", &run::number(value));
    format!("{} {what}; wanted {wanted} {}", if met { "met:" } else { "NOT MET:" }, run::number(target.bound))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
