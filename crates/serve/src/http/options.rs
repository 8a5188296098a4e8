//! How the server is reached, and its limits.

use crate::page::PageFile;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// How a server is reached, and its limits.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// The address and port; port 0 chooses a free one.
    pub address: SocketAddr,
    /// Whether a person asked for this address. Without it, only addresses of this machine are
    /// accepted.
    pub listen: bool,
    /// Whether a person accepted that everyone on the network can read along. Without it, other
    /// addresses than those of this machine need TLS.
    pub insecure: bool,
    /// The certificate and key for TLS.
    pub tls: Option<TlsFiles>,
    /// More names of this server, for tunnels and proxies: `name`, `name:port` or
    /// `scheme://name:port`. Without a scheme, it is `https`.
    pub hosts: Vec<String>,
    /// Returns the file of the page at a path such as `index.html`.
    pub page: fn(&str) -> Option<PageFile>,
    /// How long a client may take to send the head of a request, and to begin with the first one.
    pub head_time: Duration,
    /// How long a connection may be open between requests.
    pub idle_time: Duration,
    /// How long a body may take besides the time for its bytes at 16 KiB a second.
    pub body_time: Duration,
    /// How long a client may go without reading while data waits for it.
    pub write_time: Duration,
    /// The longest body of a request, in bytes.
    pub body_bytes: usize,
    /// The largest number of connections that have not logged in. Another one takes the place of
    /// the oldest one of the address that has most of them.
    pub guests: usize,
    /// The largest number of connections on which one device has logged in. Its requests on more
    /// are refused.
    pub device_connections: usize,
    /// The largest number of connections. More are refused.
    pub connections: usize,
}

/// The files for TLS.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    /// The certificates as PEM, this server's first.
    pub certificate: PathBuf,
    /// The private key as PEM.
    pub key: PathBuf,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            address: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
            listen: false,
            insecure: false,
            tls: None,
            hosts: Vec::new(),
            page: |_| None,
            head_time: Duration::from_secs(10),
            idle_time: Duration::from_secs(60),
            body_time: Duration::from_secs(20),
            write_time: Duration::from_secs(60),
            body_bytes: 32 << 20,
            guests: 128,
            device_connections: 64,
            connections: 512,
        }
    }
}
