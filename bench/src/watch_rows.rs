//! Rows for the shared hub under load, beside a bare relay of WebSockets.

use crate::build::Programs;
use crate::rows::Row;
use crate::run::Program;
use serde_json::Value;

const ROWS: &str = "attache, as the page";
const ACP: &str = "attache, ACP";
const RELAY: &str = "a bare WebSocket relay";

/// The figures of a load: what each is called, its unit, and how it is read.
type Figure = (&'static str, fn(&Value) -> f64);

const P50: Figure = ("ms", |report| report["p50_ms"].as_f64().unwrap());
const P99: Figure = ("ms", |report| report["p99_ms"].as_f64().unwrap());
const CPU: Figure = ("% of a core", |report| report["cpu_percent"].as_f64().unwrap());
const MEMORY: Figure = ("MB", |report| report["memory_mb"].as_f64().unwrap());

pub(crate) fn all(programs: &Programs) -> Vec<Row> {
    let program = |name, server: &str, load: &str| {
        let mut command = vec![programs.ours("attache-bench-watch"), server.to_owned()];
        command.extend(load.split(' ').map(str::to_owned));
        if server != "relay" {
            command.extend(["--".to_owned(), programs.ours("attache")]);
        }
        Program { name, command, environment: vec![], stops: false }
    };
    let row = |name, load: &str, (unit, figure): Figure| {
        let programs = vec![
            program(ROWS, "rows", load),
            program(ACP, "acp", load),
            program(RELAY, "relay", load),
        ];
        Row { name, unit, programs, figure, targets: vec![] }
    };
    let (one, ten, hundred) = ("1 1 1 1000 5", "1 1 10 1000 5", "1 1 100 1000 5");
    let many = "200 20 50 50 5";
    vec![
        row("watch: 1,000 updates/s to 1 watcher, p50", one, P50),
        row("watch: 1,000 updates/s to 1 watcher, p99", one, P99),
        row("watch: 1,000 updates/s to 1 watcher, CPU", one, CPU),
        row("watch: 1,000 updates/s to 1 watcher, memory", one, MEMORY),
        row("watch: 1,000 updates/s to 10 watchers, p50", ten, P50),
        row("watch: 1,000 updates/s to 10 watchers, p99", ten, P99),
        row("watch: 1,000 updates/s to 10 watchers, CPU", ten, CPU),
        row("watch: 1,000 updates/s to 10 watchers, memory", ten, MEMORY),
        row("watch: 1,000 updates/s to 100 watchers, p50", hundred, P50),
        row("watch: 1,000 updates/s to 100 watchers, p99", hundred, P99),
        row("watch: 1,000 updates/s to 100 watchers, CPU", hundred, CPU),
        row("watch: 1,000 updates/s to 100 watchers, memory", hundred, MEMORY),
        row("watch: 200 sessions, 20 with 50 updates/s, 50 watchers, p50", many, P50),
        row("watch: 200 sessions, 20 with 50 updates/s, 50 watchers, p99", many, P99),
        row("watch: 200 sessions, 20 with 50 updates/s, 50 watchers, CPU", many, CPU),
        row("watch: 200 sessions, 20 with 50 updates/s, 50 watchers, memory", many, MEMORY),
    ]
}
