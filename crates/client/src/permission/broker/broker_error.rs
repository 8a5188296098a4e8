//! The error of the broker.

use attache_policy::RuleFileError;
use std::path::PathBuf;
use std::{fmt, io};

/// Why rules cannot be read or remembered, or why decisions cannot be logged.
#[derive(Debug)]
#[non_exhaustive]
pub enum BrokerError {
    /// A file of rules cannot be read or changed. None of its rules apply, because the part that
    /// was not read may deny something.
    Rules(RuleFileError),
    /// The file of the log cannot be written.
    Log {
        /// The file.
        file: PathBuf,
        /// The error from the operating system.
        source: io::Error,
    },
}

impl fmt::Display for BrokerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rules(source) => source.fmt(f),
            Self::Log { file, source } => {
                write!(f, "decisions cannot be logged in {}: {source}", file.display())
            }
        }
    }
}

impl std::error::Error for BrokerError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Rules(source) => Some(source),
            Self::Log { source, .. } => Some(source),
        }
    }
}

impl From<RuleFileError> for BrokerError {
    fn from(source: RuleFileError) -> Self {
        Self::Rules(source)
    }
}
