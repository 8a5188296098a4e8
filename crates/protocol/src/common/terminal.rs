//! The ids of terminals, and environment variables.

use crate::Secret;
use crate::wire::declare::{wire_id, wire_struct};

wire_id! {
    /// The id of one terminal, within its session.
    pub struct TerminalId;
}

wire_struct! {
    /// A variable of a process environment. The value may be secret.
    pub struct EnvVariable {
        /// Its name.
        must name: String = "name",
        /// Its value.
        must value: Secret = "value",
    }
}
