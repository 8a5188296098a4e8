//! Judgements as files for people and programs.

use crate::Judgement;
use std::path::Path;

/// A form in which a judgement is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// The whole judgement; it reads back.
    Json,
}

impl Form {
    /// The endings of files that stand for a form, for messages.
    pub const ENDINGS: &'static str = ".json";

    /// The form that the ending of a file's name stands for.
    pub fn of_file(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "json" => Some(Self::Json),
            _ => None,
        }
    }

    /// The judgement in this form.
    pub fn write(self, judgement: &Judgement) -> String {
        match self {
            Self::Json => judgement.to_json(),
        }
    }
}
