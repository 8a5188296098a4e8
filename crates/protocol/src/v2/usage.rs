//! How full the context of a session is.

use super::Cost;
use crate::Patch;
use crate::wire::declare::wire_struct;

wire_struct! {
    /// How full the context is, and the cost so far.
    pub struct UsageUpdate {
        /// The tokens in the context.
        must used: u64 = "used",
        /// The tokens that the context can hold.
        must size: u64 = "size",
        /// The cost of the session so far.
        patch cost: Patch<Cost> = "cost",
    }
}
