//! An answer as rendered Markdown, block by block.

use attache_screen::layout::{DrawnLine, block_lines, following_block_lines};
use attache_screen::theme::Theme;
use attache_view::Block;
use attache_view::markdown::Markdown;
use std::sync::Arc;

/// A message of the agent that is printed while it grows. Each block is printed once, when more
/// text cannot change it.
#[derive(Debug, Default)]
pub(super) struct Answer {
    markdown: Markdown,
    /// The number of printed blocks.
    printed: usize,
    /// The block above the cursor; `None` if something else is above it.
    above: Option<Arc<Block>>,
    /// The part of the unfinished blocks that [`flow`](Self::flow) returned.
    flowed: String,
    /// The size in bytes of the unfinished text, and of its part that was never laid out.
    unfinished: usize,
    new: usize,
    /// Whether something else was printed behind a word in the middle of a line.
    is_divided: bool,
}

/// The size in bytes from which unfinished text is laid out only when it grew considerably, so that
/// a very long paragraph costs little.
const LONG: usize = 4096;

impl Answer {
    /// Adds text to the end of the message.
    pub(super) fn push(&mut self, text: &str) {
        self.markdown.push(text);
        self.unfinished += text.len();
        self.new += text.len();
    }

    /// Returns the text to write next on a terminal that cannot rewrite lines: the new words,
    /// wrapped. Keeps back the last word, which may move to the next line, and tables, whose
    /// columns may become wider.
    pub(super) fn flow(&mut self, columns: usize, theme: &Theme) -> String {
        let mut text = self.flow_complete(columns, theme);
        let is_due = self.unfinished < LONG || self.new > self.unfinished / 16;
        if is_due {
            let held = self.held_text(columns, theme);
            let end = held.trim_end_matches('\n').rfind([' ', '\n']).unwrap_or(0);
            let end = end + usize::from(held.get(end..).is_some_and(|it| it.starts_with('\n')));
            text.push_str(&self.advance(held.get(..end).unwrap_or_default()));
        }
        text
    }

    /// Returns what [`flow`](Self::flow) keeps back.
    pub(super) fn flow_rest(&mut self, columns: usize, theme: &Theme) -> String {
        let text = self.flow_complete(columns, theme);
        let held = self.held_text(columns, theme);
        text + &self.advance(held.trim_end_matches('\n'))
    }

    /// Ends the message, and returns the text that [`flow`](Self::flow) did not return.
    pub(super) fn flow_end(mut self, columns: usize, theme: &Theme) -> String {
        self.markdown.finish();
        let text = self.flow_complete(columns, theme);
        let lines = self.lines(&self.held(), columns, theme);
        text + &self.advance(&joined(&lines))
    }

    fn flow_complete(&mut self, columns: usize, theme: &Theme) -> String {
        let lines = self.complete_lines(columns, theme);
        if lines.is_empty() {
            return String::new();
        }
        let complete = joined(&lines);
        let text = self.advance(&complete);
        self.flowed = self.flowed.split_off(complete.len().min(self.flowed.len()));
        self.unfinished = self.new;
        text
    }

    /// Returns the unfinished text, wrapped, without a table at its end.
    fn held_text(&mut self, columns: usize, theme: &Theme) -> String {
        self.new = 0;
        let mut held = self.held();
        let is_table = |block: &Arc<Block>| match block.as_ref() {
            Block::Table(_) => true,
            Block::Paragraph { lines } => {
                lines.first().is_some_and(|line| line.text().starts_with('|'))
            }
            _ => false,
        };
        if held.last().is_some_and(is_table) {
            held.pop();
        }
        joined(&self.lines(&held, columns, theme))
    }

    /// Returns what a terminal that shows `flowed` must show to show `text`. If more text changed
    /// what is shown already, as unfinished markup can, the changed lines follow once more.
    fn advance(&mut self, text: &str) -> String {
        if self.flowed.starts_with(text) {
            return String::new();
        }
        let new = match text.strip_prefix(self.flowed.as_str()) {
            Some(new) => new.to_owned(),
            None => {
                let pairs = self.flowed.split_inclusive('\n').zip(text.split_inclusive('\n'));
                let same: usize =
                    pairs.take_while(|(old, new)| old == new).map(|(old, _)| old.len()).sum();
                let end = if self.flowed.ends_with('\n') { "" } else { "\n" };
                format!("{end}{}", text.get(same..).unwrap_or_default())
            }
        };
        text.clone_into(&mut self.flowed);
        match std::mem::take(&mut self.is_divided) {
            // The space between two words, or the end of the line, is there already.
            true => new.strip_prefix([' ', '\n']).map(str::to_owned).unwrap_or(new),
            false => new,
        }
    }

