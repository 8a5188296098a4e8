//! Who sends a request, and why a request is refused.

use super::connections::Full;
use crate::{AttachedClient, SharedHub};
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// The hub and the authenticated client of a request.
pub(super) type Caller = (Arc<SharedHub>, Arc<AttachedClient>);

/// Returns the hub and the authenticated client of a request.
pub(super) fn caller(request: &Request) -> Result<Caller, Refused> {
    let extensions = request.extensions();
    match (extensions.get::<Arc<SharedHub>>(), extensions.get::<Arc<AttachedClient>>()) {
        (Some(shared), Some(client)) if client.scope().is_some() => {
            Ok((shared.clone(), client.clone()))
        }
        _ => Err(Refused(StatusCode::UNAUTHORIZED, "the request is not authenticated")),
    }
}

/// A request that is refused, with the reason.
pub(super) struct Refused(pub(super) StatusCode, pub(super) &'static str);

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (self.0, self.1).into_response()
    }
}

impl From<Full> for Refused {
    fn from(full: Full) -> Self {
        let why = match full {
            Full::Hub => "too many connections are open: close one",
            Full::Place => "this device has too many open connections: close one",
        };
        Self(StatusCode::SERVICE_UNAVAILABLE, why)
    }
}

/// Returns the value of a header, if it is text.
pub(super) fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
