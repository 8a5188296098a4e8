//! A pattern for paths.

use globset::{GlobBuilder, GlobMatcher};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::path::Path;

/// A pattern for paths, relative to the project's folder or absolute.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: String,
    matcher: GlobMatcher,
}

impl Pattern {
    /// Reads a pattern: `*` and `?` do not match `/`, but `**` does.
    pub fn new(text: &str) -> Result<Self, String> {
        if text.starts_with("~")
            || text.starts_with("./")
            || text.split('/').any(|part| part == "..")
        {
            return Err(
                "a path is relative to the project's folder or begins with /, and contains no `..`"
                    .to_owned(),
            );
        }
        let glob = GlobBuilder::new(text).literal_separator(true).build();
        let matcher = glob.map_err(|error| error.kind().to_string())?.compile_matcher();
        Ok(Self { text: text.to_owned(), matcher })
    }

    /// The pattern as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the pattern that matches only this path.
    pub fn exactly(path: &str) -> Option<Self> {
        Self::new(&globset::escape(path)).ok()
    }

    /// Whether the pattern matches this path, which is given relative to its root and as an
    /// absolute path.
    pub fn covers(&self, relative: &str, absolute: &Path) -> bool {
        if self.text.starts_with('/') {
            self.matcher.is_match(absolute)
        } else {
            self.matcher.is_match(relative)
        }
    }

    /// Whether the pattern matches only one path. A rule with any other pattern does not allow
    /// actions on protected files.
    pub fn is_exact(&self) -> bool {
        !self.text.contains(['*', '?', '[', '{', '\\'])
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Pattern {}

impl Serialize for Pattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}
