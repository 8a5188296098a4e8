//! The origin of a page: its scheme, host and port.

use std::fmt;
use std::net::IpAddr;

/// How a page is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scheme {
    Http,
    Https,
}

impl Scheme {
    pub(super) fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}

/// The scheme, host and port of a page. `Display` writes it as browsers do, such as
/// `http://127.0.0.1:8000`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub(super) scheme: Scheme,
    pub(super) authority: Authority,
}

/// A host and perhaps a port, as the header `Host` has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Authority {
    /// A name in small letters, or an address; version 6 in brackets.
    host: String,
    port: Option<u16>,
}

impl Authority {
    /// Reads a host and a port. Accepts only what browsers send: a name of letters, digits, `-`,
    /// `_` and `.`, or an address in its shortest form.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, Some(port_number(port)?)),
            _ => (text, None),
        };
        let host = host.to_ascii_lowercase();
        let is_known = match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
            Some(address) => {
                let parsed = address.parse::<std::net::Ipv6Addr>();
                parsed.is_ok_and(|parsed| parsed.to_string() == address)
            }
            None => is_name(&host),
        };
        is_known.then_some(Self { host, port })
    }

    pub(super) fn of_address(address: IpAddr, port: u16) -> Self {
        let host = match address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        Self { host, port: Some(port) }
    }

    pub(super) fn with_port(mut self, port: u16) -> Self {
        self.port = Some(port);
        self
    }

    pub(super) fn has_port(&self) -> bool {
        self.port.is_some()
    }

    /// Whether a page with this scheme at `self` is at `other`.
    fn is(&self, other: &Self, scheme: Scheme) -> bool {
        let port = |authority: &Self| authority.port.unwrap_or(scheme.default_port());
        self.host == other.host && port(self) == port(other)
    }
}

impl Origin {
    pub(super) fn new(scheme: Scheme, authority: Authority) -> Self {
        Self { scheme, authority }
    }

    /// Reads the value of the header `Origin`. `null` is no origin.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (scheme, authority) = match text.split_once("://")? {
            ("http", rest) => (Scheme::Http, rest),
            ("https", rest) => (Scheme::Https, rest),
            _ => return None,
        };
        Some(Self { scheme, authority: Authority::parse(authority)? })
    }

    /// Whether a page of this origin is loaded from this `Host`.
    pub(super) fn has_host(&self, host: &Authority) -> bool {
        self.authority.is(host, self.scheme)
    }

    /// Whether both are the same, where a missing port is that of the scheme.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.scheme == other.scheme && self.has_host(&other.authority)
    }

    /// Whether pages of this origin are loaded with TLS.
    pub fn is_https(&self) -> bool {
        self.scheme == Scheme::Https
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme.as_str(), self.authority.host)?;
        match self.authority.port {
            Some(port) if port != self.scheme.default_port() => write!(f, ":{port}"),
            _ => Ok(()),
        }
    }
}

fn port_number(text: &str) -> Option<u16> {
    let is_plain = text.bytes().all(|digit| digit.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|_| is_plain)
}

fn is_name(host: &str) -> bool {
    let is_part = |c: u8| c.is_ascii_alphanumeric() || c == b'-' || c == b'_' || c == b'.';
    !host.is_empty() && host.len() <= 253 && host.bytes().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_browsers_send_is_read() {
        for text in ["http://127.0.0.1:8000", "https://a-b.example", "http://[::1]:1"] {
            assert_eq!(Origin::parse(text).unwrap().to_string(), text);
        }
        let one = Origin::parse("https://A.example").unwrap();
        assert!(one.is(&Origin::parse("https://a.example:443").unwrap()));
        assert!(!one.is(&Origin::parse("http://a.example:443").unwrap()));
        assert!(!one.is(&Origin::parse("https://a.example:8443").unwrap()));
        assert!(one.has_host(&Authority::parse("a.example").unwrap()));
        assert!(one.has_host(&Authority::parse("a.example:443").unwrap()));
        assert!(!one.has_host(&Authority::parse("a.example:80").unwrap()));
    }

    #[test]
    fn everything_else_is_refused() {
        let origins = [
            "",
            "null",
            "http://",
            "http://a/",
            "http://a:",
            "http://a:0",
            "http://a:080",
            "http://a:65536",
            "http://a:+1",
            "http://u@a",
            "http://a?b",
            "http://a#b",
            "HTTP://a",
            "ftp://a",
            "http://[::1",
            "http://[0::1]",
            "http://::1",
            "http://a b",
            "http://a,b",
            "http://ä",
            "http://a\\b",
            "http://%61",
            "http://[::1%25lo]",
            " http://a",
            "http://[a]",
        ];
        for text in origins {
            assert_eq!(Origin::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn an_accepted_origin_is_only_scheme_host_and_port(text in "(https?://)?[ -~]{0,20}") {
            if let Some(origin) = Origin::parse(&text) {
                let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.:[]/".contains(c);
                prop_assert!(text.chars().all(allowed));
                prop_assert_eq!(text.matches('/').count(), 2);
                let again = Origin::parse(&origin.to_string()).unwrap();
                prop_assert!(again.is(&origin) && origin.is(&again));
            }
        }

        #[test]
        fn origins_are_equal_only_with_equal_parts(
            one in ("https?", "[a-c.]{1,3}", 1..4_u16),
            other in ("https?", "[a-c.]{1,3}", 1..4_u16),
        ) {
            let text = |(scheme, host, port): &(String, String, u16)| {
                format!("{scheme}://{host}:{port}")
            };
            let origin = |parts| Origin::parse(&text(parts)).unwrap();
            prop_assert_eq!(origin(&one).is(&origin(&other)), one == other);
            let host = format!("{}:{}", other.1, other.2);
            let host = Authority::parse(&host).unwrap();
            prop_assert_eq!(origin(&one).has_host(&host), (one.1, one.2) == (other.1, other.2));
        }

        #[test]
        fn no_text_breaks_the_parser(text in any::<String>()) {
            let _ = (Origin::parse(&text), Authority::parse(&text));
        }
    }
}
