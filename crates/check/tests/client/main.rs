//! Tests the probes of clients on correct and faulty clients. A correct client passes each probe,
//! and a fault in one rule makes only that rule fail.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod correct;
mod fault;
mod file;
mod handshake;
#[path = "../kept/list.rs"]
mod list;
mod screen;
mod service;
mod shell;
mod task;
mod terminal;
mod work;

use attache_check::{ClientRun, ClientRunError, ClientTask, Link, Outcome, StartedClient, Verdict};
use attache_protocol::v1::ProtocolVersion;
use correct::{Correct, Kind, Said, Version};
use fault::{Fault, HUGE, Heard, WAYS, faults};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

/// The longest line that a client reads, in bytes.
const LIMIT: u64 = 32 * 1024 * 1024;

thread_local! {
    /// The clients that run on this thread.
    static CLIENTS: RefCell<JoinSet<()>> = RefCell::default();
}

/// The streams of one client.
struct Outside {
    links: mpsc::Sender<Link>,
    screen: DuplexStream,
    interrupts: mpsc::Receiver<()>,
}

/// An event of a client.
enum Happens {
    Line(Vec<u8>),
    Interrupt,
    Wake,
}

/// Runs a client with one fault until it ends. Restarts it after a login.
async fn live(kind: Kind, task: ClientTask, fault: Fault, mut outside: Outside) {
    let correct = || Correct::new(kind, fault.version, task.clone());
    while let Some(login) = run(correct(), fault, &mut outside).await {
        let (input, mut output) = tokio::io::duplex(1 << 10);
        let sent =
            outside.links.send(Link::over(tokio::io::empty(), input).logging_in(login)).await;
        let mut exit = String::new();
        let read = output.read_to_string(&mut exit).await;
        if sent.is_err() || read.is_err() || exit.trim() != "0" {
            return;
        }
    }
}

/// Runs a client once. Returns the login for which it ended, if any.
async fn run(mut client: Correct, fault: Fault, outside: &mut Outside) -> Option<Value> {
    // Use two streams, because the two directions of a single stream cannot be closed separately.
    let (input, theirs) = tokio::io::duplex(1 << 20);
    let (output, mut ours) = tokio::io::duplex(1 << 20);
    outside.links.send(Link::over(output, input)).await.ok()?;
    let mut agent = BufReader::with_capacity(1 << 20, theirs);
    let (began, mut line, mut called) = (Instant::now(), Vec::new(), HashMap::new());
    let mut said = client.start();
    (fault.says)(&Heard::nothing(&client, &called), &mut said);
    loop {
        for said in said {
            let written = match said {
                Said::Line(message) => ours.write_all(format!("{message}\n").as_bytes()).await,
                Said::Raw(text) => ours.write_all(format!("{text}\n").as_bytes()).await,
                Said::Shown(text) => outside.screen.write_all(text.as_bytes()).await,
                Said::Left(_) => return None,
                Said::LoggingIn(login) => return Some(login),
            };
            if written.is_err() {
                return None;
            }
        }
        let wakes = client.wakes().map(|at| began + at);
        let happens = tokio::select! {
            biased;
            Some(()) = outside.interrupts.recv() => Happens::Interrupt,
            read = read(&mut agent, &mut line) => Happens::Line(read),
            () = sleep_until(wakes.unwrap_or(began)), if wakes.is_some() => Happens::Wake,
        };
        let (now, mut message, mut text) = (began.elapsed(), Value::Null, String::new());
        let is_over = matches!(&happens, Happens::Line(line) if !line.ends_with(b"\n"));
        said = match happens {
            Happens::Interrupt => client.cancel(now),
            Happens::Wake => client.wake(now),
            Happens::Line(line) if is_over => {
                text = if line.is_empty() { String::new() } else { HUGE.to_owned() };
                client.end()
            }
            Happens::Line(line) => {
                text = String::from_utf8_lossy(&line).trim_end_matches('\n').to_owned();
                message = serde_json::from_str(&text).unwrap_or(Value::Null);
                (fault.hears)(&client, &mut message);
                if message["method"].is_string() && !message["id"].is_null() {
                    called.insert(message["id"].to_string(), message.clone());
                }
                if message.is_null() {
                    client.line(now, &text)
                } else {
                    client.line(now, &message.to_string())
                }
            }
        };
        let heard =
            Heard { message: &message, text: &text, is_over, client: &client, called: &called };
        (fault.says)(&heard, &mut said);
        if is_over && said.is_empty() {
            // The faulty client does not react to the event, so it never ends.
            std::future::pending::<()>().await;
        }
    }
}

