//! The output for a person at a terminal: the answer as it arrives, dimmed reasoning, and progress
//! between them.

use super::answer::Answer;
use super::paint::DIM;
use super::progress::{Progress, Style};
use super::{Item, Show, tool_call, width};
use crate::run::session::Opened;
use attache_screen::layout::DrawnLine;
use attache_screen::theme::Theme;
use attache_session::MessageAuthor;
use attache_view::sanitize;
use std::io::{self, Write};

/// The kind of the last output. Output of another kind starts after a blank line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Nothing,
    Text,
    Thought,
    /// A message that has ended.
    Ended,
    Progress,
}

/// The width of a terminal that does not say it.
const COLUMNS: usize = 80;

/// Writes everything to one stream, in order.
///
/// Messages are Markdown. If lines can be rewritten, blocks are written when they are complete, and
/// the rest when the message ends. Otherwise words are written when they are complete.
pub(crate) struct Terminal<W: Write> {
    progress: Progress<W>,
    theme: Theme,
    last: Part,
    /// Whether the cursor is in an unfinished line.
    inside_line: bool,
    /// The message that is being written, and its kind.
    answer: Option<(Part, Answer)>,
    /// The activity in the row of the cursor, which is erased before other output.
    waiting: Option<String>,
}

impl<W: Write> Terminal<W> {
    /// Returns an output that renders Markdown.
    pub(crate) fn new(out: W, style: Style, theme: Theme) -> Self {
        Self {
            progress: Progress::new(out, style),
            theme,
            last: Part::Nothing,
            inside_line: false,
            answer: None,
            waiting: None,
        }
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
        if self.answer.as_ref().is_some_and(|(kind, _)| *kind != part) {
            self.finish()?;
        }
        let (columns, rewrites) = (self.columns(), self.progress.rewrites());
        let (_, answer) = self.answer.get_or_insert_with(|| (part, Answer::default()));
        answer.push(text);
        if !rewrites {
            let text = answer.flow(columns, &self.theme);
            return self.flow(&text, part);
        }
        let lines = answer.complete_lines(columns, &self.theme);
        if lines.is_empty() {
            return Ok(());
        }
        let waiting = self.waiting.clone();
        self.erase_waiting()?;
        self.lines(&lines, part)?;
        waiting.map_or(Ok(()), |activity| self.show_waiting(&activity))
    }

    /// Writes the next text of a message whose lines cannot be rewritten.
    fn flow(&mut self, text: &str, part: Part) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.part(part)?;
        write!(self.progress.out(), "{text}")?;
        self.inside_line = !text.ends_with('\n');
        self.progress.out().flush()
    }

    /// Writes what is kept back of a message whose lines cannot be rewritten.
    fn flow_rest(&mut self) -> io::Result<()> {
        let columns = self.columns();
        match &mut self.answer {
            Some((part, answer)) if !self.progress.rewrites() => {
                let (part, text) = (*part, answer.flow_rest(columns, &self.theme));
                self.flow(&text, part)
            }
            _ => Ok(()),
        }
    }

    /// Writes lines of a message.
    fn lines(&mut self, lines: &[DrawnLine], part: Part) -> io::Result<()> {
        self.part(part)?;
        let paint = self.progress.style().paint;
        for line in lines {
            let plain = || line.line.to_string();
            let shown = match part {
                Part::Thought => paint.paint(DIM, plain().trim_end()),
                _ if paint.colours => line.ansi(),
                _ => plain().trim_end().to_owned(),
            };
            writeln!(self.progress.out(), "{shown}")?;
        }
        self.progress.out().flush()
    }

    /// Writes the rest of the message.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.erase_waiting()?;
        let Some((part, answer)) = self.answer.take() else { return Ok(()) };
        if self.progress.rewrites() {
            let lines = answer.finish(self.columns(), &self.theme);
            if !lines.is_empty() {
                self.lines(&lines, part)?;
            }
        } else {
            let text = answer.flow_end(self.columns(), &self.theme);
            self.flow(&text, part)?;
        }
        if self.last == part {
            self.last = Part::Ended;
        }
        Ok(())
    }

    /// Ends the printed part of the message, so that other code can write below it. The message
    /// continues below that.
    pub(crate) fn interrupt(&mut self) -> io::Result<()> {
        self.erase_waiting()?;
        self.flow_rest()?;
        if let Some((_, answer)) = &mut self.answer {
            answer.interrupt();
        }
        if self.last != Part::Nothing {
            self.part(Part::Progress)?;
        }
        self.progress.below().flush()
    }

    fn columns(&self) -> usize {
        (self.progress.style().columns)().unwrap_or(COLUMNS)
    }

    /// Whether the row of the cursor can show what the session waits for.
    pub(crate) fn shows_waiting(&self) -> bool {
        self.progress.rewrites()
    }

    /// Writes what the session waits for in the row of the cursor.
    fn show_waiting(&mut self, activity: &str) -> io::Result<()> {
        if !self.shows_waiting() {
            return self.flow_rest();
        }
        let columns = self.columns();
        let room = columns.saturating_sub(1);
        let activity_line = sanitize::line(activity);
        let held = self.answer.as_ref();
        let held = held.map_or(Vec::new(), |(_, answer)| answer.held_lines(columns, &self.theme));
        let shown = match held.last().map(|line| line.line.to_string()) {
            // The text of a silent agent is visible, as far as one row shows it.
            Some(last) => {
                let more =
                    if held.len() > 1 { format!(", {} lines", held.len()) } else { "".into() };
                let about = format!("  ({activity_line}{more})");
                let text = width::cut(last.trim_end(), room.saturating_sub(width::width(&about)));
                width::cut(&format!("{text}{about}"), room)
            }
            None => width::cut(&activity_line, room),
        };
        let paint = self.progress.style().paint;
        let out = self.progress.below();
        write!(out, "\r\x1b[2K{}", paint.paint(DIM, shown)).and_then(|()| out.flush())?;
        self.waiting = Some(activity.to_owned());
        Ok(())
    }

    fn erase_waiting(&mut self) -> io::Result<()> {
        match self.waiting.take() {
            Some(_) => {
                let out = self.progress.below();
                write!(out, "\r\x1b[2K").and_then(|()| out.flush())
            }
            None => Ok(()),
        }
    }

    fn progress(&mut self, item: &Item<'_>) -> io::Result<()> {
        self.part(Part::Progress)?;
        self.progress.show(item)
    }
}

