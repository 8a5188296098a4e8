//! What a person chooses from, and what they change, in every front end.

use attache_protocol::v1::SessionId;

/// An agent that the person can choose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentChoice {
    /// The name.
    pub name: String,
    /// The name for people; may be empty.
    pub title: String,
    /// Whether its program is installed.
    pub installed: bool,
    /// The command that installs or checks it; may be empty.
    pub install: String,
    /// The account or key that it needs; may be empty.
    pub needs: String,
}

/// A change of a stored or open session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionChange {
    /// Give the session a title that the agent does not replace.
    Rename(String),
    /// Archive the session, or take it out of the archive.
    Archive(bool),
    /// Set all tags.
    Tags(Vec<String>),
    /// Delete the session for good.
    Delete,
}

/// A session that was found by its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundText {
    /// The name of its agent in the hub.
    pub agent: String,
    /// Its id.
    pub id: SessionId,
    /// The text around the match.
    pub around: String,
}
