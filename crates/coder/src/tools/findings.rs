//! The results of tools as structured data, which sessions store and the offline model reads.

mod edited;
mod files;
mod found;
mod lines;
mod matches;
mod ran;

pub(crate) use edited::Edited;
pub(crate) use files::{FILES_NAMED, Files, KINDS_NAMED};
pub(crate) use found::Found;
pub(crate) use lines::{Lines, Unreadable};
pub(crate) use matches::{LINES_NAMED, Match, Matches, SEARCHED_FILES_NAMED};
pub(crate) use ran::Ran;
