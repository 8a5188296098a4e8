//! Compares the public API of the libraries with the listings. `UPDATE_DOCS=1` writes them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use attache_api::{LIBRARIES, describe, differences, listing};
use std::fs;
use std::path::Path;

#[test]
fn the_public_api_is_as_listed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let described = describe(folder.parent().unwrap(), LIBRARIES).unwrap();
    let mut changed = String::new();
    for library in LIBRARIES {
        let file = described.join(format!("{}.json", library.replace('-', "_")));
        let actual = listing(&file).unwrap_or_else(|error| panic!("{error}"));
        assert!(actual.lines().count() > 20, "{library}: {actual}");
        let path = folder.join(format!("{library}.txt"));
        if std::env::var_os("UPDATE_DOCS").is_some() {
            fs::write(&path, &actual).unwrap();
            continue;
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        changed.push_str(&differences(library, &expected, &actual));
    }
    assert!(
        changed.is_empty(),
        "{changed}If the change is intended, run `UPDATE_DOCS=1 cargo test -p attache-api` and name it in CHANGELOG.md"
    );
}