/// Reads the next line with its end. Returns an empty line if the agent has closed the connection,
/// and a line without its end if it is too long. An incomplete line stays in `kept`, so that no
/// bytes are lost if the future is dropped.
async fn read(agent: &mut BufReader<DuplexStream>, kept: &mut Vec<u8>) -> Vec<u8> {
    let rest = LIMIT + 1 - kept.len() as u64;
    agent.take(rest).read_until(b'\n', kept).await.unwrap();
    let line = std::mem::take(kept);
    if line.ends_with(b"\n") || line.len() as u64 > LIMIT { line } else { Vec::new() }
}

/// Returns the verdicts on a correct client with this fault. The clock advances only while all
/// tasks wait.
fn verdicts(kind: Kind, fault: Fault) -> Vec<Verdict> {
    judged(kind, fault, fault.version).unwrap()
}

/// Judges a correct client with this fault by this version of the protocol.
fn judged(kind: Kind, fault: Fault, by: Version) -> Result<Vec<Verdict>, ClientRunError> {
    let folder = tempfile::tempdir().unwrap();
    let cwd = folder.path().canonicalize().unwrap().join("session");
    std::fs::create_dir(&cwd).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    let judged = runtime.block_on(async {
        let run = ClientRun::new(cwd, move |task: &ClientTask| {
            let (links, connections) = mpsc::channel(4);
            let (screen, stdout) = tokio::io::duplex(1 << 20);
            let (interrupt, interrupts) = mpsc::channel(4);
            let task = task.clone();
            let outside = Outside { links, screen, interrupts };
            CLIENTS.with_borrow_mut(|clients| clients.spawn(live(kind, task, fault, outside)));
            Ok(StartedClient::in_memory(connections, stdout, interrupt))
        });
        let run = run.protocol(ProtocolVersion(by.number()));
        run.patience(Duration::from_secs(10)).judge(None, |_| {}).await
    });
    CLIENTS.with_borrow_mut(JoinSet::abort_all);
    judged
}

fn failed(verdicts: &[Verdict]) -> BTreeSet<&'static str> {
    let fails = verdicts.iter().filter(|verdict| matches!(verdict.outcome, Outcome::Fail { .. }));
    fails.map(|verdict| verdict.rule.id).collect()
}

/// Returns the rules that a probe judges and that at least one correct client passes.
fn passed(version: Version) -> BTreeSet<&'static str> {
    let none = Fault { version, ..Fault::NONE };
    let judged = [Kind::Full, Kind::Bare].into_iter().flat_map(|kind| verdicts(kind, none));
    let passes = judged
        .filter(|verdict| verdict.outcome == Outcome::Pass && verdict.grounds != Verdict::WATCHING);
    passes.map(|verdict| verdict.rule.id).collect()
}

#[test]
fn a_correct_client_passes_every_probe() {
    passes_every_probe(Version::One);
}

#[test]
fn a_correct_client_of_version_2_passes_every_probe() {
    passes_every_probe(Version::Two);
}

fn passes_every_probe(version: Version) {
    let verdicts = verdicts(Kind::Full, Fault { version, ..Fault::NONE });
    let other: Vec<_> =
        verdicts.iter().filter(|verdict| verdict.outcome != Outcome::Pass).collect();
    // Some rules pass only for the client with few features.
    let bare = passed(version);
    let other: Vec<_> =
        other.into_iter().filter(|verdict| !bare.contains(verdict.rule.id)).collect();
    assert!(other.is_empty(), "{other:#?}");
}

#[test]
fn a_correct_client_with_few_features_breaks_no_rule() {
    for version in [Version::One, Version::Two] {
        let verdicts = verdicts(Kind::Bare, Fault { version, ..Fault::NONE });
        let failed: Vec<_> = verdicts
            .iter()
            .filter(|verdict| matches!(verdict.outcome, Outcome::Fail { .. }))
            .collect();
        assert!(failed.is_empty(), "{failed:#?}");
    }
}

