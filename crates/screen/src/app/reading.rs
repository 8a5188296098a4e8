//! Reading the conversation: scrolling, searching, folding, copying.

use crate::app::slot::SlotId;
use crate::app::state::App;
use crate::keymap::Action;
use ratatui::layout::Position;

impl App {
    /// Does an action of reading; `false` if it is none.
    pub(crate) fn read(&mut self, _action: Action) -> bool {
        false
    }

    pub(crate) fn scroll_conversation(&mut self, _rows: i32) {}

    pub(crate) fn click_conversation(&mut self, _at: Position) {}

    pub(crate) fn run_shell(&mut self, _line: &str) {}

    pub(crate) fn shell_ended(&mut self, _slot: SlotId, _run: usize) {}
}
