//! The README of each published crate is its documentation, so that the two cannot differ.
//!
//! `UPDATE_DOCS=1 cargo test -p attache --test tidy readme` writes them.

use crate::source::{crates, name, root};
use regex::{Captures, Regex};
use std::fs;
use std::path::Path;
use toml::Table;

const COMMAND: &str = "UPDATE_DOCS=1 cargo test -p attache --test tidy readme";

/// The largest number of lines of an example.
const EXAMPLE_LINES: usize = 40;

#[test]
fn the_readme_of_each_crate_is_its_documentation() {
    let mut wrong = Vec::new();
    for (path, package) in published() {
        let expected = readme(&package, &documentation(&path));
        let file = path.join("README.md");
        if std::env::var_os("UPDATE_DOCS").is_some() {
            fs::write(&file, &expected).unwrap();
        } else if fs::read_to_string(&file).unwrap_or_default() != expected {
            wrong.push(name(&file));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?} differ from the crates' documentation: run `{COMMAND}`");
}

#[test]
fn the_readme_has_an_example_and_the_limits_of_its_crate() {
    for (path, package) in published() {
        let documentation = documentation(&path);
        let mut example = documentation.split("\n```").skip(1);
        let lines = example.next().map(|example| example.lines().count() - 1);
        assert!(
            lines.is_some_and(|lines| (3..=EXAMPLE_LINES).contains(&lines)),
            "{package}: the documentation has no example of 3 to {EXAMPLE_LINES} lines: {lines:?}"
        );
        assert!(
            [" knows no", " does no", " do not ", " know nothing"]
                .iter()
                .any(|limit| documentation.replace('\n', " ").contains(limit)),
            "{package}: the documentation does not say what the crate does not know or do"
        );
    }
}

#[test]
fn every_feature_is_documented_on_the_front_page() {
    for (path, package) in published() {
        let Some(features) = manifest(&path).get("features").cloned() else { continue };
        let documentation = documentation(&path);
        for feature in features.as_table().unwrap().keys() {
            let row = format!("| `{feature}` | ");
            assert!(
                documentation.contains("# Features\n") && documentation.contains(&row),
                "{package}: the documentation has no row {row:?} below `# Features`"
            );
        }
    }
}

/// A registry shows the metadata, and a package without the text of its licence breaks the licence.
#[test]
fn published_crates_have_complete_metadata() {
    let licence = fs::read(root().join("LICENSE")).unwrap();
    for (path, package) in published() {
        let manifest = manifest(&path);
        for field in ["description", "license", "readme", "rust-version"] {
            assert!(manifest["package"].get(field).is_some(), "{package} has no {field}");
        }
        for field in ["keywords", "categories"] {
            let values = manifest["package"].get(field).and_then(|values| values.as_array());
            let count = values.map_or(0, Vec::len);
            assert!((1..=5).contains(&count), "{package} has {count} {field}");
        }
        assert_eq!(fs::read(path.join("LICENSE")).ok(), Some(licence.clone()), "{package}");
        let all = manifest["package"]
            .get("metadata")
            .is_some_and(|all| all["docs"]["rs"]["all-features"].as_bool() == Some(true));
        assert_eq!(all, manifest.contains_key("features"), "{package}: [package.metadata.docs.rs]");
    }
}

/// Returns the folders and names of the crates that are published.
fn published() -> Vec<(std::path::PathBuf, String)> {
    let published = crates().into_iter().filter_map(|path| {
        let manifest = manifest(&path);
        let package = &manifest["package"];
        let name = package["name"].as_str().unwrap().to_owned();
        package.get("publish").is_none().then_some((path, name))
    });
    let published: Vec<_> = published.collect();
    assert!(published.len() > 10, "the published crates were not found: {published:?}");
    published
}

fn manifest(path: &Path) -> Table {
    fs::read_to_string(path.join("Cargo.toml")).unwrap().parse().unwrap()
}

/// Returns the documentation of a crate without comment signs.
fn documentation(path: &Path) -> String {
    let root = ["src/lib.rs", "src/main.rs"].map(|file| path.join(file));
    let root = root.iter().find(|file| file.is_file()).unwrap();
    let text = fs::read_to_string(root).unwrap();
    let lines = text.lines().map_while(|line| line.strip_prefix("//!"));
    lines.map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect()
}

/// Returns the documentation as a page outside of rustdoc: without hidden lines of examples and
/// links to items, and with a title.
fn readme(package: &str, documentation: &str) -> String {
    let link = Regex::new(r"\[([^\[\]]+)\](?:\(([^()]*)\))?").unwrap();
    let mut page = format!("# {package}\n\n");
    let mut rust = None;
    for line in documentation.lines() {
        let line = match (line.strip_prefix("```"), rust) {
            (Some(kind), None) => {
                rust = Some(matches!(kind, "" | "no_run"));
                if kind.is_empty() || kind == "no_run" {
                    "```rust".to_owned()
                } else {
                    line.to_owned()
                }
            }
            (Some(_), Some(_)) => {
                rust = None;
                line.to_owned()
            }
            (None, Some(true)) if line == "#" || line.starts_with("# ") => continue,
            (None, Some(_)) => line.to_owned(),
            (None, None) if line.starts_with('#') => format!("#{line}"),
            (None, None) => link.replace_all(line, plain).into_owned(),
        };
        page.push_str(&line);
        page.push('\n');
    }
    page.push_str("\n## Licence\n\nApache-2.0. The crate is part of Attaché.\n");
    page
}

/// Returns the text of a link to an item, and every other link unchanged.
fn plain(link: &Captures<'_>) -> String {
    let text = &link[1];
    match link.get(2).map(|target| target.as_str()) {
        Some(target) if target.starts_with("http") || target.starts_with('#') => link[0].to_owned(),
        Some(_) => text.to_owned(),
        None if text.starts_with('`') && text.ends_with('`') => text.to_owned(),
        None => link[0].to_owned(),
    }
}

#[test]
fn hidden_lines_and_links_to_items_are_left_out() {
    let documentation = "A [`B`](crate::B), [`C`], [d](#d), `e[0]`.\n\n# F\n\n```no_run\n# use g;\n\
                         #[h]\ng();\n```\n\n```text\n# i\n```\n";
    assert_eq!(
        readme("x", documentation),
        "# x\n\nA `B`, `C`, [d](#d), `e[0]`.\n\n## F\n\n```rust\n#[h]\ng();\n```\n\n```text\n# i\n\
         ```\n\n## Licence\n\nApache-2.0. The crate is part of Attaché.\n"
    );
}
