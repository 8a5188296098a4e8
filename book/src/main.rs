//! Builds the book in `target/book` from the pages in `docs/`.
//!
//! The pages also link to other files of the repository. Each of these becomes a page of the book
//! too, at the end of the list, so that every link works. A link to a missing file fails the build.

use anyhow::{Context, Result, bail};
use mdbook_driver::MDBook;
use mdbook_markdown::pulldown_cmark::{Event, LinkType, Tag};
use mdbook_markdown::{MarkdownOptions, new_cmark_parser};
use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

fn main() -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = folder.parent().context("the folder of the book has no parent")?;
    let source = root.join("target/book-source");
    if source.exists() {
        fs::remove_dir_all(&source)?;
    }
    let files = copy_pages(root, &source)?;
    list_files(&source, &files)?;
    MDBook::load(folder)?.build()?;
    println!("{}", root.join("target/book/index.html").display());
    Ok(())
}

/// Writes the pages of `docs/`, and all files that they link to, below `source`. Returns those
/// files that are not in `docs/`.
fn copy_pages(root: &Path, source: &Path) -> Result<BTreeSet<PathBuf>> {
    let mut waiting = Vec::new();
    find_pages(root, Path::new("docs"), &mut waiting)?;
    let mut seen: BTreeSet<PathBuf> = waiting.iter().cloned().collect();
    while let Some(file) = waiting.pop() {
        let target = source.join(page(&file));
        fs::create_dir_all(target.parent().context("a page has a folder")?)?;
        if extension(&file) == "png" {
            fs::copy(root.join(&file), target)?;
            continue;
        }
        let text = fs::read_to_string(root.join(&file))
            .with_context(|| format!("{} cannot be read", file.display()))?;
        let text = if is_markdown(&file) {
            rewrite(&text, &file, root, |linked| {
                if seen.insert(linked.clone()) {
                    waiting.push(linked);
                }
            })?
        } else {
            code_page(&file, &text)
        };
        fs::write(target, text)?;
    }
    Ok(seen.into_iter().filter(|file| !file.starts_with("docs")).collect())
}

fn find_pages(root: &Path, folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            find_pages(root, &path, found)?;
        } else if is_markdown(&path) {
            found.push(path);
        }
    }
    Ok(())
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

fn is_markdown(path: &Path) -> bool {
    extension(path) == "md"
}

/// Returns the path of the page of a file. Files outside of `docs/` are all in one folder.
fn page(file: &Path) -> PathBuf {
    if let Ok(page) = file.strip_prefix("docs") {
        return page.to_owned();
    }
    let flat = file.to_string_lossy().replace('/', "-");
    let end = if is_markdown(file) || extension(file) == "png" { "" } else { ".md" };
    Path::new("repository").join(flat + end)
}

/// Returns a page that shows a file of source code.
fn code_page(file: &Path, text: &str) -> String {
    let language = extension(file);
    format!("# {}\n\n````````{language}\n{text}\n````````\n", file.display())
}

/// Replaces the addresses of all links to files by those of their pages, and names each file.
fn rewrite(
    text: &str,
    file: &Path,
    root: &Path,
    mut links_to: impl FnMut(PathBuf),
) -> Result<String> {
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for (range, dest) in addresses(text) {
        if dest.contains(':') || dest.starts_with('#') {
            continue;
        }
        let (path, anchor) = dest.split_at(dest.find('#').unwrap_or(dest.len()));
        let linked = linked_file(root, file, path)
            .with_context(|| format!("{}: the link {dest}", file.display()))?;
        let Some(at) = text[range.clone()].rfind(&dest) else {
            bail!("{}: write the link {dest} without escapes", file.display());
        };
        let start = range.start + at;
        let address = relative(&page(file), &page(&linked)) + anchor;
        edits.push((start..start + dest.len(), address));
        links_to(linked);
    }
    let mut text = text.to_owned();
    edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    for (range, address) in edits {
        text.replace_range(range, &address);
    }
    Ok(text)
}

/// Returns the address of each link and picture, and the part of the text that ends with it.
fn addresses(text: &str) -> Vec<(Range<usize>, String)> {
    let parser = new_cmark_parser(text, &MarkdownOptions::default());
    let definitions = parser.reference_definitions().iter();
    let mut found: Vec<_> = definitions
        .map(|(_, definition)| (definition.span.clone(), definition.dest.to_string()))
        .collect();
    for (event, range) in parser.into_offset_iter() {
        if let Event::Start(
            Tag::Link { link_type: LinkType::Inline, dest_url, .. }
            | Tag::Image { link_type: LinkType::Inline, dest_url, .. },
        ) = event
        {
            found.push((range, dest_url.into_string()));
        }
    }
    found
}

/// Returns the file that a link names. A link to a folder means its README.
fn linked_file(root: &Path, from: &Path, link: &str) -> Result<PathBuf> {
    let mut path = from.parent().unwrap_or(Path::new("")).to_owned();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir if path.pop() => {}
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            _ => bail!("leads out of the repository"),
        }
    }
    if root.join(&path).is_dir() {
        path.push("README.md");
    }
    if !root.join(&path).is_file() {
        bail!("leads to no file");
    }
    Ok(path)
}

/// Returns the address of one page as seen from another one.
fn relative(from: &Path, to: &Path) -> String {
    let up = from.components().count().saturating_sub(1);
    "../".repeat(up) + &to.to_string_lossy()
}

/// Adds the files that are not in `docs/` to the list of pages.
fn list_files(source: &Path, files: &BTreeSet<PathBuf>) -> Result<()> {
    let summary = source.join("SUMMARY.md");
    let mut text = fs::read_to_string(&summary)?;
    text.push_str("\n- [Files of the repository]()\n");
    for file in files.iter().filter(|file| extension(file) != "png") {
        text.push_str(&format!("  - [{}]({})\n", file.display(), page(file).display()));
    }
    fs::write(summary, text)?;
    Ok(())
}
