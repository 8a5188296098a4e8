//! A shared hub with two scripted agents, `a` and `b`.

use crate::client::Client;
use crate::scripted_agent::{ScriptedAgent, connecting, soon};
use attache_client::{AgentSource, Hub, HubOptions, ListedSession, PermissionBroker};
use attache_connection::transport::LineTransport;
use attache_serve::{
    AgentChoice, AttachedClient, DeviceId, FoundText, HubServices, Place, Scope, Served,
    SessionChange, SharedHub, Uses, acp,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

/// What the program around the hub supplies in these tests.
pub(crate) struct Services {
    folder: PathBuf,
    pub(crate) changes: Mutex<Vec<SessionChange>>,
}

impl HubServices for Services {
    fn agents(&self) -> Vec<AgentChoice> {
        let agent = |name: &str| AgentChoice {
            name: name.to_owned(),
            installed: true,
            ..AgentChoice::default()
        };
        vec![agent("a"), agent("b")]
    }

    fn add_agent(&self, hub: &Hub, agent: &str, _is_local: bool) -> Result<String, String> {
        match hub.agent(agent) {
            Some(_) => Ok(agent.to_owned()),
            None => Err(format!("there is no agent {agent:?}")),
        }
    }

    fn change(&self, _: ListedSession, change: SessionChange) -> Served<Result<(), String>> {
        self.changes.lock().unwrap().push(change);
        Box::pin(std::future::ready(Ok(())))
    }

    fn folders(&self) -> Vec<PathBuf> {
        vec![self.folder.clone()]
    }

    fn files(&self, _: &Path, _: &str, _: usize) -> Served<Vec<String>> {
        Box::pin(std::future::ready(Vec::new()))
    }

    fn rules(&self) -> PermissionBroker {
        PermissionBroker::in_memory()
    }

    fn search(&self, _: String) -> Served<Result<Vec<FoundText>, String>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}

/// The shared hub, its agents and the connections of its clients.
pub(crate) struct Shared {
    pub(crate) hub: Arc<SharedHub>,
    pub(crate) services: Arc<Services>,
    pub(crate) folder: tempfile::TempDir,
    starts: [mpsc::Receiver<ScriptedAgent>; 2],
    connections: JoinSet<()>,
}

impl Shared {
    pub(crate) fn new() -> Self {
        Self::with(HubOptions::default().elicitations())
    }

    pub(crate) fn with(options: HubOptions) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let hub = Hub::new(options);
        let starts = ["a", "b"].map(|name| {
            let (sender, starts) = mpsc::channel(4);
            let source = AgentSource::connect(move |options| {
                let (agent, connecting) = connecting(options);
                sender.try_send(agent).unwrap();
                connecting
            });
            hub.add(name, source).unwrap();
            starts
        });
        let services =
            Arc::new(Services { folder: folder.path().to_owned(), changes: Mutex::default() });
        let hub = Arc::new(SharedHub::new(hub, services.clone()));
        Self { hub, services, folder, starts, connections: JoinSet::new() }
    }

    /// A client on this machine that has introduced itself in version 1.
    pub(crate) async fn local(&mut self, capabilities: Value) -> Client {
        let (mut client, _) = self.connect(Place::Socket, Scope::Control);
        hello(&mut client, capabilities).await;
        client
    }

    /// A client on a device with this scope, and the scope to change.
    pub(crate) async fn device(&mut self, scope: Scope) -> (Client, watch::Sender<Option<Scope>>) {
        self.device_of(DeviceId("d".to_owned()), scope).await
    }

    /// The same on the device with this id.
    pub(crate) async fn device_of(
        &mut self,
        id: DeviceId,
        scope: Scope,
    ) -> (Client, watch::Sender<Option<Scope>>) {
        let (mut client, scope) = self.connect(Place::Device(id), scope);
        hello(&mut client, json!({})).await;
        (client, scope)
    }

    pub(crate) fn connect(
        &mut self,
        place: Place,
        scope: Scope,
    ) -> (Client, watch::Sender<Option<Scope>>) {
        self.connect_with(place, scope, 1 << 16)
    }

    /// A client whose connection holds this many bytes in each direction.
    pub(crate) fn connect_with(
        &mut self,
        place: Place,
        scope: Scope,
        buffer: usize,
    ) -> (Client, watch::Sender<Option<Scope>>) {
        let (scope, receiver) = watch::channel(Some(scope));
        let client: Arc<AttachedClient> = self.hub.attach(place, "someone", receiver);
        (self.serve(client, buffer), scope)
    }

    /// A client on this machine that uses these agents.
    pub(crate) fn connect_using(&mut self, uses: Uses) -> (Client, watch::Sender<Option<Scope>>) {
        let (scope, receiver) = watch::channel(Some(Scope::Control));
        let client = self.hub.attach_with(Place::Socket, "someone", receiver, uses);
        (self.serve(client, 1 << 16), scope)
    }

    fn serve(&mut self, client: Arc<AttachedClient>, buffer: usize) -> Client {
        let (here, there) = tokio::io::duplex(buffer);
        let (input, output) = tokio::io::split(there);
        let transport = Box::new(LineTransport::new(input, output));
        let serving = acp::serve_client(self.hub.clone(), client, transport);
        self.connections.spawn(async move { drop(serving.await) });
        Client::new(here)
    }

    /// The folder of the sessions.
    pub(crate) fn cwd(&self) -> String {
        self.folder.path().to_str().unwrap().to_owned()
    }

    pub(crate) fn new_params(&self) -> Value {
        json!({ "cwd": self.cwd(), "mcpServers": [] })
    }

    pub(crate) fn of(&self, id: &str) -> Value {
        json!({ "sessionId": id, "cwd": self.cwd(), "mcpServers": [] })
    }

    /// The next start of the agent `a` (0) or `b` (1), with the handshake done.
    pub(crate) async fn agent(&mut self, number: usize, capabilities: Value) -> ScriptedAgent {
        let mut agent = soon(self.starts[number].recv()).await.unwrap();
        let call = agent.expect("initialize").await;
        let answer = json!({ "protocolVersion": 1, "agentCapabilities": capabilities });
        agent.reply(&call, answer).await;
        agent
    }

    /// A session `a/s1` that this client opened, and its agent.
    pub(crate) async fn opened(&mut self, client: &mut Client) -> ScriptedAgent {
        self.opened_with(client, json!({ "loadSession": true }), json!({ "sessionId": "s1" })).await
    }

    pub(crate) async fn opened_with(
        &mut self,
        client: &mut Client,
        capabilities: Value,
        result: Value,
    ) -> ScriptedAgent {
        let call = client.start("session/new", self.new_params()).await;
        let mut agent = self.agent(0, capabilities).await;
        let new = agent.expect("session/new").await;
        agent.reply(&new, result).await;
        let reply = client.reply(call).await;
        assert_eq!(reply["result"]["sessionId"], "a/s1", "{reply}");
        agent
    }
}

pub(crate) async fn hello(client: &mut Client, capabilities: Value) -> Value {
    let params = json!({
        "protocolVersion": 1,
        "clientCapabilities": capabilities,
        "clientInfo": { "name": "test", "title": "Test client", "version": "1" },
    });
    client.call("initialize", params).await
}

pub(crate) async fn hello_version_2(client: &mut Client) -> Value {
    let params = json!({
        "protocolVersion": 2,
        "capabilities": {},
        "info": { "name": "test", "version": "1" },
    });
    client.call("initialize", params).await
}

pub(crate) fn prompt(text: &str) -> Value {
    json!({ "sessionId": "a/s1", "prompt": [{ "type": "text", "text": text }] })
}

/// Returns the agent's next prompt: the call and its text.
pub(crate) async fn prompted(agent: &mut ScriptedAgent) -> (Value, String) {
    let call = agent.expect("session/prompt").await;
    let text = call["params"]["prompt"][0]["text"].as_str().unwrap().to_owned();
    (call, text)
}

pub(crate) async fn end_turn(agent: &mut ScriptedAgent, call: &Value) {
    agent.reply(call, json!({ "stopReason": "end_turn" })).await;
}
