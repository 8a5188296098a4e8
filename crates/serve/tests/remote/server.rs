//! A server on loopback whose requests are authenticated by fixed tokens.

use crate::echo_agent::EchoAgents;
use attache_client::{AgentSource, Hub, HubOptions, ListedSession, PermissionBroker};
use attache_connection::ConnectionEnd;
use attache_serve::remote::acp_routes_with;
use attache_serve::{
    AgentChoice, DeviceId, FoundText, HubServices, Place, Scope, Served, SessionChange, SharedHub,
};
use axum::extract::Request;
use axum::http::header::AUTHORIZATION;
use axum::middleware::{Next, from_fn};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinSet;

/// The token of the first device. `two` is the one of another.
pub(crate) const TOKEN: &str = "one";

/// A server. Dropping it ends everything.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) agents: EchoAgents,
    /// How each connection ended.
    pub(crate) ends: mpsc::Receiver<ConnectionEnd>,
    /// Drops all connections.
    pub(crate) cut: Arc<Notify>,
    _running: JoinSet<()>,
}

impl Server {
    pub(crate) async fn start() -> Self {
        let agents = EchoAgents::new();
        let (ended, ends) = mpsc::channel(64);
        let cut = Arc::new(Notify::new());
        let (serving, cutting) = (agents.clone(), cut.clone());
        let routes = acp_routes_with(move |_, _client, transport| {
            let (agents, ended, cut) = (serving.clone(), ended.clone(), cutting.clone());
            async move {
                let end = tokio::select! {
                    end = agents.serve(transport) => end,
                    () = cut.notified() => ConnectionEnd::Closed,
                };
                let _ = ended.try_send(end.clone());
                end
            }
        });
        let shared =
            Arc::new(SharedHub::new(Hub::new(HubOptions::default()), Arc::new(NoServices)));
        let (everything, scope) = watch::channel(Some(Scope::Control));
        let authenticate = move |mut request: Request, next: Next| {
            let (shared, scope, _everything) = (shared.clone(), scope.clone(), everything.clone());
            async move {
                let header = request.headers().get(AUTHORIZATION).cloned();
                let token = header.as_ref().and_then(|it| it.to_str().ok()).unwrap_or_default();
                if let Some(token @ ("one" | "two")) = token.strip_prefix("Bearer ") {
                    let place = Place::Device(DeviceId(token.to_owned()));
                    let client = shared.attach(place, token, scope);
                    request.extensions_mut().insert(client);
                    request.extensions_mut().insert(shared);
                }
                next.run(request).await
            }
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut running = JoinSet::new();
        running.spawn(async move {
            axum::serve(listener, routes.layer(from_fn(authenticate))).await.unwrap();
        });
        Self { address, agents, ends, cut, _running: running }
    }

    /// The address of its agent for this scheme.
    pub(crate) fn url(&self, scheme: &str) -> String {
        format!("{scheme}://{}", self.address)
    }

    /// The source of its agent, with the right token.
    pub(crate) fn source(&self, scheme: &str) -> AgentSource {
        AgentSource::remote(&self.url(scheme), Some(TOKEN.into())).unwrap()
    }
}

struct NoServices;

impl HubServices for NoServices {
    fn agents(&self) -> Vec<AgentChoice> {
        Vec::new()
    }

    fn add_agent(&self, _: &Hub, agent: &str, _: bool) -> Result<String, String> {
        Err(format!("no agent {agent}"))
    }

    fn change(&self, _: ListedSession, _: SessionChange) -> Served<Result<(), String>> {
        Box::pin(async { Err("no sessions".to_owned()) })
    }

    fn folders(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    fn files(&self, _: &Path, _: &str, _: usize) -> Served<Vec<String>> {
        Box::pin(async { Vec::new() })
    }

    fn rules(&self) -> PermissionBroker {
        PermissionBroker::in_memory()
    }

    fn search(&self, _: String) -> Served<Result<Vec<FoundText>, String>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}
