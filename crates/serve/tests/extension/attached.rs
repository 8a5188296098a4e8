//! Clients that are attached to a hub with a scripted agent.

use crate::scripted_agent::{ScriptedAgent, soon};
use crate::started::{Started, Starts, started_with};
use attache_client::{Hub, HubOptions, HubSession, ListedSession, Options, PermissionBroker};
use attache_connection::transport::{
    FrameReader, FrameWriter, LineTransport, Transport, frame_ends,
};
use attache_connection::{Builder, ConnectionEnd, Handler, IncomingCall, Peer, Work};
use attache_protocol::method::Side;
use attache_protocol::{DecodeError, Meta, Raw};
use attache_serve::extension::Extension;
use attache_serve::{
    AgentChoice, AgentTraces, DeviceId, FoundText, HubServices, Place, Scope, Served,
    SessionChange, SharedHub,
};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// The services of a hub in a test.
#[derive(Default)]
pub(crate) struct TestServices {
    /// The names of the agents besides `a`.
    pub(crate) more_agents: Mutex<Vec<String>>,
    pub(crate) rules: PermissionBroker,
    pub(crate) folders: Mutex<Vec<PathBuf>>,
    pub(crate) changes: Mutex<Vec<SessionChange>>,
    /// How many searches have begun.
    pub(crate) searches: watch::Sender<usize>,
    /// How many searches may end; all, if the sender is gone or there is none.
    pub(crate) searches_may_end: Mutex<Option<watch::Receiver<usize>>>,
}

impl HubServices for TestServices {
    fn agents(&self) -> Vec<AgentChoice> {
        let more = self.more_agents.lock().unwrap().clone();
        let names = ["a".to_owned()].into_iter().chain(more);
        names.map(|name| AgentChoice { name, installed: true, ..AgentChoice::default() }).collect()
    }

    fn add_agent(&self, hub: &Hub, agent: &str, is_local: bool) -> Result<String, String> {
        match hub.agent(agent) {
            Some(_) => Ok(agent.to_owned()),
            None if is_local => Err("there is no such command".to_owned()),
            None => Err("there is no such agent".to_owned()),
        }
    }

    fn change(&self, _: ListedSession, change: SessionChange) -> Served<Result<(), String>> {
        self.changes.lock().unwrap().push(change);
        Box::pin(std::future::ready(Ok(())))
    }

    fn folders(&self) -> Vec<PathBuf> {
        self.folders.lock().unwrap().clone()
    }

    fn files(&self, _: &Path, letters: &str, limit: usize) -> Served<Vec<String>> {
        let found = (0..limit).map(|index| format!("{letters}{index}.rs")).take(3).collect();
        Box::pin(std::future::ready(found))
    }

    fn rules(&self) -> PermissionBroker {
        self.rules.clone()
    }

    fn search(&self, text: String) -> Served<Result<Vec<FoundText>, String>> {
        let found =
            FoundText { agent: "a".into(), id: "s9".into(), around: format!("…{text}\n") };
        self.searches.send_modify(|begun| *begun += 1);
        let (number, may_end) =
            (*self.searches.borrow(), self.searches_may_end.lock().unwrap().clone());
        Box::pin(async move {
            if let Some(mut may_end) = may_end {
                drop(may_end.wait_for(|allowed| *allowed >= number).await);
            }
            Ok(vec![found])
        })
    }
}

/// A hub with the session `s1` of the agent `a`, and the connections of its clients.
pub(crate) struct Shared {
    pub(crate) hub: Arc<SharedHub>,
    pub(crate) services: Arc<TestServices>,
    pub(crate) session: HubSession,
    pub(crate) agent: ScriptedAgent,
    pub(crate) starts: Starts,
    pub(crate) folder: tempfile::TempDir,
    connections: JoinSet<ConnectionEnd>,
}

pub(crate) async fn shared() -> Shared {
    shared_with(HubOptions::default().elicitations(), json!({}), json!({ "sessionId": "s1" })).await
}

