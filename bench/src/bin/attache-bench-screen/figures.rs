//! The figures of a screen.

use crate::model::{END, Model};
use crate::process;
use crate::pty::Pty;
use crate::screens::{Folders, Screen, add_agent};
use attache_bench::{memory_kb_of, stored};
use attache_protocol::method::Side;
use attache_store::Sqlite;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The longest time that anything may take.
const LONG: Duration = Duration::from_secs(60);

/// The keys of one figure.
const KEYS: usize = 200;

/// The name of the agent with the stored sessions.
const AGENT: &str = "bench";

/// One run of a program.
pub(crate) struct Run {
    screen: Screen,
    program: Vec<String>,
    /// The file with the stored sessions.
    file: String,
    folders: Folders,
    model: Model,
}

impl Run {
    pub(crate) fn new(screen: Screen, program: Vec<String>, file: &str) -> Self {
        let (folders, model) = (Folders::new(), Model::start());
        Self { screen, program, file: file.to_owned(), folders, model }
    }

    /// Starts the program and waits for its first useful paint. Returns when that came.
    fn open(&self, arguments: &[&str], environment: &[(&str, &str)]) -> (Pty, Instant) {
        let mut command = self.screen.command(&self.program, &self.folders, &self.model.url);
        command.args(arguments).envs(environment.iter().copied());
        let mut pty = Pty::start(command);
        let came = pty.until("the first paint", LONG, |shown| self.screen.is_useful(shown));
        (pty, came)
    }

    /// The command line of the measured agent, which is beside this program.
    fn agent() -> String {
        let own = std::env::current_exe().unwrap();
        own.with_file_name("attache-bench-screen-agent").display().to_string()
    }

    /// Runs the program once: the first start in a new home does work that later ones do not.
    fn warm_up(&self) {
        let (mut pty, _) = self.open(&[], &[]);
        pty.read_for(Duration::from_secs(5));
        pty.end();
    }

    pub(crate) fn start(&self) -> Value {
        self.warm_up();
        let (pty, came) = self.open(&[], &[]);
        let paint = came - pty.began();
        pty.end();
        json!({"paint_ms": milliseconds(paint)})
    }

    pub(crate) fn idle(&self) -> Value {
        self.warm_up();
        let (mut pty, _) = self.open(&[], &[]);
        pty.read_for(Duration::from_secs(10));
        let processes = process::tree(pty.id());
        let (cpu, bytes, since) = (process::cpu_of(&processes), pty.bytes(), Instant::now());
        pty.read_for(Duration::from_secs(10));
        let seconds = since.elapsed().as_secs_f64();
        let cpu = (process::cpu_of(&processes) - cpu) / seconds * 100.0;
        let report = json!({
            "cpu_percent": cpu, "bytes": pty.bytes() - bytes, "memory_mb": process::memory(&processes),
            "resident_mb": memory_kb_of(pty.id(), "VmRSS:") as f64 * 1024.0 / 1e6,
        });
        pty.end();
        report
    }

    pub(crate) fn echo(&self) -> Value {
        let (mut pty, _) = self.open(&[], &[]);
        pty.read_for(Duration::from_secs(3));
        let times = press_keys(&mut pty);
        pty.end();
        json!({"p50_ms": milliseconds(times[KEYS / 2]), "p99_ms": milliseconds(times[KEYS * 99 / 100])})
    }

    pub(crate) fn streams(&self) -> Value {
        let (mut pty, _) = self.open(&["--agent", &Self::agent()], &[]);
        for number in 1..=4 {
            if number > 1 {
                pty.press("/new\r");
                pty.until("a tab", LONG, |shown| shown.contains(&format!("{number} ")));
            }
            pty.read_for(Duration::from_secs(1));
            pty.press("stream 500 60\r");
            pty.until("a stream", LONG, |shown| shown.contains("brown fox"));
        }
        pty.read_for(Duration::from_secs(1));
        let processes = process::tree(pty.id());
        let (tree, own) = (process::cpu_of(&processes), attache_bench::cpu_s_of(pty.id()));
        let (bytes, since) = (pty.bytes(), Instant::now());
        let times = press_keys(&mut pty);
        let seconds = since.elapsed().as_secs_f64();
        let share = |now: f64, before: f64| (now - before) / seconds * 100.0;
        let report = json!({
            "p50_ms": milliseconds(times[KEYS / 2]),
            "p99_ms": milliseconds(times[KEYS * 99 / 100]),
            "cpu_percent": share(attache_bench::cpu_s_of(pty.id()), own),
            "tree_percent": share(process::cpu_of(&processes), tree),
            "bytes_s": (pty.bytes() - bytes) as f64 / seconds,
        });
        pty.end();
        report
    }

