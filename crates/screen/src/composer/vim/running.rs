//! How commands run.

use super::super::buffer::Buffer;
use super::super::grapheme;
use super::command::{Command, Kind, Motion, Object, Operator, Target};
use super::motion::{self, Destination, Span, destination, first_letter, line_below, repeat};
use super::object;
use super::operation::{Register, operate, put, swap_case};
use super::{Change, Insertion, REDO, Vim, VimMode};
use std::ops::Range;

impl Vim {
    /// Ends the insert mode, and types the text again if the command had a count.
    pub(super) fn leave_insert(&mut self, buffer: &mut Buffer) {
        self.mode = VimMode::Normal;
        let cursor = buffer.cursor();
        if let Some(Insertion { command, from, .. }) = self.insertion.take() {
            let typed = buffer.slice(from..cursor).to_owned();
            let repeats = matches!(command.kind, Kind::Key('i' | 'I' | 'a' | 'A' | 'o' | 'O'));
            let times = command.count.filter(|_| repeats).unwrap_or(1);
            type_again(buffer, &command, &typed, times - 1);
            self.last = Some(Change { command, typed });
        }
        buffer.end_step();
        let cursor = buffer.cursor();
        if cursor > buffer.line_start(cursor) {
            buffer.move_to(buffer.previous(cursor));
        }
    }

    /// Moves the cursor. Returns false if the motion leads nowhere.
    fn go(&mut self, command: &Command, buffer: &mut Buffer) -> bool {
        let Kind::Move(motion) = command.kind else { return false };
        let found = destination(buffer, motion, command.count, &mut self.memory);
        found.into_iter().for_each(|to| buffer.move_to(to.at));
        found.is_some()
    }

    /// Runs a command; `typed` is inserted if the command is repeated. Returns false for a motion
    /// that leads nowhere.
    pub(super) fn run(&mut self, command: &Command, typed: &str, buffer: &mut Buffer) -> bool {
        let revision = buffer.revision();
        let mut repeatable = command.clone();
        match &command.kind {
            Kind::Move(_) => return self.go(command, buffer),
            Kind::Select(object) => self.select(*object, command.count, buffer),
            Kind::Operate(operator, target) => {
                let found = self.range(*operator, target, command.count, buffer);
                let nothing = || nothing(*operator, target, command.count, buffer);
                let Some((range, mut lines)) = found.or_else(nothing) else {
                    return true;
                };
                let is_motion = matches!(target, Target::Motion(_) | Target::Object(_));
                if *operator == Operator::Delete && is_motion {
                    lines |= has_only_blanks_beside(buffer, &range);
                }
                if *target == Target::Selection {
                    repeatable.kind = Kind::Operate(*operator, extent(buffer, &range, lines));
                }
                operate(buffer, *operator, range, lines, &mut self.register);
                if *operator == Operator::Change {
                    self.begin_insert(repeatable, typed, buffer);
                    return true;
                }
            }
            Kind::Replace(with) => replace(buffer, *with, command.count.unwrap_or(1)),
            Kind::Key(key) => match long_form(*key, command.count) {
                Some(long) => return self.run(&long, typed, buffer),
                None if !self.run_key(*key, command, typed, buffer) => return true,
                None => {}
            },
        }
        if buffer.revision() != revision {
            self.last = Some(Change { command: repeatable, typed: String::new() });
        }
        buffer.end_step();
        true
    }

    fn select(&mut self, object: Object, count: Option<usize>, buffer: &mut Buffer) {
        let found = object::find(buffer, object, count.unwrap_or(1));
        if let Some((range, lines)) = found.filter(|(range, _)| !range.is_empty()) {
            self.anchor = range.start;
            if lines {
                self.mode = VimMode::VisualLine;
                return buffer.move_to(buffer.line_start(range.end));
            }
            buffer.move_to(buffer.previous(range.end));
        }
    }

    /// Returns the part of the text that an operator works on, and whether it is whole lines.
    fn range(
        &mut self,
        operator: Operator,
        target: &Target,
        count: Option<usize>,
        buffer: &mut Buffer,
    ) -> Option<(Range<usize>, bool)> {
        let cursor = buffer.cursor();
        match target {
            Target::Lines => {
                let more = count.unwrap_or(1) - 1;
                // On the last line, a count fails; elsewhere it takes the lines that are there.
                if more > 0 && line_below(buffer, cursor).is_none() {
                    return None;
                }
                let last = repeat(more, cursor, |at| line_below(buffer, at));
                Some((cursor..last, true))
            }
            Target::Object(object) => {
                let (range, lines) = object::find(buffer, *object, count.unwrap_or(1))?;
                if lines && operator == Operator::Yank {
                    buffer.move_to(range.start);
                }
                Some((range, lines))
            }
            Target::Motion(motion) => self.motion_range(operator, *motion, count, buffer),
            Target::Selection => {
                let range = self.selection(buffer)?;
                let lines = self.mode == VimMode::VisualLine
                    || matches!(operator, Operator::Indent | Operator::Outdent | Operator::Join);
                self.mode = VimMode::Normal;
                let is_one_line = !buffer.slice(range.clone()).contains('\n');
                if operator == Operator::Join && is_one_line {
                    // A line is joined with the one below it.
                    buffer.move_to(range.start);
                    let below = line_below(buffer, range.start)?;
                    return Some((range.start..below, true));
                }
                buffer.move_to(range.start);
                Some((range, lines))
            }
            Target::Extent { length, lines } => {
                let end = repeat(*length, cursor, |at| match lines {
                    true => line_below(buffer, at),
                    false => Some(buffer.next(at)),
                });
                Some((cursor..end, *lines))
            }
        }
    }

