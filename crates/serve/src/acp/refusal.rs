//! Errors for clients: whose fault it is, and what to do.

use crate::{AttachedClient, Scope};
use attache_client::{HubError, SetError, TurnError};
use attache_connection::CallError;
use attache_protocol::Error;
use attache_protocol::v1::SessionId;
use attache_session::StoreError;

/// The error for a method that the client's scope does not allow; `None` if it does.
pub(super) fn scope(client: &AttachedClient, method: &str, needed: Scope) -> Option<Error> {
    let own = client.scope();
    if own.is_some_and(|own| own >= needed) {
        return None;
    }
    let text = match own {
        Some(own) => format!(
            "{method} needs the scope {needed}, and this device has the scope {own}: \
             grant it on the machine of the hub with `attache serve devices`"
        ),
        None => format!("{method} is refused: this device was revoked"),
    };
    Some(Error::invalid_request(text))
}

/// The error for a session that the client has not attached.
pub(super) fn not_attached(id: &SessionId) -> Error {
    Error::resource_not_found_session(id.as_str())
}

/// The error of the hub, for a client that knows the session by this id.
pub(super) fn hub(error: &HubError, id: Option<&SessionId>) -> Error {
    match (error, id) {
        (HubError::UnknownSession { .. }, Some(id)) => not_attached(id),
        (HubError::Call(error), _) => call(error),
        (HubError::Store(StoreError::InUse(_)), _) => Error::invalid_request(error.to_string()),
        (HubError::UnknownAgent { .. } | HubError::Refused(_), _) => {
            Error::invalid_params(error.to_string())
        }
        _ => Error::internal(error.to_string()),
    }
}

/// The agent's own error, or why there is none.
pub(super) fn call(error: &CallError) -> Error {
    match error {
        CallError::ErrorResponse(error) => error.clone(),
        error => Error::internal(error.to_string()),
    }
}

pub(super) fn set(error: &SetError) -> Error {
    match error {
        SetError::Value(error) => Error::invalid_params(error.to_string()),
        SetError::Call(error) => call(error),
        error => Error::internal(error.to_string()),
    }
}

pub(super) fn turn(error: &TurnError) -> Error {
    match error.error_response() {
        Some(error) => error.clone(),
        None => Error::internal(error.to_string()),
    }
}