    /// Sends a prompt to the model, and waits until its whole answer is shown.
    pub(crate) fn answer(&self, prompt: &str) -> Value {
        let (mut pty, _) = self.open(&[], &[]);
        pty.read_for(Duration::from_secs(2));
        pty.press(prompt);
        pty.until("the prompt", LONG, |shown| shown.contains(prompt));
        pty.press("\r");
        pty.read_for(Duration::from_secs(1));
        pty.forget_gap();
        let processes = process::tree(pty.id());
        let cpu = process::cpu_of(&processes);
        let shown = pty.until("the end of the answer", LONG * 3, |shown| shown.contains(END));
        let (began, sent) = self.model.sent.recv_timeout(LONG).unwrap();
        let report = json!({
            "sent_s": (sent - began).as_secs_f64(),
            "shown_s": (shown - began).as_secs_f64(),
            "lag_ms": milliseconds(shown.saturating_duration_since(sent)),
            "gap_ms": milliseconds(pty.gap()),
            "cpu_s": process::cpu_of(&processes) - cpu,
            "memory_mb": process::memory(&processes),
        });
        pty.end();
        report
    }

    /// Opens a stored session of the client.
    pub(crate) fn stored(&self, id: &str) -> Value {
        add_agent(&self.folders.home(), AGENT, &Self::agent());
        let store = Sqlite::open(&self.file).unwrap();
        let is_new = stored::make_for(&store, Side::Client, AGENT, id);
        drop(store);
        // The first opening of a long log stores a checkpoint.
        if is_new {
            let pty = self.open_stored(id).0;
            std::thread::sleep(Duration::from_secs(2));
            pty.end();
        }
        let (mut pty, opened) = self.open_stored(id);
        let open = opened - pty.began();
        pty.read_for(Duration::from_secs(2));
        let resident = memory_kb_of(pty.id(), "VmRSS:") as f64 * 1024.0 / 1e6;
        let peak = memory_kb_of(pty.id(), "VmHWM:") as f64 * 1024.0 / 1e6;
        pty.end();
        json!({
            "open_ms": milliseconds(open), "resident_mb": resident, "peak_mb": peak,
            "stored_mb": std::fs::metadata(&self.file).unwrap().len() as f64 / 1e6,
        })
    }

    /// Returns the screen with a stored session, and when its end was shown.
    fn open_stored(&self, id: &str) -> (Pty, Instant) {
        let mut command = self.screen.command(&self.program, &self.folders, &self.model.url);
        command.args(["--agent", AGENT, "--resume", id]).env("ATTACHE_STORE", &self.file);
        let mut pty = Pty::start(command);
        let shown = pty.until("the history", LONG * 4, |shown| shown.contains("brown fox"));
        (pty, shown)
    }

    pub(crate) fn picker(&self) -> Value {
        let store = Sqlite::open(&self.file).unwrap();
        stored::create_many_for(&store, Side::Client, AGENT, 5_000);
        drop(store);
        let (mut pty, _) = self.open(&[], &[("ATTACHE_STORE", &self.file)]);
        pty.read_for(Duration::from_secs(2));
        let pressed = Instant::now();
        pty.press("\x13");
        let rows = pty.until("the first rows", LONG, |shown| shown.contains("Session 49"));
        let all = pty.until("all rows", LONG, |shown| shown.contains("5000 sessions"));
        let filtered = Instant::now();
        pty.press("4321");
        let found = pty.until("a filter", LONG, |shown| {
            shown.contains("1 session") && shown.contains("Session 4321")
        });
        pty.end();
        json!({
            "rows_ms": milliseconds(rows - pressed), "all_ms": milliseconds(all - pressed),
            "filter_ms": milliseconds(found - filtered),
        })
    }

    pub(crate) fn show(&self) -> Value {
        let command = self.screen.command(&self.program, &self.folders, &self.model.url);
        let mut pty = Pty::start(command);
        pty.read_for(Duration::from_secs(12));
        println!("{}", pty.text());
        pty.press("bench: lines 30 100");
        pty.read_for(Duration::from_secs(2));
        pty.press("\r");
        pty.read_for(Duration::from_secs(8));
        println!("{}", pty.text());
        let bytes = pty.bytes();
        pty.end();
        json!({"bytes": bytes})
    }
}

/// Presses keys at uneven times. Returns how long each took until it was shown, in ascending order.
fn press_keys(pty: &mut Pty) -> Vec<Duration> {
    let shown = |text: &str| text.matches('Z').count();
    let mut times = Vec::with_capacity(KEYS);
    for number in 0..KEYS {
        pty.read_for(Duration::from_millis(20 + (number as u64 * 7) % 31));
        let before = shown(&pty.text());
        let pressed = Instant::now();
        // A letter, and then the key that removes it.
        pty.press(if number % 2 == 0 { "Z" } else { "\x7f" });
        let echoed = pty.until("a key", LONG, |text| shown(text) != before);
        times.push(echoed - pressed);
    }
    times.sort_unstable();
    times
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
