//! Reports of judgements for people and programs.

mod capability_table;
pub(crate) mod comparison;
mod escape;
mod feature;
mod feature_state;
mod feature_table;
mod html;
mod junit;
mod markdown;
mod matrix;
mod method_link;
mod peer_state;
mod table;

pub(crate) use escape::markdown;
pub use method_link::MethodLink;

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

/// Returns the support of several peers as Markdown tables with a column per judgement. The links
/// lead from methods to the code of the peers, if it is known.
pub fn support_matrix(judgements: &[Judgement], links: &[MethodLink]) -> String {
    markdown::side_by_side(judgements, links)
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