pub(crate) async fn shared_with(options: HubOptions, capabilities: Value, opened: Value) -> Shared {
    shared_of(options, capabilities, opened, Arc::default()).await
}

/// The same with messages that can be watched.
pub(crate) async fn shared_tapped() -> Shared {
    let traces = Arc::<AgentTraces>::default();
    let options = HubOptions::default().client(Options::default().tap(traces.tap("a")));
    shared_of(options, json!({}), json!({ "sessionId": "s1" }), traces).await
}

async fn shared_of(
    options: HubOptions,
    capabilities: Value,
    opened: Value,
    traces: Arc<AgentTraces>,
) -> Shared {
    let services = Arc::<TestServices>::default();
    let rules = services.rules.clone();
    // The rules decide first and log each decision, as in the program.
    let options =
        options.decide_first(move |agent, cwd, person| rules.permissions(agent, cwd, person));
    let Started { hub, session, agent, starts, folder } =
        started_with(options, capabilities, opened).await;
    let hub = Arc::new(SharedHub::new(hub, services.clone()).with_traces(traces));
    Shared { hub, services, session, agent, starts, folder, connections: JoinSet::new() }
}

/// Passes calls to the extension.
struct OnlyExtension(Extension);

impl Handler for OnlyExtension {
    const SIDE: Side = Side::Agent;

    fn notification(&mut self, _: &Peer, _: &str, _: Option<&str>) -> Result<(), DecodeError> {
        Ok(())
    }

    fn call(&mut self, call: IncomingCall<'_>) -> Work {
        self.0.call(call)
    }

    fn ended(&mut self, _: &ConnectionEnd) {
        self.0.ended();
    }
}

/// The metadata with which a client asks for the methods.
pub(crate) fn wanted() -> Meta {
    Meta::new(Raw::of(&json!({ "attache": { "version": 1 } })).unwrap()).unwrap()
}

impl Shared {
    /// Attaches a client on this machine that may do everything.
    pub(crate) fn local(&mut self) -> Client {
        self.attach(Place::Socket, Scope::Control)
    }

    /// Attaches a device.
    pub(crate) fn device(&mut self, scope: Scope) -> Client {
        self.attach(Place::Device(DeviceId("d1".into())), scope)
    }

    pub(crate) fn attach(&mut self, place: Place, scope: Scope) -> Client {
        self.connect(place, scope, true)
    }

    pub(crate) fn connect(&mut self, place: Place, scope: Scope, negotiates: bool) -> Client {
        let (here, there) = tokio::io::duplex(1 << 14);
        self.connect_over((lines(here), lines(there)), place, scope, negotiates)
    }

    /// Attaches a client on this machine over a transport, of which these are the ends.
    pub(crate) fn local_over<T: Transport + 'static>(&mut self, ends: (T, T)) -> Client {
        self.connect_over(ends, Place::Socket, Scope::Control, true)
    }

    fn connect_over<T: Transport + 'static>(
        &mut self,
        (here, there): (T, T),
        place: Place,
        scope: Scope,
        negotiates: bool,
    ) -> Client {
        let scope = watch::Sender::new(Some(scope));
        let client = self.hub.attach(place, "phone", scope.subscribe());
        let extension = Extension::new(self.hub.clone(), client);
        if negotiates {
            extension.negotiate(&wanted()).unwrap();
        }
        let (_, connection) = Builder::new().connect_over(there, OnlyExtension(extension));
        self.connections.spawn(connection.run());
        let (input, output) = frame_ends(here, LONGEST);
        Client { input, output, last: 0, notified: VecDeque::new(), scope }
    }
}

/// The longest message for a client, in bytes.
const LONGEST: usize = 32 << 20;

/// Carries one message in each line of a stream.
pub(crate) fn lines(stream: impl AsyncRead + AsyncWrite + Send + 'static) -> LineTransport {
    let (input, output) = tokio::io::split(stream);
    LineTransport::new(input, output)
}

