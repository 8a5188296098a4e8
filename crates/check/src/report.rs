//! Judgements as files for people and programs.

pub(crate) mod comparison;
mod escape;
mod html;
mod junit;
mod markdown;
mod matrix;

pub(crate) use escape::markdown;

use crate::Judgement;
use std::path::Path;

/// A form in which a judgement is written.
///
/// In each control characters of what a peer said are shown by pictures, or escaped, and nothing
/// that it said is markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// The whole judgement; it reads back.
    Json,
    /// JUnit XML.
    Junit,
    /// What the peer supports, as Markdown to be kept.
    Markdown,
    /// Everything, as one page that needs nothing else.
    Html,
}

/// What several peers support, side by side, as Markdown: a column for each judgement.
pub fn support_matrix(judgements: &[Judgement]) -> String {
    markdown::side_by_side(judgements)
}

impl Form {
    /// The endings of files that stand for a form, for messages.
    pub const ENDINGS: &'static str = ".json, .xml (JUnit), .md (what is supported) or .html";

    /// The form that the ending of a file's name stands for.
    pub fn of_file(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "json" => Some(Self::Json),
            "xml" => Some(Self::Junit),
            "md" => Some(Self::Markdown),
            "html" | "htm" => Some(Self::Html),
            _ => None,
        }
    }

    /// The judgement in this form.
    pub fn write(self, judgement: &Judgement) -> String {
        match self {
            Self::Json => escape::json(&judgement.to_json()),
            Self::Junit => junit::write(judgement),
            Self::Markdown => markdown::write(judgement),
            Self::Html => html::write(judgement),
        }
    }
}
