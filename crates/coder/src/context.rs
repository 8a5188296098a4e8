//! What a model knows of a session: how full its window is, and how the older part of the conversation gives way to a summary.

mod compaction;
mod cut;
mod facts;
mod gauge;
mod summary;

pub(crate) use compaction::{Compaction, Wanted, compact, make_room, overflowed};
pub(crate) use gauge::{Gauge, room_for_an_answer, tell_fill};
pub(crate) use summary::{Compacted, Summary};
