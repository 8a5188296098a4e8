//! Fuzzing: a correct agent survives every case. Each faulty agent is detected, and its case is
//! reduced to a few lines.

use crate::correct::{Correct, Kept};
use crate::fault::{Fault, NONE, fault};
use crate::{AGENTS, Connection, serve};
use attache_check::{Broken, Case, Failure, Fuzz, Link, McpReach, Recording};
use attache_protocol::method::Side;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::HashSet;
use tokio::task::JoinSet;

thread_local! {
    /// The ids of the calls that the agent of this thread received, and whether it received an id
    /// twice.
    static HEARD: RefCell<(HashSet<String>, bool)> = RefCell::default();
}

/// Runs `cases` against the agent with this fault. The clock advances only while all tasks wait.
fn fuzz(
    fault: &'static Fault,
    seed: u64,
    with: impl AsyncFnOnce(&mut Fuzz) -> Option<Failure>,
) -> Option<Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let failure = runtime.block_on(async {
        let mut fuzz = Fuzz::agent(folder.path(), move || {
            HEARD.take();
            let (input, theirs) = tokio::io::duplex(1 << 23);
            let (output, ours) = tokio::io::duplex(1 << 23);
            let connection =
                Connection { agent: Correct::new(1, Kept::default(), McpReach::default()), fault };
            AGENTS.with_borrow_mut(|agents| agents.spawn(serve(theirs, ours, connection)));
            Ok(Link::over(output, input))
        })
        .seed(seed);
        with(&mut fuzz).await
    });
    AGENTS.with_borrow_mut(JoinSet::abort_all);
    failure
}

fn first_failure(fault: &'static Fault, cases: u64) -> Option<Failure> {
    fuzz(fault, 0, async |fuzz| fuzz.run(0..cases, None, |_| {}).await.unwrap())
}

/// Returns how many lines of a recording the judge sent.
fn said(failure: &Failure) -> usize {
    failure.recording.lines().filter(|line| line.contains(r#""from":"client""#)).count()
}

/// The agent ends when a prompt is not an array.
const DIES: Fault = fault("", &[], |heard, said| {
    if heard.method == "session/prompt" && !heard.message["params"]["prompt"].is_array() {
        *said = vec![Value::Null];
    }
});

/// The agent stops answering when an id occurs twice.
const HANGS: Fault = fault("", &[], |heard, said| {
    HEARD.with_borrow_mut(|(ids, is_hung)| {
        if heard.message["method"].is_string() && heard.message.get("id").is_some() {
            *is_hung |= !ids.insert(heard.message["id"].to_string());
        }
        if *is_hung {
            said.clear();
        }
    });
});

/// The agent prints an error for text that is not JSON.
const TALKS: Fault = fault("RPC-03", &[], |heard, said| {
    if heard.message.is_null() && !heard.text.trim().is_empty() {
        said.push(json!("unexpected token"));
    }
});

/// The agent sends a plan with an unknown value when a call is cancelled.
const MISSPEAKS: Fault = fault("DEC-20", &[], |heard, said| {
    if heard.method == "$/cancel_request" {
        let entries = json!([{"content": "a", "priority": "huge", "status": "pending"}]);
        let update = json!({"sessionUpdate": "plan", "entries": entries});
        said.push(json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}}));
    }
});

#[test]
fn a_correct_agent_survives_every_case() {
    let failure = first_failure(&NONE, 150);
    assert!(failure.is_none(), "{failure:#?}");
}

#[test]
fn the_failure_of_a_faulty_agent_is_found_and_reduced() {
    for (fault, most) in [(&DIES, 3), (&HANGS, 4), (&TALKS, 2), (&MISSPEAKS, 2)] {
        let failure = first_failure(fault, 4000).unwrap();
        let is_right = match &failure.broken {
            Broken::Dies(_) => std::ptr::eq(fault, &DIES),
            Broken::Hangs(_) => std::ptr::eq(fault, &HANGS),
            Broken::Breaks(rule, _) => rule.id == fault.rule,
            Broken::Grows(_) => false,
        };
        assert!(is_right && said(&failure) <= most, "{failure:#?}");
    }
}

#[test]
fn a_seed_reproduces_its_failure_and_another_seed_does_not() {
    let with_seed = |seed| {
        fuzz(&DIES, seed, async |fuzz| fuzz.run(0..4000, None, |_| {}).await.unwrap()).unwrap()
    };
    let (one, again, other) = (with_seed(1), with_seed(1), with_seed(2));
    assert_eq!((one.number, &one.case, one.broken), (again.number, &again.case, again.broken));
    assert_ne!((one.number, one.case), (other.number, other.case));
}

/// The recording of a failure can be judged like any recording. It can be replayed with another
/// session and folder.
#[test]
fn a_recording_of_a_failure_fails_again() {
    for fault in [&DIES, &HANGS, &TALKS, &MISSPEAKS] {
        let failure = first_failure(fault, 4000).unwrap();
        let recorded: Vec<_> =
            Recording::new(failure.recording.as_bytes()).map(Result::unwrap).collect();
        assert!(recorded.iter().any(|line| line.from == Side::Client), "{}", failure.recording);
        let case = Case::read(&failure.recording, Side::Agent).unwrap();
        let again = fuzz(fault, 0, async |fuzz| fuzz.replay(case).await.unwrap()).unwrap();
        assert_eq!(
            std::mem::discriminant(&again.broken),
            std::mem::discriminant(&failure.broken),
            "{}",
            failure.recording
        );
    }
}

#[test]
fn a_malformed_recording_is_reported_with_its_line() {
    let error = Case::read("{\"from\":\"client\",\"text\":\"\"}\n[1]\n", Side::Agent).unwrap_err();
    assert_eq!(error.line, 2);
}
