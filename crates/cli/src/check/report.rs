//! The results of judging, on the terminal and in files.

pub(super) mod baseline;
pub(super) mod colour;
pub(super) mod listener;
pub(super) mod progress;
pub(super) mod report_file;
pub(crate) mod tally;
pub(super) mod verdicts;
