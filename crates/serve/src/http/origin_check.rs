//! Refuses requests to other names, and requests that pages of other origins send.

use super::allowed_hosts::AllowedHosts;
use super::origin::{Authority, Origin};
use http::header::{CONTENT_ENCODING, HOST, ORIGIN};
use http::request::Parts;
use http::{HeaderMap, Method, StatusCode};
use std::net::SocketAddr;

/// Where a request comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RequestOrigin {
    /// The page's origin, which is this server's. `None` if the request has no `Origin`.
    pub(super) exact: Option<Origin>,
}

/// A status with a line for people.
pub(super) type Refusal = (StatusCode, &'static str);

const BAD_HOST: Refusal = (
    StatusCode::MISDIRECTED_REQUEST,
    "This server has another name. Start it with --host NAME to allow this one.",
);
const BAD_ORIGIN: Refusal = (StatusCode::FORBIDDEN, "Pages of other origins may not do this.");
const BAD_REQUEST: Refusal = (StatusCode::BAD_REQUEST, "The request contradicts itself.");
const ENCODED: Refusal =
    (StatusCode::UNSUPPORTED_MEDIA_TYPE, "Compressed bodies are not supported.");

/// Checks the host, the origin and the encoding of a request on a connection to `local`.
pub(super) fn check(
    request: &Parts,
    hosts: &AllowedHosts,
    local: SocketAddr,
) -> Result<RequestOrigin, Refusal> {
    let host = host(request)?;
    let allowed = hosts.origins(&host, local);
    if allowed.is_empty() {
        return Err(BAD_HOST);
    }
    if request.headers.contains_key(CONTENT_ENCODING) {
        return Err(ENCODED);
    }
    let Some(origin) = one(&request.headers, ORIGIN.as_str(), BAD_ORIGIN)? else {
        if is_foreign_fetch(request) {
            return Err(BAD_ORIGIN);
        }
        return Ok(RequestOrigin { exact: None });
    };
    let origin = Origin::parse(origin).ok_or(BAD_ORIGIN)?;
    match allowed.iter().any(|each| each.is(&origin)) {
        true => Ok(RequestOrigin { exact: Some(origin) }),
        false => Err(BAD_ORIGIN),
    }
}

/// The host to which the request is addressed, in all places that name it.
fn host(request: &Parts) -> Result<Authority, Refusal> {
    let header = one(&request.headers, HOST.as_str(), BAD_REQUEST)?;
    let target = request.uri.authority().map(http::uri::Authority::as_str);
    let text = match (header, target) {
        (Some(header), Some(target)) if header != target => return Err(BAD_REQUEST),
        (Some(text), _) | (None, Some(text)) => text,
        (None, None) => return Err(BAD_REQUEST),
    };
    Authority::parse(text).ok_or(BAD_HOST)
}

/// Whether a page of another origin sends the request, and the person does not go there. Browsers
/// say so even if they send no `Origin`; programs say nothing.
fn is_foreign_fetch(request: &Parts) -> bool {
    let value = |name: &str| request.headers.get(name).map(http::HeaderValue::as_bytes);
    match value("sec-fetch-site") {
        None | Some(b"same-origin" | b"none") => false,
        Some(_) => {
            let is_read = request.method == Method::GET || request.method == Method::HEAD;
            let is_visit = value("sec-fetch-mode") == Some(b"navigate")
                && value("sec-fetch-dest") == Some(b"document");
            !(is_read && is_visit)
        }
    }
}

/// Returns the only value of a header.
fn one<'a>(
    headers: &'a HeaderMap,
    name: &str,
    refusal: Refusal,
) -> Result<Option<&'a str>, Refusal> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| refusal),
        _ => Err(refusal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OWN: &str = "127.0.0.1:8000";

    fn status(method: &str, uri: &str, headers: &[(&str, &str)]) -> u16 {
        let mut request = http::Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let Ok(request) = request.body(()) else { return 400 };
        let hosts = AllowedHosts::new(&["work.example".to_owned()], false, 8000).unwrap();
        match check(&request.into_parts().0, &hosts, OWN.parse().unwrap()) {
            Ok(_) => 200,
            Err((status, _)) => status.as_u16(),
        }
    }

    #[test]
    fn host_and_origin_must_be_exactly_this_servers() {
        let with = |headers: &[(&str, &str)]| status("POST", "/acp", headers);
        assert_eq!(with(&[("host", OWN)]), 200);
        assert_eq!(with(&[("host", OWN), ("origin", "http://127.0.0.1:8000")]), 200);
        assert_eq!(with(&[("host", "work.example"), ("origin", "https://work.example")]), 200);
        for origin in [
            "null",
            "",
            "http://127.0.0.1",
            "http://127.0.0.1:8001",
            "https://127.0.0.1:8000",
            "http://localhost:8000",
            "http://127.0.0.1:8000.evil.example",
            "http://evil.example",
            "https://work.example",
        ] {
            assert_eq!(with(&[("host", OWN), ("origin", origin)]), 403, "{origin}");
        }
        let twice = ("origin", "http://127.0.0.1:8000");
        assert_eq!(with(&[("host", OWN), twice, twice]), 403);
        // A name whose DNS entry changed to this address.
        let rebound = [("host", "evil.example:8000"), ("origin", "http://evil.example:8000")];
        assert_eq!(with(&rebound), 421);
        assert_eq!(with(&[("host", "")]), 421);
        assert_eq!(with(&[]), 400);
        assert_eq!(with(&[("host", OWN), ("host", "evil.example")]), 400);
    }

    #[test]
    fn the_target_must_not_contradict_the_host() {
        let absolute = "http://127.0.0.1:8000/acp";
        assert_eq!(status("GET", absolute, &[("host", OWN)]), 200);
        assert_eq!(status("GET", absolute, &[]), 200);
        assert_eq!(status("GET", "http://evil.example/acp", &[("host", OWN)]), 400);
        assert_eq!(status("GET", "http://evil.example/acp", &[]), 421);
        assert_eq!(status("GET", "http://user@127.0.0.1:8000/acp", &[]), 421);
    }

    #[test]
    fn other_pages_may_link_here_but_not_fetch() {
        let get = |site, mode, dest| {
            let fetch = [("sec-fetch-site", site), ("sec-fetch-mode", mode)];
            let [site, mode] = fetch;
            status("GET", "/", &[("host", OWN), site, mode, ("sec-fetch-dest", dest)])
        };
        assert_eq!(get("same-origin", "cors", "empty"), 200);
        assert_eq!(get("none", "navigate", "document"), 200);
        assert_eq!(get("cross-site", "navigate", "document"), 200);
        assert_eq!(get("cross-site", "navigate", "iframe"), 403);
        assert_eq!(get("cross-site", "no-cors", "script"), 403);
        assert_eq!(get("same-site", "no-cors", "image"), 403);
    }

    #[test]
    fn compressed_bodies_are_refused() {
        for encoding in ["gzip", "br", "identity", "zstd, gzip"] {
            assert_eq!(status("POST", "/", &[("host", OWN), ("content-encoding", encoding)]), 415);
        }
    }

    proptest! {
        #[test]
        fn only_the_known_hosts_pass(host in "[a-z0-9.:\\[\\]@/-]{0,24}") {
            let passes = status("GET", "/", &[("host", &host)]) == 200;
            let known =
                [OWN, "localhost:8000", "work.example", "work.example:443", "work.example:8000"];
            prop_assert_eq!(passes, known.contains(&host.as_str()));
        }
    }
}
