//! Pages that an agent asks a person to open: the address to show (ELIC-09, ELIC-10), and the
//! completion (ELIC-19, ELIC-20).

use attache_protocol::v1::ElicitationId;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// The largest number of pages that wait for their completion. The oldest is dropped first.
const OUTSTANDING: usize = 64;

/// The address of a page, which is checked but not opened: it begins with `https://` or `http://`,
/// has a host, and contains no white space or control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageAddress {
    url: String,
    host: String,
    warnings: Vec<AddressWarning>,
}

/// Why an address is suspicious.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AddressWarning {
    /// The connection is not encrypted: the address is `http` and not on this machine.
    NotEncrypted,
    /// The host's name may imitate another name: it contains Punycode (`xn--…`) or letters outside
    /// ASCII.
    OtherLetters,
    /// A user name precedes the host and may be mistaken for it.
    UserName,
    /// The host is a bare number.
    Number,
}

impl fmt::Display for AddressWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotEncrypted => "the connection is not encrypted",
            Self::OtherLetters => "the host's name may imitate another name",
            Self::UserName => "the part before the @ is not the host",
            Self::Number => "the host is a number, not a name",
        })
    }
}

/// Why an address cannot be opened as a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AddressError {
    /// The address does not begin with `https://` or `http://`.
    Scheme,
    /// The address has no host.
    NoHost,
    /// The address contains white space, control characters or a backslash.
    Characters,
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scheme => "the address of a page must begin with https:// or http://",
            Self::NoHost => "the address of the page names no host: give it in full",
            Self::Characters => {
                "the address of the page contains white space, a control character or a backslash: escape it"
            }
        })
    }
}

impl std::error::Error for AddressError {}

impl PageAddress {
    /// Reads an address.
    ///
    /// # Errors
    /// Returns an [`AddressError`] if the address cannot be opened as a page.
    pub fn parse(url: &str) -> Result<Self, AddressError> {
        // A browser skips or replaces these characters, so it might open an address other than the
        // one shown.
        let odd = |character: char| {
            character.is_whitespace()
                || character.is_control()
                || character == '\\'
                || is_invisible(character)
        };
        if url.contains(odd) {
            return Err(AddressError::Characters);
        }
        let (scheme, rest) = url.split_once("://").ok_or(AddressError::Scheme)?;
        let encrypted = scheme.eq_ignore_ascii_case("https");
        if !encrypted && !scheme.eq_ignore_ascii_case("http") {
            return Err(AddressError::Scheme);
        }
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let (user, place) = match authority.rsplit_once('@') {
            Some((user, place)) => (Some(user), place),
            None => (None, authority),
        };
        let host = match place.strip_prefix('[').and_then(|place| place.split_once(']')) {
            Some((address, _)) => format!("[{address}]"),
            None => place.split(':').next().unwrap_or_default().to_ascii_lowercase(),
        };
        if host.is_empty() {
            return Err(AddressError::NoHost);
        }
        let here = matches!(host.as_str(), "localhost" | "127.0.0.1" | "[::1]");
        let other = host.split('.').any(|label| label.starts_with("xn--")) || !host.is_ascii();
        let last = host.rsplit('.').find(|label| !label.is_empty()).unwrap_or_default();
        let number =
            host.starts_with('[') || last.starts_with(|first: char| first.is_ascii_digit());
        let warnings = [
            (!encrypted && !here, AddressWarning::NotEncrypted),
            (other, AddressWarning::OtherLetters),
            (user.is_some(), AddressWarning::UserName),
            (number && !here, AddressWarning::Number),
        ];
        let warnings =
            warnings.into_iter().filter_map(|(true_of_it, warning)| true_of_it.then_some(warning));
        Ok(Self { url: url.to_owned(), host, warnings: warnings.collect() })
    }

    /// The whole address. Show all of it.
    pub fn as_str(&self) -> &str {
        &self.url
    }

    /// The host, in lower case. Show it separately.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The reasons why the address is suspicious; usually none.
    pub fn warnings(&self) -> &[AddressWarning] {
        &self.warnings
    }
}

