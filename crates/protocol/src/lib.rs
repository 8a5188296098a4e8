//! The Agent Client Protocol as types: what may stand on one line, and what it means.
//!
//! - [`v1`]: every type of ACP version 1, stable and unstable, named as in the specification's
//!   schema.
//! - [`method`]: the two tables. Every method, and every update and gated field, is one row.
//! - [`envelope`]: the JSON-RPC envelope of a line.
//! - [`mark`]: what absent, null and malformed mean for a field, as the specification marks it.
//!
//! What must hold: no input panics or costs more than time and memory in proportion to its length;
//! what arrived and is not known is kept ([`Unknown::Keep`]) or refused as the rules say
//! ([`Unknown::Refuse`]); nothing is dropped without [`decode_reporting`] listing it; what is
//! written follows the schema. A payload is decoded once, straight from the line, with no tree in
//! between.
//!
//! This crate knows no I/O, no sessions and no order of messages. Its only dependencies read JSON
//! tokens.
//!
//! ```
//! use attache_protocol::v1::{SessionUpdate, ToolCallStatus};
//! use attache_protocol::{Unknown, decode, decode_reporting, encode};
//!
//! let text = r#"{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Edit","status":"parked","locations":[{"line":1}]}"#;
//! let update: SessionUpdate = decode(text)?;
//! let SessionUpdate::ToolCall(call) = &update else { unreachable!() };
//! assert_eq!(call.status(), &ToolCallStatus::Pending); // what an unknown status means on a new call …
//! assert!(encode(&update).contains(r#""status":"parked""#)); // … and it is not lost
//!
//! let (_, dropped) = decode_reporting::<SessionUpdate>(text, Unknown::Keep);
//! assert_eq!(dropped[0].path, "locations[0]");
//! assert_eq!(dropped[0].error.message, r#"the required field "path" is missing"#);
//! # Ok::<(), attache_protocol::DecodeError>(())
//! ```

mod json;
pub mod method;
mod rpc;
#[cfg(feature = "schema")]
mod schema;
pub mod v1;
mod wire;

pub use json::fault::{DroppedAt, Fault, FaultKind};
pub use json::reader::{Checkpoint, Reader, Unknown, ValueKind};
pub use json::writer::{ObjectWriter, Writer};
pub use rpc::envelope;
pub use rpc::error::{Error, ErrorCode};
pub use rpc::id::RequestId;
#[cfg(feature = "schema")]
pub use schema::json_schema;
pub use wire::decode::{DecodeError, DroppedValue, decode, decode_known, decode_reporting};
pub use wire::mark;
pub use wire::patch::Patch;
pub use wire::raw::Raw;
pub use wire::secret::Secret;
#[cfg(feature = "schema")]
pub use wire::shape::{MemberShape, Shape};
pub use wire::unknown::{Meta, UnknownVariant};
pub use wire::{Map, Members, Wire, encode};
