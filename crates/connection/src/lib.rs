//! A typed JSON-RPC connection for the Agent Client Protocol, over any transport.
//!
//! # Main types
//!
//! | type | purpose |
//! |---|---|
//! | [`Builder`] | joins a transport and a handler into a connection, with [`Limits`] and a [`Tap`] |
//! | [`Connection`] | the future that reads, dispatches and writes; poll it with [`Connection::run`] |
//! | [`Peer`] | a handle to the other end, which sends calls and notifications |
//! | [`Reply`] | the future reply to a call |
//! | [`Agent`], [`Client`] | one function for each method that a side can serve |
//! | [`AgentHandler`], [`ClientHandler`] | dispatch by wire name to an [`Agent`] or a [`Client`] |
//! | [`v2`] | the same traits and dispatch for version 2, a draft |
//! | [`Responder`] | answers one incoming call, now or later |
//! | [`CallError`], [`ConnectionEnd`] | why a call has no result, and why a connection ended |
//! | [`transport`] | the traits of a transport, lines over byte streams, and a pair in memory |
//! | [`stdio`] | this process's stdin and stdout as byte streams |
//!
//! A handler's functions are synchronous, so they cannot wait for the peer. A call that takes
//! longer returns a future, which may await anything.
//!
//! # Guarantees
//!
//! - Every call ends exactly once: with a reply, by cancellation, by its deadline, or with the
//!   connection.
//! - A reply is handled after everything that was sent before it, and before its caller wakes.
//! - The [`Limits`] bound the memory, whatever the peer sends and however little it reads.
//! - All of this is the same over each [`transport`].
//! - No malformed message is fatal. A message that cannot be used is answered or dropped, and
//!   passed to [`Handler::unhandled`].
//!
//! This crate knows the method table and the envelope. It knows nothing about sessions, files or
//! processes. Only a transport knows how a message becomes bytes.
//!
//! # Features
//!
//! None is on by default.
//!
//! | feature | what it adds |
//! |---|---|
//! | `streamable-http` | what both sides of streamable HTTP share |
//! | `websocket` | the transport over WebSocket |
//!
//! # Example
//!
//! ```
//! use attache_connection::{Agent, AgentHandler, Builder, Client, ClientHandler, Responder, Work};
//! use attache_protocol::method::Initialize;
//! use attache_protocol::v1::{InitializeRequest, InitializeResponse, ProtocolVersion};
//!
//! struct Greeter;
//! impl Agent for Greeter {
//!     fn initialize(&mut self, _: InitializeRequest, responder: Responder<Initialize>) -> Work {
//!         responder.send(Ok(InitializeResponse::new(ProtocolVersion::V1)))
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
mod capabilities;

mod connection;
mod dispatch;
mod end;
mod handler;
mod limits;
mod offered;
mod outbox;
mod peer;
mod pending;
mod responder;
pub mod stdio;
mod tap;
mod trace;
pub mod transport;
mod unhandled;

pub use cancelled::Cancelled;
pub use connection::{Builder, Connection, ExitProbe};
pub use end::{CallError, ConnectionEnd};
pub use handler::v1::{Agent, AgentHandler, Client, ClientHandler};
pub use handler::{Handler, IncomingCall, v2};
pub use limits::Limits;
pub use peer::{Peer, Reply};
pub use responder::{Responder, Work};
pub use tap::{Direction, Tap};
pub use unhandled::Unhandled;
