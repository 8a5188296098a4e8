//! A server with a small page and small routes below `/acp`, and clients for it.

use attache_client::{Hub, HubOptions, ListedSession, PermissionBroker};
use attache_serve::devices::{Clock, Devices, NewDevice, SystemClock};
use attache_serve::http::{HttpOptions, HttpServer};
use attache_serve::page::PageFile;
use attache_serve::{
    AgentChoice, AttachedClient, FoundText, HubServices, Place, Scope, Served, SessionChange,
    SharedHub,
};
use axum::body::{Body, Bytes};
use axum::extract::{Extension, Request};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use axum::{Json, Router};
use http::StatusCode;
use http::header::{CONNECTION, UPGRADE};
use hyper_util::rt::TokioIo;
use reqwest::RequestBuilder;
use serde_json::json;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, JoinSet};

/// A program without agents.
struct NoAgents;

impl HubServices for NoAgents {
    fn agents(&self) -> Vec<AgentChoice> {
        Vec::new()
    }

    fn add_agent(&self, _: &Hub, agent: &str, _: bool) -> Result<String, String> {
        Err(format!("there is no agent {agent}"))
    }

    fn change(&self, _: ListedSession, _: SessionChange) -> Served<Result<(), String>> {
        Box::pin(async { Err("there are no sessions".to_owned()) })
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
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}

/// A running server.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    pub(crate) devices: Arc<Devices>,
    pub(crate) shared: Arc<SharedHub>,
    _sockets: Sockets,
    stop: Option<oneshot::Sender<()>>,
    running: JoinHandle<()>,
    _folder: TempDir,
}

/// The tasks of the echo sockets.
type Sockets = Arc<Mutex<JoinSet<()>>>;

impl TestServer {
    pub(crate) fn start() -> Self {
        Self::with(page_options(), Arc::new(SystemClock))
    }

    pub(crate) fn with_options(options: HttpOptions) -> Self {
        Self::with(options, Arc::new(SystemClock))
    }

    pub(crate) fn with(options: HttpOptions, clock: Arc<dyn Clock>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let devices = Devices::open_with_clock(folder.path(), clock).unwrap();
        let devices = Arc::new(devices);
        let shared = Arc::new(SharedHub::new(Hub::new(HubOptions::default()), Arc::new(NoAgents)));
        let sockets = Sockets::default();
        let server = HttpServer::bind(options, shared.clone(), devices.clone()).unwrap();
        let server = server.with_acp(routes(sockets.clone()));
        let address = server.address();
        let (stop, stopped) = oneshot::channel();
        #[expect(clippy::disallowed_methods, reason = "the server owns the task")]
        let running = tokio::spawn(server.run(async { drop(stopped.await) }));
        Self {
            address,
            devices,
            shared,
            _sockets: sockets,
            stop: Some(stop),
            running,
            _folder: folder,
        }
    }

    /// Stops the server, and waits until it has ended.
    pub(crate) async fn stop(mut self) {
        drop(self.stop.take());
        self.running.await.unwrap();
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin())
    }

    /// Adds a device as if it had logged in.
    pub(crate) fn device(&self, scope: Scope) -> NewDevice {
        let code = self.devices.new_code(scope).unwrap();
        self.devices.redeem(code.expose(), "phone").unwrap()
    }

    /// The header `Cookie` of a device.
    pub(crate) fn cookie(&self, device: &NewDevice) -> String {
        format!("attache-{}={}", self.address.port(), device.cookie.expose())
    }

    /// A request of the page of a device.
    pub(crate) fn page_request(&self, path: &str, device: &NewDevice) -> RequestBuilder {
        client()
            .post(self.url(path))
            .header("origin", self.origin())
            .header("cookie", self.cookie(device))
            .header("attache-tab", device.tab.expose())
    }

    /// Sends bytes, and reads until the server closes the connection.
    pub(crate) async fn exchange(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        // The server may reset the connection after its answer.
        let _ = stream.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// The head of a raw request of a program with the token.
    pub(crate) fn head(&self, line: &str, more: &str) -> String {
        format!(
            "{line} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n{more}",
            self.address,
            self.devices.token().expose()
        )
    }
}

