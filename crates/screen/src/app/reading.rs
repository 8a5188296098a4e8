//! Reading the conversation: scrolling, searching, folding, copying.

use crate::app::sought::Sought;
use crate::app::state::App;
use crate::keymap::Action;
use crate::panel::link::LinkPanel;
use crate::panel::pager::PagerPanel;
use crate::panel::request::Request;
use crate::panel::search::SearchPanel;
use crate::transcript::{Click, Jump, Scroll, Transcript};
use attache_view::RowContent;
use ratatui::layout::Position;

impl App {
    fn transcript(&mut self) -> Option<&mut Transcript> {
        let slot = self.slots.get_mut(self.focus)?;
        slot.conversation_mut().map(|conversation| &mut conversation.transcript)
    }

    /// Does an action of reading. Returns whether the action is one.
    pub(crate) fn read(&mut self, action: Action) -> bool {
        let is_unfolded = self.is_unfolded;
        let Some(transcript) = self.transcript() else { return false };
        match action {
            Action::ScrollUp => transcript.scroll(Scroll::Lines(-1)),
            Action::ScrollDown => transcript.scroll(Scroll::Lines(1)),
            Action::PageUp => transcript.scroll(Scroll::PageUp),
            Action::PageDown => transcript.scroll(Scroll::PageDown),
            Action::HalfPageUp => transcript.scroll(Scroll::HalfPageUp),
            Action::HalfPageDown => transcript.scroll(Scroll::HalfPageDown),
            Action::Top => {
                transcript.scroll(Scroll::Start);
                self.seek(Sought::Start);
            }
            Action::Bottom => transcript.scroll(Scroll::End),
            Action::PreviousMessage => self.jump(Jump::PreviousMessage),
            Action::NextMessage => self.jump(Jump::NextMessage),
            Action::PreviousToolCall => self.jump(Jump::PreviousToolCall),
            Action::NextToolCall => self.jump(Jump::NextToolCall),
            Action::Search => self.open_panel(SearchPanel::default()),
            Action::NextMatch => {
                transcript.search_next(false);
            }
            Action::PreviousMatch => {
                transcript.search_next(true);
            }
            Action::Fold => transcript.toggle_fold(),
            Action::FoldAll => {
                transcript.fold_all(is_unfolded);
                self.is_unfolded = !is_unfolded;
            }
            Action::OpenPager => self.open_pager(),
            Action::Review => self.review(),
            Action::CopyMessage => self.copy_selected(|it| it.selected_text()),
            Action::CopyCode => self.copy_selected(|it| it.selected_code().into_iter().next_back()),
            Action::CopyCommand => self.copy_selected(|it| it.selected_command()),
            Action::StopCall => self.stop_call(),
            _ => return false,
        }
        self.is_dirty = true;
        true
    }

    fn jump(&mut self, jump: Jump) {
        self.is_reading = true;
        let jumped = self.transcript().is_some_and(|transcript| transcript.jump(jump));
        let is_backwards = matches!(jump, Jump::PreviousMessage | Jump::PreviousToolCall);
        let goes_on = jumped || is_backwards && self.seek(Sought::Jump(jump));
        if !goes_on {
            self.notices.info("there is nothing further in this direction");
        }
    }

    /// Copies something of the selected row; without a selection, of the last answer.
    fn copy_selected(&mut self, what: impl Fn(&Transcript) -> Option<String>) {
        let Some(transcript) = self.transcript() else { return };
        if transcript.selected().is_none() {
            transcript.jump(Jump::PreviousMessage);
        }
        match what(transcript) {
            Some(text) => self.copy(&text),
            None => self.notices.info("the selected row has nothing of this kind to copy"),
        }
    }

    /// Shows the whole selected row, or the last tool call.
    fn open_pager(&mut self) {
        let Some(transcript) = self.transcript() else { return };
        if transcript.selected().is_none() {
            transcript.jump(Jump::PreviousToolCall);
        }
        let row = transcript.selected().and_then(|index| transcript.row(index)).cloned();
        match row {
            Some(row) => self.open_panel(PagerPanel::new(&row)),
            None => {
                self.notices.info("no row is selected: [ and ] select messages, { and } tool calls")
            }
        }
    }

    /// Stops the selected tool call alone, if the agent can do that.
    fn stop_call(&mut self) {
        let call = self.transcript().and_then(|transcript| {
            let row = transcript.row(transcript.selected()?)?;
            match &row.content {
                RowContent::ToolCall(call) => Some((call.id.clone(), call.can_cancel)),
                _ => None,
            }
        });
        let Some((id, true)) = call else {
            return self.notices.info("this row cannot be stopped alone; Esc cancels the turn");
        };
        if id.starts_with("shell-") {
            if let Some(slot) = self.slot_mut() {
                slot.stop_shell();
            }
            return;
        }
        self.request(Request::StopCall(id));
    }

    pub(crate) fn scroll_conversation(&mut self, rows: i32) {
        if let Some(transcript) = self.transcript() {
            transcript.scroll(Scroll::Lines(rows as isize));
        }
    }

    pub(crate) fn click_conversation(&mut self, at: Position) {
        let Some(transcript) = self.transcript() else { return };
        match transcript.click(at.x, at.y) {
            Click::Link(address) => self.open_panel(LinkPanel::new(&address)),
            Click::Row(_) => self.is_reading = true,
            _ => {}
        }
    }
}
