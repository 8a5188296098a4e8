//! Panels: lists, forms and questions over the conversation. A panel owns only what the person does
//! in it; the rest is read from the hub each time it is drawn.

pub(crate) mod agents;
pub(crate) mod attention;
pub(crate) mod choice_list;
pub(crate) mod drawing;
pub(crate) mod form;
pub(crate) mod line_input;
pub(crate) mod link;
pub(crate) mod open_sessions;
pub(crate) mod page;
pub(crate) mod pager;
pub(crate) mod permission;
#[cfg(test)]
pub(crate) mod pictures;
mod plan_preview;
pub(crate) mod queue;
pub(crate) mod request;
pub(crate) mod review;
pub(crate) mod search;
pub(crate) mod sessions;
pub(crate) mod settings;
pub(crate) mod timeline;

use crate::app::screen_settings::ScreenValue;
use crate::keymap::{Action, Context};
use crate::services::FoundText;
use crate::theme::Theme;
use attache_checkpoint::Plan;
use attache_client::{Hub, HubSession};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use request::Request;
use review::ReviewedChanges;
use std::time::Duration;

/// A question takes keys after it was visible for this long, and after this long without a key:
/// the person typed the keys before it for something else.
pub(crate) const QUIET: Duration = Duration::from_millis(300);

/// What panels read.
pub(crate) struct Facts<'a> {
    /// The hub with all agents and sessions.
    pub(crate) hub: &'a Hub,
    /// The session that the person looks at; `None` until it is open.
    pub(crate) session: Option<&'a HubSession>,
    /// The settings of the screen.
    pub(crate) screen: &'a [ScreenValue],
    /// The time, in milliseconds since 1970.
    pub(crate) now: i64,
}

/// What happens after a key.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The panel stays.
    Stay,
    /// The panel closes.
    Close,
    /// The panel stays, and this is done.
    Do(Request),
    /// The panel closes, and this is done.
    CloseAnd(Request),
}

/// A panel over the conversation.
pub(crate) trait Panel: Send {
    /// The title.
    fn title(&self) -> String;

    /// The part of the keymap that applies.
    fn context(&self) -> Context;

    /// The most useful actions now, with what they do in one or two words.
    fn hints(&self) -> Vec<(Action, &'static str)>;

    /// Reads the current state. Called before each drawing.
    fn refresh(&mut self, _facts: &Facts<'_>) {}

    /// Whether the panel uses the whole width of a wide terminal.
    fn is_wide(&self) -> bool {
        false
    }

    /// The number of rows that the content wants.
    fn height(&self, width: u16) -> u16;

    /// Draws the content.
    fn render(&mut self, area: Rect, buffer: &mut Buffer, theme: &Theme);

    /// Notes that the terminal shows what [`render`](Self::render) drew last. Returns whether it
    /// shows any of the content.
    fn was_shown(&mut self) -> bool {
        true
    }

    /// Whether [`Action::Cancel`] cancels the turn. Otherwise the panel handles it.
    fn cancels_turn(&self) -> bool {
        false
    }

    /// Handles a key, which does this action in the panel's context.
    fn key(&mut self, action: Option<Action>, key: KeyEvent) -> Outcome;

    /// Takes the result of a search in the texts of sessions.
    fn found(&mut self, _text: String, _found: Vec<FoundText>) {}

    /// Takes the plan of a restore that the panel asked for. Returns what to say to the person.
    fn planned(&mut self, _planned: Result<Plan, String>) -> Result<(), String> {
        Ok(())
    }

    /// Takes the changes of a review after a decision of the person.
    fn reviewed(&mut self, _changes: ReviewedChanges) {}

    /// Handles pasted text; `false` if the panel has no place for it.
    fn paste(&mut self, _text: &str) -> bool {
        false
    }

    /// Returns the text that the person typed and that would be lost with the panel.
    fn typed_text(&self) -> String {
        String::new()
    }

    /// Scrolls by this many rows, downwards if positive.
    fn scroll(&mut self, _rows: i32) {}

    /// Handles a click on this row of the content.
    fn click(&mut self, _row: u16) -> Outcome {
        Outcome::Stay
    }
}
