//! Faults in JSON values.

/// Why a value cannot be decoded, and where. [`crate::DecodeError`] turns it into a sentence with a
/// path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Byte offset of the faulty value. For a missing key, the offset of the object that lacks it.
    pub at: usize,
    /// The kind of fault.
    pub kind: FaultKind,
}

/// The kinds of faults in a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The text is not JSON.
    NotJson,
    /// The value has the wrong type or form. The text names what is expected, with its article,
    /// such as "a string".
    Expected(&'static str),
    /// The object lacks this required key.
    Missing(&'static str),
    /// The string or tag is not in the closed set of this type.
    NotOneOf(&'static str),
    /// The type has no field of this name. This is reported, but is never an error by itself.
    NoField,
}

/// One value that decoding left out or replaced by its default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DroppedAt {
    /// Byte offset of the dropped value.
    pub at: usize,
    /// The fault in the value.
    pub fault: Fault,
}
