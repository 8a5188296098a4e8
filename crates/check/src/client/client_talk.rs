//! A client under test, and the conversation in which the judge plays its agent.

mod turn;

pub(crate) use turn::ClientTurn;

use crate::client::scenario::Scenario;
use crate::client::started_client::{ClientOutput, StartedClient};
use crate::json::json;
use crate::judging::boxed::Boxed;
use crate::judging::conversation::Conversation;
use crate::judging::verdict::{Outcome, Probed, fail, not_tested};
use crate::peer::line::Line;
use crate::peer::link::Link;
use crate::peer::raw_peer::{RawPeer, STARTING, WaitError};
use attache_protocol::method::{Initialize, Method, SessionPrompt};
use attache_protocol::v1::ProtocolVersion;
use serde_json::Value;
use std::fmt;
use std::time::Duration;

/// A client under test, and its connection to the judge, which plays its agent.
pub(crate) struct ClientTalk {
    /// The connection to the client, on which the judge sends as the agent.
    pub(crate) wire: Conversation,
    pub(crate) client: StartedClient,
    /// The name of the client's current task.
    pub(crate) task: &'static str,
    /// The number of lines on this connection before the task began.
    first: usize,
    /// Earlier connections of the same client.
    pub(crate) ended: Vec<Conversation>,
    /// Whether the judge offers every capability on this connection, as it does for most probes.
    pub(crate) is_usual: bool,
    /// Whether the client closes the connection when its turn ends.
    pub(crate) ends_with_turn: bool,
    scenarios: Scenarios,
    /// The version of the protocol on every connection.
    pub(crate) version: ProtocolVersion,
    /// On a connection of version 2, the session whose turn is running.
    pub(crate) running: Option<Value>,
    /// The number of marker words sent so far, which the judge looks for in the client's output.
    words: usize,
}

/// A function that returns the agent that the judge plays on a connection of a client. Its argument
/// is the number of the connection, counted from 0.
pub(crate) type Scenarios = Box<dyn Fn(usize) -> Scenario + Send>;

impl fmt::Debug for ClientTalk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientTalk")
            .field("wire", &self.wire)
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}

impl ClientTalk {
    /// Waits for the first connection of a client.
    pub(crate) async fn connect(
        mut client: StartedClient,
        task: &'static str,
        (scenarios, version): (Scenarios, ProtocolVersion),
        patience: Duration,
    ) -> Probed<Self> {
        let wire = match client.next(client.task_patience(patience * STARTING)).await {
            Some(link) => conversation(link, scenarios(0), version, patience),
            None => {
                let how = how_it_left(&client.stop().await);
                return match task {
                    "prompt" => fail("the client starts its agent", format!("it did not: {how}")),
                    // The command of the task may be wrong, so the client is not at fault.
                    _ => not_tested(format!(
                        "the client starts no agent for the task {task:?}: {how}"
                    )),
                };
            }
        };
        Ok(Self {
            wire,
            client,
            task,
            first: 0,
            ended: Vec::new(),
            is_usual: false,
            ends_with_turn: false,
            scenarios,
            version,
            running: None,
            words: 0,
        })
    }

