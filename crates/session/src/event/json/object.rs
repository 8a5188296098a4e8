//! The members of events in their JSON form, and the errors about them.

use attache_protocol::{DecodeError, Map, ObjectWriter, Patch, Raw, Wire, Writer, decode};
use std::fmt;

/// The newest version of the format. It is increased only if older versions of this crate would
/// misread an event. Each event is written in the lowest version that has all of it, and all are
/// read.
///
/// Version 2 added what only version 2 of the protocol has.
pub const EVENT_VERSION: u64 = 2;

/// A line of a log that is not an event.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventError {
    /// A newer version of this crate wrote the line in a form that this version cannot read.
    Newer {
        /// The version of the line.
        version: u64,
    },
    /// The line or one of its members cannot be decoded.
    Malformed(DecodeError),
    /// The line lacks a member.
    Missing(&'static str),
}

impl EventError {
    /// Returns the error for a value at this key.
    fn under(self, key: &str) -> Self {
        match self {
            Self::Malformed(error) => Self::Malformed(error.under(key)),
            other => other,
        }
    }
}

impl fmt::Display for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Newer { version } => {
                write!(
                    f,
                    "the event has version {version}, but this program reads versions up to {EVENT_VERSION}; use a newer program"
                )
            }
            Self::Malformed(error) => write!(f, "the event cannot be read: {error}"),
            Self::Missing(member) => write!(f, "the event cannot be read: it has no {member:?}"),
        }
    }
}

impl std::error::Error for EventError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Malformed(error) => Some(error),
            Self::Newer { .. } | Self::Missing(_) => None,
        }
    }
}

pub(crate) fn read<T: Wire>(path: &str, raw: &Raw) -> Result<T, EventError> {
    decode(raw.get()).map_err(|error: DecodeError| EventError::Malformed(error.under(path)))
}

/// Writes a member that has a value.
pub(crate) fn write_option<T: Wire>(object: &mut ObjectWriter<'_>, key: &str, value: Option<&T>) {
    if let Some(value) = value {
        object.member(key, value);
    }
}

/// The members of an object, and its path.
pub(crate) struct Object<'p> {
    path: &'p str,
    pub(crate) members: Map<Raw>,
}

impl<'p> Object<'p> {
    pub(crate) fn of(text: &'p str, path: &'p str) -> Result<Self, EventError> {
        let members = decode(text).map_err(|error: DecodeError| match path {
            "" => EventError::Malformed(error),
            path => EventError::Malformed(error.under(path)),
        })?;
        Ok(Self { path, members })
    }

    pub(crate) fn must<T: Wire>(&self, key: &'static str) -> Result<T, EventError> {
        self.may(key)?.ok_or(EventError::Missing(key))
    }

    pub(crate) fn may<T: Wire>(&self, key: &'static str) -> Result<Option<T>, EventError> {
        let Some(value) = self.members.get(key) else { return Ok(None) };
        decode(value.get()).map(Some).map_err(|error: DecodeError| {
            let error = error.under(key);
            EventError::Malformed(if self.path.is_empty() { error } else { error.under(self.path) })
        })
    }

    /// Reads a member that is absent if it does not change, and null if it is cleared.
    pub(crate) fn patch<T: Wire>(&self, key: &'static str) -> Result<Patch<T>, EventError> {
        self.patch_with(key, |raw| decode(raw.get()).map_err(EventError::Malformed))
    }

    pub(crate) fn patch_with<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(&Raw) -> Result<T, EventError>,
    ) -> Result<Patch<T>, EventError> {
        match self.members.get(key) {
            None => Ok(Patch::Keep),
            Some(raw) if raw.get() == "null" => Ok(Patch::Clear),
            Some(raw) => read(raw).map(Patch::Set).map_err(|error| error.under(key)),
        }
    }
}

/// Writes a member of a patch, unless it does not change.
pub(crate) fn write_patch<T>(
    object: &mut ObjectWriter<'_>,
    key: &str,
    patch: &Patch<T>,
    write: impl FnOnce(&T, Writer<'_>),
) {
    match patch {
        Patch::Keep => {}
        Patch::Clear => object.key(key).raw("null"),
        Patch::Set(value) => write(value, object.key(key)),
    }
}