impl<W: Write + Send> Show for Terminal<W> {
    fn show(&mut self, item: Item<'_>) -> io::Result<()> {
        match item {
            Item::Text(text) => return self.text(text, Part::Text),
            Item::Thought(text) => return self.text(text, Part::Thought),
            // These items are shown at the end of the turn, or not at all.
            Item::Title(_) | Item::Config(_) | Item::Usage(_) => return self.progress.show(&item),
            // These say nothing about the place in the message where they arrive.
            Item::ToolCall(call) if self.progress.has_shown(&call.tool_call_id) => {
                self.interrupt()?;
                return self.progress(&item);
            }
            Item::Notice(_) | Item::Compaction(_) => {
                self.interrupt()?;
                return self.progress(&item);
            }
            _ => self.finish()?,
        }
        match item {
            Item::Content { author, block } => {
                let thought = author == MessageAuthor::Thought;
                let part = if thought { Part::Thought } else { Part::Text };
                self.text(&tool_call::block(block), part)?;
                self.finish()
            }
            Item::Message(_) if self.last == Part::Text || self.last == Part::Thought => {
                self.pause()
            }
            // Most of these items show nothing, so no blank line is needed before them.
            Item::Session { opened: Opened::New, title: None, .. }
            | Item::Agent(_)
            | Item::Message(_)
            | Item::Error { .. }
            | Item::Prompt { count: 1, .. } => self.progress.show(&item),
            _ => self.progress(&item),
        }
    }

    fn pause(&mut self) -> io::Result<()> {
        self.finish()?;
        if self.last != Part::Nothing {
            self.part(Part::Progress)?;
        }
        self.progress.out().flush()
    }

    fn waiting(&mut self, activity: &str) -> io::Result<()> {
        self.show_waiting(activity)
    }
}