    /// Returns the lines of the blocks that are complete and not printed yet.
    pub(super) fn complete_lines(&mut self, columns: usize, theme: &Theme) -> Vec<DrawnLine> {
        let new = self.markdown.complete_blocks().get(self.printed..).unwrap_or_default();
        let lines = self.lines(new, columns, theme);
        self.above = new.last().or(self.above.as_ref()).cloned();
        self.printed = self.markdown.complete();
        lines
    }

    /// Ends the message, and returns the lines that are not printed yet.
    pub(super) fn finish(mut self, columns: usize, theme: &Theme) -> Vec<DrawnLine> {
        self.markdown.finish();
        self.lines(&self.held(), columns, theme)
    }

    /// Returns the lines that the rest of the message has so far.
    pub(super) fn held_lines(&self, columns: usize, theme: &Theme) -> Vec<DrawnLine> {
        block_lines(&self.held(), columns, theme)
    }

    /// Separates the next block from the printed ones, because something else is printed below
    /// them.
    pub(super) fn interrupt(&mut self) {
        if self.above.take().is_some() {
            self.flowed = self.flowed.trim_start_matches('\n').to_owned();
        }
        self.is_divided |= self.flowed.chars().next_back().is_some_and(|last| last != '\n');
    }

    /// Returns the blocks that are not printed yet.
    fn held(&self) -> Vec<Arc<Block>> {
        self.markdown.blocks().split_off(self.printed)
    }

    fn lines(&self, blocks: &[Arc<Block>], columns: usize, theme: &Theme) -> Vec<DrawnLine> {
        match &self.above {
            Some(above) => following_block_lines(above, blocks, columns, theme),
            None => block_lines(blocks, columns, theme),
        }
    }
}

/// Returns the text of lines without spaces at their ends.
fn joined(lines: &[DrawnLine]) -> String {
    lines.iter().map(|line| format!("{}\n", line.line.to_string().trim_end())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use attache_screen::theme::{ColorDepth, Glyphs};

    fn theme() -> Theme {
        Theme::dark(ColorDepth::None, Glyphs::ASCII)
    }

    fn whole(text: &str) -> String {
        let mut answer = Answer::default();
        answer.push(text);
        answer.flow_end(24, &theme())
    }

    /// Returns the text of a message that comes in pieces of this many characters.
    fn flowing(text: &str, piece: usize) -> String {
        let mut answer = Answer::default();
        let mut shown = String::new();
        let characters: Vec<char> = text.chars().collect();
        for piece in characters.chunks(piece) {
            answer.push(&piece.iter().collect::<String>());
            shown.push_str(&answer.flow(24, &theme()));
        }
        shown + &answer.flow_end(24, &theme())
    }

    const SAMPLE: &str = "# A heading\n\nSome words that are longer than a line, with *emphasis* \
        and `code`.\n\n- one item that needs more than one line\n- two\n  - three\n\n\
        ```rust\nlet a = 1;\n\nlet b = 2;\n```\n\n> a quotation of several words here\n\n\
        | a | b |\n|---|---|\n| longer cell | c |\n\nThe end";

    #[test]
    fn text_that_flows_is_the_wrapped_text_of_the_whole() {
        for piece in [1, 2, 3, 7, 40, 1000] {
            assert_eq!(flowing(SAMPLE, piece), whole(SAMPLE), "in pieces of {piece}");
        }
        assert!(whole(SAMPLE).lines().all(|line| line.len() <= 24));
    }

    #[test]
    fn words_appear_when_they_are_complete_and_the_rest_on_request() {
        let mut answer = Answer::default();
        answer.push("Two wor");
        assert_eq!(answer.flow(24, &theme()), "Two");
        answer.push("ds. Go on");
        assert_eq!(answer.flow(24, &theme()), " words. Go");
        assert_eq!(answer.flow_rest(24, &theme()), " on");
        answer.push("? Yes");
        assert_eq!(answer.flow(24, &theme()), "?");
        answer.interrupt();
        assert_eq!(answer.flow_end(24, &theme()), "Yes\n");
    }

    #[test]
    fn a_long_line_without_end_is_laid_out_a_few_times_only() {
        let mut answer = Answer::default();
        let mut shown = String::new();
        for _ in 0..2_000 {
            answer.push("some words ");
            shown.push_str(&answer.flow(24, &theme()));
        }
        shown.push_str(&answer.flow_end(24, &theme()));
        assert_eq!(shown.split_whitespace().count(), 4_000);
    }
}
