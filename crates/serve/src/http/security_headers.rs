//! Headers that restrict what a page may do.

use http::header::{CACHE_CONTROL, HeaderName, HeaderValue};
use http::{HeaderMap, StatusCode};

/// Only files of this server, only its own connections, no frames and no inline code.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; \
    worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const ALL: &[(&str, &str)] = &[
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// Adds the headers. A response that says nothing about caches must not be stored.
pub(super) fn add(headers: &mut HeaderMap, status: StatusCode) {
    if status == StatusCode::SWITCHING_PROTOCOLS {
        return;
    }
    for (name, value) in ALL {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}
