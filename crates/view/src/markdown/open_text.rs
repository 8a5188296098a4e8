//! Text whose end has not come: the marks that would close its open constructs.
//!
//! Only the last line is read. A construct that goes over several lines is shown as written until
//! its end comes.

/// A text whose constructs are closed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Closed {
    pub(super) text: String,
    /// The last mark that was added, if any was added.
    pub(super) last_mark: Option<char>,
}

/// How deeply emphasis can be nested.
const NESTED: usize = 16;

/// Marks of emphasis that are not closed yet.
struct Open {
    mark: char,
    count: usize,
}

/// Closes the constructs that are open at the end of a text. Returns `None` if there are none.
///
/// Marks at the end of the text are left out, because the next character decides what they mean.
pub(super) fn close(text: &str) -> Option<Closed> {
    let (earlier, line) = match text.rfind('\n') {
        Some(end) => text.split_at_checked(end + 1)?,
        None => ("", text),
    };
    let end = line.trim_end().len();
    let mut scan = Scan { line, at: 0, end, open: Vec::new(), brackets: Vec::new() };
    let (end, code) = scan.read();
    let kept = line.get(..end)?.trim_end();
    let (kept, label) = match scan.open_link(kept) {
        Some((begin, label)) => (line.get(..begin)?, label),
        None => (kept, ""),
    };
    let mut closed = format!("{earlier}{kept}{label}");
    let mut last_mark = None;
    if let Some(count) = code {
        closed.extend(std::iter::repeat_n('`', count));
        last_mark = Some('`');
    }
    for Open { mark, count } in scan.open.iter().rev() {
        closed.extend(std::iter::repeat_n(*mark, *count));
        last_mark = Some(*mark);
    }
    (closed != text).then_some(Closed { text: closed, last_mark })
}

struct Scan<'a> {
    line: &'a str,
    at: usize,
    /// The length of the line without the spaces at its end.
    end: usize,
    open: Vec<Open>,
    /// Where `[` is, for each one that is not closed, and then the link whose address is open: its
    /// beginning, and its text.
    brackets: Vec<usize>,
}

impl<'a> Scan<'a> {
    fn rest(&self) -> &'a str {
        self.line.get(self.at..).unwrap_or_default()
    }

    /// Reads the line. Returns where its certain part ends, and the length of the marks of open
    /// code.
    fn read(&mut self) -> (usize, Option<usize>) {
        while let Some(first) = self.rest().chars().next() {
            let rest = self.rest();
            let run = match first {
                '`' | '*' | '_' | '~' => rest.len() - rest.trim_start_matches(first).len(),
                _ => 1,
            };
            let at_end = self.at + run >= self.end;
            match first {
                '\\' => {
                    if rest.len() == 1 {
                        return (self.at, None);
                    }
                    let next = rest.chars().nth(1).map_or(0, char::len_utf8);
                    self.at += 1 + next;
                }
                '`' => {
                    if at_end {
                        return (self.at, None);
                    }
                    match code_end(rest, run) {
                        Some(length) => self.at += length,
                        None => {
                            let end = self.at + rest.trim_end().trim_end_matches('`').len();
                            return (end, Some(run));
                        }
                    }
                }
                '*' | '_' | '~' => {
                    if !self.run(first, run, at_end) {
                        return (self.at, None);
                    }
                    self.at += run;
                }
                '[' => {
                    self.brackets.push(self.at);
                    self.at += 1;
                }
                ']' => {
                    let begin = self.brackets.pop();
                    match (begin, rest.strip_prefix("](")) {
                        (Some(begin), Some(address)) => match address_end(address) {
                            Address::Ends(length) => self.at += 2 + length,
                            Address::Open => {
                                self.brackets.push(begin);
                                return (self.at, None);
                            }
                            Address::Invalid => self.at += 1,
                        },
                        _ => self.at += 1,
                    }
                }
                first => self.at += first.len_utf8(),
            }
        }
        (self.line.len(), None)
    }

    /// Reads a run of marks. Returns `false` if the line ends with it and its meaning is open.
    fn run(&mut self, mark: char, run: usize, at_end: bool) -> bool {
        let before = self.line.get(..self.at).and_then(|text| text.chars().next_back());
        let after = self.rest().chars().nth(run);
        let ends_word = before.is_some_and(|c| !c.is_whitespace());
        let begins_word = after.is_some_and(|c| !c.is_whitespace());
        let mut left = run;
        if ends_word {
            while left > 0
                && let Some(index) = self.open.iter().rposition(|open| open.mark == mark)
                && let Some(open) = self.open.get_mut(index)
            {
                let closed = open.count.min(left);
                if at_end && closed < open.count && mark != '*' {
                    return false;
                }
                if at_end && closed < open.count && left == 1 {
                    // Probably the first half of the end: it is added again as a whole.
                    return false;
                }
                open.count -= closed;
                left -= closed;
                let keep = index + usize::from(open.count > 0);
                self.open.truncate(keep);
            }
        }
        if left > 0 && at_end {
            return false;
        }
        let free = before.is_none_or(|c| !c.is_alphanumeric() && c != mark);
        let valid = left <= 3 && (mark != '~' || left == 2) && self.open.len() < NESTED;
        if left > 0 && begins_word && free && valid {
            self.open.push(Open { mark, count: left });
        }
        true
    }

    /// Returns where the open link begins and its text, if the kept text ends in its address.
    fn open_link(&self, kept: &'a str) -> Option<(usize, &'a str)> {
        let rest = self.rest();
        let begin = *self.brackets.last()?;
        if !rest.starts_with("](") {
            return None;
        }
        let image = kept.get(..begin).is_some_and(|before| before.ends_with('!'));
        let label = kept.get(begin + 1..)?;
        Some((begin - usize::from(image), label))
    }
}

