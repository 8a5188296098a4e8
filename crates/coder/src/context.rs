//! What a model knows of a session: how full its window is, how the older part of the conversation
//! gives way to a summary; and what the session is called and about.

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
