//! The rows of the table: the work, the programs that do it, and the targets of our programs.

use self::Beside::{Nothing, Times};
use crate::build::Programs;
use crate::run::{Program, number};
use serde_json::Value;

pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) programs: Vec<Program>,
    pub(crate) figure: fn(&Value) -> f64,
    pub(crate) targets: Vec<Target>,
}

/// A target for one of our programs: a bound on its figure.
pub(crate) struct Target {
    pub(crate) ours: &'static str,
    pub(crate) beside: Beside,
    pub(crate) at_least: bool,
    pub(crate) bound: f64,
}

/// The value that the bound of a target applies to.
#[derive(Clone, Copy)]
pub(crate) enum Beside {
    /// The figure itself.
    Nothing,
    /// The ratio of the figure to that of this program.
    Times(&'static str),
    /// The figure minus that of this program.
    Above(&'static str),
}

pub(crate) const OURS: &str = "attache";
const KITS: &str = "attache, both kits";
const KITS_V2: &str = "attache, both kits, version 2";
const MULTI: &str = "attache, #[tokio::main]";
const README: &str = "official Rust, README style";
const BEST: &str = "official Rust, best tuned";
const TYPESCRIPT: &str = "official TypeScript";
const RAW: &str = "raw pipe";
const RAW_LARGE: &str = "raw pipe of 1 MiB";

pub(crate) fn at_least(ours: &'static str, bound: f64, beside: Beside) -> Target {
    Target { ours, beside, at_least: true, bound }
}

pub(crate) fn at_most(ours: &'static str, bound: f64, beside: Beside) -> Target {
    Target { ours, beside, at_least: false, bound }
}

pub(crate) fn per_second(report: &Value) -> f64 {
    report["per_s"].as_f64().unwrap()
}

fn median_time(report: &Value) -> f64 {
    report["latency"]["p50_us"].as_f64().unwrap()
}

/// The CPUs on which the client and the agent run.
#[derive(Clone, Copy)]
enum Place {
    Free,
    One,
    Two,
}

struct Scenario<'p> {
    programs: &'p Programs,
    words: &'p str,
    place: Place,
}

impl Scenario<'_> {
    fn program(&self, name: &'static str) -> Program {
        let p = self.programs;
        let raw = |count: &str| self.words.replace("COUNT", count);
        let (client, agent, words, environment) = match name {
            OURS => (
                vec![p.ours("attache-bench-client")],
                vec![p.ours("attache-bench-agent")],
                raw("burst"),
                vec![],
            ),
            MULTI => (
                vec![p.ours("attache-bench-client")],
                vec![p.ours("attache-bench-agent")],
                raw("burst"),
                vec![("RT", "multi")],
            ),
            KITS => (
                vec![p.ours("attache-bench-kit-client")],
                vec![p.ours("attache-bench-kit-agent")],
                raw("burst"),
                vec![],
            ),
            KITS_V2 => (
                vec![p.ours("attache-bench-kit-client")],
                vec![p.ours("attache-bench-kit-agent")],
                raw("burst"),
                vec![("PROTOCOL", "2")],
            ),
            README => (
                vec![p.peer("official-bench-client"), "acpagent".to_owned()],
                vec![p.peer("official-bench-agent"), "sdk".to_owned()],
                raw("burst"),
                vec![("RT", "multi")],
            ),
            BEST => (
                vec![p.peer("official-bench-client"), "tokiochild".to_owned()],
                vec![p.peer("official-bench-agent"), "pipe".to_owned()],
                raw("burst"),
                vec![],
            ),
            TYPESCRIPT => (
                vec!["node".to_owned(), p.script("bench-client.mjs")],
                vec!["node".to_owned(), p.script("bench-agent.mjs")],
                raw("await"),
                vec![],
            ),
            RAW | RAW_LARGE => {
                let environment = if name == RAW { vec![] } else { vec![("PIPE", "1048576")] };
                (
                    vec![p.peer("raw"), "client".to_owned()],
                    vec![p.peer("raw"), "agent".to_owned()],
                    raw("burst"),
                    environment,
                )
            }
            other => panic!("no program {other}"),
        };
        let pinned = |cpu: &str, mut command: Vec<String>| {
            command.splice(0..0, ["taskset".to_owned(), "-c".to_owned(), cpu.to_owned()]);
            command
        };
        let (client, agent) = match self.place {
            Place::Free => (client, agent),
            Place::One => (pinned("0", client), agent),
            Place::Two => (pinned("0", client), pinned("1", agent)),
        };
        let mut command = client;
        command.extend(words.split_whitespace().map(str::to_owned));
        command.push("--".to_owned());
        command.extend(agent);
        Program { name, command, environment, stops: words.starts_with("stall") }
    }

