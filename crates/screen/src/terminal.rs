//! The terminal: its modes, its input, its output, and what it is asked to do besides showing
//! cells.

pub(crate) mod clipboard;
pub(crate) mod frame_writer;
pub(crate) mod held_stderr;
pub(crate) mod image_clipboard;
pub(crate) mod input;
pub(crate) mod kitty_clipboard;
pub(crate) mod modes;
pub(crate) mod notification;
pub(crate) mod panic_hook;
pub(crate) mod signals;
