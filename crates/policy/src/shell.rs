//! The commands of a command line, parsed like `sh`.
//!
//! This parser deliberately understands less than a shell does. A line that different shells read
//! differently, or that runs something it does not show (`eval`, functions, aliases), is
//! [`NotUnderstood`]. The parser never guesses. Its time is linear in the length of the line, and
//! its recursion is bounded. A parser for all of bash was tried instead. It took a second for 22
//! open parentheses, and its stack overflowed at a thousand braces.

mod compound;
mod part;
mod reader;
mod word;
mod word_reader;

pub(crate) use part::{Part, Redirect};
pub(crate) use reader::NotUnderstood;
pub(crate) use word::Word;

use reader::{HereDocument, Reader, Result, Terminator};
use word::is_name;

/// How deeply commands may be nested.
const DEEPEST: usize = 24;

/// Words that are reserved at the beginning of a command.
const RESERVED: &[&str] = &[
    "!", "{", "}", "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "for",
    "case", "esac", "in", "function", "select", "coproc", "[[", "]]",
];

/// Returns every command that a line runs, in its order, including those in substitutions, loops
/// and branches.
pub(crate) fn parts(line: &str) -> Result<Vec<Part>> {
    let odd = |each: char| {
        (each.is_control() && each != '\n' && each != '\t') || super::guard::is_invisible(each)
    };
    if line.chars().any(odd) {
        return Err(NotUnderstood("it contains invisible characters"));
    }
    let mut reader = Reader::new(line, 0);
    reader.list(&[Terminator::Line], false)?;
    if reader.parts.is_empty() {
        return Err(NotUnderstood("it contains no command"));
    }
    Ok(reader.parts)
}

impl Reader {
    fn blanks_and_lines(&mut self) -> Result<()> {
        self.blanks();
        while self.line_end()? {
            self.blanks();
        }
        Ok(())
    }

    /// Reads the end of a line and the here-documents that follow it.
    fn line_end(&mut self) -> Result<bool> {
        if !self.takes("\n") {
            return Ok(false);
        }
        for here in std::mem::take(&mut self.here) {
            loop {
                let mut line = String::new();
                let ended = loop {
                    match self.next() {
                        Some('\n') => break true,
                        Some(each) => line.push(each),
                        None => break false,
                    }
                };
                let text = if here.without_tabs { line.trim_start_matches('\t') } else { &line };
                if text == here.end {
                    break;
                }
                if !ended {
                    return Err(NotUnderstood("a here-document has no end"));
                }
                if !here.literal && line.contains(['$', '`', '\\']) {
                    return Err(NotUnderstood("the shell would expand a here-document"));
                }
            }
        }
        Ok(true)
    }

