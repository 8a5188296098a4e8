//! Versions and names, which both ends exchange first.

use crate::wire::declare::wire_struct;
use crate::{Fault, Reader, Wire, Writer};

/// A version of ACP: a whole number from 0 to 65535; anything else is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProtocolVersion(pub u16);

impl ProtocolVersion {
    /// The version of [`crate::v1`].
    pub const V1: Self = Self(1);
    /// The version of [`crate::v2`], a draft.
    pub const V2: Self = Self(2);
}

impl From<u16> for ProtocolVersion {
    fn from(version: u16) -> Self {
        Self(version)
    }
}

impl std::fmt::Display for ProtocolVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Wire for ProtocolVersion {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        u16::read(reader).map(Self)
    }

    fn write(&self, writer: &mut Writer<'_>) {
        self.0.write(writer);
    }

    #[cfg(feature = "schema")]
    fn shape() -> crate::Shape {
        u16::shape()
    }
}

wire_struct! {
    /// The program at one end of a connection.
    pub struct Implementation {
        /// A name for programs.
        must name: String = "name",
        /// A human-readable name; `name` is used if it is absent.
        lenient title: Option<String> = "title",
        /// The program's version, in its own scheme.
        must version: String = "version",
    }
}
