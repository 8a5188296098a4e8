//! Methods outside the protocol: an optional part of an agent.

use crate::Result;
use attache_protocol::Raw;
use std::future::Future;

/// An implementation of methods outside the protocol, whose names begin with `_`. Pass it to
/// [`OptionalParts::extensions`](crate::OptionalParts::extensions), and advertise the methods with
/// [`About::meta`](crate::About::meta).
///
/// A panic in any of these functions fails only the call that it served, with the error `-32603`.
// EXT-01, EXT-04.
pub trait Extensions: Send + Sync + 'static {
    /// Serves a call.
    ///
    /// # Errors
    /// If this function returns an error, the client receives the reason. Return
    /// [`Error::MethodNotFound`](crate::Error::MethodNotFound) for a method that this agent does
    /// not have.
    // EXT-02.
    fn call(&self, method: &str, params: Option<Raw>) -> impl Future<Output = Result<Raw>> + Send;

    /// Receives a notification; ignore unknown ones. The connection waits for this function: it
    /// must be quick.
    // EXT-03.
    fn notification(&self, method: &str, params: Option<Raw>) {
        let _ = (method, params);
    }
}
