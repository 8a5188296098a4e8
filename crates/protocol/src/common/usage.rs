//! The cost of a session and the tokens of a turn. These figures are for
//! display, not for accounting.

use crate::wire::declare::wire_struct;

wire_struct! {
    /// An amount in a currency or another unit.
    pub struct Cost {
        /// The amount since the session began.
        must amount: f64 = "amount",
        /// An ISO 4217 currency code, such as `USD`, or another unit, such as `credits`.
        must currency: String = "currency",
    }
}

wire_struct! {
    /// Tokens by kind; unstable. In version 2, they are those of the work that just ended. Version
    /// 1 does not define whether they count one turn or the session. The snake_case keys of the
    /// 2025 draft are read, unless unknown values are refused, but never written.
    pub struct Usage {
        /// All tokens.
        must total_tokens: u64 = "totalTokens" formerly "total_tokens",
        /// Tokens sent to the model.
        must input_tokens: u64 = "inputTokens" formerly "input_tokens",
        /// Tokens that the model wrote.
        must output_tokens: u64 = "outputTokens" formerly "output_tokens",
        /// Tokens of the model's reasoning.
        lenient thought_tokens: Option<u64> = "thoughtTokens" formerly "thought_tokens",
        /// Tokens read from the provider's cache.
        lenient cached_read_tokens: Option<u64> = "cachedReadTokens" formerly "cached_read_tokens",
        /// Tokens written to the provider's cache.
        lenient cached_write_tokens: Option<u64> = "cachedWriteTokens" formerly "cached_write_tokens",
    }
}
