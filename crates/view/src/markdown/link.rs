//! The addresses of links.

use crate::sanitize;
use std::sync::Arc;

/// The longest address that is shown as text, in characters.
const SHOWN: usize = 200;

/// Returns an address as the target of a link, if a front end may open it.
pub(super) fn target(address: &str) -> Option<Arc<str>> {
    let (scheme, _) = address.split_once(':')?;
    let known = ["http", "https", "mailto", "file"];
    let allowed = known.iter().any(|known| scheme.eq_ignore_ascii_case(known));
    // Sanitizing would change the address, so a front end must not open it.
    (allowed && sanitize::line(address) == address).then(|| Arc::from(address))
}

/// Returns an address as text on one line, shortened if it is very long.
pub(super) fn shown(address: &str) -> String {
    let address = sanitize::visible_line(address);
    match address.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", address.get(..end).unwrap_or_default()),
        None => address,
    }
}

/// Whether the text of a link looks like an address, but not like this one.
pub(super) fn misleads(text: &str, address: &str) -> bool {
    let text = text.trim();
    if text.contains(char::is_whitespace) || !looks_like_an_address(text) {
        return false;
    }
    let (text, address) = (comparable(text), comparable(address));
    if text == address {
        return false;
    }
    // A part of the address is honest if it contains the whole host.
    let end = |address: &str| address.find(['/', '?', '#']).unwrap_or(address.len());
    let same_host = text.get(..end(&text)) == address.get(..end(&address));
    !(same_host && address.starts_with(&text))
}

fn looks_like_an_address(text: &str) -> bool {
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    let named = host.rsplit_once('.').is_some_and(|(name, end)| {
        !name.is_empty() && end.len() >= 2 && end.chars().all(char::is_alphabetic)
    });
    text.contains("://") || text.contains('@') || named
}

/// Returns an address without the parts that do not tell where it leads.
fn comparable(address: &str) -> String {
    let address = address.to_lowercase();
    let rest = ["http://", "https://", "mailto:", "file://"];
    let rest = rest.iter().find_map(|scheme| address.strip_prefix(scheme)).unwrap_or(&address);
    rest.trim_end_matches('/').to_owned()
}

/// Finds the next address in a text: where it begins and ends.
pub(super) fn find(text: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    while let Some(at) = text.get(from..)?.find("http") {
        let begin = from + at;
        let address = text.get(begin..)?;
        let host = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"));
        let before = text.get(..begin)?.chars().next_back();
        if host.is_some_and(|host| host.starts_with(char::is_alphanumeric))
            && !before.is_some_and(char::is_alphanumeric)
        {
            let length = address
                .find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`' | '|'))
                .unwrap_or(address.len());
            return Some((begin, begin + trimmed(address.get(..length)?)));
        }
        from = begin + 4;
    }
    None
}

/// Returns the length of an address without the punctuation of the sentence around it.
fn trimmed(address: &str) -> usize {
    let mut address = address;
    loop {
        let without = address.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_']);
        address = match without.strip_suffix(')') {
            Some(inside) if inside.matches('(').count() <= inside.matches(')').count() => inside,
            _ => return without.len(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::{find, misleads, target};

    #[test]
    fn only_known_schemes_are_targets() {
        for address in ["http://a", "HTTPS://a/b?c#d", "mailto:a@b.c", "file:///a"] {
            assert_eq!(target(address).as_deref(), Some(address));
        }
        for address in
            ["javascript:x()", "vscode://x", "a.rs", "", "http://a\u{202e}b", "http://a\u{7}"]
        {
            assert_eq!(target(address), None, "{address:?}");
        }
    }

    #[test]
    fn a_text_that_names_another_address_misleads() {
        for (text, address) in [
            ("here", "http://evil.example/"),
            ("https://a.example/x", "https://a.example/x"),
            ("a.example", "https://a.example/x/y"),
            ("A.example/x", "http://a.example/x/"),
            ("me@a.example", "mailto:me@a.example"),
            ("see a.example now", "http://evil.example"),
        ] {
            assert!(!misleads(text, address), "{text} {address}");
        }
        for (text, address) in [
            ("https://a.example", "https://evil.example"),
            ("a.example", "https://a.example.evil.example"),
            ("a.example", "https://evil.example/a.example"),
            ("a.example", "https://a.example@evil.example"),
            ("me@a.example", "mailto:you@b.example"),
        ] {
            assert!(misleads(text, address), "{text} {address}");
        }
    }

    #[test]
    fn addresses_are_found_in_text() {
        for (text, address) in [
            ("see https://a.example/x.", Some("https://a.example/x")),
            ("(http://a.example/b(c))", Some("http://a.example/b(c)")),
            ("http http:// xhttp://a https://é.example!", Some("https://é.example")),
            ("http://", None),
            ("no", None),
        ] {
            let found = find(text).and_then(|(begin, end)| text.get(begin..end));
            assert_eq!(found, address, "{text}");
        }
    }
}
