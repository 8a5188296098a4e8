//! The full-screen terminal front end: it draws the [view](attache_view) of a hub and turns keys
//! into commands. It owns no state of a session.
//!
//! [`run`] shows the screen until the person ends it. It gets a hub, the person's rules, and
//! [`Services`], through which it uses the program around it. With [`SharedSessions`], another hub
//! keeps the sessions.
//!
//! The screen does not start agents, store sessions or know providers of models: the hub and the
//! services do.
//!
//! # Example
//!
//! A theme can be read and changed without a screen:
//!
//! ```
//! use attache_screen::theme::{ColorDepth, Glyphs, Theme};
//!
//! let dark = Theme::source("dark").expect("it is built in");
//! let (theme, errors) = Theme::parse(dark, ColorDepth::Rgb, Glyphs::UNICODE);
//! assert!(errors.is_empty() && !theme.is_light());
//! ```

mod app;
pub mod composer;
mod conversation;
pub mod keymap;
pub mod layout;
mod panel;
pub mod popup;
mod services;
mod terminal;
pub mod theme;
pub mod transcript;

pub use app::ending::{EndedSession, Ending};
pub use app::event_loop::run;
pub use app::options::{FirstSession, ScreenOptions};
pub use app::screen_settings::{SCREEN_SETTINGS, ScreenSetting, ScreenSettings};
pub use services::{
    AgentChoice, FoundText, PreparedPrompt, Served, Services, SessionChange, SharedSessions,
};
pub use terminal::held_stderr::HeldMessages;
pub use terminal::notification::NotificationMethod;