    fn motion_range(
        &mut self,
        operator: Operator,
        mut motion: Motion,
        count: Option<usize>,
        buffer: &Buffer,
    ) -> Option<(Range<usize>, bool)> {
        let from = buffer.cursor();
        let is_word = matches!(motion.key, 'w' | 'W');
        // `cw` changes the word without the space behind it.
        let on_text = buffer.char_at(from).is_some_and(|letter| !letter.is_whitespace());
        if operator == Operator::Change && is_word && on_text {
            let big = motion.key == 'W';
            let here = motion::class(buffer, from, big);
            let single = motion::class(buffer, buffer.next(from), big) != here;
            if single && count.unwrap_or(1) == 1 {
                return Some((from..buffer.next(from), false));
            }
            motion.key = if big { 'E' } else { 'e' };
            // On the last letter of a word, `e` would go to the next word.
            let count = if single { count.map(|count| count - 1) } else { count };
            let to = destination(buffer, motion, count, &mut self.memory)?;
            return Some((from..buffer.next(to.at), false));
        }
        let Destination { at, span } = destination(buffer, motion, count, &mut self.memory)?;
        let (start, end) = (from.min(at), from.max(at));
        match span {
            Span::Lines => Some((start..end, true)),
            Span::Inclusive => Some((start..buffer.next(end).min(buffer.len()), false)),
            Span::Exclusive => {
                let end = if is_word { end_of_words(buffer, start, end) } else { end };
                if buffer.slice(start..end).ends_with('\n') && !is_word && motion.key != '$' {
                    // The line feed before the end does not belong to the part. Without it, a part
                    // that begins before the text of its line is whole lines.
                    return Some((start..end - 1, start <= first_letter(buffer, start)));
                }
                (start < end).then_some((start..end, false))
            }
        }
    }

    /// Runs a command of one key. Returns true if it is over and can be repeated.
    fn run_key(&mut self, key: char, command: &Command, typed: &str, buffer: &mut Buffer) -> bool {
        let times = command.count.unwrap_or(1);
        let (start, end) = (buffer.line_start(buffer.cursor()), buffer.line_end(buffer.cursor()));
        match (key, self.mode) {
            ('v', VimMode::Visual) | ('V', VimMode::VisualLine) => self.mode = VimMode::Normal,
            ('v' | 'V', mode) => {
                if mode == VimMode::Normal {
                    self.anchor = buffer.cursor();
                }
                self.mode = if key == 'v' { VimMode::Visual } else { VimMode::VisualLine };
            }
            ('o', VimMode::Visual | VimMode::VisualLine) => {
                let cursor = buffer.cursor();
                buffer.move_to(self.anchor);
                self.anchor = cursor;
            }
            ('p' | 'P', VimMode::Visual | VimMode::VisualLine) => self.put_over(buffer),
            ('p' | 'P', _) => {
                put(buffer, &self.register, key == 'p', times);
                return true;
            }
            ('~', _) => {
                let cursor = buffer.cursor();
                let to = repeat(times, cursor, |at| (at < end).then(|| buffer.next(at)));
                let text: String = buffer.slice(cursor..to).chars().map(swap_case).collect();
                buffer.replace(cursor..to, &text);
                return true;
            }
            ('u', _) => while_done(times, || buffer.undo()),
            (REDO, _) => while_done(times, || buffer.redo()),
            ('.', _) => self.repeat(command.count, buffer),
            ('i', _) => self.begin_insert(command.clone(), typed, buffer),
            ('I', _) => {
                let line = buffer.slice(start..end);
                let spaces = line.len() - line.trim_start().len();
                buffer.move_to(start + spaces);
                self.begin_insert(command.clone(), typed, buffer);
            }
            ('a', _) => {
                buffer.move_to(buffer.next(buffer.cursor()).min(end));
                self.begin_insert(command.clone(), typed, buffer);
            }
            ('A', _) => {
                buffer.move_to(end);
                self.begin_insert(command.clone(), typed, buffer);
            }
            ('o', _) => {
                buffer.replace(end..end, "\n");
                self.begin_insert(command.clone(), typed, buffer);
            }
            ('O', _) => {
                buffer.replace(start..start, "\n");
                buffer.move_to(start);
                self.begin_insert(command.clone(), typed, buffer);
            }
            _ => {}
        }
        false
    }