pub(crate) fn client() -> reqwest::Client {
    let provider = rustls::crypto::ring::default_provider();
    // Another test may have installed it.
    let _ = provider.install_default();
    reqwest::Client::builder().no_proxy().build().unwrap()
}

/// The options of the tests. Waits are long, so that a slow machine changes nothing.
pub(crate) fn page_options() -> HttpOptions {
    let long = Duration::from_secs(600);
    HttpOptions {
        page: file,
        head_time: long,
        idle_time: long,
        body_time: long,
        write_time: long,
        body_bytes: 100_000,
        ..HttpOptions::default()
    }
}

fn file(path: &str) -> Option<PageFile> {
    let html = "text/html; charset=utf-8";
    let (content_type, bytes): (_, &[u8]) = match path {
        "index.html" => (html, b"<!doctype html><title>Page</title>"),
        "trace.html" => (html, b"<!doctype html><title>Trace</title>"),
        "login.html" => (html, b"<!doctype html><title>Log in</title>"),
        "assets/app.js" => ("text/javascript", &[b' '; 4000]),
        _ => return None,
    };
    Some(PageFile { content_type, bytes })
}

fn routes(sockets: Sockets) -> Router {
    Router::new()
        .route("/acp", any(who))
        .route("/acp/body", any(length))
        .route("/acp/stream", get(stream))
        .route("/acp/wait", any(std::future::pending::<()>))
        .route("/acp/socket", get(socket))
        .layer(Extension(sockets))
}

/// Says who is logged in, and which headers the handler gets.
async fn who(
    Extension(client): Extension<Arc<AttachedClient>>,
    Extension(shared): Extension<Arc<SharedHub>>,
    request: Request,
) -> Response {
    let Place::Device(id) = &client.place else { panic!("{client:?}") };
    let headers: Vec<_> = request.headers().keys().map(ToString::to_string).collect();
    let attached = shared.clients().iter().filter(|each| each.id == client.id).count();
    Json(json!({
        "id": id.0, "name": client.name(), "scope": client.scope(), "attached": attached,
        "headers": headers,
    }))
    .into_response()
}

/// Returns the length of the body.
async fn length(body: Body) -> Response {
    match axum::body::to_bytes(body, usize::MAX).await {
        Ok(bytes) => bytes.len().to_string().into_response(),
        Err(error) => (StatusCode::BAD_REQUEST, format!("{error}")).into_response(),
    }
}

/// A body that does not end.
struct Endless(bool);

impl http_body::Body for Endless {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<http_body::Frame<Bytes>, Self::Error>>> {
        match std::mem::replace(&mut self.0, true) {
            false => std::task::Poll::Ready(Some(Ok(http_body::Frame::data("begun".into())))),
            true => std::task::Poll::Pending,
        }
    }
}

async fn stream() -> Response {
    Body::new(Endless(false)).into_response()
}

/// Echoes what it gets after the upgrade.
async fn socket(
    Extension(client): Extension<Arc<AttachedClient>>,
    Extension(sockets): Extension<Sockets>,
    mut request: Request,
) -> Response {
    let upgrade = hyper::upgrade::on(&mut request);
    sockets.lock().unwrap().spawn(async move {
        let stream = TokioIo::new(upgrade.await.unwrap());
        let (mut reader, mut writer) = tokio::io::split(stream);
        // Ends with the connection, which is what the tests wait for.
        let _ = tokio::io::copy(&mut reader, &mut writer).await;
        drop(client);
    });
    let headers = [(CONNECTION, "upgrade"), (UPGRADE, "websocket")];
    (StatusCode::SWITCHING_PROTOCOLS, headers).into_response()
}
