//! How full the context of a session is.

use super::Cost;
use crate::wire::declare::wire_struct;

wire_struct! {
    /// The update `usage_update`: how full the context is. It does not say what was removed from
    /// the context.
    pub struct UsageUpdate {
        /// Tokens in the context, including cached ones. May exceed `size`.
        must used: u64 = "used",
        /// The context's size in tokens; may be 0. `None` means that it is unknown: old agents sent
        /// null, as in the 2025 draft. It is never sent.
        must size: Option<u64> = "size",
        /// The cost of the session so far.
        lenient cost: Option<Cost> = "cost",
    }
}
