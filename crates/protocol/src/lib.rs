//! The Agent Client Protocol as types: what may stand on one line, and what it means.
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
pub use read::{Fault, Mark, Next, Reader, Unknown};
pub use report::{DecodeError, Dropped, Notice, Why, decode, decode_known, decode_reporting};
#[cfg(feature = "schema")]
pub use schema::json_schema;
pub use secret::Secret;
#[cfg(feature = "schema")]
pub use shape::{MemberShape, Shape};
pub use unknown::{Meta, UnknownVariant};
pub use wire::{Map, Members, Wire, encode};
pub use write::{ObjectWriter, Writer};
