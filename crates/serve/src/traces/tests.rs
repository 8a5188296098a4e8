//! What is kept of the messages, and what watchers get.

use super::agent_trace::BYTES;
use super::{AgentTraces, JudgedLine, JudgedLines, TracePosition};
use attache_connection::Direction::{Received, Sent};
use attache_protocol::method::Side;

const INITIALIZE: &[u8] = br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"c","version":"1"}}}"#;
const INITIALIZED: &[u8] = br#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"a","version":"1"}}}"#;
const OTHER: &[u8] = br#"{"jsonrpc":"2.0","method":"_other"}"#;

/// Reads what the watch has now.
async fn read(watch: &mut super::TraceWatch) -> Vec<JudgedLine> {
    let mut judge = JudgedLines::default();
    watch.next().await.iter().map(|frame| judge.line(frame)).collect()
}

fn numbers(lines: &[JudgedLine]) -> Vec<u64> {
    lines.iter().map(|line| line.number).collect()
}

#[tokio::test]
async fn a_watch_begins_with_what_was_negotiated() {
    let traces = AgentTraces::default();
    let tap = traces.tap("a");
    tap(Sent, INITIALIZE);
    tap(Received, INITIALIZED);
    (0..10).for_each(|_| tap(Received, OTHER));
    assert!(traces.watch("b", None).is_none());
    let mut watch = traces.watch("a", None).unwrap();
    tap(Sent, OTHER);
    let lines = read(&mut watch).await;
    assert_eq!(numbers(&lines), [1, 2, 3, 4, 13]);
    let from: Vec<Side> = lines.iter().map(|line| line.from).collect();
    assert_eq!(from[..3], [Side::Client, Side::Agent, Side::Agent]);
    assert_eq!((lines[0].text.as_bytes(), lines[0].size), (INITIALIZE, INITIALIZE.len()));
    assert!(lines.iter().all(|line| line.is_json && line.at > 0));
}

#[tokio::test]
async fn nothing_is_kept_while_nobody_watches() {
    let traces = AgentTraces::default();
    let tap = traces.tap("a");
    let watch = traces.watch("a", None).unwrap();
    (0..10).for_each(|_| tap(Received, OTHER));
    drop(watch);
    (0..10).for_each(|_| tap(Received, OTHER));
    let mut watch = traces.watch("a", None).unwrap();
    tap(Received, OTHER);
    assert_eq!(numbers(&read(&mut watch).await), [1, 2, 3, 4, 21]);
}

#[tokio::test]
async fn a_slow_watch_misses_messages_and_costs_no_memory() {
    let traces = AgentTraces::default();
    let tap = traces.tap("a");
    (0..4).for_each(|_| tap(Received, OTHER));
    let mut watch = traces.watch("a", None).unwrap();
    let long = format!(r#"{{"jsonrpc":"2.0","method":"_x","params":"{}"}}"#, "x".repeat(99_900));
    (0..200).for_each(|_| tap(Received, long.as_bytes()));
    let mut read = Vec::new();
    while read.last() != Some(&204) {
        read.extend(watch.next().await.iter().map(|frame| frame.number));
    }
    assert_eq!(read[..4], [1, 2, 3, 4]);
    let kept = read.len() - 4;
    assert!(kept * long.len() <= BYTES && (kept + 1) * long.len() > BYTES, "{kept}");
    assert!(read[4..].windows(2).all(|pair| pair[1] == pair[0] + 1));
}

#[tokio::test]
async fn a_watch_goes_on_from_a_position_of_the_same_run() {
    let traces = AgentTraces::default();
    let tap = traces.tap("a");
    let first = traces.watch("a", None).unwrap();
    (0..9).for_each(|_| tap(Received, OTHER));
    let run = first.run();
    let after = |run, number| Some(TracePosition { run, number });
    let mut same = traces.watch("a", after(run, 7)).unwrap();
    assert_eq!(numbers(&read(&mut same).await), [8, 9]);
    for other in [after(run + 1, 7), after(run, 10)] {
        let mut other = traces.watch("a", other).unwrap();
        assert_eq!(numbers(&read(&mut other).await).len(), 9);
    }
}

#[tokio::test]
async fn secrets_are_masked_also_in_a_part_of_a_message() {
    let traces = AgentTraces::default();
    let tap = traces.tap("a");
    let whole =
        r#"{"jsonrpc":"2.0","method":"_x","params":{"env":[{"name":"K","value":"s3cret"}]}}"#;
    let long =
        format!(r#"{{"apiKey":"s3cret","more":"{}","token":"s3cret"}}"#, "x".repeat(300_000));
    for text in [whole, &long, "apiKey=1 {\"apiKey\":\"s3cr"] {
        tap(Received, text.as_bytes());
    }
    let mut watch = traces.watch("a", None).unwrap();
    let mut lines = Vec::new();
    // A long message is the last of its part.
    while lines.len() < 3 {
        lines.extend(read(&mut watch).await);
    }
    for line in &lines {
        assert!(!line.text.contains("s3cr"), "{}", line.number);
    }
    assert_eq!((lines[1].is_json, lines[1].size), (false, long.len()));
}

#[tokio::test]
async fn a_message_names_the_rules_that_it_breaks() {
    let traces = AgentTraces::default();
    let tap = traces.tap("a");
    tap(Sent, INITIALIZE);
    tap(Received, INITIALIZED);
    tap(Received, b"Welcome!");
    let lines = read(&mut traces.watch("a", None).unwrap()).await;
    let broken = lines[2].broken.iter().find(|broken| broken.rule == "RPC-03").unwrap();
    assert_eq!((broken.by, broken.strength), (Side::Agent, "must"));
    assert!(lines[..2].iter().all(|line| line.broken.iter().all(|it| it.rule != "RPC-03")));
}

#[tokio::test]
async fn replies_to_missed_calls_break_no_rule() {
    let traces = AgentTraces::default();
    let tap = traces.tap("a");
    tap(Sent, INITIALIZE);
    tap(Received, INITIALIZED);
    for id in 1..9 {
        let call = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"_x","params":{{}}}}"#);
        tap(Sent, call.as_bytes());
    }
    let mut watch = traces.watch("a", None).unwrap();
    tap(Received, br#"{"jsonrpc":"2.0","id":8,"result":{}}"#);
    let lines = read(&mut watch).await;
    assert_eq!(numbers(&lines), [1, 2, 3, 4, 11]);
    assert_eq!(lines[4].broken, []);
}

#[tokio::test]
async fn a_restarted_agent_is_watched_from_its_first_message() {
    let traces = AgentTraces::default();
    let tap = traces.tap("a");
    tap(Sent, INITIALIZE);
    let mut watch = traces.watch("a", None).unwrap();
    drop(tap);
    assert!(!traces.list()[0].is_connected);
    let tap = traces.tap("a");
    tap(Sent, INITIALIZE);
    tap(Received, INITIALIZED);
    let lines = read(&mut watch).await;
    let connections: Vec<u64> = lines.iter().map(|line| line.connection).collect();
    assert_eq!((connections, numbers(&lines)), (vec![2, 2], vec![2, 3]));
    let mut broken = lines.iter().flat_map(|line| &line.broken);
    assert!(!broken.any(|broken| broken.rule == "INIT-01"), "a new connection begins");
    let list = traces.list();
    assert_eq!((list[0].is_connected, list[0].messages), (true, 3));
}
