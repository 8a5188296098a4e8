//! Compound commands: groups, branches, loops.

use super::part::Part;
use super::reader::{NotUnderstood, Reader, Result, Terminator};
use super::word::{Word, is_name};

impl Reader {
    pub(super) fn command(&mut self) -> Result<()> {
        while self.reserved("!") {
            self.blanks();
        }
        if self.peek() == Some('(') {
            if self.ahead(1) == Some('(') {
                return Err(NotUnderstood("shells read `((` in different ways"));
            }
            self.at += 1;
            self.list(&[Terminator::Parenthesis], false)?;
        } else if self.reserved("{") {
            self.list(&[Terminator::Word("}")], false)?;
        } else if self.reserved("if") {
            self.branches()?;
        } else if self.reserved("while") || self.reserved("until") {
            let first = self.parts.len();
            self.list(&[Terminator::Word("do")], false)?;
            self.list(&[Terminator::Word("done")], false)?;
            self.repeat_from(first);
        } else if self.reserved("for") {
            self.each()?;
        } else if self.reserved("case") {
            self.cases()?;
        } else {
            return self.simple();
        }
        self.redirects_behind()
    }

    fn branches(&mut self) -> Result<()> {
        self.list(&[Terminator::Word("then")], false)?;
        loop {
            match self.list(
                &[Terminator::Word("elif"), Terminator::Word("else"), Terminator::Word("fi")],
                false,
            )? {
                Terminator::Word("elif") => self.list(&[Terminator::Word("then")], false)?,
                Terminator::Word("else") => {
                    return self.list(&[Terminator::Word("fi")], false).map(drop);
                }
                _ => return Ok(()),
            };
        }
    }

    fn each(&mut self) -> Result<()> {
        self.blanks();
        let name = self.word()?;
        if !name.is_literal() || !is_name(&name.text) {
            return Err(NotUnderstood("the variable of a loop is not a plain name"));
        }
        self.blanks_and_lines()?;
        let mut part = Part::default();
        part.assignments.push((name.text, Word::variable()));
        if self.reserved("in") {
            self.blanks();
            while self.peek().is_some_and(|each| !";\n&|()<>".contains(each)) {
                part.data.push(self.word()?);
                self.blanks();
            }
        }
        self.parts.push(part);
        if !self.takes(";") && self.peek() != Some('\n') {
            return Err(NotUnderstood("a loop has a syntax error"));
        }
        self.blanks_and_lines()?;
        if !self.reserved("do") {
            return Err(NotUnderstood("a loop has no `do`"));
        }
        let first = self.parts.len();
        self.list(&[Terminator::Word("done")], false)?;
        self.repeat_from(first);
        Ok(())
    }

    fn repeat_from(&mut self, first: usize) {
        for part in self.parts.iter_mut().skip(first) {
            part.repeated = true;
        }
    }

    fn cases(&mut self) -> Result<()> {
        self.blanks();
        let mut part = Part { data: vec![self.word()?], ..Part::default() };
        self.blanks_and_lines()?;
        if !self.reserved("in") {
            return Err(NotUnderstood("`case` has no `in`"));
        }
        loop {
            self.blanks_and_lines()?;
            if self.reserved("esac") {
                break;
            }
            self.takes("(");
            loop {
                self.blanks();
                part.data.push(self.word()?);
                self.blanks();
                match self.next() {
                    Some('|') => {}
                    Some(')') => break,
                    _ => return Err(NotUnderstood("`case` has a syntax error")),
                }
            }
            if self.list(&[Terminator::Case, Terminator::Word("esac")], true)?
                == Terminator::Word("esac")
            {
                break;
            }
        }
        self.parts.push(part);
        Ok(())
    }
}
