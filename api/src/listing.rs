//! The public API of one library as text.

use public_api::{Builder, PublicItem};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

/// Traits that the compiler implements for a type, or does not. `StructuralPartialEq` comes with a
/// derived `PartialEq`, and its bounds depend on the compiler.
const AUTO: &[&str] = &[
    "core::marker::Freeze",
    "core::marker::Send",
    "core::marker::StructuralPartialEq",
    "core::marker::Sync",
    "core::marker::Unpin",
    "core::marker::UnsafeUnpin",
    "core::panic::unwind_safe::RefUnwindSafe",
    "core::panic::unwind_safe::UnwindSafe",
];

/// The automatic traits whose absence limits where a type can be used.
const LIMITS: &[&str] = &["impl !core::marker::Send for ", "impl !core::marker::Sync for "];

/// Returns the listing of the library that rustdoc described in this file: one item per line,
/// sorted.
///
/// Every item of the standard library begins with `std`, because items move between its crates.
///
/// An implementation of a trait is one line, without its functions. Of the automatic traits, only a
/// missing `Send` or `Sync` is listed.
///
/// # Errors
/// Returns a text if the file cannot be read or has the format of another Rust version.
pub fn listing(file: &Path) -> Result<String, String> {
    let api = Builder::from_rustdoc_json(file).omit_blanket_impls(true).build();
    let api = api.map_err(|error| {
        format!(
            "{} cannot be read: {error}\nIts format must be that of the Rust version that `rust-version` in Cargo.toml names",
            file.display()
        )
    })?;
    let implementations: BTreeSet<_> = api
        .items()
        .filter(|item| trait_of(&item.to_string()).is_some())
        .map(PublicItem::id)
        .collect();
    let mut listing = String::new();
    for item in api.items() {
        let text = item.to_string();
        let implied = text.contains("pub fn ")
            && item.parent_id().is_some_and(|parent| implementations.contains(&parent));
        let automatic = trait_of(&text).is_some_and(|name| AUTO.contains(&name))
            && !LIMITS.iter().any(|start| text.starts_with(start));
        if !implied && !automatic {
            listing.push_str(&with_std(&text));
            listing.push('\n');
        }
    }
    Ok(listing)
}

/// Returns an item with `std` in place of the crates whose items `std` exports.
fn with_std(item: &str) -> String {
    ["core::", "alloc::"].iter().fold(item.to_owned(), |item, krate| {
        let mut parts = item.split(krate);
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let is_inner =
                text.ends_with(|before: char| before.is_alphanumeric() || "_:".contains(before));
            text.push_str(if is_inner { krate } else { "std::" });
            text.push_str(part);
        }
        text
    })
}

/// Returns the path of the trait that an item implements, without arguments.
fn trait_of(item: &str) -> Option<&str> {
    let rest = item.strip_prefix("unsafe ").unwrap_or(item).strip_prefix("impl")?;
    let rest = match rest.strip_prefix('<') {
        Some(_) => rest.split_once("> ")?.1,
        None => rest.strip_prefix(' ')?,
    };
    let (name, _) = rest.split_once(" for ")?;
    name.trim_start_matches('!').split('<').next()
}

/// Returns the lines that only one of two listings has, below a line with the library's name.
/// Returns nothing if they have the same lines.
pub fn differences(library: &str, expected: &str, actual: &str) -> String {
    let [expected, actual] =
        [expected, actual].map(|listing| listing.lines().collect::<BTreeSet<&str>>());
    if expected == actual {
        return String::new();
    }
    let mut text = format!("the public API of {library} differs from api/{library}.txt:\n");
    for (sign, lines) in [("-", &expected - &actual), ("+", &actual - &expected)] {
        for line in lines {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{sign} {line}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{differences, trait_of, with_std};

    #[test]
    fn items_of_the_standard_library_are_named_alike() {
        for (item, expected) in [
            ("impl core::clone::Clone for a::B", "impl std::clone::Clone for a::B"),
            (
                "pub fn a::f(&alloc::vec::Vec<core::option::Option<u8>>) -> std::io::error::Error",
                "pub fn a::f(&std::vec::Vec<std::option::Option<u8>>) -> std::io::error::Error",
            ),
            ("pub mod a::core::b", "pub mod a::core::b"),
            ("pub fn a_core::score::f()", "pub fn a_core::score::f()"),
        ] {
            assert_eq!(with_std(item), expected);
        }
    }

    #[test]
    fn a_changed_item_is_shown_with_both_forms() {
        let old = "pub fn a::f()\npub fn a::g()\n";
        let new = "pub fn a::f(u8)\npub fn a::g()\n";
        assert_eq!(differences("a", old, old), "");
        assert_eq!(
            differences("a", old, new),
            "the public API of a differs from api/a.txt:\n- pub fn a::f()\n+ pub fn a::f(u8)\n"
        );
    }

    #[test]
    fn a_missing_listing_differs() {
        assert!(differences("a", "", "pub mod a\n").contains("+ pub mod a\n"));
    }

    #[test]
    fn implementations_of_traits_are_recognized() {
        for (item, expected) in [
            ("impl core::clone::Clone for a::B", Some("core::clone::Clone")),
            ("impl<T> core::clone::Clone for a::B<T> where T: a::C", Some("core::clone::Clone")),
            ("impl !core::marker::Send for a::B", Some("core::marker::Send")),
            ("impl core::convert::From<u8> for a::B", Some("core::convert::From")),
            ("impl a::B", None),
            ("impl<T> a::B<T>", None),
            ("pub fn a::B::for_each(impl a::C)", None),
        ] {
            assert_eq!(trait_of(item), expected, "{item}");
        }
    }
}