/// Whether a character is invisible or changes the direction of writing, so that one address can
/// look like another.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// The completion of a page: the agent reports that the person is done with it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct PageCompletion(watch::Receiver<bool>);

impl PageCompletion {
    /// Whether the page is complete.
    pub fn is_completed(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the page is complete; `false` if it will not be, because the connection is over
    /// or the person did not agree to open the page.
    pub async fn wait(mut self) -> bool {
        self.0.wait_for(|completed| *completed).await.is_ok()
    }
}

/// The incomplete pages of one connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outstanding(Arc<Mutex<Pages>>);

/// Each page with the sender of its completion, in the order in which the pages were requested.
type Pages = VecDeque<(ElicitationId, watch::Sender<bool>)>;

impl Outstanding {
    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a page; `None` if its id is in use (ELIC-18).
    pub(crate) fn begin(&self, id: &ElicitationId) -> Option<PageCompletion> {
        let mut pages = self.pages();
        if pages.iter().any(|(outstanding, _)| outstanding == id) {
            return None;
        }
        if pages.len() >= OUTSTANDING {
            pages.pop_front();
        }
        let (sender, receiver) = watch::channel(false);
        pages.push_back((id.clone(), sender));
        Some(PageCompletion(receiver))
    }

    /// Removes a page that the person did not agree to open.
    pub(crate) fn forget(&self, id: &ElicitationId) {
        self.pages().retain(|(outstanding, _)| outstanding != id);
    }

    /// Completes a page. Unknown and completed ids are ignored (ELIC-20).
    pub(crate) fn complete(&self, id: &ElicitationId) {
        let mut pages = self.pages();
        let found = pages.iter().position(|(outstanding, _)| outstanding == id);
        if let Some((_, sender)) = found.and_then(|index| pages.remove(index)) {
            sender.send_replace(true);
        }
    }

    /// Ends all pages because the connection is over.
    pub(crate) fn end(&self) {
        self.pages().clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ELIC-09, ELIC-10.
    #[test]
    fn an_address_has_its_host_and_its_warnings() {
        let parsed = |url: &str| {
            let address = PageAddress::parse(url).unwrap();
            (address.host().to_owned(), address.warnings().to_vec())
        };
        let fine = |host: &str| (host.to_owned(), Vec::new());
        assert_eq!(parsed("https://Example.org/a?b=@x#c"), fine("example.org"));
        assert_eq!(parsed("HTTP://localhost:8080/"), fine("localhost"));
        assert_eq!(parsed("http://[::1]:80/"), fine("[::1]"));
        for (url, host, warning) in [
            ("http://example.org", "example.org", AddressWarning::NotEncrypted),
            ("https://xn--pple-43d.com/", "xn--pple-43d.com", AddressWarning::OtherLetters),
            ("https://аpple.com/", "аpple.com", AddressWarning::OtherLetters),
            ("https://bank.com@evil.org/", "evil.org", AddressWarning::UserName),
            ("https://bank.com%40a@evil.org?x", "evil.org", AddressWarning::UserName),
            ("https://10.0.0.1/", "10.0.0.1", AddressWarning::Number),
            ("https://0x7f.1/", "0x7f.1", AddressWarning::Number),
        ] {
            assert_eq!(parsed(url), (host.to_owned(), vec![warning]), "{url}");
        }
    }

    #[test]
    fn addresses_that_cannot_be_pages_are_refused() {
        for (url, error) in [
            ("javascript:alert(1)", AddressError::Scheme),
            ("file:///etc/passwd", AddressError::Scheme),
            ("example.org", AddressError::Scheme),
            ("https:///x", AddressError::NoHost),
            ("https://a@:80/", AddressError::NoHost),
            ("https://evil.org\\@bank.com/", AddressError::Characters),
            ("https://a\u{202e}b.org", AddressError::Characters),
            ("https://a b", AddressError::Characters),
            ("https://a\n.b", AddressError::Characters),
        ] {
            assert_eq!(PageAddress::parse(url), Err(error), "{url:?}");
        }
    }
}
