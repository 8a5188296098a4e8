//! The output of commands: colours stay, and movements of the cursor are applied.

mod cell;
mod grid;
mod parser;
mod sgr;

use crate::span::Line;
use grid::Grid;
use parser::{Parser, Token};

/// The lines that a command wrote, as a terminal would show them. Only the last lines are kept.
///
/// It applies colours and attributes, movements of the cursor, carriage return, and the erasing of
/// lines and of the screen. It removes every other control sequence. Lines are not wrapped.
#[derive(Debug)]
pub struct TerminalScreen {
    parser: Parser,
    grid: Grid,
    /// The lines that a full-screen program hides, while it runs.
    hidden: Option<Box<Grid>>,
}

impl TerminalScreen {
    /// Returns an empty screen that keeps about this many lines.
    pub fn new(limit: usize, rows: usize) -> Self {
        Self { parser: Parser::default(), grid: Grid::new(limit, rows), hidden: None }
    }

    /// Removes all lines.
    pub(crate) fn clear(&mut self) {
        (self.parser, self.hidden) = (Parser::default(), None);
        self.grid = self.grid.blank();
    }

    /// Records that output is missing before the next one.
    pub(crate) fn omit(&mut self) {
        self.parser = Parser::default();
        self.grid.omit();
    }

    /// Applies output. A sequence or character may be divided between two calls.
    pub fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if let Some(token) = self.parser.push(*byte) {
                self.apply(&token);
            }
        }
    }

    fn apply(&mut self, token: &Token) {
        match token {
            Token::Text(character) => self.grid.put(*character),
            Token::Control(control) => self.grid.control(*control),
            Token::Escape('c') => {
                (self.grid, self.hidden) = (self.grid.blank(), None);
            }
            Token::Escape(last) => self.grid.escape(*last),
            Token::Sequence { private: true, parameters, last } => {
                let screens = [Some(47), Some(1047), Some(1049)];
                if screens.contains(&parameters.first().copied()) {
                    self.switch(*last == 'h');
                }
            }
            Token::Sequence { private: false, parameters, last } => {
                self.grid.sequence(parameters, *last);
            }
        }
    }

    /// Shows the screen of a full-screen program, or the lines before it.
    fn switch(&mut self, is_full_screen: bool) {
        match (is_full_screen, self.hidden.take()) {
            (true, None) => {
                let blank = self.grid.blank();
                self.hidden = Some(Box::new(std::mem::replace(&mut self.grid, blank)));
            }
            (false, Some(lines)) => self.grid = *lines,
            (_, hidden) => self.hidden = hidden,
        }
    }

    /// Returns the lines. A last line without text is left out.
    pub fn lines(&self) -> Vec<Line> {
        self.grid.lines()
    }

    /// The number of lines that are no longer kept.
    pub fn omitted(&self) -> usize {
        self.grid.omitted()
    }
}

/// Returns the lines of a whole output.
pub(crate) fn lines_of_text(text: &str) -> Vec<Line> {
    let mut screen = TerminalScreen::new(usize::MAX, DEFAULT_ROWS);
    screen.push(text.as_bytes());
    screen.lines()
}

/// The height of a terminal of unknown size.
pub(crate) const DEFAULT_ROWS: usize = 24;

#[cfg(test)]
mod tests;
