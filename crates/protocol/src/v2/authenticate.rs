//! Logging in and out.

use super::{AuthMethodId, EnvVariable};
use crate::wire::declare::{wire_struct, wire_union};

wire_union! {
    /// A way to log in that an agent offers.
    pub enum AuthMethod by "type" open {
        /// The agent logs the user in, when the client sends `auth/login`.
        Agent(AuthMethodAgent) = "agent",
        /// The client starts the agent's program in a terminal, in which the user logs in.
        Terminal(AuthMethodTerminal) = "terminal",
    }
}

wire_struct! {
    /// A login that the agent performs.
    pub struct AuthMethodAgent {
        /// The method, for `auth/login`.
        must method_id: AuthMethodId = "methodId",
        /// A name to show.
        must name: String = "name",
        /// More text to show.
        lenient description: Option<String> = "description",
    }
}

wire_struct! {
    /// A login in a terminal, which the client performs instead of calling `auth/login`. Only for
    /// clients with `auth.terminal`.
    pub struct AuthMethodTerminal {
        /// The method. It is never sent in `auth/login`.
        must method_id: AuthMethodId = "methodId",
        /// A name to show.
        must name: String = "name",
        /// More text to show.
        lenient description: Option<String> = "description",
        /// Arguments for the agent's program, after its usual ones.
        null args: Vec<String> = "args",
        /// Environment variables to set.
        null env: Vec<EnvVariable> = "env",
    }
}

wire_struct! {
    /// Params of `auth/login`.
    pub struct LoginAuthRequest {
        /// One of the methods that `initialize` returned.
        must method_id: AuthMethodId = "methodId",
    }
}

wire_struct! {
    /// The user is logged in.
    pub struct LoginAuthResponse {}
}

wire_struct! {
    /// Params of `auth/logout`.
    pub struct LogoutAuthRequest {}
}

wire_struct! {
    /// The user is logged out.
    pub struct LogoutAuthResponse {}
}
