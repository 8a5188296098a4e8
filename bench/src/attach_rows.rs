//! A row for `attache attach`: what the bridge between an editor and the shared hub adds.

use crate::build::Programs;
use crate::rows::Beside::Times;
use crate::rows::{OURS, Row, at_most};
use crate::run::Program;

const RELAY: &str = "a bare socket relay";

pub(crate) fn all(programs: &Programs) -> Vec<Row> {
    let measures = programs.ours("attache-bench-attach");
    let program = |name, bridge: &[String]| {
        let words = ["20000", "200", "--"].map(str::to_owned);
        let command = [std::slice::from_ref(&measures), words.as_slice(), bridge].concat();
        Program { name, command, environment: vec![], stops: false }
    };
    vec![Row {
        name: "attach: a message of 200 B to the hub and back, p50",
        unit: "µs",
        programs: vec![
            program(OURS, &[programs.ours("attache"), "attach".to_owned()]),
            program(RELAY, &[measures.clone(), "relay".to_owned()]),
        ],
        figure: |report| report["latency"]["p50_us"].as_f64().unwrap(),
        targets: vec![at_most(OURS, 3.0, Times(RELAY))],
    }]
}
