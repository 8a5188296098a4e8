//! Rows for stored sessions: the store alone, loading, and the cost of the kit and the store while
//! an agent sends text.

use crate::build::Programs;
use crate::rows::Beside::{Above, Nothing, Times};
use crate::rows::{OURS, Row, at_least, at_most, per_second};
use crate::run::Program;
use serde_json::Value;

const BARE: &str = "the connection alone";
const KIT: &str = "the kit";
const KEPT: &str = "the kit, SQLite";
const READS: &str = "a client that reads";
const STALLS: &str = "a client that pauses reading";

fn program(name: &'static str, words: &[&str], agent: &[&str]) -> Program {
    let words = words.iter().chain(agent);
    Program {
        name,
        command: words.map(|word| (*word).to_owned()).collect(),
        environment: vec![],
        stops: false,
    }
}

pub(crate) fn all(programs: &Programs) -> Vec<Row> {
    [store(programs), load(programs), says(programs)].into_iter().flatten().collect()
}

fn store(programs: &Programs) -> Vec<Row> {
    let store = programs.ours("attache-bench-store");
    let row = |name, unit, words: &[&str], figure, targets| Row {
        name,
        unit,
        programs: vec![program(OURS, &[&[store.as_str()], words].concat(), &[])],
        figure,
        targets,
    };
    vec![
        row(
            "store: append chunks of 32 B, one commit at the end",
            "chunks/s",
            &["append", &programs.kept("append.db"), "1000000", "32"],
            per_second,
            vec![at_least(OURS, 1e6, Nothing)],
        ),
        row(
            "store: a page of 50 out of 100,000 sessions",
            "ms",
            &["page", &programs.kept("many.db"), "100000"],
            |report| report["page_ms"].as_f64().unwrap(),
            vec![at_most(OURS, 5.0, Nothing)],
        ),
    ]
}

/// A function that reads the figure of a row from a report.
type Figure = fn(&Value) -> f64;

fn load(programs: &Programs) -> Vec<Row> {
    let (client, agent) =
        (programs.ours("attache-bench-load"), programs.ours("attache-bench-kit-agent"));
    let file = programs.kept("loaded.db");
    let load = |name, mode: &str, session: &str| {
        program(name, &[&client, mode, &file, session, "--"], &[&agent, &file])
    };
    let open = |name, mode, session, figure: Figure, bound: Option<f64>| Row {
        name,
        unit: "ms",
        programs: vec![load(OURS, mode, session)],
        figure,
        targets: bound.map(|bound| at_most(OURS, bound, Nothing)).into_iter().collect(),
    };
    let row = |name, session, figure, bound| open(name, "read", session, figure, bound);
    let first: Figure = |report| report["first_ms"].as_f64().unwrap();
    let whole: Figure = |report| report["whole_ms"].as_f64().unwrap();
    let memory = |name, session| Row {
        name,
        unit: "MB",
        programs: vec![load(READS, "read", session), load(STALLS, "stall", session)],
        figure: |report| report["agent_peak_rss_kb"].as_f64().unwrap() / 1e3,
        targets: vec![at_most(STALLS, 1.1, Times(READS))],
    };
    vec![
        row("load of 10,000 messages: the first update", "messages-10000", first, Some(20.0)),
        row("load of 10,000 messages: all", "messages-10000", whole, Some(300.0)),
        row("load of 1,000,000 updates: the first", "updates-1000000", first, Some(20.0)),
        row("load of 1,000,000 updates: all", "updates-1000000", whole, None),
        open("resume of 5,000 turns with tool calls", "resume", "turns-5000", whole, None),
        memory("load of 10,000 messages: the agent's peak", "messages-10000"),
        memory("load of 1,000,000 updates: the agent's peak", "updates-1000000"),
    ]
}

fn says(programs: &Programs) -> Vec<Row> {
    let (client, kit_client) =
        (programs.ours("attache-bench-client"), programs.ours("attache-bench-kit-client"));
    let (bare, kit) =
        (programs.ours("attache-bench-agent"), programs.ours("attache-bench-kit-agent"));
    let file = programs.kept("said.db");
    let flood = ["flood", "1000000", "32"];
    let say = |name, agent: &[&str]| {
        program(name, &[&[client.as_str()], &flood[..], &["--"]].concat(), agent)
    };
    vec![
        Row {
            name: "say of 32 B: the agent's CPU",
            unit: "us",
            programs: vec![say(BARE, &[&bare]), say(KIT, &[&kit]), say(KEPT, &[&kit, &file])],
            figure: |report| report["agent_cpu_us_per_item"].as_f64().unwrap(),
            targets: vec![at_most(KIT, 1.0, Above(BARE)), at_most(KEPT, 1.0, Above(BARE))],
        },
        Row {
            name: "updates of 32 B through kit, SQLite, pipe and kit with its fold",
            unit: "updates/s",
            programs: vec![program(
                OURS,
                &[&[kit_client.as_str()], &flood[..], &["--"]].concat(),
                &[&kit, &file],
            )],
            figure: per_second,
            targets: vec![at_least(OURS, 5e5, Nothing)],
        },
    ]
}
