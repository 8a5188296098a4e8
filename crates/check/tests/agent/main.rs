//! Tests the probes of agents on correct and faulty agents. A correct agent passes each probe, and
//! a fault in one rule makes only that rule fail.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod correct;
mod fault;
mod fuzzed;
#[path = "../kept/list.rs"]
mod list;

use attache_check::{Link, McpServers, Outcome, Run, Verdict};
use attache_protocol::v1::ProtocolVersion;
use correct::{Correct, Kept, LIMIT};
use fault::{END, Fault, HUGE, Heard, LACKS, WAYS, authenticate};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::task::JoinSet;

thread_local! {
    /// The agents that run on this thread.
    static AGENTS: RefCell<JoinSet<()>> = RefCell::default();
}

/// A connection of the correct agent with one fault.
struct Connection {
    agent: Correct,
    fault: &'static Fault,
}

impl Connection {
    /// Returns the agent's response to a line, to a line that is too long, or to the end of the
    /// input.
    fn line(&mut self, line: &[u8]) -> (bool, Vec<Value>) {
        let text = String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(line));
        let text = &*text;
        let is_long = line.len() > LIMIT;
        let message =
            serde_json::from_str(if is_long { "null" } else { text }).unwrap_or(Value::Null);
        let method = match line.last() {
            Some(b'\n') => message["method"].as_str().unwrap_or_default(),
            _ if is_long => HUGE,
            _ => END,
        };
        let is_initialized = self.agent.is_initialized();
        let answers = if method.is_empty() { self.agent.called(&message["id"]) } else { "" };
        let before = self.agent.before();
        let (earlier, open, message) =
            (self.agent.deleted.clone(), self.agent.open.clone(), &message);
        let deleted = earlier.as_deref();
        let is_logged_out = self.agent.is_logged_out;
        let heard = Heard {
            text,
            message,
            method,
            answers,
            before: &before,
            is_initialized,
            is_logged_out,
            open: &open,
            deleted,
        };
        let mut said = match method {
            END | HUGE => vec![Value::Null],
            _ => {
                let mut misheard = message.clone();
                (self.fault.misheard)(heard, &mut misheard);
                match &misheard {
                    same if same == message => self.agent.line(text),
                    Value::Null => Vec::new(),
                    other => self.agent.line(&other.to_string()),
                }
            }
        };
        (self.fault.misdone)(heard, &mut self.agent);
        let deleted = self.agent.deleted.clone();
        (self.fault.wrong)(Heard { deleted: deleted.as_deref(), ..heard }, &mut said);
        (method == END, said)
    }
}

/// Serves a connection.
async fn serve(input: DuplexStream, mut output: DuplexStream, mut connection: Connection) {
    let mut input = BufReader::with_capacity(1 << 20, input);
    loop {
        let mut line = Vec::new();
        (&mut input).take(LIMIT as u64 + 1).read_until(b'\n', &mut line).await.unwrap();
        let (is_end, said) = connection.line(&line);
        let mut said = VecDeque::from(said);
        while let Some(line) = said.pop_front() {
            let line = match line {
                Value::Null => return,
                Value::String(text) => text,
                message if message["hears"].is_object() => {
                    let more = connection.agent.line(&message["hears"].to_string());
                    more.into_iter().rev().for_each(|line| said.push_front(line));
                    continue;
                }
                message if message["waits"].is_u64() => {
                    let pause = Duration::from_millis(message["waits"].as_u64().unwrap());
                    tokio::time::sleep(pause).await;
                    continue;
                }
                message => message.to_string(),
            };
            // The write fails if the judge has closed the connection.
            if output.write_all(format!("{line}\n").as_bytes()).await.is_err() {
                return;
            }
        }
        if is_end {
            return std::future::pending().await;
        }
        if line.len() > LIMIT {
            while input.fill_buf().await.is_ok_and(|rest| !rest.is_empty()) {
                let rest = input.buffer().len();
                input.consume(rest);
            }
        }
    }
}

/// Returns the verdicts on the correct agent with this fault.
fn verdicts(fault: &'static Fault) -> Vec<Verdict> {
    judged(fault, 0, Some("login"))
}

/// Returns the verdicts on the correct agent with this fault. The seed determines the order of the
/// probes. The judge logs in with `login`, if given.
fn judged(fault: &'static Fault, seed: u64, login: Option<&str>) -> Vec<Verdict> {
    let protocol =
        if fault.rule.starts_with("V2-") { ProtocolVersion::V2 } else { ProtocolVersion::V1 };
    judged_by(protocol, fault, seed, login)
}