    /// Replaces the selection by the register, which gets the selection.
    fn put_over(&mut self, buffer: &mut Buffer) {
        let put_text = self.register.clone();
        let lines = self.mode == VimMode::VisualLine;
        let Some(range) = self.selection(buffer) else { return };
        self.mode = VimMode::Normal;
        self.register = Register { text: buffer.slice(range.clone()).to_owned(), lines };
        let text = match (put_text.lines, lines) {
            (true, false) => format!("\n{}\n", put_text.text),
            _ => put_text.text,
        };
        buffer.replace(range.clone(), &text);
        let end = buffer.cursor();
        buffer.move_to(if lines { range.start } else { buffer.previous(end) });
        buffer.end_step();
    }

    fn repeat(&mut self, count: Option<usize>, buffer: &mut Buffer) {
        let Some(Change { command, typed }) = self.last.clone() else { return };
        let command = Command { count: count.or(command.count), ..command };
        buffer.end_step();
        self.run(&command, &typed, buffer);
        if self.mode == VimMode::Insert {
            // The text is inserted already, so that this ends the insertion.
            self.leave_insert(buffer);
        }
    }

    /// Begins the insert mode with this text, which a repeated command has.
    fn begin_insert(&mut self, command: Command, typed: &str, buffer: &mut Buffer) {
        self.mode = VimMode::Insert;
        let from = buffer.cursor();
        buffer.insert(typed);
        self.insertion = Some(Insertion { command, from, revision: buffer.revision() });
    }
}

/// Returns the command that does the same as this key with an operator and a motion.
fn long_form(key: char, count: Option<usize>) -> Option<Command> {
    let motion = |key| Target::Motion(Motion { key, sought: None });
    let (operator, target) = match key {
        'x' => (Operator::Delete, motion('l')),
        'X' => (Operator::Delete, motion('h')),
        'D' => (Operator::Delete, motion('$')),
        'C' => (Operator::Change, motion('$')),
        's' => (Operator::Change, motion('l')),
        'S' => (Operator::Change, Target::Lines),
        'Y' => (Operator::Yank, Target::Lines),
        'J' => (Operator::Join, Target::Lines),
        _ => return None,
    };
    // At least two lines are joined.
    let count = if key == 'J' { Some(count.unwrap_or(2).max(2)) } else { count };
    Some(Command { count, kind: Kind::Operate(operator, target) })
}

/// Returns the empty part at the cursor, which can be changed in an empty line or at its start.
fn nothing(
    operator: Operator,
    target: &Target,
    count: Option<usize>,
    buffer: &Buffer,
) -> Option<(Range<usize>, bool)> {
    let in_line = match target {
        Target::Motion(Motion { key: 'l' | 'h' | '0' | '^', .. }) => true,
        Target::Motion(Motion { key: '$', .. }) => count.unwrap_or(1) == 1,
        _ => false,
    };
    let cursor = buffer.cursor();
    let is_possible = operator == Operator::Change && in_line;
    is_possible.then_some((cursor..cursor, false))
}

/// Returns whether a part of several lines has only blanks before it in its first line, and only
/// blanks behind it in its last line. A deletion takes the whole lines then.
fn has_only_blanks_beside(buffer: &Buffer, range: &Range<usize>) -> bool {
    let before = buffer.slice(buffer.line_start(range.start)..range.start);
    let behind = buffer.slice(range.end..buffer.line_end(range.end));
    buffer.slice(range.clone()).contains('\n')
        && before.trim().is_empty()
        && behind.trim().is_empty()
}

/// Takes a step this often, until one does nothing.
fn while_done(times: usize, mut step: impl FnMut() -> bool) {
    for _ in 0..times {
        if !step() {
            return;
        }
    }
}

/// Returns a target as large as a selection.
fn extent(buffer: &Buffer, range: &Range<usize>, lines: bool) -> Target {
    let text = buffer.slice(range.clone());
    let length = match lines {
        true => text.matches('\n').count(),
        false => grapheme::all(text).count(),
    };
    Target::Extent { length, lines }
}

/// Returns where the last word ends if the words end in an earlier line than `end`: an operator
/// does not take the line feed behind them.
fn end_of_words(buffer: &Buffer, start: usize, end: usize) -> usize {
    let text = buffer.slice(start..end);
    let words = text.trim_end();
    match text.get(words.len()..).and_then(|space| space.find('\n')) {
        Some(feed) => start + words.len() + feed,
        None => end,
    }
}

/// Types the text of an insertion some more times.
fn type_again(buffer: &mut Buffer, command: &Command, typed: &str, times: usize) {
    let opens_line = matches!(command.kind, Kind::Key('o' | 'O'));
    // A count cannot make more text than the composer can hold.
    let times = times.min((256 << 10) / typed.len().max(1));
    for _ in 0..times {
        if opens_line {
            buffer.insert("\n");
        }
        buffer.insert(typed);
    }
}

/// Replaces characters of the line, if it has so many.
fn replace(buffer: &mut Buffer, with: char, times: usize) {
    let (cursor, line_end) = (buffer.cursor(), buffer.line_end(buffer.cursor()));
    let mut end = cursor;
    for _ in 0..times {
        if end >= line_end {
            return;
        }
        end = buffer.next(end);
    }
    buffer.replace(cursor..end, &with.to_string().repeat(times));
    buffer.move_to(buffer.previous(buffer.cursor()));
}