    fn programs(&self, names: &[&'static str]) -> Vec<Program> {
        names.iter().map(|name| self.program(name)).collect()
    }
}

pub(crate) fn all(programs: &Programs) -> Vec<Row> {
    let scenario = |words, place| Scenario { programs, words, place };
    vec![
        Row {
            name: "updates of 32 B, agent to client handler",
            unit: "updates/s",
            // Slow programs get fewer updates. That does not change the figure, which is a rate.
            programs: [
                scenario("flood 1000000 32 COUNT", Place::Free)
                    .programs(&[OURS, KITS, KITS_V2, RAW]),
                scenario("flood 100000 32 COUNT", Place::Free).programs(&[BEST, TYPESCRIPT]),
                scenario("flood 30000 32 COUNT", Place::Free).programs(&[README]),
            ]
            .concat(),
            figure: per_second,
            targets: vec![
                at_least(OURS, 0.5, Times(RAW)),
                at_least(KITS, 0.6, Times(RAW)),
                at_least(KITS_V2, 0.9, Times(KITS)),
            ],
        },
        Row {
            name: "updates of 64 KiB",
            unit: "MB/s",
            programs: [
                scenario("flood 5000 65536 COUNT", Place::Free)
                    .programs(&[OURS, KITS, KITS_V2, RAW, RAW_LARGE]),
                scenario("flood 1000 65536 COUNT", Place::Free)
                    .programs(&[BEST, README, TYPESCRIPT]),
            ]
            .concat(),
            figure: |report| per_second(report) * 65536.0 / 1e6,
            targets: vec![
                at_least(OURS, 2.0, Times(BEST)),
                at_least(KITS, 2.0, Times(BEST)),
                at_least(KITS_V2, 0.9, Times(KITS)),
            ],
        },
        Row {
            name: "request and reply, p50, two CPUs",
            unit: "us",
            programs: scenario("rtt 5000", Place::Two)
                .programs(&[OURS, MULTI, RAW, BEST, README, TYPESCRIPT]),
            figure: median_time,
            targets: vec![at_most(OURS, 1.2, Times(RAW)), at_most(MULTI, 1.4, Times(RAW))],
        },
        Row {
            name: "request and reply, p50, one CPU",
            unit: "us",
            programs: scenario("rtt 5000", Place::One)
                .programs(&[OURS, RAW, BEST, README, TYPESCRIPT]),
            figure: median_time,
            targets: vec![at_most(OURS, 2.0, Times(RAW))],
        },
        Row {
            name: "64 requests in flight",
            unit: "requests/s",
            programs: scenario("pipelined 20000 64", Place::Free)
                .programs(&[OURS, RAW, BEST, README]),
            figure: per_second,
            targets: vec![at_least(OURS, 2.5, Times(BEST))],
        },
        Row {
            name: "client stopped, 200,000 updates: the client's peak",
            unit: "MB",
            programs: scenario("stall 200000 32", Place::Free)
                .programs(&[OURS, KITS, README, TYPESCRIPT]),
            figure: |report| report["client_peak_rss_kb"].as_f64().unwrap() / 1e3,
            targets: vec![at_most(OURS, 16.0, Nothing), at_most(KITS, 16.0, Nothing)],
        },
        Row {
            name: "client stopped, 200,000 updates: the agent's peak",
            unit: "MB",
            programs: scenario("stall 200000 32", Place::Free)
                .programs(&[OURS, KITS, README, TYPESCRIPT]),
            figure: |report| report["agent_peak_rss_kb"].as_f64().unwrap() / 1e3,
            targets: vec![at_most(OURS, 16.0, Nothing), at_most(KITS, 16.0, Nothing)],
        },
        Row {
            name: "spawn to the reply of initialize",
            unit: "ms",
            programs: scenario("startup", Place::Free)
                .programs(&[OURS, RAW, BEST, README, TYPESCRIPT]),
            figure: |report| report["startup_us"].as_f64().unwrap() / 1e3,
            targets: vec![at_most(OURS, 1.3, Times(RAW))],
        },
        Row {
            name: "idle for 2 s: voluntary context switches of both, without the wait itself",
            unit: "switches",
            programs: scenario("idle 2", Place::Free).programs(&[OURS]),
            figure: |report| {
                report["idle_waits"].as_f64().unwrap()
                    + report["agent_idle_waits"].as_f64().unwrap()
            },
            targets: vec![at_most(OURS, 0.0, Nothing)],
        },
        Row {
            name: "idle for 2 s: the client's CPU",
            unit: "ms",
            programs: scenario("idle 2", Place::Free).programs(&[OURS, README]),
            figure: |report| report["idle_cpu_us"].as_f64().unwrap() / 1e3,
            targets: vec![],
        },
        Row {
            name: "allocations for an incoming update of 32 B",
            unit: "allocations",
            programs: vec![Program {
                name: OURS,
                command: vec![
                    programs.counting("attache-bench-client"),
                    "flood".to_owned(),
                    "100000".to_owned(),
                    "32".to_owned(),
                    "--".to_owned(),
                    programs.counting("attache-bench-agent"),
                ],
                environment: vec![],
                stops: false,
            }],
            figure: |report| report["client_allocs_per_item"].as_f64().unwrap(),
            targets: vec![at_most(OURS, 3.0, Nothing)],
        },
    ]
}

/// Rows for folding a session without a connection.
pub(crate) fn fold(programs: &Programs) -> Vec<Row> {
    let row = |name, unit, words: &str, figure, bound| Row {
        name,
        unit,
        programs: vec![Program {
            name: OURS,
            command: [
                vec![programs.ours("attache-bench-fold")],
                words.split(' ').map(str::to_owned).collect(),
            ]
            .concat(),
            environment: vec![],
            stops: false,
        }],
        figure,
        targets: vec![at_least(OURS, bound, Nothing)],
    };
    vec![
        row("fold: chunks of 32 B", "updates/s", "chunks 1000000 32", per_second, 3e6),
        row(
            "fold: chunks of 64 KiB",
            "MB/s",
            "chunks 5000 65536",
            |report| per_second(report) * 65536.0 / 1e6,
            1e3,
        ),
        row(
            "fold: a snapshot and an event, 100,000 entries",
            "per second",
            "snapshots 100000",
            per_second,
            1e4,
        ),
    ]
}

/// Rows for decoding recorded traffic into our types and into the official ones.
pub(crate) fn decode(programs: &Programs, rounds: usize) {
    let Some(files) = programs.recordings() else {
        return println!(
            "decoding recorded messages: not measured, because there are no recordings next to the project\n"
        );
    };
    let program = |name, path: String| Program {
        name,
        command: [vec![path], files.clone()].concat(),
        environment: vec![],
        stops: false,
    };
    let (ours, theirs) = (
        program(OURS, programs.ours("attache-bench-decode")),
        program(BEST, programs.peer("schema-decode")),
    );
    let mut ratios = Vec::new();
    let (mut last_ours, mut last_theirs) = (0.0, 0.0);
    for _ in 0..rounds {
        let speed = |report: Value| report["mb_s"].as_f64().unwrap();
        (last_ours, last_theirs) = (speed(ours.run()), speed(theirs.run()));
        ratios.push(last_ours / last_theirs);
    }
    println!("decoding recorded messages into types (MB/s)");
    println!(
        "  {OURS:<34} {:>12}\n  {:<34} {:>12}",
        number(last_ours),
        "official Rust schema types",
        number(last_theirs)
    );
    println!("  ours is {} x the official types\n", number(super::median(ratios)));
}