/// The client's end of a connection.
pub(crate) struct Client {
    input: FrameReader,
    output: FrameWriter,
    last: u64,
    notified: VecDeque<Value>,
    pub(crate) scope: watch::Sender<Option<Scope>>,
}

impl Client {
    /// Sends a call and returns its id.
    pub(crate) async fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let id = self.last;
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.output.send(call.to_string().as_bytes()).await.unwrap();
        id
    }

    /// Calls a method.
    pub(crate) async fn call(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.send(method, params).await;
        loop {
            let message = self.line().await;
            if message["id"] == id {
                return match message.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(message["result"].clone()),
                };
            }
            self.notified.push_back(message);
        }
    }

    /// Calls a method, cancels the call before it begins, and returns the error.
    pub(crate) async fn cancelled(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        let params = json!({ "requestId": id });
        let cancel = json!({ "jsonrpc": "2.0", "method": "$/cancel_request", "params": params });
        self.output.send(cancel.to_string().as_bytes()).await.unwrap();
        loop {
            let message = self.line().await;
            if message["id"] == id {
                return message["error"].clone();
            }
            self.notified.push_back(message);
        }
    }

    /// Calls a method that fails, and returns the message.
    pub(crate) async fn refused(&mut self, method: &str, params: Value) -> String {
        let error = self.call(method, params).await.unwrap_err();
        error["message"].as_str().unwrap().to_owned()
    }

    /// Returns the next notification: its method and its params.
    pub(crate) async fn notified(&mut self) -> (String, Value) {
        let message = match self.notified.pop_front() {
            Some(message) => message,
            None => self.line().await,
        };
        (message["method"].as_str().unwrap().to_owned(), message["params"].clone())
    }

    /// Takes the notifications that came before replies.
    pub(crate) fn take_notified(&mut self) -> Vec<Value> {
        self.notified.drain(..).collect()
    }

    async fn line(&mut self) -> Value {
        let line = soon(self.input.next()).await.unwrap().expect("the connection ended");
        serde_json::from_slice(&line).unwrap()
    }

    /// Begins to watch `s1` and returns the number of the watch.
    pub(crate) async fn watch(&mut self, since: Value) -> u64 {
        let params = json!({ "agent": "a", "sessionId": "s1", "since": since });
        let watching = self.call("_attache/watch_session", params).await.unwrap();
        watching["watch"].as_u64().unwrap()
    }
}

/// What a client knows of a session.
#[derive(Default)]
pub(crate) struct Shown {
    pub(crate) position: Value,
    pub(crate) rows: Vec<Value>,
    pub(crate) parts: serde_json::Map<String, Value>,
}

impl Shown {
    /// Applies a notification of a watch.
    pub(crate) fn apply(&mut self, change: &Value) {
        if change["replaced"] == true {
            *self = Self::default();
        }
        self.position = change["position"].clone();
        self.rows.resize(change["count"].as_u64().unwrap() as usize, Value::Null);
        for row in change["rows"].as_array().unwrap() {
            self.rows[row["id"].as_u64().unwrap() as usize] = row.clone();
        }
        for (name, part) in change.as_object().unwrap() {
            if !["watch", "position", "replaced", "count", "rows"].contains(&name.as_str()) {
                self.parts.insert(name.clone(), part.clone());
            }
        }
    }

    /// Applies notifications of a client until the condition holds.
    pub(crate) async fn until(&mut self, client: &mut Client, wanted: impl Fn(&Self) -> bool) {
        while !wanted(self) {
            let (method, change) = client.notified().await;
            if method == "_attache/session" {
                self.apply(&change);
            }
        }
    }

    /// The text of all rows, as far as it is known.
    pub(crate) fn text(&self) -> String {
        Value::from(self.rows.clone()).to_string()
    }
}
