//! A hub with scripted agents.

use crate::scripted_agent::{ScriptedAgent, connecting, soon};
use attache_client::{AgentSource, Hub, HubOptions, HubSession, SessionState, StartError, Watch};
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// The starts of one agent. Each yields a scripted agent before its handshake.
pub(crate) struct Starts(mpsc::Receiver<ScriptedAgent>);

/// The source of a hub's scripted agents.
pub(crate) fn scripted() -> (AgentSource, Starts) {
    scripted_unless(|| None)
}

/// Like [`scripted`]; a start fails while `failure` returns an error.
pub(crate) fn scripted_unless(
    failure: impl Fn() -> Option<StartError> + Send + Sync + 'static,
) -> (AgentSource, Starts) {
    let (sender, starts) = mpsc::channel(16);
    let source = AgentSource::connect(move |options| {
        let failure = failure();
        let (agent, connecting) = connecting(options);
        if failure.is_none() {
            sender.try_send(agent).unwrap();
        }
        async move {
            match failure {
                Some(error) => Err(error),
                None => connecting.await,
            }
        }
    });
    (source, Starts(starts))
}

impl Starts {
    /// Returns the next start, with the handshake done.
    pub(crate) async fn next(&mut self, capabilities: Value) -> ScriptedAgent {
        let mut agent = self.unanswered().await;
        let call = agent.expect("initialize").await;
        agent
            .reply(&call, json!({ "protocolVersion": 1, "agentCapabilities": capabilities }))
            .await;
        agent
    }

    /// Returns the next start, before its handshake.
    pub(crate) async fn unanswered(&mut self) -> ScriptedAgent {
        soon(self.0.recv()).await.unwrap()
    }

    /// Whether the agent was started again.
    pub(crate) fn is_empty(&mut self) -> bool {
        self.0.try_recv().is_err()
    }
}

/// A hub with one agent `a` and a session `s1` of it.
pub(crate) struct Started {
    pub(crate) hub: Hub,
    pub(crate) session: HubSession,
    pub(crate) agent: ScriptedAgent,
    pub(crate) starts: Starts,
    pub(crate) folder: tempfile::TempDir,
}

pub(crate) async fn started(capabilities: Value) -> Started {
    started_with(HubOptions::default(), capabilities, json!({ "sessionId": "s1" })).await
}

pub(crate) async fn started_with(
    options: HubOptions,
    capabilities: Value,
    opened: Value,
) -> Started {
    started_by(scripted(), options, capabilities, opened).await
}

pub(crate) async fn started_by(
    (source, mut starts): (AgentSource, Starts),
    options: HubOptions,
    capabilities: Value,
    opened: Value,
) -> Started {
    let folder = tempfile::tempdir().unwrap();
    let hub = Hub::new(options);
    hub.add("a", source).unwrap();
    let answering = async {
        let mut agent = starts.next(capabilities).await;
        let call = agent.expect("session/new").await;
        agent.reply(&call, opened).await;
        agent
    };
    let (session, agent) = tokio::join!(hub.open("a", folder.path()).into_future(), answering);
    Started { hub, session: session.unwrap(), agent, starts, folder }
}

/// Waits until the session satisfies the condition.
pub(crate) async fn until(session: &HubSession, wanted: impl Fn(&HubSession) -> bool) {
    let mut watch: Watch = session.watch();
    let waiting = async {
        while !wanted(session) {
            watch.next().await.expect("the session was closed");
        }
    };
    if tokio::time::timeout(std::time::Duration::from_secs(20), waiting).await.is_err() {
        panic!("it stayed {:?}, {:?}", session.state(), texts(session));
    }
}

pub(crate) async fn idle(session: &HubSession) {
    until(session, |session| session.state() == SessionState::Idle && session.queue().is_empty())
        .await;
}

/// The messages of the session, and the titles of its notices.
pub(crate) fn texts(session: &HubSession) -> Vec<String> {
    use attache_session::EntryContent;
    let snapshot = session.snapshot();
    let text = |entry: &std::sync::Arc<attache_session::Entry>| match &entry.content {
        EntryContent::Notice(notice) => format!("({})", notice.title),
        _ => entry.text(),
    };
    snapshot.entries().iter().map(text).collect()
}

impl ScriptedAgent {
    /// Returns the call and the text of the next prompt.
    pub(crate) async fn prompted(&mut self) -> (Value, String) {
        let call = self.expect("session/prompt").await;
        let text = call["params"]["prompt"][0]["text"].as_str().unwrap().to_owned();
        (call, text)
    }

    pub(crate) async fn end_turn(&mut self, call: &Value) {
        self.reply(call, json!({ "stopReason": "end_turn" })).await;
    }
}