#[test]
fn a_client_that_asks_for_version_1_is_not_judged_by_version_2() {
    let refused = judged(Kind::Full, Fault::NONE, Version::Two).unwrap_err().to_string();
    let advice = "start it with its option for version 2, such as --protocol 2";
    assert_eq!(refused, format!("the client asked for version 1 of the protocol: {advice}"));
}

/// A client decides which files an agent may change, so a client that refuses every write breaks no
/// rule.
#[test]
fn a_correct_client_that_refuses_writes_breaks_no_rule() {
    let refusing = Fault::says("", &[], |heard, said| {
        if heard.is("fs/write_text_file") && !said.is_empty() {
            fault::refuse(heard, said, -32603);
        }
    });
    let refusing = Fault {
        hears: |_, message| {
            if message["method"] == "fs/write_text_file" {
                // This path does not exist, so nothing is written.
                message["params"]["path"] = "/attache/no/such/folder".into();
            }
        },
        ..refusing
    };
    let verdicts = verdicts(Kind::Full, refusing);
    let failed: Vec<_> =
        verdicts.iter().filter(|verdict| matches!(verdict.outcome, Outcome::Fail { .. })).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    let untested = |rule: &str| {
        let of = verdicts.iter().find(|verdict| verdict.rule.id == rule);
        of.is_some_and(|verdict| matches!(verdict.outcome, Outcome::NotTested(_)))
    };
    assert!(untested("FS-06"), "a refused write leaves the rule untested");
}

#[test]
fn different_correct_behaviour_breaks_no_rule() {
    for way in WAYS {
        for kind in [Kind::Full, Kind::Bare] {
            for version in [Version::One, Version::Two] {
                let way = Fault { version, ..*way };
                let failed = failed(&verdicts(kind, way));
                assert_eq!(failed, BTreeSet::new(), "{} {kind:?} {version:?}", way.rule);
            }
        }
    }
}

#[test]
fn each_fault_fails_only_its_rule() {
    // While you write a fault, set this variable to the rules to test, separated by commas.
    let only = std::env::var("ATTACHE_FAULTS").unwrap_or_default();
    let is_chosen =
        |fault: &Fault| only.is_empty() || only.split(',').any(|rule| rule == fault.rule);
    let faults: Vec<Fault> = faults().filter(is_chosen).collect();
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let halves = faults.chunks(faults.len().div_ceil(2).max(1));
        let threads: Vec<_> = halves
            .map(|faults| scope.spawn(|| faults.iter().filter_map(misjudged).collect::<Vec<_>>()))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn misjudged(fault: &Fault) -> Option<String> {
    let verdicts = verdicts(fault.kind, *fault);
    let failed = failed(&verdicts);
    let mut others =
        failed.iter().filter(|rule| **rule != fault.rule && !fault.companions.contains(rule));
    let is_right = failed.contains(fault.rule) && others.next().is_none();
    let version = fault.version.number();
    (!is_right).then(|| {
        format!(
            "{} is broken in version {version}, but the failed rules are {failed:?}",
            fault.rule
        )
    })
}

#[test]
fn every_probed_rule_has_a_fault() {
    for version in [Version::One, Version::Two] {
        let of_version = faults().filter(|fault| fault.version == version);
        let faulty: BTreeSet<&str> = of_version.map(|fault| fault.rule).collect();
        let without: Vec<&str> =
            passed(version).into_iter().filter(|rule| !faulty.contains(rule)).collect();
        assert!(without.is_empty(), "{version:?} {without:?}");
    }
}

#[test]
fn the_list_of_faults_is_up_to_date() {
    let head = "# Faults of clients that the judge detects\n\nEach item has the broken rule and the other rules that the fault breaks. The faults are programs in `tests/client/fault`, which write this list.";
    let line = |fault: Fault| match fault.companions {
        [] => fault.rule.to_owned(),
        companions => format!("{} with {}", fault.rule, companions.join(", ")),
    };
    list::is_kept("client.md", head, fault::faults().map(line).collect());
}
