//! Serves the clients of a socket.

use super::hub_end::{Ending, HubEnd, TurnWait};
use super::hub_name::HubName;
use super::hub_socket::HubSocket;
use super::lines;
use super::peer;
use super::shake_hands::{
    AgentStatus, DeviceChange, DeviceStatus, Hello, RefusalKind, Reply, Status, Wants,
};
use crate::devices::{Device, DeviceError};
use crate::{Activity, DeviceId, Place, Scope, SharedHub, Uses, acp};
use attache_connection::transport::LineTransport;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

/// The maximum number of connections at a time.
const CONNECTIONS: usize = 256;

/// How long a client may take for its first line, and to read a reply.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long to wait when the system accepts no connection, for example because this process has too
/// many open files.
const AGAIN: Duration = Duration::from_millis(100);

/// What clients learn of a hub.
#[derive(Debug, Clone)]
pub struct HubFacts {
    /// The name of the hub.
    pub name: HubName,
    /// The version of the program. A client of another version gets no ACP.
    pub version: String,
    /// When the hub was started.
    pub since: Instant,
    /// The origin of the page, if the hub serves one.
    pub origin: Option<String>,
    /// Where the hub stores sessions and checkpoints, in words that are the same for the same
    /// places.
    pub stores: String,
}

/// What all connections share.
struct Serving {
    shared: Arc<SharedHub>,
    facts: HubFacts,
    end: Arc<HubEnd>,
    socket: std::path::PathBuf,
}

