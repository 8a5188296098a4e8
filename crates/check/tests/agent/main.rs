//! The probes of agents both ways: a correct agent passes each, and a fault in one rule fails that rule and no other.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

mod correct;
mod fault;

use attache_check::{Link, Outcome, Run, Verdict};
use correct::{Correct, LIMIT};
use fault::{END, FAULTS, HUGE, Heard};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeSet;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::task::JoinSet;

type Wrong = fn(Heard<'_>, &mut Vec<Value>);

const NOTHING_WRONG: Wrong = |_, _| {};

thread_local! {
    /// The agents that run on this thread.
    static AGENTS: RefCell<JoinSet<()>> = RefCell::default();
}

/// Serves a connection with the correct agent and one fault.
async fn serve(input: DuplexStream, mut output: DuplexStream, wrong: Wrong) {
    let (mut input, mut agent) = (BufReader::with_capacity(1 << 20, input), Correct::default());
    loop {
        let mut line = Vec::new();
        (&mut input).take(LIMIT as u64 + 1).read_until(b'\n', &mut line).await.unwrap();
        let text = std::str::from_utf8(line.strip_suffix(b"\n").unwrap_or(&line)).unwrap();
        let message =
            serde_json::from_str(if line.len() > LIMIT { "null" } else { text }).unwrap_or(Value::Null);
        let is_initialized = agent.is_initialized();
        let (method, mut said) = match line.last() {
            Some(b'\n') => (message["method"].as_str().unwrap_or_default(), agent.line(text)),
            _ if line.len() > LIMIT => (HUGE, vec![Value::Null]),
            _ => (END, vec![Value::Null]),
        };
        let deleted = agent.deleted.as_deref();
        wrong(Heard { text, message: &message, method, is_initialized, deleted }, &mut said);
        for line in said {
            let line = match line {
                Value::Null => return,
                Value::String(text) => text,
                message => message.to_string(),
            };
            output.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        }
        match method {
            END => std::future::pending().await,
            HUGE => {
                while input.fill_buf().await.is_ok_and(|rest| !rest.is_empty()) {
                    let rest = input.buffer().len();
                    input.consume(rest);
                }
            }
            _ => {}
        }
    }
}

/// The verdicts on the correct agent with this fault. Time does not pass unless everyone waits.
fn verdicts(wrong: Wrong) -> Vec<Verdict> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let judged = runtime.block_on(async {
        let mut run = Run::new("/p", move || {
            // Two, as each end of one closes both ways at once or neither.
            let (input, theirs) = tokio::io::duplex(1 << 20);
            let (output, ours) = tokio::io::duplex(1 << 20);
            AGENTS.with_borrow_mut(|agents| agents.spawn(serve(theirs, ours, wrong)));
            Ok(Link::over(output, input))
        });
        run.judge(None, |_, _, _| {}).await.unwrap()
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
    let verdicts = verdicts(NOTHING_WRONG);
    let other: Vec<_> = verdicts.iter().filter(|verdict| verdict.outcome != Outcome::Pass).collect();
    assert!(other.is_empty(), "{other:#?}");
    assert!(verdicts.len() > 70, "{}", verdicts.len());
}

#[test]
fn each_fault_fails_its_rule_and_no_other() {
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let halves = FAULTS.chunks(FAULTS.len().div_ceil(2));
        let threads: Vec<_> = halves
            .map(|faults| scope.spawn(|| faults.iter().filter_map(misjudged).collect::<Vec<_>>()))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn misjudged(fault: &fault::Fault) -> Option<String> {
    let verdicts = verdicts(fault.wrong);
    let failed = failed(&verdicts);
    let mut others = failed.iter().filter(|rule| **rule != fault.rule && !fault.companions.contains(rule));
    let is_right = failed.contains(fault.rule) && others.next().is_none();
    (!is_right).then(|| format!("{} is broken, and judged broken are {failed:?}", fault.rule))
}

#[test]
fn every_rule_that_is_probed_has_a_fault() {
    let faulty: BTreeSet<&str> = FAULTS.iter().map(|fault| fault.rule).collect();
    let probed = verdicts(NOTHING_WRONG).into_iter().filter(|verdict| verdict.grounds != "passive");
    let without: Vec<&str> =
        probed.map(|verdict| verdict.rule.id).filter(|rule| !faulty.contains(rule)).collect();
    assert!(without.is_empty(), "{without:?}");
}
