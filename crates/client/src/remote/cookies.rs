//! The cookies of one server.

use reqwest::header::{HeaderMap, HeaderValue, SET_COOKIE};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// At most this many cookies are kept, each of at most [`LONGEST`] bytes.
const COOKIES: usize = 64;

const LONGEST: usize = 4096;

/// The cookies of one address, such as those with which a load balancer finds the same server.
/// They are sent only to that address, so their path and domain do not matter. A cookie whose
/// `Max-Age` is 0 is forgotten; all others live as long as the source.
#[derive(Default)]
pub(crate) struct Cookies(Mutex<BTreeMap<String, String>>);

impl Cookies {
    /// Stores the cookies of a response.
    pub(crate) fn store(&self, headers: &HeaderMap) {
        let mut cookies = self.cookies();
        for header in headers.get_all(SET_COOKIE) {
            let Some(header) = header.to_str().ok().filter(|header| header.len() <= LONGEST) else {
                continue;
            };
            let (cookie, attributes) = header.split_once(';').unwrap_or((header, ""));
            let Some((name, value)) = cookie.split_once('=') else { continue };
            let (name, value) = (name.trim(), value.trim());
            let expired = attributes.split(';').any(|attribute| {
                let (key, value) = attribute.split_once('=').unwrap_or((attribute, ""));
                let age = value.trim().parse::<i64>();
                key.trim().eq_ignore_ascii_case("max-age") && age.is_ok_and(|age| age <= 0)
            });
            if expired {
                cookies.remove(name);
            } else if !name.is_empty() && (cookies.len() < COOKIES || cookies.contains_key(name)) {
                cookies.insert(name.to_owned(), value.to_owned());
            }
        }
    }

    /// The value of the header `Cookie`. It never appears in logs.
    pub(crate) fn header(&self) -> Option<HeaderValue> {
        let cookies = self.cookies();
        let pairs: Vec<String> =
            cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut header = HeaderValue::from_str(&pairs.join("; ")).ok()?;
        header.set_sensitive(true);
        (!pairs.is_empty()).then_some(header)
    }

    fn cookies(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::Cookies;
    use reqwest::header::{HeaderMap, HeaderValue, SET_COOKIE};

    #[test]
    fn cookies_are_sent_back_until_they_expire() {
        let cookies = Cookies::default();
        let store = |header: &'static str| {
            cookies.store(&HeaderMap::from_iter([(SET_COOKIE, HeaderValue::from_static(header))]));
        };
        assert_eq!(cookies.header(), None);
        store("b=2; Path=/; HttpOnly");
        store("a=1=1");
        store("nothing");
        assert_eq!(cookies.header().unwrap(), "a=1=1; b=2");
        store("a=3");
        store("b=; Max-Age=0");
        assert_eq!(cookies.header().unwrap(), "a=3");
    }
}
