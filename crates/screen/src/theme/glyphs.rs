//! The characters that the screen draws besides text.

use attache_view::{CallStatus, NoticeLevel, StepState};
use ratatui::buffer::Buffer;

/// The characters that the screen draws besides text: marks, bullets, borders. Each is one column
/// wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Glyphs {
    /// Whether the characters are outside of ASCII.
    pub unicode: bool,
    /// Before the person's prompts.
    pub prompt: &'static str,
    /// Before the lines of a selected row.
    pub selected: &'static str,
    /// A folded row.
    pub folded: &'static str,
    /// An unfolded row.
    pub unfolded: &'static str,
    /// The bullets of lists, by depth.
    pub bullets: [&'static str; 3],
    /// A task that is not done.
    pub open: &'static str,
    /// A task that is done.
    pub done: &'static str,
    /// Something that failed.
    pub failed: &'static str,
    /// Something that was cancelled.
    pub cancelled: &'static str,
    /// Something that runs.
    pub running: &'static str,
    /// Something that is paused.
    pub paused: &'static str,
    /// Something that waits for the person.
    pub asking: &'static str,
    /// Information.
    pub info: &'static str,
    /// A warning.
    pub warning: &'static str,
    /// A vertical line.
    pub vertical: &'static str,
    /// A horizontal line.
    pub horizontal: &'static str,
    /// A crossing of lines.
    pub cross: &'static str,
    /// The corners of a box: top left, top right, bottom left, bottom right.
    pub corners: [&'static str; 4],
    /// Omitted text.
    pub ellipsis: &'static str,
    /// Between parts of a line.
    pub separator: &'static str,
    /// Below the last visible row.
    pub down: &'static str,
    /// Above the first visible row.
    pub up: &'static str,
    /// Between the earlier and the later name of a file.
    pub arrow: &'static str,
    /// The minus sign of a number of removed lines.
    pub minus: &'static str,
    /// The handle of a scroll bar.
    pub scroll_handle: &'static str,
}

impl Glyphs {
    /// The characters for terminals that draw Unicode.
    pub const UNICODE: Self = Self {
        unicode: true,
        prompt: "›",
        selected: "▌",
        folded: "▸",
        unfolded: "▾",
        bullets: ["•", "◦", "‣"],
        open: "○",
        done: "✓",
        failed: "✗",
        cancelled: "⊘",
        running: "◐",
        paused: "‖",
        asking: "?",
        info: "ℹ",
        warning: "⚠",
        vertical: "│",
        horizontal: "─",
        cross: "┼",
        corners: ["┌", "┐", "└", "┘"],
        ellipsis: "…",
        separator: "·",
        down: "↓",
        up: "↑",
        arrow: "→",
        minus: "−",
        scroll_handle: "█",
    };

    /// The characters for terminals that draw only ASCII.
    pub const ASCII: Self = Self {
        unicode: false,
        prompt: ">",
        selected: "#",
        folded: "+",
        unfolded: "-",
        bullets: ["*", "-", "o"],
        open: ".",
        done: "v",
        failed: "x",
        cancelled: "/",
        running: "*",
        paused: "=",
        asking: "?",
        info: "i",
        warning: "!",
        vertical: "|",
        horizontal: "-",
        cross: "+",
        corners: ["+", "+", "+", "+"],
        ellipsis: "~",
        separator: "-",
        down: "v",
        up: "^",
        arrow: ">",
        minus: "-",
        scroll_handle: "#",
    };

    /// Chooses the characters by the environment: Unicode if the locale uses UTF-8 and the terminal
    /// is not the console of Linux, whose font lacks most of them. `variable` returns the value of
    /// a variable.
    pub fn detect(variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
        let locale = locale.unwrap_or_default().to_ascii_lowercase();
        let utf8 = locale.contains("utf-8") || locale.contains("utf8");
        let plain = set("TERM").is_some_and(|term| term == "linux" || term == "dumb");
        if utf8 && !plain { Self::UNICODE } else { Self::ASCII }
    }

    /// Replaces typographic characters by ASCII, if the terminal draws only that.
    pub(crate) fn simplify(&self, buffer: &mut Buffer) {
        if self.unicode {
            return;
        }
        for cell in &mut buffer.content {
            let simple = match cell.symbol() {
                "…" => "~",
                "·" | "–" | "—" | "−" => "-",
                "‘" | "’" => "'",
                "“" | "”" => "\"",
                "→" => ">",
                _ => continue,
            };
            cell.set_symbol(simple);
        }
    }

    /// Returns the mark of a tool call.
    pub fn call(&self, status: CallStatus) -> &'static str {
        match status {
            CallStatus::Pending => self.open,
            CallStatus::Asking => self.asking,
            CallStatus::Running => self.running,
            CallStatus::Paused => self.paused,
            CallStatus::Completed => self.done,
            CallStatus::Failed => self.failed,
            CallStatus::Cancelled => self.cancelled,
        }
    }

    /// Returns the mark of a step of a plan.
    pub fn step(&self, state: StepState) -> &'static str {
        match state {
            StepState::Pending => self.open,
            StepState::Running => self.running,
            StepState::Done => self.done,
            StepState::Cancelled => self.cancelled,
        }
    }

    /// Returns the mark of a notice.
    pub fn notice(&self, level: NoticeLevel) -> &'static str {
        match level {
            NoticeLevel::Info => self.info,
            NoticeLevel::Warning => self.warning,
            NoticeLevel::Error => self.failed,
        }
    }

    /// Returns the bullet of a list of this depth.
    pub fn bullet(&self, depth: u8) -> &'static str {
        let index = usize::from(depth) % self.bullets.len();
        self.bullets.get(index).copied().unwrap_or("*")
    }
}