/// The rest of a message is not lost if nothing ended it.
impl<W: Write> Drop for Terminal<W> {
    fn drop(&mut self) {
        let _ = self.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show::paint::Paint;
    use crate::show::tool_call::Bound;
    use attache_protocol::v2::ToolCallStatus;
    use attache_session::ToolCall;

    /// A terminal with this many columns.
    fn of_columns(columns: fn() -> Option<usize>, rewrite: bool) -> Terminal<Vec<u8>> {
        use attache_screen::theme::{ColorDepth, Glyphs};
        let paint = Paint { colours: false };
        let style = Style { paint, columns, rewrite, bound: Bound::Short };
        Terminal::new(Vec::new(), style, Theme::dark(ColorDepth::None, Glyphs::ASCII))
    }

    fn terminal() -> Terminal<Vec<u8>> {
        of_columns(|| Some(60), true)
    }

    fn rendering() -> Terminal<Vec<u8>> {
        of_columns(|| Some(30), true)
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
        terminal.show(Item::Text(" this\n\n")).unwrap();
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

    #[test]
    fn markdown_is_rendered_and_wrapped_when_its_blocks_are_complete() {
        let mut terminal = rendering();
        let text = "A **bold** word and a paragraph that is longer than a line.\n\n- one\n- two\n\n\
                    ```sh\nls\n```\nEnd";
        for (at, _) in text.char_indices() {
            terminal.show(Item::Text(&text[at..=at])).unwrap();
            assert!(!written(&terminal).contains('\u{1b}'));
        }
        let shown = "A bold word and a paragraph\nthat is longer than a line.\n\n* one\n* two\n\n\
                     | sh\n| ls\n";
        assert_eq!(written(&terminal), shown, "the last block may grow");
        terminal.show(Item::Message(MessageAuthor::Agent)).unwrap();
        assert_eq!(written(&terminal), format!("{shown}\nEnd\n"));
        terminal.show(Item::Text("Next")).unwrap();
        terminal.pause().unwrap();
        assert_eq!(written(&terminal), format!("{shown}\nEnd\n\nNext\n\n"));
    }

    #[test]
    fn the_waiting_line_is_erased_before_other_output() {
        let mut terminal = rendering();
        terminal.waiting("waiting for a model … 1 s").unwrap();
        assert_eq!(screen(&written(&terminal)), ["waiting for a model … 1 s"]);
        terminal.show(Item::ToolCall(&call("a", ToolCallStatus::InProgress))).unwrap();
        terminal.waiting("running call a … 1 s").unwrap();
        terminal.show(Item::ToolCall(&call("a", ToolCallStatus::Completed))).unwrap();
        assert_eq!(screen(&written(&terminal)), ["✓ other   call a", ""]);
        terminal.show(Item::Text("one\ntwo")).unwrap();
        terminal.waiting("writing … 1 s").unwrap();
        let held = ["✓ other   call a", "two  (writing … 1 s, 2 lines)"];
        assert_eq!(screen(&written(&terminal)), held);
        terminal.show(Item::Text("\n\nthree")).unwrap();
        let more = ["✓ other   call a", "", "one", "two", "three  (writing … 1 s)"];
        assert_eq!(screen(&written(&terminal)), more);
        terminal.pause().unwrap();
        let all = ["✓ other   call a", "", "one", "two", "", "three", "", ""];
        assert_eq!(screen(&written(&terminal)), all);
    }

    #[test]
    fn a_terminal_that_cannot_rewrite_lines_gets_wrapped_words_as_they_come() {
        let mut terminal = of_columns(|| Some(30), false);
        terminal.show(Item::Text("A **bold** word and a paragraph that is lon")).unwrap();
        assert_eq!(written(&terminal), "A bold word and a paragraph\nthat is");
        terminal.waiting("writing … 1 s").unwrap();
        assert_eq!(written(&terminal), "A bold word and a paragraph\nthat is lon");
        terminal.show(Item::Text("ger than a line.\n\n- one\n")).unwrap();
        terminal.show(Item::ToolCall(&call("a", ToolCallStatus::Pending))).unwrap();
        terminal.show(Item::Text("Done")).unwrap();
        terminal.pause().unwrap();
        let expected = "A bold word and a paragraph\nthat is longer than a line.\n\n* one\n\n\
                        ○ other   call a\n\nDone\n\n";
        assert_eq!(written(&terminal), expected);
        assert!(!written(&terminal).contains('\u{1b}'));
    }

    #[test]
    fn a_known_call_does_not_divide_a_message() {
        let mut terminal = rendering();
        terminal.show(Item::ToolCall(&call("a", ToolCallStatus::Pending))).unwrap();
        terminal.show(Item::Text("```\none\n")).unwrap();
        terminal.show(Item::ToolCall(&call("a", ToolCallStatus::Completed))).unwrap();
        terminal.show(Item::Text("two\n```\n")).unwrap();
        terminal.show(Item::ToolCall(&call("b", ToolCallStatus::Pending))).unwrap();
        let expected = ["✓ other   call a", "", "| one", "| two", "", "○ other   call b", ""];
        assert_eq!(screen(&written(&terminal)), expected);
    }
}
