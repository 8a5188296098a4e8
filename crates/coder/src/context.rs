//! The model's context: how full its window is, summaries of older conversation, and the title and
//! tags of the session.

mod compaction;
mod cut;
mod facts;
mod fill;
mod summary;
mod tags;
mod titles;

pub(crate) use compaction::{
    Compaction, CompactionReason, compact, make_room, report_saving, saving, shorten,
};
pub(crate) use fill::{report_fill, report_window};
pub(crate) use tags::tag_session;
pub(crate) use titles::{set_first_title, start_title_search, stop_title_search};
