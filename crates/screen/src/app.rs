//! The screen as a program: its state, its events, its drawing.

pub(crate) mod actions;
pub(crate) mod answering;
pub(crate) mod command_list;
pub(crate) mod commands;
pub(crate) mod drawing;
pub(crate) mod earlier;
pub(crate) mod ending;
pub(crate) mod event_loop;
pub(crate) mod events;
pub(crate) mod image_pasting;
pub(crate) mod mouse;
pub(crate) mod notices;
pub(crate) mod opening;
pub(crate) mod options;
pub(crate) mod panel_drawing;
pub(crate) mod panels;
pub(crate) mod pasted_images;
pub(crate) mod reading;
pub(crate) mod reviewing;
pub(crate) mod rewinding;
pub(crate) mod screen_settings;
pub(crate) mod sending;
pub(crate) mod setting_changes;
pub(crate) mod sharing;
pub(crate) mod shell;
pub(crate) mod shell_run;
pub(crate) mod slot;
pub(crate) mod sought;
pub(crate) mod state;
pub(crate) mod status_line;
pub(crate) mod terminal_job;
pub(crate) mod turn_end;

#[cfg(test)]
mod snapshots;
#[cfg(test)]
mod tests;