    /// Switches to the next connection of the client.
    pub(crate) fn next_connection<'a>(&'a mut self) -> Boxed<'a, Probed> {
        Box::pin(async move {
            let patience = self.wire.patience;
            match serving(&mut self.wire, self.client.next(patience)).await {
                Some(link) => {
                    let scenario = (self.scenarios)(self.ended.len() + 1);
                    let next = conversation(link, scenario, self.version, patience);
                    self.ended.push(std::mem::replace(&mut self.wire, next));
                    self.first = 0;
                    self.running = None;
                    Ok(())
                }
                None => fail("the client starts its agent again", "it did not"),
            }
        })
    }

    /// Waits until the client starts the agent's program for a terminal login, and lets the login
    /// succeed. Returns the program's arguments and environment, or `None` if the client starts
    /// nothing, or starts the agent for a conversation instead.
    pub(crate) fn next_login<'a>(&'a mut self) -> Boxed<'a, Option<Value>> {
        Box::pin(async move {
            let Self { wire, client, .. } = self;
            let patience = wire.patience;
            serving(wire, client.next(patience)).await?.logged_in(0).await
        })
    }

    /// Waits for a line from the client that matches, on this or a later connection.
    ///
    /// # Errors
    /// Returns the reason, in words, if no such line arrives.
    pub(crate) fn awaits<'a>(
        &'a mut self,
        wanted: impl Fn(&Line) -> bool + Send + Sync + 'a,
    ) -> Boxed<'a, Result<Line, String>> {
        self.awaits_wanted(Box::new(wanted))
    }

    fn awaits_wanted<'a>(
        &'a mut self,
        wanted: Box<dyn Fn(&Line) -> bool + Send + Sync + 'a>,
    ) -> Boxed<'a, Result<Line, String>> {
        Box::pin(async move {
            let patience = self.wire.patience * if self.wire.now() == 0 { STARTING } else { 1 };
            loop {
                let found = self.next_line(patience, &wanted).await;
                match found {
                    Ok(line) => return Ok(line),
                    Err(WaitError::TimedOut(after)) => {
                        return Err(format!("no such line within {} s", after.as_secs_f64()));
                    }
                    Err(WaitError::Ended(how)) => {
                        if self.next_connection().await.is_err() {
                            return Err(format!(
                                "{how}; {}",
                                how_it_left(&self.client.stop().await)
                            ));
                        }
                    }
                }
            }
        })
    }

    /// Waits for the first line that the client has sent on this connection since the task began
    /// and that `wanted` accepts. Such a line may have arrived already.
    async fn next_line(
        &mut self,
        patience: Duration,
        wanted: &(dyn Fn(&Line) -> bool + Send + Sync),
    ) -> Result<Line, WaitError> {
        let Self { wire, client, first, .. } = self;
        let patience = client.task_patience(patience);
        tokio::select! {
            found = wire.peer.wait_for(*first, patience, |line| line.is_theirs && wanted(line)) => {
                found
            }
            () = client.is_skipped() => Err(WaitError::Ended("the task was skipped".to_owned())),
        }
    }

    /// Whether another task can use this connection. That is the case if a person runs the client
    /// and the connection is still open.
    pub(crate) fn may_reuse_connection(&self) -> bool {
        !self.client.is_seen() && self.wire.is_watched && self.wire.peer.ended().is_none()
    }

    /// Starts another task on this connection, after ending the open turns.
    pub(crate) fn begin_task(&mut self, client: StartedClient, task: &'static str) {
        let is_open = |line: &&Line| {
            line.asks::<SessionPrompt>()
                && !self.wire.peer.lines().iter().any(|reply| answers(reply, line))
        };
        let open: Vec<Value> = self
            .wire
            .peer
            .lines()
            .iter()
            .filter(is_open)
            .filter_map(|line| line.get("id").cloned())
            .collect();
        if self.version >= ProtocolVersion::V2 {
            self.end_running("end_turn");
        } else {
            for id in open {
                self.wire.reply(&id, json!({"stopReason": "end_turn"}));
            }
        }
        (self.client, self.task, self.first) = (client, task, self.wire.now());
    }

    /// Waits until the client calls method `M`, as its task requires. The rule is not tested if the
    /// client does not call it.
    pub(crate) fn hears<'a, M: Method>(&'a mut self) -> Boxed<'a, Probed<Line>> {
        self.hears_method(M::ROW.name)
    }

    fn hears_method<'a>(&'a mut self, method: &'static str) -> Boxed<'a, Probed<Line>> {
        let asks =
            move |line: &Line| line.is_theirs && line.get("method").is_some_and(|it| it == method);
        Box::pin(async move {
            match self.awaits(asks).await {
                Ok(line) => Ok(line),
                Err(why) => not_tested(format!(
                    "the client did not call {method} for the task {:?}: {why}",
                    self.task
                )),
            }
        })
    }

    /// Returns the first call of this method on any connection.
    pub(crate) fn heard<M: Method>(&self) -> Option<&Line> {
        self.lines().find(|line| line.asks::<M>())
    }

    /// Returns the lines of all connections, in order.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &Line> {
        self.ended.iter().chain([&self.wire]).flat_map(|wire| wire.peer.lines())
    }

    /// Returns the member of `initialize` with the client's capabilities.
    pub(crate) fn capabilities(&self) -> &'static str {
        if self.version >= ProtocolVersion::V2 { "capabilities" } else { "clientCapabilities" }
    }

    /// Whether the client offers the capability at this JSON pointer below its capabilities.
    pub(crate) fn offers(&self, pointer: &str) -> bool {
        let reported = self.heard::<Initialize>().and_then(|line| line.get("params"));
        reported
            .and_then(|params| params.pointer(&format!("/{}{pointer}", self.capabilities())))
            .is_some_and(|value| !value.is_null() && *value != Value::Bool(false))
    }

    /// Skips the probe if the client does not offer the capability at this JSON pointer.
    pub(crate) fn needs(&self, pointer: &str) -> Probed {
        if self.offers(pointer) {
            return Ok(());
        }
        Err(Outcome::Skipped(format!(
            "{}{} is not offered",
            self.capabilities(),
            pointer.replace('/', ".")
        )))
    }

    /// Skips the probe if the client does not offer the capability, which version 2 does not need.
    pub(crate) fn needs_in_version_1(&self, pointer: &str) -> Probed {
        if self.version >= ProtocolVersion::V2 { Ok(()) } else { self.needs(pointer) }
    }

    /// Checks that the client behaves as after any turn. A client that ends with its turn must
    /// close the connection in time. Any other client must still answer calls.
    pub(crate) fn ends_or_continues<'a>(&'a mut self) -> Boxed<'a, Probed> {
        Box::pin(async move {
            let patience = self.wire.patience;
            if self
                .wire
                .peer
                .wait_for_end(if self.ends_with_turn { patience } else { Duration::ZERO })
                .await
            {
                return Ok(());
            }
            match self.ends_with_turn {
                true => fail("the client ends after the turn, as usual", "it does not end"),
                false => self.wire.is_still_there().await,
            }
        })
    }

    /// Waits until the client exits after its turn, stops it if it does not exit, and returns its
    /// output.
    pub(crate) fn ended<'a>(&'a mut self) -> Boxed<'a, ClientOutput> {
        Box::pin(async move {
            let patience = self.wire.patience;
            if !self.client.is_seen() {
                return self.client.printed();
            }
            // Until the client closes the connection or ends, the judge answers the client's calls.
            let _ended = self.wire.peer.wait_for_end(patience).await;
            self.client.ended(patience).await
        })
    }

    /// Waits until the client prints this text, and answers its calls meanwhile. Returns `false` if
    /// it does not print it in time.
    pub(crate) fn shows<'a>(&'a mut self, text: &'a str) -> Boxed<'a, bool> {
        Box::pin(async move {
            let Self { wire, client, .. } = self;
            let patience = wire.patience;
            serving(wire, client.prints(text, patience)).await
        })
    }
}

