//! The kinds of conversation with a model.

/// The kind of a conversation with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ConversationKind {
    /// The conversation between the agent and the user. The session stores it.
    #[default]
    Agent,
    /// The conversation of a subagent with the agent, about one task. The session does not store
    /// it.
    Subagent {
        /// Whether the subagent can only read: it can neither change anything nor run commands.
        looks_only: bool,
    },
}
