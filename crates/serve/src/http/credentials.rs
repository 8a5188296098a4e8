//! The secrets of a request.

use http::HeaderMap;
use http::header::{AUTHORIZATION, COOKIE, HeaderName, HeaderValue, SEC_WEBSOCKET_PROTOCOL};

/// The header with the secret of a tab.
pub(super) const TAB: HeaderName = HeaderName::from_static("attache-tab");

/// The header with the key of an origin.
pub(super) const ORIGIN_KEY: HeaderName = HeaderName::from_static("attache-origin-key");

/// The subprotocol of WebSockets of the page.
pub(super) const SUBPROTOCOL: &str = "acp";

/// Before the secret of a tab in a subprotocol.
const TAB_PREFIX: &str = "attache.";

/// What a request says about who sends it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Credentials {
    /// The token of a program.
    Bearer(String),
    /// The cookie of a device, and the secret of a tab.
    Tab { cookie: String, tab: String },
    /// Nothing, or only a part of it.
    Incomplete,
}

/// Takes the secrets out of the headers, so that handlers and logs do not get them. Returns whether
/// the page's subprotocol was offered, too.
///
/// An `Authorization` header counts alone: cookies do not save a request with a wrong token.
pub(super) fn take_credentials(headers: &mut HeaderMap, cookie_name: &str) -> (Credentials, bool) {
    let cookie = take_cookie(headers, cookie_name);
    let (tab, is_page) = take_subprotocols(headers);
    let tab = take_one(headers, &TAB).or(tab);
    let credentials = if headers.contains_key(AUTHORIZATION) {
        let value = take_one(headers, &AUTHORIZATION);
        value.as_deref().and_then(bearer).map_or(Credentials::Incomplete, Credentials::Bearer)
    } else {
        match (cookie, tab) {
            (Some(cookie), Some(tab)) => Credentials::Tab { cookie, tab },
            _ => Credentials::Incomplete,
        }
    };
    (credentials, is_page)
}

/// Takes the only value of a header. A repeated header has none.
pub(super) fn take_one(headers: &mut HeaderMap, name: &HeaderName) -> Option<String> {
    let is_one = headers.get_all(name).iter().count() == 1;
    let value = headers.remove(name)?;
    value.to_str().ok().filter(|_| is_one).map(str::to_owned)
}

/// Takes the cookie with this name, and removes all cookies. A repeated cookie has no value:
/// another server of this host may have added one.
pub(super) fn take_cookie(headers: &mut HeaderMap, name: &str) -> Option<String> {
    let mut found = Vec::new();
    // HTTP/2 may divide the header.
    for value in headers.get_all(COOKIE) {
        for pair in value.to_str().unwrap_or_default().split(';') {
            match pair.trim().split_once('=') {
                Some((each, value)) if each == name => found.push(value.to_owned()),
                _ => {}
            }
        }
    }
    headers.remove(COOKIE);
    found.pop().filter(|_| found.is_empty())
}

/// Takes the secret of a tab and the page's own name out of the offered subprotocols.
fn take_subprotocols(headers: &mut HeaderMap) -> (Option<String>, bool) {
    let values: Vec<String> = headers
        .get_all(SEC_WEBSOCKET_PROTOCOL)
        .iter()
        .filter_map(|value| value.to_str().ok().map(str::to_owned))
        .collect();
    let (mut tab, mut is_page, mut others) = (None, false, Vec::new());
    for offered in values.iter().flat_map(|value| value.split(',')).map(str::trim) {
        match offered.strip_prefix(TAB_PREFIX) {
            Some(secret) => tab = Some(secret.to_owned()),
            None if offered == SUBPROTOCOL => is_page = true,
            None if offered.is_empty() => {}
            None => others.push(offered),
        }
    }
    headers.remove(SEC_WEBSOCKET_PROTOCOL);
    if let Ok(value) = HeaderValue::from_str(&others.join(", "))
        && !others.is_empty()
    {
        headers.insert(SEC_WEBSOCKET_PROTOCOL, value);
    }
    (tab, is_page)
}

fn bearer(value: &str) -> Option<String> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(all: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in all {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    fn tab(cookie: &str, tab: &str) -> Credentials {
        Credentials::Tab { cookie: cookie.to_owned(), tab: tab.to_owned() }
    }

    #[test]
    fn secrets_are_taken_out_of_the_headers() {
        let mut all = headers(&[
            ("cookie", "a=b; attache-1=id.secret; attache-2=other"),
            ("sec-websocket-protocol", "acp, attache.xyz"),
            ("sec-websocket-protocol", "other"),
        ]);
        assert_eq!(take_credentials(&mut all, "attache-1"), (tab("id.secret", "xyz"), true));
        assert_eq!(all, headers(&[("sec-websocket-protocol", "other")]));

        let mut all = headers(&[("authorization", "bearer abc"), ("cookie", "attache-1=x")]);
        let bearer = Credentials::Bearer("abc".to_owned());
        assert_eq!(take_credentials(&mut all, "attache-1"), (bearer, false));
        assert!(all.is_empty());

        let mut all = headers(&[("cookie", "attache-1=x"), ("attache-tab", "y")]);
        assert_eq!(take_credentials(&mut all, "attache-1"), (tab("x", "y"), false));
        assert!(all.is_empty());
    }

    #[test]
    fn half_or_double_credentials_do_not_count() {
        for all in [
            &[][..],
            &[("cookie", "attache-1=x")],
            &[("attache-tab", "y")],
            &[("cookie", "attache-1=x; attache-1=z"), ("attache-tab", "y")],
            &[("cookie", "attache-1=x"), ("cookie", "attache-1=z"), ("attache-tab", "y")],
            &[("cookie", "attache-1=x"), ("attache-tab", "y"), ("attache-tab", "y")],
            &[("cookie", "attache-1=x"), ("attache-tab", "y"), ("authorization", "Basic eA==")],
            &[("authorization", "Bearer a"), ("authorization", "Bearer b")],
            &[("authorization", "Bearer")],
        ] {
            let (found, _) = take_credentials(&mut headers(all), "attache-1");
            assert_eq!(found, Credentials::Incomplete, "{all:?}");
        }
    }
}
