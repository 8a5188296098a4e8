//! The result of a call, as text for the model and as data.

use super::files::file_access::Fingerprint;
use super::findings::{Edited, Files, Found, Lines, Matches, Ran, Unreadable};
use super::fit::ends_within;
use crate::models::Media;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Why a call failed that the person cancelled while the turn goes on.
pub(super) const CANCELLED: &str = "the person cancelled it";

/// The maximum text of one result for the model, in bytes of JSON.
pub(super) const TEXT_GIVEN: usize = 24 * 1024;

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ToolResult {
    /// The text that the model reads.
    pub(crate) text: String,
    /// Whether the call failed or was not allowed.
    pub(crate) failed: bool,
    /// The result as structured data.
    pub(crate) finding: Finding,
    /// Pictures for the model, in addition to the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) images: Vec<Media>,
}

/// A result as structured data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Finding {
    /// Lines of a file.
    Lines(Lines),
    /// A file that could not be read.
    Unreadable(Unreadable),
    /// Lines that contain a text.
    Matches(Matches),
    /// Files below a folder.
    Files(Files),
    /// Files whose name matches a pattern.
    Found(Found),
    /// A file that was changed.
    Edited(Edited),
    /// A command that ran.
    Ran(Ran),
    /// The person or the policy did not allow the call.
    NotAllowed,
    /// The agent asked the person in its text, and the next prompt is the answer.
    Asked,
    /// No data beyond the text.
    Nothing,
}

impl ToolResult {
    /// The result of a call that succeeded.
    pub(super) fn done(text: impl AsRef<str>, finding: Finding) -> Self {
        Self {
            text: ends_within(text.as_ref(), TEXT_GIVEN),
            failed: false,
            finding,
            images: Vec::new(),
        }
    }

    /// The result of a call that failed, with the reason.
    pub(super) fn failed(why: impl AsRef<str>) -> Self {
        Self {
            text: ends_within(why.as_ref(), TEXT_GIVEN),
            failed: true,
            finding: Finding::Nothing,
            images: Vec::new(),
        }
    }
}

/// The result of a call that does not change anything.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(super) result: ToolResult,
    /// The file whose text the model knows now, with the fingerprint of that text.
    pub(super) saw: Option<(PathBuf, Fingerprint)>,
}

impl From<ToolResult> for Reading {
    fn from(result: ToolResult) -> Self {
        Self { result, saw: None }
    }
}
