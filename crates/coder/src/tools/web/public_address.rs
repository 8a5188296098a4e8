//! Public addresses, from which the tool `fetch` may read. Other addresses need the permission of a
//! person or a rule.

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::error::Error;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Whether this address can be reached from the whole internet. An IPv6 address that embeds an IPv4
/// address is treated like the embedded address.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let local = address.is_loopback() || address.is_private() || address.is_link_local();
    let shared = first == 100 && (64..128).contains(&second);
    let special = matches!((first, second, third), (192, 0, 0) | (198, 18 | 19, _));
    // This network, multicast and unassigned addresses.
    !(local || shared || special || first == 0 || first >= 224)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let v4 = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match [a, b, c, d, e, f] {
        [0, 0, 0, 0, 0, 0xffff | 0] => is_public_v4(v4(g, h)),
        [0x64, 0xff9b, 0, 0, 0, 0] => is_public_v4(v4(g, h)),
        [0x2002, ..] => is_public_v4(v4(b, c)),
        // Only addresses in this range are assigned to public machines.
        [first, ..] => (0x2000..0x4000).contains(&first),
    }
}

/// Whether the URL itself names this machine or its network.
pub(crate) fn says_private(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.').to_ascii_lowercase();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    match address {
        Ok(address) => !is_public(address),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

/// The error for a name that leads to an address that is not public.
#[derive(Debug)]
pub(crate) struct NotPublic {
    pub(crate) host: String,
    pub(crate) address: IpAddr,
}

impl fmt::Display for NotPublic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} leads to {}, which is an address of this machine or its network",
            self.host, self.address
        )
    }
}

impl Error for NotPublic {}

/// Returns the addresses of a host. All of them must be public unless `any` is set.
pub(crate) async fn addresses(
    host: &str,
    any: bool,
) -> Result<Vec<SocketAddr>, Box<dyn Error + Send + Sync>> {
    let found: Vec<SocketAddr> = tokio::net::lookup_host((host, 0)).await?.collect();
    // One such address is enough to refuse the name, because the next lookup may return only that
    // one.
    match found.iter().find(|address| !any && !is_public(address.ip())) {
        Some(address) => Err(Box::new(NotPublic { host: host.to_owned(), address: address.ip() })),
        None => Ok(found),
    }
}

/// A resolver that checks addresses, so that the connection uses only checked ones.
pub(crate) struct Lookup {
    /// Whether addresses that are not public are allowed.
    pub(crate) any: bool,
}

impl Resolve for Lookup {
    fn resolve(&self, name: Name) -> Resolving {
        let any = self.any;
        Box::pin(async move {
            let found = addresses(name.as_str(), any).await?;
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{addresses, is_public, says_private};

    #[test]
    fn local_addresses_are_recognized_in_every_notation() {
        for private in [
            "127.0.0.1",
            "127.9.9.9",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "192.0.0.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "240.0.0.1",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::1",
            "fec0::1",
        ] {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
        for public in
            ["1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:1.1.1.1"]
        {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
    }

    #[test]
    fn local_urls_are_recognized_in_every_notation() {
        for url in [
            "http://localhost/",
            "http://LOCALHOST:1/",
            "http://a.localhost./",
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://[::1]:3000/",
            "http://[::ffff:7f00:1]/",
            "http://0/",
            "http://169.254.169.254/latest",
        ] {
            assert!(says_private(&url.parse().unwrap()), "{url}");
        }
        for url in ["http://example.org/", "http://localhost.example.org/", "http://1.1.1.1/"] {
            assert!(!says_private(&url.parse().unwrap()), "{url}");
        }
    }

    #[tokio::test]
    async fn local_name_is_refused_unless_any_address_is_allowed() {
        assert!(addresses("localhost", false).await.unwrap_err().to_string().contains("leads to"));
        assert!(!addresses("localhost", true).await.unwrap().is_empty());
    }
}
