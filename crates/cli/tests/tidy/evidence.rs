//! Documents that name files and tests as evidence name ones that exist.

use crate::source::{crates, files, root};
use pulldown_cmark::{Event, Parser};
use std::fs;

/// The documents with such names.
const DOCUMENTS: &[&str] = &["docs/extension.md", "docs/privacy.md", "docs/security.md"];

/// Returns whether this code is the name of a test. A name that ends with `…` stands for several.
fn is_test(code: &str) -> bool {
    let name = code.trim_end_matches('…');
    name.matches('_').count() > 2 && name.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}

#[test]
fn documents_name_files_and_tests_that_exist() {
    let sources: Vec<String> = crates()
        .into_iter()
        .flat_map(|path| files(&path, "rs"))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let (mut wrong, mut found) = (Vec::new(), 0);
    for document in DOCUMENTS {
        let text = fs::read_to_string(root().join(document)).unwrap();
        for code in Parser::new(&text).filter_map(|event| match event {
            Event::Code(code) => Some(code),
            _ => None,
        }) {
            let exists = if code.starts_with("crates/") {
                root().join(code.as_ref()).exists()
            } else if is_test(&code) {
                let name = format!("fn {}", code.trim_end_matches('…'));
                sources.iter().any(|source| source.contains(&name))
            } else {
                continue;
            };
            found += 1;
            if !exists {
                wrong.push(format!("{document}: {code}"));
            }
        }
    }
    assert!(wrong.is_empty(), "these do not exist:\n{}", wrong.join("\n"));
    assert!(found > 40, "only {found} names were found");
}
