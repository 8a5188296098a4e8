//! What both sides of streamable HTTP share: the names of its headers, and which stream a message
//! belongs to. The sides themselves are made by the crates that have an HTTP server or client.

mod call_sessions;
mod envelope;

pub use call_sessions::CallSessions;
pub use envelope::Envelope;

/// The header with the id of the connection.
pub const CONNECTION_ID: &str = "acp-connection-id";

/// The header with the id of the session that a message or stream belongs to.
pub const SESSION_ID: &str = "acp-session-id";

/// The media type of messages.
pub const JSON: &str = "application/json";

/// The media type of streams of messages.
pub const EVENT_STREAM: &str = "text/event-stream";

/// The path of ACP if an address has none.
pub const ACP_PATH: &str = "/acp";

/// The longest id of a call or session that is remembered, in bytes.
pub const LONGEST_ID: usize = 1024;
