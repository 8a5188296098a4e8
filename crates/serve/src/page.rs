//! The page: the files of `web/`, built and embedded, so that no Node is needed.

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

/// Declares the files: path, content type, name in `page/`.
macro_rules! files {
    ($($path:literal, $content_type:expr, $name:literal;)*) => {
        const FILES: &[(&str, PageFile)] = &[$(($path, PageFile {
            content_type: $content_type,
            bytes: include_bytes!(concat!("../page/", $name)),
        })),*];

        #[cfg(test)]
        const NAMES: &[&str] = &[$($name),*];
    };
}

files! {
    "/", HTML, "index.html";
    "/login", HTML, "login.html";
    "/trace", HTML, "trace.html";
    "/app.js", SCRIPT, "app.js";
    "/login.js", SCRIPT, "login.js";
    "/trace.js", SCRIPT, "trace.js";
    "/page.css", "text/css; charset=utf-8", "page.css";
    "/icon.svg", "image/svg+xml", "icon.svg";
    "/manifest.webmanifest", "application/manifest+json", "manifest.webmanifest";
}

/// The value of `Content-Security-Policy` with which every file works.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'self'; base-uri 'none'; \
    form-action 'self'; frame-ancestors 'none'; object-src 'none'";

/// Returns the file at this path of an address, such as `/login`; `None` if there is none. Paths
/// are compared exactly.
pub fn file(path: &str) -> Option<PageFile> {
    FILES.iter().find(|(known, _)| *known == path).map(|(_, file)| *file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn each_file_of_the_folder_has_a_path() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
        let names = std::fs::read_dir(folder).unwrap();
        let names: BTreeSet<String> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        assert_eq!(names, NAMES.iter().map(|name| (*name).to_owned()).collect());
    }

    #[test]
    fn only_exact_paths_are_found() {
        assert_eq!(file("/").map(|file| file.content_type), Some(HTML));
        for path in ["", "/index.html", "//", "/../Cargo.toml", "/login/", "/LOGIN", "/page.rs"] {
            assert_eq!(file(path), None, "{path}");
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
