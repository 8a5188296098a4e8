//! Rows for the built-in agent as a process: its start, the delay that it adds between the model
//! and the client, and its memory.

use crate::build::Programs;
use crate::rows::Beside::Nothing;
use crate::rows::{OURS, Row, at_most};
use crate::run::Program;

const WITHOUT: &str = "without a store";
const NEW: &str = "with a new store";
const KEPT: &str = "with an existing store";

pub(crate) fn all(programs: &Programs) -> Vec<Row> {
    let program = |name, words: &str| {
        let measures = vec![programs.ours("attache-bench-coder")];
        let words = words.split(' ').map(str::to_owned).collect();
        let agent = vec!["--".to_owned(), programs.ours("attache"), "agent".to_owned()];
        Program {
            name,
            command: [measures, words, agent].concat(),
            environment: vec![],
            stops: false,
        }
    };
    vec![
        Row {
            name: "agent: start to the reply of initialize",
            unit: "ms, each a median of 50",
            programs: vec![
                program(WITHOUT, "start none"),
                program(NEW, "start new"),
                program(KEPT, "start kept"),
            ],
            figure: |report| report["median_ms"].as_f64().unwrap(),
            targets: [WITHOUT, NEW, KEPT].map(|name| at_most(name, 10.0, Nothing)).into(),
        },
        Row {
            name: "agent: the model's first byte to the first update",
            unit: "ms, each a median of 50",
            programs: vec![program(OURS, "first")],
            figure: |report| report["median_ms"].as_f64().unwrap(),
            targets: vec![at_most(OURS, 5.0, Nothing)],
        },
        Row {
            name: "agent: idle after a turn, resident",
            unit: "MB",
            programs: vec![program(OURS, "idle")],
            figure: |report| report["resident_mb"].as_f64().unwrap(),
            targets: vec![at_most(OURS, 30.0, Nothing)],
        },
    ]
}
