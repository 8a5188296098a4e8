//! The full-screen terminal front end: it draws the [view](attache_view) of a hub and turns keys
//! into commands. It owns no state of a session.

pub mod composer;
pub mod keymap;
pub mod popup;
