//! The output for a person at a terminal: the answer as it arrives, dimmed reasoning, and progress
//! between them.

use super::paint::DIM;
use super::progress::{Progress, Style};
use super::{Item, Show, tool_call};
use crate::run::session::Opened;
use attache_session::MessageAuthor;
use attache_view::sanitize;
use std::io::{self, Write};

/// The kind of the last output. Output of another kind starts after a blank line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Nothing,
    Text,
    Thought,
    Progress,
}

/// Writes everything to one stream, in order.
pub(crate) struct Terminal<W> {
    progress: Progress<W>,
    last: Part,
    /// Whether the cursor is in an unfinished line.
    inside_line: bool,
}

impl<W: Write> Terminal<W> {
    pub(crate) fn new(out: W, style: Style) -> Self {
        Self { progress: Progress::new(out, style), last: Part::Nothing, inside_line: false }
    }

    /// Ends the current line, and adds a blank line before another kind of output.
    fn part(&mut self, part: Part) -> io::Result<()> {
        if self.last == part {
            return Ok(());
        }
        let between = match (self.inside_line, self.last) {
            (_, Part::Nothing) => "",
            (true, _) => "\n\n",
            (false, _) => "\n",
        };
        write!(self.progress.out(), "{between}")?;
        (self.inside_line, self.last) = (false, part);
        Ok(())
    }

    fn text(&mut self, text: &str, part: Part) -> io::Result<()> {
        let text = sanitize::text(text);
        // Leading blank lines are omitted.
        let text = if self.last == part { &*text } else { text.trim_start_matches('\n') };
        let Some(end) = text.chars().next_back() else { return Ok(()) };
        self.part(part)?;
        let paint = self.progress.style().paint;
        let painted = if part == Part::Thought { paint.paint(DIM, text) } else { text.to_owned() };
        write!(self.progress.out(), "{painted}")?;
        self.inside_line = end != '\n';
        self.progress.out().flush()
    }
}

impl<W: Write + Send> Show for Terminal<W> {
    fn show(&mut self, item: Item<'_>) -> io::Result<()> {
        match item {
            Item::Text(text) => self.text(text, Part::Text),
            Item::Thought(text) => self.text(text, Part::Thought),
            Item::Content { author: MessageAuthor::Thought, block } => {
                self.text(&tool_call::block(block), Part::Thought)
            }
            Item::Content { block, .. } => self.text(&tool_call::block(block), Part::Text),
            Item::Message(_) if self.last == Part::Text || self.last == Part::Thought => {
                self.pause()
            }
            // Most of these items show nothing, so no blank line is needed before them.
            Item::Session { opened: Opened::New, title: None, .. }
            | Item::Title(_)
            | Item::Config(_)
            | Item::Usage(_)
            | Item::Agent(_)
            | Item::Message(_)
            | Item::Error { .. }
            | Item::Prompt { count: 1, .. } => self.progress.show(&item),
            _ => {
                self.part(Part::Progress)?;
                self.progress.show(&item)
            }
        }
    }

