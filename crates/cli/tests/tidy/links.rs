//! Links in Markdown lead somewhere, and the list of pages of the book is complete.
//!
//! Files and anchors of the repository are checked. Addresses of the web are not: tests need no
//! network.

use crate::source::{files, name, root};
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Documents with links on purpose that lead nowhere: conversations, and output of programs.
const EXEMPT: &[&str] = &["scenarios/", "crates/check/tests/", "crates/cli/tests/", "mutations/"];

/// A Markdown file: its links and the anchors of its headings.
struct Page {
    /// Line and address of each link and picture.
    links: Vec<(usize, String)>,
    anchors: BTreeSet<String>,
    /// The lines with HTML. GitHub and the book show different parts of it.
    html: Vec<usize>,
    headings: Vec<HeadingLevel>,
}

impl Page {
    fn of(text: &str) -> Self {
        let mut page = Self {
            links: Vec::new(),
            anchors: BTreeSet::new(),
            html: Vec::new(),
            headings: Vec::new(),
        };
        let line = |at: usize| text.get(..at).unwrap_or_default().matches('\n').count() + 1;
        let mut heading: Option<String> = None;
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_GFM;
        for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push((line(range.start), dest_url.into_string()));
                }
                Event::Start(Tag::Heading { level, .. }) => {
                    page.headings.push(level);
                    heading = Some(String::new());
                }
                Event::End(TagEnd::Heading(_)) => {
                    let anchor = anchor(&heading.take().unwrap_or_default());
                    let count = counts.entry(anchor.clone()).or_default();
                    page.anchors.insert(match *count {
                        0 => anchor,
                        earlier => format!("{anchor}-{earlier}"),
                    });
                    *count += 1;
                }
                Event::Text(text) | Event::Code(text) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&text);
                    }
                }
                Event::Html(html) | Event::InlineHtml(html) if !is_comment(&html) => {
                    page.html.push(line(range.start));
                }
                _ => {}
            }
        }
        page
    }
}

fn is_comment(html: &CowStr<'_>) -> bool {
    html.trim_start().starts_with("<!--")
}

/// Returns the anchor of a heading, as GitHub and mdBook make it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|c| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        c if c.is_alphanumeric() => Some(c),
        _ => None,
    });
    kept.collect::<String>().to_lowercase()
}

/// Returns the path that a link names, or the reason why it names none.
fn target(from: &Path, link: &str) -> Result<PathBuf, String> {
    let mut path = from.parent().unwrap_or(Path::new("")).to_owned();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir if path.pop() => {}
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            _ => return Err("leads out of the repository".to_owned()),
        }
    }
    match root().join(&path) {
        folder if folder.is_dir() && !folder.join("README.md").is_file() => {
            Err("leads to a folder without README.md".to_owned())
        }
        found if found.exists() => Ok(path),
        _ => Err("leads to no file".to_owned()),
    }
}

/// Checks one link of the page at `from`.
fn check(from: &Path, link: &str, pages: &BTreeMap<PathBuf, Page>) -> Result<(), String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return Ok(());
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let path = if path.is_empty() { from.to_owned() } else { target(from, path)? };
    match pages.get(&path) {
        _ if anchor.is_empty() => Ok(()),
        Some(page) if page.anchors.contains(anchor) => Ok(()),
        _ => Err(format!("{} has no heading with this anchor", path.display())),
    }
}

/// Returns all Markdown files, by their path in the repository.
fn pages() -> BTreeMap<PathBuf, Page> {
    let read =
        |path: &PathBuf| (PathBuf::from(name(path)), Page::of(&fs::read_to_string(path).unwrap()));
    let pages: BTreeMap<PathBuf, Page> = files(&root(), "md").iter().map(read).collect();
    assert!(pages.len() > 10, "the files were not found");
    pages
}

#[test]
fn links_lead_to_files_and_headings() {
    let pages = pages();
    let mut wrong = Vec::new();
    for (path, page) in &pages {
        let name = path.display().to_string();
        if EXEMPT.iter().any(|exempt| name.starts_with(exempt)) {
            continue;
        }
        for (line, link) in &page.links {
            if let Err(why) = check(path, link, &pages) {
                wrong.push(format!("{name}:{line}: {link}: {why}"));
            }
        }
    }
    assert!(wrong.is_empty(), "correct these links:\n{}", wrong.join("\n"));
}

#[test]
fn every_page_is_in_the_book_once() {
    let summary = Page::of(&fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap());
    let listed: Vec<String> = summary.links.into_iter().map(|(_, link)| link).collect();
    let once: BTreeSet<&String> = listed.iter().collect();
    assert_eq!(once.len(), listed.len(), "docs/SUMMARY.md lists a page twice");
    let missing: Vec<String> = files(&root().join("docs"), "md")
        .iter()
        .map(|path| name(path).trim_start_matches("docs/").to_owned())
        .filter(|page| page != "SUMMARY.md" && !listed.contains(page))
        .collect();
    assert!(missing.is_empty(), "add these pages to docs/SUMMARY.md: {missing:?}");
}

/// HTML is shown differently in the book and in the repository, and an unquoted `<NAME>` is not
/// shown at all.
#[test]
fn pages_have_one_title_and_no_html() {
    let mut wrong = Vec::new();
    for (path, page) in pages().iter().filter(|(path, _)| path.starts_with("docs")) {
        let titles = page.headings.iter().filter(|level| **level == HeadingLevel::H1).count();
        let is_summary = path.ends_with("SUMMARY.md");
        if !is_summary && (titles != 1 || page.headings.first() != Some(&HeadingLevel::H1)) {
            wrong.push(format!("{} does not begin with its only title", path.display()));
        }
        for line in &page.html {
            wrong.push(format!("{}:{line}: HTML; write it as code", path.display()));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn wrong_links_are_found() {
    let from = Path::new("docs/a.md");
    let text = "# A `b`, c!\n\n## Twice\n\n[1](#a-b-c) [2](#twice-1) <i>x</i>\n\n## Twice\n";
    let page = Page::of(text);
    assert_eq!(page.anchors, ["a-b-c", "twice", "twice-1"].map(str::to_owned).into());
    assert_eq!(page.links, [(5, "#a-b-c".to_owned()), (5, "#twice-1".to_owned())]);
    assert_eq!(page.html, [5, 5]);
    let pages: BTreeMap<PathBuf, Page> = [(from.to_owned(), page)].into();
    for link in ["#twice", "../README.md", "../crates/cli/src/main.rs", "https://example.org/#x"] {
        assert_eq!(check(from, link, &pages), Ok(()), "{link}");
    }
    for link in
        ["#thrice", "b.md", "../../../x.md", "../crates", "../README.md#none", "/etc/passwd"]
    {
        assert!(check(from, link, &pages).is_err(), "{link}");
    }
}
