//! The kinds of conversations with a model.

/// The parties of a conversation with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ConversationKind {
    /// The agent with the user. The session stores it.
    #[default]
    Agent,
    /// A subagent with the agent, about one task. The session does not store it.
    Subagent {
        /// Whether the subagent changes nothing and runs no command.
        looks_only: bool,
    },
}
