//! The kinds of conversations with a model.

/// The parties of a conversation with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ConversationKind {
    /// The agent with the user; the session keeps it.
    #[default]
    Agent,
    /// A subagent with the agent, about one task; the session does not keep it.
    Subagent {
        /// Whether it changes nothing and runs no command.
        looks_only: bool,
    },
}
