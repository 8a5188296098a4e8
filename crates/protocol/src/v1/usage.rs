//! The fill of a session's context, its cost, and the tokens of a turn. They are for display, not
//! for accounting.

use crate::wire::declare::wire_struct;

wire_struct! {
    /// The update `usage_update`: the fill of the context. It does not tell what was removed from
    /// the context.
    pub struct UsageUpdate {
        /// Tokens in the context, cached ones included. May exceed `size`.
        must used: u64 = "used",
        /// The context's size in tokens; may be 0. `None` is the null of the 2025 draft, an unknown
        /// size: it is read from old agents and never sent.
        must size: Option<u64> = "size",
        /// The cost of the session so far.
        lenient cost: Option<Cost> = "cost",
    }
}

wire_struct! {
    /// An amount in some unit.
    pub struct Cost {
        /// The amount since the session began.
        must amount: f64 = "amount",
        /// A currency by ISO 4217, such as `USD`, or another unit, such as `credits`.
        must currency: String = "currency",
    }
}

wire_struct! {
    /// Tokens by kind; unstable. ACP does not define whether they count one turn or the session.
    /// The snake_case keys of the 2025 draft are read unless unknown values are refused, and never
    /// written.
    pub struct Usage {
        /// All tokens.
        must total_tokens: u64 = "totalTokens" formerly "total_tokens",
        /// Tokens sent to the model.
        must input_tokens: u64 = "inputTokens" formerly "input_tokens",
        /// Tokens that the model wrote.
        must output_tokens: u64 = "outputTokens" formerly "output_tokens",
        /// Tokens of the model's thoughts.
        lenient thought_tokens: Option<u64> = "thoughtTokens" formerly "thought_tokens",
        /// Tokens read from the provider's cache.
        lenient cached_read_tokens: Option<u64> = "cachedReadTokens" formerly "cached_read_tokens",
        /// Tokens written to the provider's cache.
        lenient cached_write_tokens: Option<u64> = "cachedWriteTokens" formerly "cached_write_tokens",
    }
}