/// Returns the length of code with its marks, if it ends.
fn code_end(text: &str, run: usize) -> Option<usize> {
    let mut at = run;
    loop {
        let begin = at + text.get(at..)?.find('`')?;
        let rest = text.get(begin..)?;
        let length = rest.len() - rest.trim_start_matches('`').len();
        if length == run {
            return Some(begin + length);
        }
        at = begin + length;
    }
}

/// How the address of a link goes on.
enum Address {
    /// It ends after this number of bytes.
    Ends(usize),
    Open,
    /// It is not an address.
    Invalid,
}

fn address_end(text: &str) -> Address {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => return Address::Ends(at + 1),
            ')' => depth -= 1,
            // A title may follow the address.
            ' ' => {
                let title = text.get(at..).unwrap_or_default().trim_start();
                return match title.chars().next() {
                    None => Address::Open,
                    Some('"' | '\'' | '(') => match title.find(')') {
                        Some(end) => Address::Ends(text.len() - title.len() + end + 1),
                        None => Address::Open,
                    },
                    Some(_) => Address::Invalid,
                };
            }
            _ => {}
        }
    }
    Address::Open
}

#[cfg(test)]
mod tests {
    use super::close;

    #[test]
    fn open_marks_are_closed() {
        for (text, closed) in [
            ("a **b", "a **b**"),
            ("a **b*", "a **b**"),
            ("a **b c ", "a **b c**"),
            ("a *b **c", "a *b **c***"),
            ("***a", "***a***"),
            ("***a**", "***a***"),
            ("a **", "a"),
            ("a *", "a"),
            ("~~a", "~~a~~"),
            ("~~a~", "~~a~~"),
            ("_a", "_a_"),
            ("`a", "`a`"),
            ("``a`", "``a``"),
            ("**`a", "**`a`**"),
            ("a `", "a"),
            ("a\\", "a"),
            ("see [b](http://c", "see b"),
            ("see ![b](http://c", "see b"),
            ("**[b](c", "**b**"),
            ("[b](c \"t", "b"),
            ("x\n**a", "x\n**a**"),
        ] {
            assert_eq!(close(text).map(|closed| closed.text).as_deref(), Some(closed), "{text}");
        }
    }

    #[test]
    fn other_text_stays() {
        for text in [
            "",
            "a",
            "**a** b",
            "*a*",
            "`a` b",
            "2 * 3",
            "a * b",
            "a_b_c",
            "2**3",
            "[a] b",
            "[a",
            "[a]",
            "[a](b) c",
            "[a](b c) d",
            "\\*a",
            "**a\nb",
            "`a\nb",
            "~a",
            "a`b` c",
        ] {
            assert_eq!(close(text), None, "{text}");
        }
    }
}
