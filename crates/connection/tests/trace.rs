//! The events that a connection sends to a `tracing` subscriber, without any content.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use attache_connection::{Agent, AgentHandler, Builder, Client, ClientHandler, Responder, Work};
use attache_protocol::method::{Initialize, SessionNew};
use attache_protocol::v1::{InitializeRequest, InitializeResponse, NewSessionRequest};
use attache_protocol::{Error, v1::ProtocolVersion};
use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Text that no span and no event may contain.
const PRIVATE: &str = "hunter2";

/// Collects the text of every span and event.
#[derive(Clone, Default)]
struct Collector {
    lines: Arc<Mutex<Vec<String>>>,
    next: Arc<AtomicU64>,
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0 += &format!(" {}={value:?}", field.name());
    }
}

impl Collector {
    fn push(&self, line: Line) {
        self.lines.lock().unwrap().push(line.0);
    }
}

impl Subscriber for Collector {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("attache_connection")
    }
    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut line = Line(format!("span {}", span.metadata().name()));
        span.record(&mut line);
        self.push(line);
        Id::from_u64(self.next.fetch_add(1, Ordering::Relaxed) + 1)
    }
    fn record(&self, _: &Id, values: &Record<'_>) {
        let mut line = Line("record".to_owned());
        values.record(&mut line);
        self.push(line);
    }
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.push(line);
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

struct Greeter;
impl Agent for Greeter {
    fn initialize(&mut self, _: InitializeRequest, answer: Responder<Initialize>) -> Work {
        answer.send(Ok(InitializeResponse::new(ProtocolVersion::V1)))
    }
    fn session_new(&mut self, _: NewSessionRequest, answer: Responder<SessionNew>) -> Work {
        answer.send(Err(Error::internal(format!("the password is {PRIVATE}"))))
    }
}

struct Quiet;
impl Client for Quiet {}

#[test]
fn events_name_methods_and_reasons_but_no_content() {
    let collector = Collector::default();
    tracing::subscriber::with_default(collector.clone(), || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (here, there) = tokio::io::duplex(4096);
            let (input, output) = tokio::io::split(there);
            let (_, agent) = Builder::new().connect(input, output, AgentHandler(Greeter));
            let (input, output) = tokio::io::split(here);
            let (peer, client) = Builder::new().connect(input, output, ClientHandler(Quiet));
            peer.span().record("name", "greeter");
            let running = async {
                peer.call::<Initialize>(&InitializeRequest::new(ProtocolVersion::V1))
                    .await
                    .unwrap();
                let folder = format!("/{PRIVATE}");
                peer.call::<SessionNew>(&NewSessionRequest::new(folder, [])).await.unwrap_err();
                peer.send_raw(format!("not json {PRIVATE}\n").as_bytes()).unwrap();
                let params = format!(r#"{{"requestId":{{"x":"{PRIVATE}"}}}}"#);
                let cancel = r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":"#;
                peer.send_raw(format!("{cancel}{params}}}\n").as_bytes()).unwrap();
                tokio::task::yield_now().await;
                peer.close();
            };
            tokio::join!(agent.run(), client.run(), running);
        });
    });
    let lines = collector.lines.lock().unwrap().join("\n");
    for expected in [
        r#"peer="client""#,
        r#"peer="agent""#,
        r#"record name="greeter""#,
        "DEBUG message=connection started",
        r#"TRACE message=received call method=initialize id=0 bytes="#,
        r#"message=sent call connection="#,
        "message=sent reply connection=",
        "code=-32603",
        "WARN message=received frame is not JSON bytes=16",
        r#"WARN message=notification has invalid params method="$/cancel_request""#,
        "DEBUG message=connection closed by this side",
        "DEBUG message=connection closed by the peer",
    ] {
        assert!(lines.contains(expected), "{expected} is missing:\n{lines}");
    }
    assert!(!lines.contains(PRIVATE), "{lines}");
}
