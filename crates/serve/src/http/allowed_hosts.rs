//! The names by which this server may be reached.

use super::origin::{Authority, Origin, Scheme};
use std::fmt;
use std::net::SocketAddr;

/// A name of [`super::HttpOptions::hosts`] that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostError(pub String);

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "\"{}\" is not a host: write a name such as work.example, work.example:8443 or \
             http://work.example:8000",
            self.0.escape_debug()
        )
    }
}

impl std::error::Error for HostError {}

/// The origins of the pages of this server.
#[derive(Debug, Clone)]
pub(super) struct AllowedHosts {
    scheme: Scheme,
    /// Besides the addresses of the connections.
    named: Vec<Origin>,
}

impl AllowedHosts {
    /// Reads the names that a person gave. A name without scheme and port is that of a tunnel with
    /// TLS, and that of this machine with this server's own port.
    pub(super) fn new(names: &[String], is_tls: bool, port: u16) -> Result<Self, HostError> {
        let scheme = if is_tls { Scheme::Https } else { Scheme::Http };
        let mut named = Vec::new();
        for name in names {
            let wrong = || HostError(name.clone());
            if name.contains("://") {
                named.push(Origin::parse(name).ok_or_else(wrong)?);
                continue;
            }
            let authority = Authority::parse(name).ok_or_else(wrong)?;
            let has_port = authority.has_port();
            named.push(Origin::new(Scheme::Https, authority.clone()));
            if !has_port {
                named.push(Origin::new(scheme, authority.with_port(port)));
            }
        }
        Ok(Self { scheme, named })
    }

    /// The first name that a person gave.
    pub(super) fn first_named(&self) -> Option<&Origin> {
        self.named.first()
    }

    /// The origin of pages at this address.
    pub(super) fn at(&self, address: SocketAddr) -> Origin {
        Origin::new(self.scheme, Authority::of_address(address.ip().to_canonical(), address.port()))
    }

    /// The origins that a request with this `Host` may have, on a connection to this local address.
    /// An address counts only if the connection was made to it, so that no name is needed for it.
    pub(super) fn origins(&self, host: &Authority, local: SocketAddr) -> Vec<Origin> {
        let mut origins = vec![self.at(local)];
        if local.ip().to_canonical().is_loopback()
            && let Some(authority) = Authority::parse("localhost")
        {
            origins.push(Origin::new(self.scheme, authority.with_port(local.port())));
        }
        origins.extend(self.named.iter().cloned());
        origins.retain(|origin| origin.has_host(host));
        origins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origins(hosts: &AllowedHosts, host: &str, local: &str) -> Vec<String> {
        let host = Authority::parse(host).unwrap();
        let origins = hosts.origins(&host, local.parse().unwrap());
        origins.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn only_addresses_of_the_connection_and_given_names_count() {
        let names = ["work.example".to_owned(), "http://other.example:90".to_owned()];
        let hosts = AllowedHosts::new(&names, false, 8000).unwrap();
        let local = "127.0.0.1:8000";
        assert_eq!(origins(&hosts, "127.0.0.1:8000", local), ["http://127.0.0.1:8000"]);
        assert_eq!(origins(&hosts, "localhost:8000", local), ["http://localhost:8000"]);
        assert_eq!(origins(&hosts, "work.example", local), ["https://work.example"]);
        assert_eq!(origins(&hosts, "work.example:8000", local), ["http://work.example:8000"]);
        assert_eq!(origins(&hosts, "other.example:90", local), ["http://other.example:90"]);
        for host in ["127.0.0.1", "127.0.0.1:8001", "127.0.0.2:8000", "localhost", "evil.example"] {
            assert!(origins(&hosts, host, local).is_empty(), "{host}");
        }
        assert!(origins(&hosts, "localhost:8000", "192.0.2.1:8000").is_empty());
        assert_eq!(origins(&hosts, "[::1]:8000", "[::1]:8000"), ["http://[::1]:8000"]);
        assert_eq!(origins(&hosts, "1.2.3.4:80", "[::ffff:1.2.3.4]:80"), ["http://1.2.3.4"]);
    }

    #[test]
    fn a_wrong_name_is_reported() {
        for name in ["", "a/b", "http://a/", "*", "ftp://a"] {
            let error = AllowedHosts::new(&[name.to_owned()], false, 1).unwrap_err();
            assert_eq!(error, HostError(name.to_owned()));
        }
    }
}