/// Returns the verdicts by this version on an agent that supports all versions up to it. The clock
/// advances only while all tasks wait.
fn judged_by(
    protocol: ProtocolVersion,
    fault: &'static Fault,
    seed: u64,
    login: Option<&str>,
) -> Vec<Verdict> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let judged = runtime.block_on(async {
        let (kept, servers) = (Kept::default(), McpServers::in_memory());
        let reach = servers.reach();
        let mut run = Run::new(folder.path(), move || {
            // Use two streams, because the two directions of a single stream cannot be closed
            // separately.
            let (input, theirs) = tokio::io::duplex(1 << 20);
            let (output, ours) = tokio::io::duplex(1 << 20);
            let connection = Connection {
                agent: Correct::new(u64::from(protocol.0), kept.clone(), reach.clone()),
                fault,
            };
            AGENTS.with_borrow_mut(|agents| agents.spawn(serve(theirs, ours, connection)));
            Ok(Link::over(output, input))
        })
        .mcp(servers)
        .protocol(protocol)
        .seed(seed);
        if let Some(method) = login {
            run = run.login(method);
        }
        run.judge(None, |_| {}).await.unwrap()
    });
    AGENTS.with_borrow_mut(JoinSet::abort_all);
    judged
}

fn failed(verdicts: &[Verdict]) -> BTreeSet<&'static str> {
    let fails = verdicts.iter().filter(|verdict| matches!(verdict.outcome, Outcome::Fail { .. }));
    fails.map(|verdict| verdict.rule.id).collect()
}

#[test]
fn a_correct_agent_passes_every_probe() {
    let verdicts = verdicts(&fault::NONE);
    let other: Vec<_> =
        verdicts.iter().filter(|verdict| verdict.outcome != Outcome::Pass).collect();
    assert!(other.iter().all(is_lacking), "{other:#?}");
    assert!(verdicts.len() > 70, "{}", verdicts.len());
}

#[test]
fn a_correct_agent_of_version_2_passes_every_probe() {
    for seed in 0..=4 {
        let verdicts = judged_by(ProtocolVersion::V2, &fault::NONE, seed, Some("login"));
        let other: Vec<_> =
            verdicts.iter().filter(|verdict| verdict.outcome != Outcome::Pass).collect();
        assert!(other.is_empty(), "seed {seed}: {other:#?}");
        assert!(verdicts.len() > 70, "{}", verdicts.len());
    }
}

/// Whether only an agent without some feature can pass the rule.
fn is_lacking(verdict: &&Verdict) -> bool {
    LACKS.iter().any(|lack| lack.rule == verdict.rule.id)
}

/// No probe depends on the state that another probe leaves behind.
#[test]
fn the_order_of_the_probes_changes_no_verdict() {
    for seed in 1..=4 {
        let verdicts = judged(&fault::NONE, seed, Some("login"));
        let other: Vec<_> =
            verdicts.iter().filter(|verdict| verdict.outcome != Outcome::Pass).collect();
        assert!(other.iter().all(is_lacking), "seed {seed}: {other:#?}");
    }
}

#[test]
fn an_agent_that_lacks_a_feature_keeps_the_rules() {
    for lack in LACKS {
        let verdicts = verdicts(lack);
        assert_eq!(failed(&verdicts), BTreeSet::new(), "{}", lack.rule);
        let passes =
            verdicts.iter().any(|it| it.rule.id == lack.rule && it.outcome == Outcome::Pass);
        assert!(passes, "{}", lack.rule);
    }
}

/// AUTH-01: rules that need a session are not tested, and the report contains the reason.
#[test]
fn an_agent_may_require_a_login() {
    let verdicts = judged(&authenticate::LOCKED, 0, None);
    assert_eq!(failed(&verdicts), BTreeSet::new());
    let turn = verdicts.iter().find(|verdict| verdict.rule.id == "PROMPT-03").unwrap();
    let why = turn.outcome.why().unwrap();
    assert!(why.contains("log in to the agent"), "{why}");
}

