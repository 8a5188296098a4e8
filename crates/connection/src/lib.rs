//! A typed JSON-RPC peer for the Agent Client Protocol, over any stream of bytes.
//!
//! One connection is one future, [`Connection::run`]: it reads lines, hands each to a [`Handler`]
//! in wire order, owns the work that the peer's calls start, and writes what is queued. [`Peer`] is
//! the other end as a cheap handle. The handler's functions are synchronous, so nothing they do can
//! wait for the peer; a call that takes longer becomes a future, in which everything may be
//! awaited.
//!
//! What must hold:
//! - every call ends exactly once: answered, cancelled, out of time, or with the connection;
//! - a reply is folded after everything that was sent before it, and before its caller wakes;
//! - memory is bounded by the limits, whatever the peer sends or refuses to read;
//! - no input is fatal: what cannot be used is answered or dropped as the rules say, and shown to
//!   [`Handler`]'s `unhandled`.
//!
//! This crate knows the method table and the envelope. It does not know sessions, files, processes,
//! or what a method is for.
//!
//! ```
//! use attache_connection::{Agent, AgentHandler, Responder, Builder, Client, ClientHandler, Work};
//! use attache_protocol::method::Initialize;
//! use attache_protocol::v1::{InitializeRequest, InitializeResponse, ProtocolVersion};
//!
//! struct Greeter;
//! impl Agent for Greeter {
//!     fn initialize(&mut self, _: InitializeRequest, answer: Responder<Initialize>) -> Work {
//!         answer.send(Ok(InitializeResponse::new(ProtocolVersion::V1)))
//!     }
//! }
//! struct Quiet;
//! impl Client for Quiet {}
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let (here, there) = tokio::io::duplex(4096);
//! let (input, output) = tokio::io::split(there);
//! let (_, agent) = Builder::new().connect(input, output, AgentHandler(Greeter));
//! let (input, output) = tokio::io::split(here);
//! let (peer, client) = Builder::new().connect(input, output, ClientHandler(Quiet));
//! let mut running = tokio::task::JoinSet::new();
//! running.spawn(agent.run());
//! running.spawn(client.run());
//! let reply = peer.call::<Initialize>(&InitializeRequest::new(ProtocolVersion::V1)).await?;
//! assert_eq!(reply.protocol_version, ProtocolVersion::V1);
//! # Ok::<(), attache_connection::CallError>(()) }).unwrap();
//! # Ok::<(), std::io::Error>(())
//! ```

mod cancelled;
mod connection;
mod end;
mod handler;
mod limits;
mod lines;
mod outbox;
mod peer;
mod pending;
mod responder;
pub mod stdio;
mod tap;
mod trace;
mod unhandled;

pub use cancelled::Cancelled;
pub use connection::{Builder, Connection, ExitProbe};
pub use end::{CallError, End};
pub use handler::{Agent, AgentHandler, Client, ClientHandler, Handler, IncomingCall};
pub use limits::Limits;
pub use peer::{Peer, Reply};
pub use responder::{Responder, Work};
pub use tap::{Direction, Tap};
pub use unhandled::Unhandled;