    fn pause(&mut self) -> io::Result<()> {
        if self.last != Part::Nothing {
            self.part(Part::Progress)?;
        }
        self.progress.out().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show::paint::Paint;
    use crate::show::tool_call::Bound;
    use attache_protocol::v2::ToolCallStatus;
    use attache_session::ToolCall;

    fn terminal() -> Terminal<Vec<u8>> {
        let columns = || Some(60);
        Terminal::new(
            Vec::new(),
            Style { paint: Paint { colours: false }, columns, rewrite: true, bound: Bound::Short },
        )
    }

    fn written(terminal: &Terminal<Vec<u8>>) -> String {
        String::from_utf8(terminal.progress.written().clone()).unwrap()
    }

    fn call(id: &str, status: ToolCallStatus) -> ToolCall {
        let mut call = ToolCall::new(id, format!("call {id}"));
        call.status = status;
        call
    }

    /// Returns the screen after this output, as far as the written sequences need.
    fn screen(output: &str) -> Vec<String> {
        let (mut lines, mut row) = (vec![String::new()], 0_usize);
        let mut rest = output;
        while let Some(character) = rest.chars().next() {
            rest = &rest[character.len_utf8()..];
            match character {
                '\n' => {
                    row += 1;
                    if row == lines.len() {
                        lines.push(String::new());
                    }
                }
                '\r' => assert!(rest.starts_with('\u{1b}'), "text overwrites a line"),
                '\u{1b}' => {
                    let end = rest.find(char::is_alphabetic).unwrap();
                    let count = rest[1..end].parse().unwrap_or(1);
                    match &rest[end..=end] {
                        "A" => row -= count,
                        "B" => row += count,
                        "K" => lines[row].clear(),
                        other => panic!("unknown sequence {other}"),
                    }
                    rest = &rest[end + 1..];
                }
                character => lines[row].push(character),
            }
        }
        lines
    }

    #[test]
    fn a_call_keeps_its_line_while_its_status_changes() {
        let mut terminal = terminal();
        for (id, status) in [
            ("a", ToolCallStatus::Pending),
            ("b", ToolCallStatus::Pending),
            ("a", ToolCallStatus::InProgress),
            ("b", ToolCallStatus::InProgress),
            ("a", ToolCallStatus::Completed),
            ("a", ToolCallStatus::Completed),
            ("b", ToolCallStatus::Failed),
        ] {
            terminal.show(Item::ToolCall(&call(id, status))).unwrap();
        }
        assert_eq!(screen(&written(&terminal)), ["✓ other   call a", "✗ other   call b", ""]);
    }

    #[test]
    fn a_call_above_text_is_repeated_below_it() {
        let mut terminal = terminal();
        terminal.show(Item::ToolCall(&call("a", ToolCallStatus::InProgress))).unwrap();
        terminal.show(Item::Text("\n\nmeanwhile")).unwrap();
        terminal.show(Item::Text(" this")).unwrap();
        terminal.show(Item::ToolCall(&call("a", ToolCallStatus::Completed))).unwrap();
        let expected = ["◐ other   call a", "", "meanwhile this", "", "✓ other   call a", ""];
        assert_eq!(screen(&written(&terminal)), expected);
    }

    #[test]
    fn a_running_call_shows_its_last_line_of_output() {
        let mut terminal = terminal();
        let mut call = call("a", ToolCallStatus::InProgress);
        call.content =
            vec![attache_protocol::v1::ContentBlock::text("one\ntwo\u{1b}[2J\n").into()].into();
        terminal.show(Item::ToolCall(&call)).unwrap();
        assert_eq!(screen(&written(&terminal)), ["◐ other   call a  two", ""]);
        call.status = ToolCallStatus::Completed;
        terminal.show(Item::ToolCall(&call)).unwrap();
        assert_eq!(screen(&written(&terminal)), ["✓ other   call a", "    one", "    two", ""]);
    }

    #[test]
    fn a_plan_is_updated_in_place() {
        use attache_protocol::v1::{PlanEntry, PlanEntryPriority, PlanEntryStatus};
        let mut terminal = terminal();
        let plan = |first, second| {
            let entry = |text: &str, status| PlanEntry::new(text, PlanEntryPriority::High, status);
            attache_session::PlanContent::Items(vec![entry("look", first), entry("act", second)])
        };
        terminal
            .show(Item::Plan(&plan(PlanEntryStatus::InProgress, PlanEntryStatus::Pending)))
            .unwrap();
        terminal.show(Item::ToolCall(&call("a", ToolCallStatus::Pending))).unwrap();
        terminal
            .show(Item::Plan(&plan(PlanEntryStatus::Completed, PlanEntryStatus::InProgress)))
            .unwrap();
        terminal.show(Item::ToolCall(&call("a", ToolCallStatus::Completed))).unwrap();
        let expected = ["plan 1/2", "  ☑ look", "  ▶ act", "✓ other   call a", ""];
        assert_eq!(screen(&written(&terminal)), expected);
        terminal.show(Item::Text("so\n")).unwrap();
        terminal
            .show(Item::Plan(&plan(PlanEntryStatus::Completed, PlanEntryStatus::Completed)))
            .unwrap();
        let shown = screen(&written(&terminal));
        assert_eq!(shown[shown.len() - 3..], ["", "  ☑ act", ""]);
    }

    #[test]
    fn calls_are_rewritten_only_within_reach_of_the_cursor() {
        let mut terminal = terminal();
        for id in 0..30 {
            terminal.show(Item::ToolCall(&call(&id.to_string(), ToolCallStatus::Pending))).unwrap();
        }
        terminal.show(Item::ToolCall(&call("0", ToolCallStatus::Completed))).unwrap();
        terminal.show(Item::ToolCall(&call("29", ToolCallStatus::Completed))).unwrap();
        let screen = screen(&written(&terminal));
        assert_eq!(screen.len(), 32);
        assert_eq!((&*screen[29], &*screen[30]), ("✓ other   call 29", "✓ other   call 0"));
    }

    #[test]
    fn text_of_an_agent_cannot_control_the_terminal() {
        let mut terminal = terminal();
        terminal.show(Item::Thought("hm\u{1b}]0;x\u{7}")).unwrap();
        terminal.show(Item::Text("\u{1b}[2Jhello\u{9b}1m\r\n")).unwrap();
        terminal.pause().unwrap();
        assert_eq!(written(&terminal), "hm\n\nhello\n\n");
    }
}
