//! The page: the files of `web/`, built and embedded, so that no Node is needed.

#[cfg(test)]
mod samples;

/// A file of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageFile {
    /// The value of `Content-Type`.
    pub content_type: &'static str,
    /// The bytes.
    pub bytes: &'static [u8],
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Declares the files of the folder `page/`.
macro_rules! files {
    ($($name:literal: $content_type:expr,)*) => {
        const FILES: &[(&str, PageFile)] = &[$(($name, PageFile {
            content_type: $content_type,
            bytes: include_bytes!(concat!("../page/", $name)),
        })),*];
    };
}

files! {
    "index.html": HTML,
    "login.html": HTML,
    "trace.html": HTML,
    "app.js": SCRIPT,
    "login.js": SCRIPT,
    "trace.js": SCRIPT,
    "page.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
    "manifest.webmanifest": "application/manifest+json",
}

/// Returns the file with this name, such as `login.html`; `None` if there is none. Names are
/// compared exactly.
pub fn file(name: &str) -> Option<PageFile> {
    FILES.iter().find(|(known, _)| *known == name).map(|(_, file)| *file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn each_file_of_the_folder_is_embedded() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
        let names = std::fs::read_dir(folder).unwrap();
        let names: BTreeSet<String> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        assert_eq!(names, FILES.iter().map(|(name, _)| (*name).to_owned()).collect());
    }

    #[test]
    fn only_exact_names_are_found() {
        assert_eq!(file("index.html").map(|file| file.content_type), Some(HTML));
        for name in ["", "/index.html", "INDEX.HTML", "../Cargo.toml", "page.rs"] {
            assert_eq!(file(name), None, "{name}");
        }
    }

    /// The policy forbids scripts and styles inside of a page.
    #[test]
    fn pages_have_no_inline_scripts_and_styles() {
        for (path, page) in FILES.iter().filter(|(_, page)| page.content_type == HTML) {
            let text = std::str::from_utf8(page.bytes).unwrap();
            assert!(!text.contains("style="), "{path}");
            assert!(!text.contains("<style"), "{path}");
            let scripts = text.matches("<script").count();
            assert_eq!(scripts, text.matches("<script type=\"module\" src=\"/").count(), "{path}");
        }
    }
}
