//! The login state; `auth/status` is unstable.

use crate::wire::declare::{wire_id, wire_string, wire_struct};

wire_id! {
    /// The id of a way to log in.
    pub struct AuthMethodId;
}

wire_struct! {
    /// Params of `auth/status`; unstable.
    pub struct AuthStatusRequest {}
}

wire_struct! {
    /// Result of `auth/status`; unstable.
    pub struct AuthStatusResponse {
        /// The only field to act on.
        must state: AuthState = "state",
        /// The logged-in accounts. For display only, not as an identifier and not for logs.
        items accounts: Vec<AuthAccount> = "accounts",
    }
}

wire_struct! {
    /// Params of `auth/status_update`, which reports that the state changed; unstable.
    pub struct AuthStatusUpdateNotification {
        /// The state from now on.
        must state: AuthState = "state",
        /// The accounts that are now logged in.
        items accounts: Vec<AuthAccount> = "accounts",
    }
}

wire_string! {
    /// Whether an agent is logged in; unstable. Values this version does not know mean the same as
    /// [`AuthState::Undetermined`].
    pub enum AuthState open {
        /// Logged in.
        Authenticated = "authenticated",
        /// A login is needed.
        Unauthenticated = "unauthenticated",
        /// The agent works without a login.
        NotRequired = "not_required",
        /// The agent cannot tell.
        Undetermined = "unknown",
    }
}

wire_struct! {
    /// A logged-in account, for display only; unstable.
    pub struct AuthAccount {
        /// A one-line label.
        must label: String = "label",
        /// Whether this account is the one in use.
        lenient active: Option<bool> = "active",
        /// The account's name.
        lenient name: Option<String> = "name",
        /// The account's e-mail address.
        lenient email: Option<String> = "email",
        /// The account's organization.
        lenient organization: Option<String> = "organization",
    }
}
