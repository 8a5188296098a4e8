//! Why a call is refused: whose fault it is, and what to do.

use crate::Scope;
use attache_protocol::Error;
use attache_view::sanitize;
use std::fmt::Display;

/// The client sent something that cannot be used.
pub(super) fn wrong(message: impl Display) -> Error {
    Error::invalid_params(message.to_string())
}

/// The hub, an agent or a store failed.
pub(super) fn failed(error: &impl Display) -> Error {
    Error::internal(sanitize::line(&error.to_string()))
}

/// The client may not do this.
pub(super) fn needs_scope(what: &str, scope: Scope, own: Option<Scope>) -> Error {
    match own {
        Some(own) => Error::invalid_request(format!(
            "{what} needs the scope \"{scope}\", and this client has \"{own}\": grant it at the \
             machine of the hub"
        )),
        None => Error::invalid_request("the access of this device was taken away".to_owned()),
    }
}

/// Only a client on the machine of the hub may do this.
pub(super) fn only_local(what: &str) -> Error {
    Error::invalid_request(format!(
        "{what}: a device cannot do that; do it at the machine of the hub"
    ))
}

/// No such session is open.
pub(super) fn no_session(agent: &str, id: &str) -> Error {
    wrong(format!(
        "the agent \"{}\" has no open session \"{}\" (fields `agent` and `sessionId`): open it \
         with `_attache/open`",
        sanitize::line(agent),
        sanitize::line(id)
    ))
}
