//! Watching the messages between the hub and an agent.

use super::caller::Caller;
use super::messages::{
    BrokenRule, ListTraces, TraceChanged, TraceLine, TracedAgent, Traces, WatchTrace, Watching,
};
use super::outgoing::notify;
use super::refusal;
use super::reply::Reply;
use crate::Scope;
use crate::traces::{self, JudgedLine, JudgedLines, TracePosition, TraceWatch};
use attache_connection::Peer;
use attache_protocol::Error;
use attache_view::sanitize;
use std::sync::Arc;
use std::time::Duration;

/// The method of the notifications.
const CHANGED: &str = "_attache/trace";

/// The shortest time between two notifications of a watch.
const INTERVAL: Duration = Duration::from_millis(50);

/// Lists the agents whose messages can be watched.
pub(super) async fn list(
    caller: Arc<Caller>,
    _peer: Peer,
    _params: ListTraces,
) -> Result<Reply, Error> {
    let item = |agent: traces::TracedAgent| TracedAgent {
        agent: sanitize::line(&agent.name),
        is_connected: agent.is_connected,
        began_at: agent.began_at,
        messages: agent.messages,
    };
    Reply::of(&Traces { agents: caller.shared.traces.list().into_iter().map(item).collect() })
}

/// Begins to follow the messages with an agent.
pub(super) async fn watch_trace(
    caller: Arc<Caller>,
    peer: Peer,
    params: WatchTrace,
) -> Result<Reply, Error> {
    let after = params.since.map(|since| TracePosition { run: since.run, number: since.number });
    let trace = caller.shared.traces.watch(&params.agent, after).ok_or_else(|| {
        let name = sanitize::line(&params.agent);
        refusal::wrong(format!(
            "the hub has not connected to an agent \"{name}\" (field `agent`): \
             `_attache/traces` lists those that can be watched"
        ))
    })?;
    let watch = caller.watches.add(None)?;
    let sender = Sender { caller: caller.clone(), peer, watch };
    let sending = sender.run(trace);
    Ok(Reply::of(&Watching { watch })?.and_then(move || caller.watches.begin(watch, sending)))
}

/// Sends messages to a client.
struct Sender {
    caller: Arc<Caller>,
    peer: Peer,
    watch: u64,
}

impl Sender {
    /// Sends messages until the connection ends or the client loses the scope.
    async fn run(self, mut trace: TraceWatch) {
        let run = trace.run();
        let mut judge = JudgedLines::default();
        loop {
            if self.peer.wait_for_room().await.is_err() {
                return;
            }
            let frames = trace.next().await;
            let judging = tokio::task::spawn_blocking(move || {
                let lines = frames.iter().map(|frame| line(judge.line(frame))).collect();
                (lines, judge)
            });
            let Ok((lines, same)) = judging.await else { return };
            judge = same;
            // The scope may have changed meanwhile.
            let changed = TraceChanged { watch: self.watch, run, lines };
            if !self.caller.client.may(Scope::Control)
                || notify(&self.peer, CHANGED, &changed).is_err()
            {
                return;
            }
            tokio::time::sleep(INTERVAL).await;
        }
    }
}

fn line(line: JudgedLine) -> TraceLine {
    let broken = line.broken.into_iter().map(|broken| BrokenRule {
        rule: broken.rule.to_owned(),
        strength: broken.strength.to_owned(),
        by: broken.by.as_str().to_owned(),
        seen: broken.seen,
        text: broken.text.to_owned(),
    });
    TraceLine {
        number: line.number,
        connection: line.connection,
        from: line.from.as_str().to_owned(),
        at: line.at,
        size: line.size,
        is_json: line.is_json,
        text: line.text,
        broken: broken.collect(),
    }
}
