//! Why a registry file was not used.

use std::fmt;

/// Why a registry's file cannot be used. Its author's to mend, or of whoever named the file.
#[derive(Debug)]
#[non_exhaustive]
pub enum RegistryError {
    /// It is no JSON.
    Syntax {
        /// Line and column of the fault, from 1.
        at: (usize, usize),
        /// What the reader says.
        source: serde_json::Error,
    },
    /// A field is missing or not as it should be.
    Field {
        /// Where, such as `agents[3].distribution.npx.package`.
        field: String,
        /// What should stand there.
        expected: &'static str,
    },
    /// The agent is not distributed for this platform.
    Platform {
        /// Its id.
        id: String,
        /// The platform.
        platform: String,
        /// Those that it is distributed for.
        known: Vec<String>,
    },
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { at: (line, column), source } => {
                write!(
                    f,
                    "it is no JSON (line {line}, column {column}: {source}): expected the file registry.json of a registry"
                )
            }
            Self::Field { field, expected } => {
                write!(f, "its field {field} is not as it should be: expected {expected}")
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
