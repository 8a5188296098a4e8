//! A model server on loopback for the agents under test. Its model follows the prompts of the
//! judge.
//!
//! It serves the APIs OpenAI Chat Completions, OpenAI Responses, Anthropic Messages and Gemini,
//! with and without streaming. It keeps no state of a conversation. The last user text with
//! [acts](crate::acts) determines the answer, and the model's answers after that text determine the
//! number of completed acts. A request without acts gets a short harmless text. So does a request
//! without tools from an agent that has tools, for example a request for a title.

pub(crate) mod acts;
mod answer;
mod anthropic;
pub(crate) mod body;
mod catalogue;
mod chat;
mod events;
mod gemini;
mod request;
mod responses;
mod tool;
mod tool_names;
mod tool_table;
mod wire;

use crate::peer::loopback;
use answer::Answering;
use body::Body;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Response, StatusCode};
use hyper_util::rt::TokioIo;
use request::Request;
use serde_json::Value;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
pub use tool_names::{ToolNameError, ToolNames};
use wire::Wire;

/// The size limit of a request in bytes.
const REQUEST: usize = 64 * 1024 * 1024;

/// The model server. It ends when it is dropped.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use attache_check::ModelServer;
///
/// let model = ModelServer::start().await?;
/// assert!(model.url().starts_with("http://127.0.0.1:"));
/// assert_eq!(model.answers(), 0);
/// # std::io::Result::Ok(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    heard: Arc<Mutex<Heard>>,
    _serving: JoinSet<()>,
}

/// What agents have requested so far.
#[derive(Debug, Default)]
struct Heard {
    answers: usize,
    tools: BTreeSet<String>,
    /// The number of tool calls. It makes their ids unique.
    calls: usize,
    /// The names of tools that a person mapped.
    names: ToolNames,
}

impl ModelServer {
    /// Starts a server on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// Returns an error if there is no free port.
    pub async fn start() -> io::Result<Self> {
        Self::start_with(ToolNames::default()).await
    }

    /// Starts a server for an agent whose tools have these names.
    ///
    /// # Errors
    /// Returns an error if there is no free port.
    pub async fn start_with(names: ToolNames) -> io::Result<Self> {
        let listener = loopback::listen()?;
        let heard = Arc::new(Mutex::new(Heard { names, ..Heard::default() }));
        let address = listener.local_addr()?;
        let mut serving = JoinSet::new();
        let theirs = Arc::clone(&heard);
        serving
            .spawn(loopback::serve(listener, move |stream| converse(stream, Arc::clone(&theirs))));
        Ok(Self { address, heard, _serving: serving })
    }

    /// Returns the URL without a slash at the end, such as `http://127.0.0.1:40123`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the number of answers that agents have requested.
    pub fn answers(&self) -> usize {
        self.heard().answers
    }

    /// Returns the names of the tools that agents have offered.
    pub fn tools(&self) -> Vec<String> {
        self.heard().tools.iter().cloned().collect()
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        lock(&self.heard)
    }
}

fn lock(heard: &Mutex<Heard>) -> MutexGuard<'_, Heard> {
    heard.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn converse(stream: TcpStream, heard: Arc<Mutex<Heard>>) {
    let service = service_fn(|request| respond(request, &heard));
    // The connection ends with an error if the agent disconnects, or if the answer must break.
    let _ended = hyper::server::conn::http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

async fn respond(
    request: hyper::Request<Incoming>,
    heard: &Mutex<Heard>,
) -> Result<Response<Body>, Infallible> {
    let target = request.uri().clone();
    let Some(body) = body::read(request.into_body(), REQUEST).await else {
        return Ok(refused(StatusCode::PAYLOAD_TOO_LARGE));
    };
    let Some(wire) = Wire::of(target.path()) else {
        let found = catalogue::answer(target.path(), body.len());
        return Ok(found
            .map_or_else(|| refused(StatusCode::NOT_FOUND), |found| json(StatusCode::OK, &found)));
    };
    let Ok(value) = serde_json::from_slice::<Value>(&body) else {
        return Ok(refused(StatusCode::BAD_REQUEST));
    };
    let request = Request { size: body.len(), ..wire.read(&target, &value) };
    let answering = {
        let mut heard = lock(heard);
        heard.answers += 1;
        heard.tools.extend(request.tools.iter().map(|tool| tool.name.clone()));
        let is_aside = request.tools.is_empty() && !heard.tools.is_empty();
        let number = heard.answers;
        let Heard { calls, names, .. } = &mut *heard;
        Answering::to(&request, is_aside, calls, names).numbered(number)
    };
    Ok(match answering {
        Answering::Fail(status) => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            let mut response = json(status, &wire.error(status.as_u16()));
            // A retry would fail again, so this header tells the libraries of OpenAI and Anthropic
            // not to retry. After a 503 agents must retry.
            if status != StatusCode::SERVICE_UNAVAILABLE {
                response
                    .headers_mut()
                    .insert("x-should-retry", hyper::header::HeaderValue::from_static("false"));
            }
            response
        }
        Answering::Answer(answer) if request.is_streamed => {
            let events = wire.events(&request, &answer);
            response(StatusCode::OK, "text/event-stream", Body::events(events, answer.after))
        }
        Answering::Answer(answer) => {
            let whole = wire.whole(&request, &answer).to_string();
            response(StatusCode::OK, "application/json", Body::whole(whole, answer.after))
        }
    })
}

fn refused(status: StatusCode) -> Response<Body> {
    json(status, &Wire::Chat.error(status.as_u16()))
}

fn json(status: StatusCode, value: &Value) -> Response<Body> {
    response(status, "application/json", Body::whole(value.to_string(), answer::After::Nothing))
}

fn response(status: StatusCode, kind: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let kind = hyper::header::HeaderValue::from_static(kind);
    response.headers_mut().insert(hyper::header::CONTENT_TYPE, kind);
    response
}