/// Waits for a future while serving the connection: answering the client's calls and writing queued
/// lines.
async fn serving<T>(wire: &mut Conversation, awaited: impl Future<Output = T>) -> T {
    let serve = async {
        while wire.peer.ended().is_none() {
            let _later = wire.peer.wait_for_end(wire.patience).await;
        }
        std::future::pending::<T>().await
    };
    tokio::select! {
        came = awaited => came,
        never = serve => never,
    }
}

/// Whether `line` is the judge's answer to the client's call `call`.
fn answers(line: &Line, call: &Line) -> bool {
    !line.is_theirs && line.get("method").is_none() && line.get("id") == call.get("id")
}

/// Describes how a client ended, with the end of its output.
pub(crate) fn how_it_left(left: &ClientOutput) -> String {
    let how = match left.exit {
        Some(exit) => format!("the client ended ({exit})"),
        None if left.by_itself => "the client ended".to_owned(),
        None => "the client continues".to_owned(),
    };
    let said = if left.stderr.trim().is_empty() { &left.stdout } else { &left.stderr };
    match said.trim() {
        "" => how,
        said => {
            let cut = said.chars().count().saturating_sub(300);
            format!(
                "{how}; its last output: {}",
                said.chars().skip(cut).collect::<String>().trim_start()
            )
        }
    }
}

fn conversation(
    link: Link,
    scenario: Scenario,
    version: ProtocolVersion,
    patience: Duration,
) -> Conversation {
    Conversation::new(RawPeer::as_agent(link, scenario.script(version)), patience)
}
