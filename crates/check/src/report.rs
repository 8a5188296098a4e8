//! Reports of judgements for people and programs.

pub(crate) mod comparison;
mod escape;
mod html;
mod junit;
mod markdown;
mod matrix;

pub(crate) use escape::markdown;

use crate::Judgement;
use std::path::Path;

/// The file format of a report.
///
/// Every format escapes control characters from the peer or shows them as symbols, and never treats
/// its text as markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// JSON: the whole judgement, which can be read back.
    Json,
    /// JUnit XML.
    Junit,
    /// Markdown: the support of the peer.
    Markdown,
    /// HTML: everything in one self-contained page.
    Html,
}

/// Returns the support of several peers as a Markdown table with a column per judgement.
pub fn support_matrix(judgements: &[Judgement]) -> String {
    markdown::side_by_side(judgements)
}

impl Form {
    /// The file extensions of the formats, for messages.
    pub const ENDINGS: &'static str = ".json, .xml (JUnit), .md (support) or .html";

    /// Returns the format of a file by its extension.
    pub fn of_file(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "json" => Some(Self::Json),
            "xml" => Some(Self::Junit),
            "md" => Some(Self::Markdown),
            "html" | "htm" => Some(Self::Html),
            _ => None,
        }
    }

    /// Returns the judgement in this format.
    pub fn write(self, judgement: &Judgement) -> String {
        match self {
            Self::Json => escape::json(&judgement.to_json()),
            Self::Junit => junit::write(judgement),
            Self::Markdown => markdown::write(judgement),
            Self::Html => html::write(judgement),
        }
    }
}
