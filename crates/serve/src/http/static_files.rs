//! The files of the page.

use crate::page::PageFile;
use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderName,
    IF_NONE_MATCH, VARY,
};
use http::{HeaderMap, StatusCode};
use ring::digest::{SHA256, digest};
use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

/// The files, prepared when they are first read.
pub(super) struct StaticFiles {
    page: fn(&str) -> Option<PageFile>,
    /// Has only files of the page, so it is bounded.
    prepared: Mutex<BTreeMap<String, Arc<Prepared>>>,
}

/// A file with what its response needs.
struct Prepared {
    file: PageFile,
    tag: String,
    /// Missing if it is not smaller.
    compressed: Option<Vec<u8>>,
}

impl StaticFiles {
    pub(super) fn new(page: fn(&str) -> Option<PageFile>) -> Self {
        Self { page, prepared: Mutex::default() }
    }

    /// Answers a request for a path, such as `/`. A path without extension may mean a page:
    /// `/trace` is `trace.html`.
    pub(super) fn respond(&self, path: &str, headers: &HeaderMap) -> Response {
        let Some(prepared) = self.find(path) else {
            return (StatusCode::NOT_FOUND, "There is no such page.\n").into_response();
        };
        let common = [
            (ETAG, prepared.tag.clone()),
            (CACHE_CONTROL, "no-cache".to_owned()),
            (VARY, "Accept-Encoding".to_owned()),
        ];
        if names(headers, &IF_NONE_MATCH, &prepared.tag) {
            return (StatusCode::NOT_MODIFIED, common).into_response();
        }
        let kind = [(CONTENT_TYPE, prepared.file.content_type)];
        match &prepared.compressed {
            Some(bytes) if names(headers, &ACCEPT_ENCODING, "gzip") => {
                let encoding = [(CONTENT_ENCODING, "gzip")];
                (common, kind, encoding, Body::from(bytes.clone())).into_response()
            }
            _ => (common, kind, Body::from(prepared.file.bytes)).into_response(),
        }
    }

    fn find(&self, path: &str) -> Option<Arc<Prepared>> {
        let name = match path {
            "/" => "index.html",
            path => plain_name(path)?,
        };
        let is_page = !name.rsplit('/').next().unwrap_or_default().contains('.');
        let page = is_page.then(|| format!("{name}.html"));
        let names = [Some(name.to_owned()), page];
        names.into_iter().flatten().find_map(|name| self.prepared(name))
    }

    fn prepared(&self, name: String) -> Option<Arc<Prepared>> {
        let mut all = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = all.get(&name) {
            return Some(Arc::clone(found));
        }
        let prepared = Arc::new(Prepared::new((self.page)(&name)?));
        all.insert(name, Arc::clone(&prepared));
        Some(prepared)
    }
}

impl fmt::Debug for StaticFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StaticFiles").finish_non_exhaustive()
    }
}

impl Prepared {
    fn new(file: PageFile) -> Self {
        let hash = digest(&SHA256, file.bytes);
        let mut tag = String::from("W/\"");
        for byte in hash.as_ref().iter().take(12) {
            // Writing to a string cannot fail.
            let _ = write!(tag, "{byte:02x}");
        }
        tag.push('"');
        let compressed = gzip(file.bytes).filter(|short| short.len() < file.bytes.len());
        Self { file, tag, compressed }
    }
}

fn gzip(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok()
}

/// Whether a list in a header names this value, and not with the weight 0.
fn names(headers: &HeaderMap, name: &HeaderName, wanted: &str) -> bool {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|each| {
        let (value, weight) = each.split_once(';').unwrap_or((each, ""));
        let is_refused = weight
            .trim()
            .strip_prefix("q=")
            .is_some_and(|weight| weight.trim().chars().all(|digit| digit == '0' || digit == '.'));
        value.trim() == wanted && !is_refused
    })
}

/// Returns the name of a file, unless the path has anything but plain names. Nothing is decoded, so
/// that a path cannot mean another one.
fn plain_name(path: &str) -> Option<&str> {
    let name = path.strip_prefix('/')?;
    let is_plain = |part: &str| {
        let is_known = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.');
        !part.is_empty() && !part.starts_with('.') && part.bytes().all(is_known)
    };
    name.split('/').all(is_plain).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_are_looked_up() {
        assert_eq!(plain_name("/assets/app-1.js"), Some("assets/app-1.js"));
        for path in [
            "", "app.js", "//app.js", "/a//b", "/../a", "/a/../b", "/./a", "/.git", "/a/", "/%2e",
            "/a%2fb", "/a\\b", "/a\0", "/a;b", "/ä", "/*", "/a?b", "/c:/x",
        ] {
            assert_eq!(plain_name(path), None, "{path}");
        }
    }
}