    /// Reads commands up to the first of these ends, and consumes that end.
    fn list(&mut self, ends: &[Terminator], may_be_empty: bool) -> Result<Terminator> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(NotUnderstood("it is nested too deeply"));
        }
        let (mut open, mut any, mut apart) = (false, may_be_empty, true);
        loop {
            self.blanks_and_lines()?;
            if let Some(end) = self.end() {
                self.depth -= 1;
                let fits = any && !open && ends.contains(&end);
                let whole = end != Terminator::Line || self.here.is_empty();
                return if fits && whole {
                    Ok(end)
                } else {
                    Err(NotUnderstood("a group, loop or branch is not closed"))
                };
            }
            if !apart {
                return Err(NotUnderstood("two commands are not separated"));
            }
            self.command()?;
            any = true;
            (open, apart) = self.connector()?;
        }
    }

    fn end(&mut self) -> Option<Terminator> {
        if self.peek().is_none() {
            return Some(Terminator::Line);
        }
        if self.takes(")") {
            return Some(Terminator::Parenthesis);
        }
        if self.takes(";;") {
            return Some(Terminator::Case);
        }
        let ends = ["}", "then", "elif", "else", "fi", "do", "done", "esac"];
        ends.into_iter().find(|word| self.reserved(word)).map(Terminator::Word)
    }

    /// Consumes this word if it comes next and is a whole word.
    fn reserved(&mut self, word: &str) -> bool {
        let start = self.at;
        let alone = |each: char| " \t\n;&|()<>".contains(each);
        if self.takes(word) && self.peek().is_none_or(alone) {
            return true;
        }
        self.at = start;
        false
    }

    /// Reads the separator after a command. Returns whether another command must follow, and
    /// whether one may.
    fn connector(&mut self) -> Result<(bool, bool)> {
        self.blanks();
        if self.takes("&&") || self.takes("||") {
            return Ok((true, true));
        }
        match (self.peek(), self.ahead(1)) {
            (Some('|'), Some('&')) | (Some('&'), Some('>')) | (Some(';'), Some('&')) => {
                Err(NotUnderstood("shells read it in different ways"))
            }
            (Some(';'), Some(';')) => Ok((false, false)),
            (Some('|'), _) => {
                self.at += 1;
                Ok((true, true))
            }
            (Some(';' | '&'), _) => {
                self.at += 1;
                Ok((false, true))
            }
            (Some('\n'), _) => Ok((false, self.line_end()?)),
            _ => Ok((false, false)),
        }
    }

    fn simple(&mut self) -> Result<()> {
        let mut part = Part::default();
        loop {
            self.blanks();
            match self.peek() {
                None | Some('\n' | ';' | '&' | '|' | ')') => break,
                Some('(') => {
                    return Err(NotUnderstood(
                        "it defines a function, or shells read it in different ways",
                    ));
                }
                Some('<' | '>') => self.redirect(&mut part)?,
                Some(_) => self.argument(&mut part)?,
            }
        }
        let program = part.words.first();
        if program.is_some_and(|word| RESERVED.contains(&word.text.as_str())) {
            return Err(NotUnderstood("it uses a reserved word of the shell in another place"));
        }
        if part == Part::default() {
            return Err(NotUnderstood("a command is missing"));
        }
        self.parts.push(part);
        Ok(())
    }

    fn argument(&mut self, part: &mut Part) -> Result<()> {
        let word = self.word()?;
        if matches!(self.peek(), Some('<' | '>')) {
            if word.is_literal()
                && !word.quoted
                && word.text.bytes().all(|each| each.is_ascii_digit())
            {
                return self.redirect(part);
            }
            if word.text.starts_with('{') {
                return Err(NotUnderstood("shells read it in different ways"));
            }
        }
        match word.assigns.filter(|_| part.words.is_empty()) {
            Some(at) => {
                let (name, value) = word.split(at);
                if !is_name(&name) {
                    return Err(NotUnderstood(
                        "it sets a variable in a way that shells read differently",
                    ));
                }
                part.assignments.push((name, value));
            }
            None => part.words.push(word),
        }
        Ok(())
    }

    fn redirects_behind(&mut self) -> Result<()> {
        let mut part = Part::default();
        loop {
            self.blanks();
            let digits = (0..)
                .take_while(|by| self.ahead(*by).is_some_and(|each| each.is_ascii_digit()))
                .count();
            match self.ahead(digits) {
                Some('<' | '>') => {
                    self.at += digits;
                    self.redirect(&mut part)?;
                }
                _ => break,
            }
        }
        if !part.redirects.is_empty() {
            self.parts.push(part);
        }
        Ok(())
    }

    fn redirect(&mut self, part: &mut Part) -> Result<()> {
        let operators = ["<<-", "<<", "<>", "<&", ">>", ">&", ">|", "<", ">"];
        let Some(operator) = operators.into_iter().find(|operator| self.takes(operator)) else {
            return Err(NotUnderstood("a redirection is incomplete"));
        };
        if matches!(self.peek(), Some('(' | '<' | '>' | '&' | '|')) {
            return Err(NotUnderstood("shells read it in different ways"));
        }
        self.blanks();
        let target = self.word()?;
        match operator {
            "<<" | "<<-" => {
                let plain = |each: char| each.is_ascii_alphanumeric() || each == '_';
                if target.text.is_empty() || !target.text.chars().all(plain) || !target.is_literal()
                {
                    return Err(NotUnderstood("the end of a here-document is not a plain word"));
                }
                let without_tabs = operator == "<<-";
                self.here.push(HereDocument {
                    end: target.text,
                    literal: target.quoted,
                    without_tabs,
                });
            }
            "<&" | ">&" => {
                let number =
                    target.text == "-" || target.text.bytes().all(|each| each.is_ascii_digit());
                if !number || !target.is_literal() || target.text.is_empty() {
                    return Err(NotUnderstood("shells read it in different ways"));
                }
            }
            _ => part.redirects.push(Redirect { writes: operator != "<", target }),
        }
        Ok(())
    }
}
