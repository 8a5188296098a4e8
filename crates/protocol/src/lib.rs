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

mod either;
pub mod envelope;
mod error;
mod id;
pub mod mark;
pub mod method;
mod object;
mod patch;
mod raw;
mod read;
mod report;
#[cfg(feature = "schema")]
mod schema;
mod secret;
#[cfg(feature = "schema")]
mod shape;
mod skip;
mod unknown;
pub mod v1;
mod wire;
mod write;

pub use error::{Error, ErrorCode};
pub use id::RequestId;
pub use patch::Patch;
pub use raw::Raw;
pub use read::{Checkpoint, Fault, Reader, Unknown, ValueKind};
pub use report::{
    DecodeError, DroppedAt, DroppedValue, FaultKind, decode, decode_known, decode_reporting,
};
#[cfg(feature = "schema")]
pub use schema::json_schema;
pub use secret::Secret;
#[cfg(feature = "schema")]
pub use shape::{MemberShape, Shape};
pub use unknown::{Meta, UnknownVariant};
pub use wire::{Map, Members, Wire, encode};
pub use write::{ObjectWriter, Writer};
