//! Remote ACP: the same protocol over WebSocket and over streamable HTTP, at one address.
//!
//! | Request | Result |
//! |---|---|
//! | `GET` with `Upgrade: websocket` | A WebSocket, one message in each text frame. |
//! | `POST` of `initialize` | 200 with the reply and the header `Acp-Connection-Id`. |
//! | `POST` of any other message | 202 once the message is accepted; a reply follows in a stream. |
//! | `GET` with `Accept: text/event-stream` | The messages of the connection, or, with `Acp-Session-Id`, of one session. |
//! | `DELETE` | 202; the connection ends. |
//!
//! Requests of a connection carry its `Acp-Connection-Id`. The id does not authorise: each request
//! is authenticated, and the connection of another device does not exist for it.
//!
//! # Limits
//!
//! A connection queues at most 256 KiB for each of its streams and for the hub, and one message if
//! that is longer. When a stream is full because nothing reads it, the hub waits; the connection
//! ends after the [stall time](attache_connection::Limits::stall). A connection of streamable HTTP
//! without an open stream and without a request ends after [`IDLE`]. A WebSocket whose client
//! answers no ping ends after a minute. All clients together have at most 256 connections, and one
//! device at most 32.

mod caller;
mod connections;
mod event_stream;
mod http_connection;
mod requests;
mod routing;
mod upgrade;

use crate::{AttachedClient, SharedHub, acp};
use attache_connection::ConnectionEnd;
use attache_connection::transport::Transport;
use axum::Router;
use axum::routing::get;
use connections::{Connections, Serve};
use std::future::Future;
use std::sync::Arc;

pub use attache_connection::transport::streamable::ACP_PATH;
pub use http_connection::IDLE;

/// The routes of remote ACP, at [`ACP_PATH`].
///
/// Each request must have the extensions `Arc<SharedHub>` and `Arc<AttachedClient>`, which a layer
/// around the routes adds once it has authenticated the request. Without them, the answer is 401.
/// The client of the request that opens a connection is the one that
/// [`serve_client`](acp::serve_client) gets, and it is attached as long as the connection exists.
/// The clients of later requests only show that they come from the same [`Place`](crate::Place).
///
/// Dropping the last clone of the router ends all connections.
pub fn acp_routes() -> Router {
    acp_routes_with(acp::serve_client)
}

/// Like [`acp_routes`], with another function that serves each connection.
pub fn acp_routes_with<F, S>(serve: F) -> Router
where
    F: Fn(Arc<SharedHub>, Arc<AttachedClient>, Box<dyn Transport>) -> S + Send + Sync + 'static,
    S: Future<Output = ConnectionEnd> + Send + 'static,
{
    let serve: Arc<Serve> =
        Arc::new(move |shared, client, transport| Box::pin(serve(shared, client, transport)));
    let methods = get(requests::get).post(requests::post).delete(requests::delete);
    Router::new().route(ACP_PATH, methods).with_state(Arc::new(Connections::new(serve)))
}
