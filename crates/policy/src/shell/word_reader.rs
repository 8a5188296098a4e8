//! Reads one word of a line, with quotes, variables and substitutions.

use super::reader::{NotUnderstood, Reader, Result, Terminator};
use super::word::{Word, in_name, is_name};

impl Reader {
    /// Reads the word that begins here.
    pub(super) fn word(&mut self) -> Result<Word> {
        let start = self.at;
        let mut word = Word::default();
        while let Some(each) = self.peek().filter(|each| !" \t\n;&|()<>".contains(*each)) {
            self.at += 1;
            match each {
                '\'' => self.single_quoted(&mut word)?,
                '"' => self.double_quoted(&mut word)?,
                '\\' => match self.next() {
                    Some('\n') => {}
                    Some(each) => {
                        word.quoted = true;
                        word.text.push(each);
                    }
                    None => return Err(NotUnderstood("it ends with a backslash")),
                },
                '$' => self.dollar(&mut word, false)?,
                '`' => self.backquoted(&mut word, false)?,
                '#' if word.text.is_empty() && self.at == start + 1 => {
                    return Err(NotUnderstood("it has a comment instead of a word"));
                }
                each => self.plain(&mut word, each),
            }
        }
        if self.at == start {
            return Err(NotUnderstood("a word is missing"));
        }
        // A single `[` is the name of a command.
        word.pattern &= word.text != "[";
        // Shells with brace expansion expand `{}` if a comma or two dots follow.
        word.pattern |= word.braces && (word.text.contains(',') || word.text.contains(".."));
        Ok(word)
    }

    fn plain(&mut self, word: &mut Word, each: char) {
        match each {
            '=' if word.assigns.is_none()
                && !word.quoted
                && word.is_literal()
                && !word.text.is_empty() =>
            {
                word.assigns = Some(word.text.len());
            }
            // An element of an array, or a part of a name: shells assign it in different ways.
            '*' | '?' | '[' => word.pattern = true,
            '{' if self.peek() != Some('}') => word.pattern = true,
            '{' => word.braces = true,
            '~' if word.text.is_empty() || word.text.ends_with(['=', ':']) => word.pattern = true,
            _ => {}
        }
        word.text.push(each);
    }

    fn single_quoted(&mut self, word: &mut Word) -> Result<()> {
        word.quoted = true;
        loop {
            match self.next() {
                Some('\'') => return Ok(()),
                Some(each) => word.text.push(each),
                None => return Err(NotUnderstood("a quote has no end")),
            }
        }
    }

    fn double_quoted(&mut self, word: &mut Word) -> Result<()> {
        word.quoted = true;
        loop {
            match self.next() {
                Some('"') => return Ok(()),
                Some('\\') => match self.next() {
                    Some('\n') => {}
                    Some(each @ ('$' | '`' | '"' | '\\')) => word.text.push(each),
                    Some(each) => word.text.extend(['\\', each]),
                    None => return Err(NotUnderstood("a quote has no end")),
                },
                Some('$') => self.dollar(word, true)?,
                Some('`') => self.backquoted(word, true)?,
                Some(each) => word.text.push(each),
                None => return Err(NotUnderstood("a quote has no end")),
            }
        }
    }

    /// Reads the text after `$`.
    fn dollar(&mut self, word: &mut Word, quoted: bool) -> Result<()> {
        match self.peek() {
            Some('(') if self.ahead(1) == Some('(') => self.arithmetic(word),
            Some('(') => {
                self.at += 1;
                word.substitution = true;
                let waiting = self.here.len();
                self.list(&[Terminator::Parenthesis], false)?;
                match waiting == 0 && self.here.is_empty() {
                    true => Ok(()),
                    false => Err(NotUnderstood("a substitution contains a here-document")),
                }
            }
            Some('{') => {
                self.at += 1;
                let mut name = String::new();
                while let Some(each) = self.next().filter(|each| *each != '}') {
                    name.push(each);
                }
                word.variable = true;
                let number = !name.is_empty() && name.bytes().all(|each| each.is_ascii_digit());
                let known = is_name(&name)
                    || number
                    || ["@", "*", "?", "#", "$", "!", "-"].contains(&name.as_str());
                match known && self.characters.get(self.at.saturating_sub(1)) == Some(&'}') {
                    true => Ok(()),
                    false => Err(NotUnderstood("it expands a variable in a complex way")),
                }
            }
            // The values of these variables are always numbers.
            Some('?' | '#' | '$' | '!') => {
                self.at += 1;
                word.text.push('0');
                Ok(())
            }
            Some('@' | '*' | '-' | '0'..='9') => {
                self.at += 1;
                word.variable = true;
                Ok(())
            }
            Some(each) if in_name(each) => {
                while self.peek().is_some_and(in_name) {
                    self.at += 1;
                }
                word.variable = true;
                Ok(())
            }
            Some('\\') if self.ahead(1) == Some('\n') => {
                Err(NotUnderstood("shells read it in different ways"))
            }
            Some('\'' | '"') if !quoted => {
                Err(NotUnderstood("shells read `$` before a quote in different ways"))
            }
            Some('[') => Err(NotUnderstood("shells read `$[` in different ways")),
            _ => {
                word.text.push('$');
                Ok(())
            }
        }
    }

    /// Reads arithmetic with plain numbers only, because the value of a variable in it could
    /// contain a command.
    fn arithmetic(&mut self, word: &mut Word) -> Result<()> {
        self.at += 2;
        word.variable = true;
        while let Some(each) = self.next() {
            match each {
                ')' if self.takes(")") => return Ok(()),
                each if each.is_ascii_digit() || " +-*/%".contains(each) => {}
                _ => break,
            }
        }
        Err(NotUnderstood("its arithmetic contains more than numbers"))
    }

    fn backquoted(&mut self, word: &mut Word, quoted: bool) -> Result<()> {
        let mut inner = String::new();
        loop {
            match self.next() {
                Some('`') => break,
                Some('\\') => match self.next() {
                    Some(each @ ('`' | '\\' | '$')) => inner.push(each),
                    Some('"') if quoted => inner.push('"'),
                    Some(each) => inner.extend(['\\', each]),
                    None => return Err(NotUnderstood("a substitution has no end")),
                },
                Some(each) => inner.push(each),
                None => return Err(NotUnderstood("a substitution has no end")),
            }
        }
        word.substitution = true;
        let mut reader = Reader::new(&inner, self.depth);
        reader.list(&[Terminator::Line], false)?;
        self.parts.append(&mut reader.parts);
        Ok(())
    }
}
