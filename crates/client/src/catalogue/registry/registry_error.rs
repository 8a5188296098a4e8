//! Why a registry file cannot be used.

use std::fmt;

/// Why a registry file cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum RegistryError {
    /// The file is not JSON.
    Syntax {
        /// The line and column of the error, counted from 1.
        at: (usize, usize),
        /// The error of the JSON parser.
        source: serde_json::Error,
    },
    /// A field is missing or malformed.
    Field {
        /// The field, such as `agents[3].distribution.npx.package`.
        field: String,
        /// The expected value.
        expected: &'static str,
    },
    /// The agent is not distributed for this platform.
    Platform {
        /// The agent's id.
        id: String,
        /// The platform that was requested.
        platform: String,
        /// The platforms that the agent is distributed for.
        known: Vec<String>,
    },
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { at: (line, column), source } => {
                write!(
                    f,
                    "it is not JSON (line {line}, column {column}: {source}): expected the file registry.json of a registry"
                )
            }
            Self::Field { field, expected } => {
                write!(f, "its field {field} is invalid: expected {expected}")
            }
            Self::Platform { id, platform, known } => {
                write!(f, "{id} is not distributed for {platform}, only for {}", known.join(", "))
            }
        }
    }
}

impl std::error::Error for RegistryError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Syntax { source, .. } => Some(source),
            Self::Field { .. } | Self::Platform { .. } => None,
        }
    }
}
