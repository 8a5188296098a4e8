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
    Compaction, Wanted, compact, make_room, overflowed, saving, told_saving,
};
pub(crate) use fill::tell_fill;
pub(crate) use tags::tag;
pub(crate) use titles::{entitle, look, settle};
