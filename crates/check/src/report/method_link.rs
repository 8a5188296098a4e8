//! Links from methods to the code that handles them.

use attache_protocol::method::Side;

/// The place of the code that handles a method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodLink {
    /// The side that receives the method.
    pub receiver: Side,
    /// The version of the protocol.
    pub protocol: u16,
    /// The wire name.
    pub method: &'static str,
    /// The address, which may be relative to the document.
    pub target: String,
}
