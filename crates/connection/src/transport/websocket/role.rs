//! The sides of a WebSocket.

/// Which side of a WebSocket this is. The client masks what it sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebSocketRole {
    /// The side that opened the connection.
    Client,
    /// The side that accepted it.
    Server,
}
