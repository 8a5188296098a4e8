//! Lists beside the composer: files, commands and earlier prompts.

mod file_finder;
mod fuzzy;
mod list_popup;
mod row_text;

pub use file_finder::{FileFinder, FoundFile, FoundFiles};
pub use fuzzy::{Matcher, Pattern};
pub use list_popup::{ListItem, ListPopup, ListStyles, MAX_ROWS, place};

#[cfg(test)]
mod tests;
