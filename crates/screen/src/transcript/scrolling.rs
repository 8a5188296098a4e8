//! Scrolling and jumping.

use super::Transcript;
use super::row_list::Position;
use attache_view::RowContent;

/// How to scroll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scroll {
    /// Some lines down, or up if negative.
    Lines(isize),
    /// Half a page up.
    HalfPageUp,
    /// Half a page down.
    HalfPageDown,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// To the first line.
    Start,
    /// To the last line; the transcript then follows what is added.
    End,
}

/// Where to jump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Jump {
    /// To the previous prompt or answer.
    PreviousMessage,
    /// To the next prompt or answer.
    NextMessage,
    /// To the previous prompt.
    PreviousPrompt,
    /// To the next prompt.
    NextPrompt,
    /// To the previous tool call.
    PreviousToolCall,
    /// To the next tool call.
    NextToolCall,
    /// To the previous row.
    PreviousRow,
    /// To the next row.
    NextRow,
}

impl Transcript {
    /// Scrolls.
    pub fn scroll(&mut self, scroll: Scroll) {
        let page = self.frame.height.saturating_sub(1).max(1);
        let half = (self.frame.height / 2).max(1);
        let top = self.top();
        self.top = match scroll {
            Scroll::Lines(count) if count < 0 => self.rows.up(top, count.unsigned_abs()),
            Scroll::Lines(count) => self.rows.down(top, count.unsigned_abs()),
            Scroll::HalfPageUp => self.rows.up(top, half),
            Scroll::HalfPageDown => self.rows.down(top, half),
            Scroll::PageUp => self.rows.up(top, page),
            Scroll::PageDown => self.rows.down(top, page),
            Scroll::Start => self.rows.first_line(),
            Scroll::End => self.rows.last_line(),
        };
        self.follows = false;
        self.settle();
    }

    /// Jumps to a row and selects it. Returns whether there is such a row.
    pub fn jump(&mut self, jump: Jump) -> bool {
        let from = self.selected.filter(|row| self.frame.rows().contains(row));
        let backwards =
            matches!(jump, Jump::PreviousMessage | Jump::PreviousPrompt | Jump::PreviousToolCall)
                || jump == Jump::PreviousRow;
        let top = self.top();
        // A row whose beginning is hidden is a previous one.
        let hidden = top > Position::row(top.row);
        let wanted = |index: &usize| {
            let slot = self.rows.slots.get(*index);
            slot.is_some_and(|slot| !slot.is_empty() && matches_jump(&slot.row.content, jump))
        };
        let found = if backwards {
            // Without a selection, all rows are previous ones of the end that is shown.
            let last = if self.follows { self.rows.len() } else { top.row + usize::from(hidden) };
            let end = from.unwrap_or(last);
            (0..end.min(self.rows.len())).rev().find(wanted)
        } else {
            let start = from.map_or(top.row + usize::from(hidden), |row| row + 1);
            (start..self.rows.len()).find(wanted)
        };
        let Some(row) = found else { return false };
        self.selected = Some(row);
        let stays = matches!(jump, Jump::PreviousRow | Jump::NextRow) && self.shows_start_of(row);
        if !stays {
            self.top = Position::row(row);
            self.follows = false;
            self.settle();
        }
        true
    }

    /// Whether the first line of a row is visible.
    fn shows_start_of(&mut self, row: usize) -> bool {
        let top = self.top();
        let last = self.rows.down(top, self.frame.height.saturating_sub(1));
        (top..=last).contains(&Position::row(row))
    }
}

fn matches_jump(content: &RowContent, jump: Jump) -> bool {
    match jump {
        Jump::PreviousRow | Jump::NextRow => true,
        Jump::PreviousPrompt | Jump::NextPrompt => matches!(content, RowContent::Prompt { .. }),
        Jump::PreviousMessage | Jump::NextMessage => {
            matches!(content, RowContent::Prompt { .. } | RowContent::Answer { .. })
        }
        Jump::PreviousToolCall | Jump::NextToolCall => matches!(content, RowContent::ToolCall(_)),
    }
}
