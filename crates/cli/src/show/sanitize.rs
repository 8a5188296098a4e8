//! Text without control characters: see the view.

pub(crate) use attache_view::sanitize::*;