/// PROMPT-10: an agent without a model correctly answers with an error. Rules that need a turn are
/// not tested, and the report contains the reason.
#[test]
fn an_agent_may_lack_a_model() {
    let verdicts = verdicts(&fault::prompt::NO_MODEL);
    assert_eq!(failed(&verdicts), BTreeSet::new());
    for rule in ["PROMPT-06", "PROMPT-03", "CANCEL-03"] {
        let turn = verdicts.iter().find(|verdict| verdict.rule.id == rule).unwrap();
        let why = turn.outcome.why().unwrap_or_default();
        assert!(why.contains("no model is configured"), "{rule}: {:?}", turn.outcome);
    }
}

#[test]
fn different_correct_behaviour_passes() {
    for way in WAYS {
        let verdicts = verdicts(way);
        let other: Vec<_> =
            verdicts.iter().filter(|verdict| verdict.outcome != Outcome::Pass).collect();
        assert!(other.iter().all(is_lacking), "{}: {other:#?}", way.rule);
    }
}

#[test]
fn each_fault_fails_only_its_rule() {
    // While you write a fault, set this variable to the rules to test, separated by commas.
    let only = std::env::var("ATTACHE_FAULTS").unwrap_or_default();
    let is_chosen =
        |fault: &&Fault| only.is_empty() || only.split(',').any(|rule| rule == fault.rule);
    let faults: Vec<_> = fault::all().filter(is_chosen).collect();
    let wrong = in_parallel(&faults, misjudged);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Calls the function with each fault, in as many threads as the machine has processors, and
/// returns its results.
fn in_parallel(
    faults: &[&'static Fault],
    check: impl Fn(&'static Fault) -> Option<String> + Sync,
) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let work = || {
        std::iter::from_fn(|| faults.get(next.fetch_add(1, Ordering::Relaxed)))
            .filter_map(|fault| check(fault))
            .collect::<Vec<_>>()
    };
    std::thread::scope(|scope| {
        let count = std::thread::available_parallelism().map_or(2, usize::from);
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

fn misjudged(fault: &'static Fault) -> Option<String> {
    let verdicts = verdicts(fault);
    let failed = failed(&verdicts);
    let mut others =
        failed.iter().filter(|rule| **rule != fault.rule && !fault.companions.contains(rule));
    let is_right = failed.contains(fault.rule) && others.next().is_none();
    (!is_right).then(|| format!("{} is broken, but the failed rules are {failed:?}", fault.rule))
}

/// The rules about JSON-RPC and extensions hold in both versions. The first fault of each breaks it
/// in both.
#[test]
fn a_fault_in_a_rule_of_both_versions_fails_it_in_version_2() {
    let correct = judged_by(ProtocolVersion::V2, &fault::NONE, 0, Some("login"));
    let probed = correct.iter().filter(|verdict| verdict.grounds != Verdict::WATCHING);
    let mut rules: BTreeSet<&str> = probed.map(|verdict| verdict.rule.id).collect();
    let faults: Vec<&'static Fault> = fault::all()
        .filter(|fault| !fault.rule.starts_with("V2-") && rules.remove(fault.rule))
        .collect();
    let wrong = in_parallel(&faults, |fault| {
        let failed = failed(&judged_by(ProtocolVersion::V2, fault, 0, Some("login")));
        let is_right = failed.contains(fault.rule);
        (!is_right)
            .then(|| format!("{} is broken, but the failed rules are {failed:?}", fault.rule))
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_probed_rule_has_a_fault() {
    let faulty: BTreeSet<&str> = fault::all().map(|fault| fault.rule).collect();
    let verdicts = [ProtocolVersion::V1, ProtocolVersion::V2]
        .into_iter()
        .flat_map(|protocol| judged_by(protocol, &fault::NONE, 0, Some("login")));
    let probed = verdicts.filter(|verdict| verdict.grounds != Verdict::WATCHING);
    let without: Vec<&str> =
        probed.map(|verdict| verdict.rule.id).filter(|rule| !faulty.contains(rule)).collect();
    assert!(without.is_empty(), "{without:?}");
}

#[test]
fn the_list_of_faults_is_up_to_date() {
    let head = "# Faults of agents that the judge detects\n\nEach item has the broken rule and the other rules that the fault breaks. The faults are programs in `tests/agent/fault`, which write this list.";
    let line = |fault: &Fault| match fault.companions {
        [] => fault.rule.to_owned(),
        companions => format!("{} with {}", fault.rule, companions.join(", ")),
    };
    list::is_kept("agent.md", head, fault::all().map(line).collect());
}
