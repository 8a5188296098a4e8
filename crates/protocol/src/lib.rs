//! The Agent Client Protocol as Rust types, with their exact decoding and encoding.
//!
//! # Main types
//!
//! | item | purpose |
//! |---|---|
//! | [`v1`] | every type of ACP version 1, stable and unstable, named as in the official schema |
//! | [`v2`] | the same for version 2, a draft; types that do not differ are the same Rust type |
//! | [`method`] | the tables of methods, updates and gated fields; everything about a method is in its row |
//! | [`method::Method`], [`method::Call`] | a method as a type, for example [`method::SessionPrompt`] |
//! | [`envelope`] | the JSON-RPC envelope of one line: [`envelope::Message`] |
//! | [`Error`], [`RequestId`] | the error object and the id of JSON-RPC |
//! | [`decode`], [`encode`] | convert between JSON text and a type |
//! | [`decode_reporting`] | also lists every value that decoding dropped |
//! | [`Patch`], [`Raw`], [`Meta`], [`Secret`] | parts of many types: three-state fields, raw JSON, metadata, secrets |
//! | [`Wire`], [`mark`] | how a type is read and written; the meaning of absent, null and malformed values |
//!
//! # Guarantees
//!
//! - No input causes a panic, and the time and memory that decoding takes are proportional to the
//!   input's length.
//! - Unknown values are kept ([`UnknownValues::Keep`]) or refused as ACP requires
//!   ([`UnknownValues::Refuse`]).
//! - Every dropped value is listed by [`decode_reporting`].
//! - Encoded values follow the official schema.
//! - A payload is decoded once, straight from the line, without a tree in between.
//!
//! This crate does no I/O and knows nothing about sessions or the order of messages.
//!
//! # Features
//!
//! It is off by default.
//!
//! | feature | what it adds |
//! |---|---|
//! | `schema` | JSON Schemas of every type, and the shapes that generators of test values use |
//!
//! # Example
//!
//! ```
//! use attache_protocol::v1::{SessionUpdate, ToolCallStatus};
//! use attache_protocol::{UnknownValues, decode, decode_reporting, encode};
//!
//! let text = r#"{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Edit","status":"parked","locations":[{"line":1}]}"#;
//! let update: SessionUpdate = decode(text)?;
//! let SessionUpdate::ToolCall(call) = &update else { unreachable!() };
//! assert_eq!(call.status(), &ToolCallStatus::Pending); // an unknown status reads as pending
//! assert!(encode(&update).contains(r#""status":"parked""#)); // and is not lost
//!
//! let (_, dropped) = decode_reporting::<SessionUpdate>(text, UnknownValues::Keep);
//! assert_eq!(dropped[0].path, "locations[0]");
//! assert_eq!(dropped[0].error.message, r#"the required field "path" is missing"#);
//! # Ok::<(), attache_protocol::DecodeError>(())
//! ```

mod common;
mod convert;
mod json;
pub mod method;
mod rpc;
#[cfg(feature = "schema")]
mod schema;
pub mod v1;
pub mod v2;
mod wire;

pub use json::fault::{DroppedAt, Fault, FaultKind};
pub use json::reader::{Checkpoint, Reader, UnknownValues, ValueKind};
pub use json::writer::{ObjectWriter, Writer};
pub use rpc::envelope;
pub use rpc::error::{Error, ErrorCode};
pub use rpc::id::RequestId;
#[cfg(feature = "schema")]
pub use schema::{json_schema, json_schema_v2};
pub use wire::decode::{
    DecodeError, DroppedValue, check_reporting, decode, decode_known, decode_reporting,
};
pub use wire::mark;
pub use wire::patch::Patch;
pub use wire::raw::Raw;
pub use wire::secret::Secret;
#[cfg(feature = "schema")]
pub use wire::shape::{MemberShape, Shape};
pub use wire::unknown::{Meta, UnknownVariant};
pub use wire::{Map, Members, Wire, WriteValue, encode};
