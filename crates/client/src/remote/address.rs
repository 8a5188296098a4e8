//! The address of a remote agent.

use super::remote_error::RemoteError;
use attache_connection::transport::streamable::ACP_PATH;
use reqwest::Url;
use std::net::IpAddr;

/// The address of a remote agent.
#[derive(Debug, Clone)]
pub(crate) struct RemoteAddress {
    /// The address for HTTP requests: the scheme is `http` or `https`.
    pub(crate) url: Url,
    pub(crate) wire: Wire,
    /// The host and port, for messages.
    pub(crate) host: String,
}

/// How messages are carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    WebSocket,
    Streamable,
}

impl RemoteAddress {
    /// Parses an address.
    pub(crate) fn parse(address: &str, has_token: bool) -> Result<Self, RemoteError> {
        let wrong = |why: &str| RemoteError::Address(why.to_owned());
        let mut url =
            Url::parse(address.trim()).map_err(|error| wrong(&format!("it is no URL: {error}")))?;
        let (wire, scheme) = match url.scheme() {
            "ws" => (Wire::WebSocket, "http"),
            "wss" => (Wire::WebSocket, "https"),
            "http" => (Wire::Streamable, "http"),
            "https" => (Wire::Streamable, "https"),
            _ => return Err(wrong("it must begin with ws://, wss://, http:// or https://")),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong("it contains a login: set ATTACHE_TOKEN or use --token-file"));
        }
        if url.fragment().is_some() {
            return Err(wrong(
                "it contains a fragment, which is never sent: leave out # and the rest",
            ));
        }
        // Both are special schemes, so this does not fail.
        if url.set_scheme(scheme).is_err() {
            return Err(wrong("its scheme cannot be used"));
        }
        if matches!(url.path(), "" | "/") {
            url.set_path(ACP_PATH);
        }
        let host = url.host_str().unwrap_or_default();
        let local = is_loopback(host);
        let host = match url.port_or_known_default() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        if has_token && scheme == "http" && !local {
            return Err(RemoteError::TokenInClear(host));
        }
        Ok(Self { url, wire, host })
    }
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::{RemoteAddress, Wire};

    #[test]
    fn addresses_become_requests() {
        for (address, url, wire) in [
            ("ws://localhost:7000", "http://localhost:7000/acp", Wire::WebSocket),
            ("wss://a.example", "https://a.example/acp", Wire::WebSocket),
            ("wss://a.example:443/x/acp?q=1", "https://a.example/x/acp?q=1", Wire::WebSocket),
            ("http://[::1]:7/", "http://[::1]:7/acp", Wire::Streamable),
            ("https://a.example/acp", "https://a.example/acp", Wire::Streamable),
        ] {
            let parsed = RemoteAddress::parse(address, true).unwrap();
            assert_eq!((parsed.url.as_str(), parsed.wire), (url, wire), "{address}");
        }
    }

    #[test]
    fn addresses_that_would_leak_a_secret_or_mean_nothing_are_refused() {
        for (address, why) in [
            ("ftp://a.example", "must begin with"),
            ("gemini --acp", "no URL"),
            ("ws://user@localhost", "contains a login"),
            ("ws://localhost#code", "fragment"),
            ("ws://a.example", "without encryption"),
            ("http://localhost.example", "without encryption"),
        ] {
            let error = RemoteAddress::parse(address, true).unwrap_err().to_string();
            assert!(error.contains(why), "{address}: {error}");
        }
        assert!(RemoteAddress::parse("ws://a.example", false).is_ok());
    }
}
