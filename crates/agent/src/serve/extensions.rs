//! Methods outside the protocol, which the author serves (EXT-01 to EXT-03).

use crate::serve::context::Context;
use crate::serve::guard::{catch_panic, read_first, run_guarded};
use attache_connection::{IncomingCall, Work};
use attache_protocol::Raw;
use std::sync::Arc;

/// Returns whether a name belongs to an extension; all other names belong to the protocol (EXT-01).
fn is_extension(method: &str) -> bool {
    method.starts_with('_')
}

pub(crate) fn call(context: &Context, call: IncomingCall<'_>) -> Work {
    let (true, Some(extensions)) = (is_extension(call.name), &context.parts.extensions) else {
        return call.method_not_found();
    };
    let (extensions, method) = (Arc::clone(extensions), call.name.to_owned());
    let params = call.params.and_then(|params| Raw::from_text(params).ok());
    call.later(async move {
        read_first().await;
        let answered = extensions.call(&method, params);
        let answered = run_guarded(answered, Box::pin(std::future::pending())).await;
        answered.map_err(|error| error.to_reply())
    })
}

pub(crate) fn notification(context: &Context, method: &str, params: Option<Raw>) {
    if let (true, Some(extensions)) = (is_extension(method), &context.parts.extensions) {
        // A notification has no reply that could report a panic.
        let _ = catch_panic(|| {
            extensions.notification(method, params);
            Ok(())
        });
    }
}
