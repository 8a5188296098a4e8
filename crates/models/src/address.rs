//! Server addresses: hides the secrets in them, and tells whether an address is on this machine.

use reqwest::Url;

/// Lowercase substrings of the names of query parameters whose values are secret.
const SECRET_MEMBERS: [&str; 9] =
    ["key", "token", "secret", "pass", "pwd", "auth", "sig", "credential", "session"];

/// Returns an address that is safe to show: without its user name and password, and with `…` in
/// place of secrets in its query.
///
/// ```
/// let shown = attache_models::without_login("https://me:pw@host/v1?api_key=k&region=eu");
/// assert_eq!(shown, "https://host/v1?api_key=…&region=eu");
/// ```
pub fn without_login(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    // Text after a `:` that is not a port is part of a password with unescaped characters.
    let port = rest
        .get(..end)
        .and_then(|authority| authority.rsplit_once(':'))
        .map_or("", |(_, port)| port);
    let is_cut = !port.ends_with(']')
        && !port.chars().all(|digit| digit.is_ascii_digit())
        && !port.contains('@');
    let authority_end = if is_cut { rest.rfind('@').map_or(end, |at| at.max(end)) } else { end };
    let (authority, path) = rest.split_at(authority_end);
    let host = match authority_end == end {
        true => authority.rsplit_once('@').map_or(authority, |(_, host)| host),
        false => "",
    };
    let path = if authority_end == end { path } else { path.trim_start_matches('@') };
    let shown = format!("{host}{}", without_secrets(path));
    if scheme.is_empty() { shown } else { format!("{scheme}://{shown}") }
}

/// Replaces the values of secret query parameters with `…`.
fn without_secrets(path: &str) -> String {
    let Some((path, query)) = path.split_once('?') else { return path.to_owned() };
    let member = |member: &str| match member.split_once('=') {
        Some((name, _)) if SECRET_MEMBERS.iter().any(|part| name.to_lowercase().contains(part)) => {
            format!("{name}=…")
        }
        _ => member.to_owned(),
    };
    let members: Vec<String> = query.split('&').map(member).collect();
    format!("{path}?{}", members.join("&"))
}

/// Returns whether the address refers to this machine.
pub(crate) fn is_loopback(url: &str) -> bool {
    let host =
        Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost"
        || host.ends_with(".localhost")
        || address.is_ok_and(|address| address.is_loopback())
}

/// Returns whether the host of the address is one of these domains, or is in one of them.
pub(crate) fn is_within(url: &str, domains: &[&str]) -> bool {
    let url = Url::parse(url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    let within = |domain: &&str| {
        host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    domains.iter().any(within)
}

/// Returns whether two base URLs lead to the same server. All names of this machine count as one,
/// and so do addresses with and without `/v1`.
pub(crate) fn is_same_server(one: &str, other: &str) -> bool {
    let place = |address: &str| {
        let url = Url::parse(address).ok()?;
        let host = match is_loopback(address) {
            true => "localhost".to_owned(),
            false => url.host_str()?.to_owned(),
        };
        let path = url.path().trim_end_matches('/').trim_end_matches("/v1").to_owned();
        Some((url.scheme().to_owned(), host, url.port_or_known_default(), path))
    };
    place(one).is_some_and(|place_of_one| Some(place_of_one) == place(other))
}

#[cfg(test)]
mod tests {
    use super::{is_loopback, is_same_server, without_login};

    #[test]
    fn one_server_has_several_addresses() {
        let server = "http://127.0.0.1:8080/v1";
        for (address, expected) in [
            ("http://127.0.0.1:8080/v1/", true),
            ("http://localhost:8080/v1", true),
            ("http://LOCALHOST:8080/v1", true),
            ("http://[::1]:8080/v1", true),
            ("http://127.0.0.1:8080", true),
            ("http://127.0.0.1:8081/v1", false),
            ("https://127.0.0.1:8080/v1", false),
            ("http://127.0.0.1:8080/other/v1", false),
            ("http://box:8080/v1", false),
            ("no address", false),
        ] {
            assert_eq!(is_same_server(server, address), expected, "{address}");
            assert_eq!(is_same_server(address, server), expected, "{address}");
        }
        assert!(is_same_server("https://box/v1", "https://box:443/v1"));
        assert!(!is_same_server("no address", "no address"));
    }

    #[test]
    fn loopback_addresses_are_recognised() {
        for (url, expected) in [
            ("http://localhost:1/v1", true),
            ("http://127.3.2.1/v1", true),
            ("http://[::1]:8080", true),
            ("http://api.localhost", true),
            ("https://localhost.example.org", false),
            ("http://10.0.0.1", false),
            ("none", false),
        ] {
            assert_eq!(is_loopback(url), expected, "{url}");
        }
    }

    #[test]
    fn passwords_in_addresses_are_not_shown() {
        for (url, expected) in [
            ("https://user:pass@host:1/v1?x=@", "https://host:1/v1?x=@"),
            ("https://host/a@b", "https://host/a@b"),
            ("user:p@ss@host", "host"),
            ("https://me:pa/ss@host/v1", "https://host/v1"),
            ("https://me:p?key=1@host", "https://host"),
            ("http://[::1]:8080/v1?a=b", "http://[::1]:8080/v1?a=b"),
            ("http://host:80/a@b", "http://host:80/a@b"),
            (
                "https://host/v1?Api-Key=s&b=1&access_token=t&c",
                "https://host/v1?Api-Key=…&b=1&access_token=…&c",
            ),
        ] {
            assert_eq!(without_login(url), expected);
        }
    }
}
