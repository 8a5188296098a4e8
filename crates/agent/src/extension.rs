//! Methods outside the protocol (EXT-01 to EXT-03): handed to the author.

use crate::Author;
use crate::guard::{after_reading, calmly, guarded};
use crate::kit::Parts;
use attache_connection::{IncomingCall, Work};
use attache_protocol::Raw;
use std::sync::Arc;

/// Whether a name is one of an extension; all others are the protocol's (EXT-01).
fn is_extension(method: &str) -> bool {
    method.starts_with('_')
}

pub(crate) fn call<A: Author>(parts: &Arc<Parts<A>>, call: IncomingCall<'_>) -> Work {
    if !is_extension(call.name) {
        return call.method_not_found();
    }
    let (parts, method) = (Arc::clone(parts), call.name.to_owned());
    let params = call.params.and_then(|params| Raw::from_text(params).ok());
    call.later(async move {
        after_reading().await;
        let answered = async { parts.author.extension(&method, params).await };
        guarded(answered, std::future::pending()).await.map_err(|error| error.to_reply())
    })
}

pub(crate) fn notification<A: Author>(parts: &Parts<A>, method: &str, params: Option<Raw>) {
    if is_extension(method) {
        // Nobody waits for an answer, so nobody learns of a panic.
        let _ = calmly(|| {
            parts.author.extension_notification(method, params);
            Ok(())
        });
    }
}
