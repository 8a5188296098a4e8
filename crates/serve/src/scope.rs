//! What a client may do.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What a client may do. Each scope includes the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Read everything in the sessions.
    Watch,
    /// Also answer questions, without rules beyond the session and without approving protected
    /// files.
    Answer,
    /// Also do everything else: prompt, open and change sessions, restore files. This is as much as
    /// running any command as the person.
    Control,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Watch => "watch",
            Self::Answer => "answer",
            Self::Control => "control",
        })
    }
}