/// Serves the clients of a socket until the future is dropped, which ends all connections. Clients
/// that ask for the end of the hub set `end`.
pub async fn serve(socket: HubSocket, shared: Arc<SharedHub>, facts: HubFacts, end: Arc<HubEnd>) {
    let serving = Serving { shared, facts, end, socket: socket.path().to_owned() };
    let serving = Arc::new(serving);
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = socket.listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let is_full = connections.len() >= CONNECTIONS;
                    let serving = serving.clone();
                    connections.spawn(async move {
                        if let Err(error) = serving.connection(stream, is_full).await {
                            tracing::debug!(%error, "a connection failed");
                        }
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "the socket accepts no connection");
                    sleep(AGAIN).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

impl Serving {
    async fn connection(&self, stream: UnixStream, is_full: bool) -> io::Result<()> {
        let refused = peer::check(&stream);
        let (input, mut output) = stream.into_split();
        let mut input = BufReader::new(input);
        if is_full {
            let message = format!("the hub has {CONNECTIONS} connections already: close some");
            return self.refuse(&mut output, RefusalKind::Busy, message).await;
        }
        if let Err(refusal) = refused {
            tracing::warn!(%refusal, "a process may not use the socket");
            return self.refuse(&mut output, RefusalKind::Peer, refusal.to_string()).await;
        }
        let hello: Hello = match timeout(PATIENCE, lines::read(&mut input)).await {
            Ok(Ok(Some(hello))) => hello,
            Ok(Ok(None)) => return Ok(()),
            Ok(Err(_)) => {
                let message = "the first line is not that of a client of a hub".to_owned();
                return self.refuse(&mut output, RefusalKind::Hello, message).await;
            }
            Err(_) => {
                let message = format!("no first line came within {} s", PATIENCE.as_secs());
                return self.refuse(&mut output, RefusalKind::Hello, message).await;
            }
        };
        match Wants::of(&hello) {
            Some(Wants::Acp { .. } | Wants::AcpOfAgent { .. })
                if hello.attache != self.facts.version =>
            {
                let message = format!("the hub has version {}", self.facts.version);
                self.refuse(&mut output, RefusalKind::Version, message).await
            }
            Some(Wants::Acp { agent }) => self.acp(input, output, Uses::Any(agent)).await,
            Some(Wants::AcpOfAgent { agent }) => {
                // The person's own process may name a command line.
                match self.shared.services.add_agent(&self.shared.hub, &agent, true) {
                    Ok(agent) => self.acp(input, output, Uses::Only(agent)).await,
                    Err(why) => self.refuse(&mut output, RefusalKind::Agent, why).await,
                }
            }
            Some(Wants::Devices(change)) => self.devices(&mut output, change).await,
            Some(Wants::Status) => self.say(&mut output, &Reply::Status(self.status())).await,
            Some(Wants::Stop { after_turns }) => {
                self.end(input, output, after_turns, Ending::Stop).await
            }
            Some(Wants::Restart { after_turns }) => {
                self.end(input, output, after_turns, Ending::Restart).await
            }
            None => {
                let wants = &hello.wants;
                let message = format!("this version of the hub does not know {wants:?}");
                self.refuse(&mut output, RefusalKind::Hello, message).await
            }
        }
    }

    async fn acp(
        &self,
        input: BufReader<OwnedReadHalf>,
        mut output: OwnedWriteHalf,
        uses: Uses,
    ) -> io::Result<()> {
        let HubFacts { version, stores, .. } = self.facts.clone();
        self.say(&mut output, &Reply::Welcome { attache: version, stores }).await?;
        // A local process is the person: its scope does not change. The sender lives as long as
        // the connection.
        let scope = watch::Sender::new(Some(Scope::Control));
        let client = self.shared.attach_with(Place::Socket, "local", scope.subscribe(), uses);
        let transport = Box::new(LineTransport::new(input, output));
        let ended = acp::serve_client(self.shared.clone(), client, transport).await;
        tracing::debug!(%ended, "a client of the socket is gone");
        Ok(())
    }

    fn status(&self) -> Status {
        let Activity { sessions, running, waiting } = Activity::of(&self.shared.hub);
        let agents = self.shared.hub.agents().into_iter();
        let agents = agents.map(|agent| AgentStatus {
            name: agent.name().to_owned(),
            state: agent.state().to_string(),
        });
        Status {
            attache: self.facts.version.clone(),
            name: self.facts.name.to_string(),
            pid: std::process::id(),
            socket: self.socket.clone(),
            page: self.facts.origin.clone(),
            uptime: self.facts.since.elapsed().as_secs(),
            clients: self.shared.clients().len(),
            sessions,
            running,
            waiting,
            agents: agents.collect(),
        }
    }

    /// Changes the devices that may reach the hub over TCP, and lists them.
    async fn devices(
        &self,
        output: &mut OwnedWriteHalf,
        change: Option<DeviceChange>,
    ) -> io::Result<()> {
        let (Some(devices), Some(origin)) = (self.shared.devices(), &self.facts.origin) else {
            let message = "the hub serves no devices: start it with `attache serve --port N`";
            return self.refuse(output, RefusalKind::Devices, message.to_owned()).await;
        };
        let decided = match &change {
            Some(DeviceChange::Grant { id, grant }) if grant.scope.is_some() => Some(id),
            Some(DeviceChange::Revoke { id }) => Some(id),
            _ => None,
        };
        if let Some(id) = decided {
            self.shared.scope_requests.settle(&DeviceId(id.clone()));
        }
        let (changing, origin) = (Arc::clone(devices), origin.clone());
        let changed = tokio::task::spawn_blocking(move || {
            let mut login = None;
            match change {
                None => {}
                Some(DeviceChange::Add { scope }) => {
                    let code = changing.new_code(scope)?;
                    login = Some(format!("{origin}/login#{}", code.expose()));
                }
                Some(DeviceChange::Grant { id, grant }) => changing.grant(&DeviceId(id), grant)?,
                Some(DeviceChange::Revoke { id }) => changing.revoke(&DeviceId(id))?,
            }
            Ok::<_, DeviceError>(login)
        });
        match changed.await {
            Ok(Ok(login)) => {
                let wishes = self.shared.scope_wishes();
                let of = |device: Device| {
                    let asks_for = wishes.get(&device.id).map(|wish| wish.scope);
                    DeviceStatus::of(device, asks_for)
                };
                let devices = devices.list().into_iter().map(of).collect();
                self.say(output, &Reply::Devices { devices, login }).await
            }
            Ok(Err(error)) => self.refuse(output, RefusalKind::Devices, error.to_string()).await,
            Err(error) => Err(io::Error::other(error)),
        }
    }

    /// Ends the hub, unless the client goes away while turns run. The connection ends with the hub.
    async fn end(
        &self,
        mut input: BufReader<OwnedReadHalf>,
        mut output: OwnedWriteHalf,
        after_turns: bool,
        ending: Ending,
    ) -> io::Result<()> {
        if after_turns {
            let mut turns = TurnWait::new(&self.shared);
            loop {
                let activity = tokio::select! {
                    activity = turns.next() => activity,
                    // The client says nothing more, so this is its end.
                    _ = input.read_u8() => return Ok(()),
                };
                let Some(Activity { running, waiting, .. }) = activity else { break };
                self.say(&mut output, &Reply::Waiting { running, waiting }).await?;
            }
        }
        self.say(&mut output, &Reply::Ending).await?;
        self.end.end(ending);
        std::future::pending().await
    }

    async fn refuse(
        &self,
        output: &mut OwnedWriteHalf,
        kind: RefusalKind,
        message: String,
    ) -> io::Result<()> {
        let attache = self.facts.version.clone();
        self.say(output, &Reply::Refused { attache, kind, message }).await
    }

    async fn say(&self, output: &mut OwnedWriteHalf, reply: &Reply) -> io::Result<()> {
        timeout(PATIENCE, lines::write(output, reply)).await?
    }
}
