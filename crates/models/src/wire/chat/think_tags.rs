//! Thoughts between tags at the beginning of the text, as sent by servers that have no field for
//! thoughts.

/// The tags that open and close a thought.
const TAGS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];

/// A piece of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(String),
    Thought(String),
}

/// Separates thoughts from text, which may arrive in pieces of any size. Thoughts can only be at
/// the beginning of the answer; later tags are part of the text.
#[derive(Debug, Default)]
pub(crate) struct ThinkTags {
    state: State,
    /// Text that may be the beginning of a tag.
    held: String,
    /// Whether the current thought is still empty. Line ends at its beginning are left out.
    fresh: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Only white space and thoughts have arrived.
    #[default]
    Begin,
    /// A thought has ended, and only white space has arrived since.
    After,
    /// Inside a thought that this tag closes.
    Thought(&'static str),
    Text,
}

impl ThinkTags {
    /// Takes the next piece of the answer.
    pub(crate) fn push(&mut self, piece: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        if self.state == State::Text {
            pieces.push(Piece::Text(piece.to_owned()));
            return pieces;
        }
        self.held.push_str(piece);
        while self.step(&mut pieces) {}
        pieces
    }

    /// Ends the answer, and returns the piece that was held back, if any.
    pub(crate) fn end(&mut self) -> Option<Piece> {
        let held = std::mem::take(&mut self.held);
        match std::mem::replace(&mut self.state, State::Text) {
            _ if held.is_empty() => None,
            State::Thought(_) => Some(Piece::Thought(held)),
            State::After if held.trim().is_empty() => None,
            State::Begin | State::After | State::Text => Some(Piece::Text(held)),
        }
    }

    /// Processes part of the text that was held back. Returns whether more can be processed.
    fn step(&mut self, pieces: &mut Vec<Piece>) -> bool {
        match self.state {
            State::Begin | State::After => self.begin(),
            State::Thought(tag) => self.thought(tag, pieces),
            State::Text => {
                let text = std::mem::take(&mut self.held);
                if !text.is_empty() {
                    pieces.push(Piece::Text(text));
                }
                false
            }
        }
    }

    fn begin(&mut self) -> bool {
        let begun = self.held.trim_start();
        if let Some((tag, close)) = TAGS.iter().find(|(tag, _)| begun.starts_with(tag)) {
            let rest = begun.strip_prefix(tag).unwrap_or(begun).to_owned();
            (self.held, self.state, self.fresh) = (rest, State::Thought(close), true);
            return true;
        }
        if TAGS.iter().any(|(tag, _)| tag.starts_with(begun)) {
            return false;
        }
        if self.state == State::After {
            self.held = begun.to_owned();
        }
        self.state = State::Text;
        true
    }

    fn thought(&mut self, close: &'static str, pieces: &mut Vec<Piece>) -> bool {
        if self.fresh {
            let begun = self.held.trim_start_matches(['\r', '\n']).to_owned();
            (self.fresh, self.held) = (begun.is_empty(), begun);
        }
        let (thought, rest) = match self.held.split_once(close) {
            Some((thought, rest)) => (thought.to_owned(), Some(rest.to_owned())),
            None => {
                let begun = (1..close.len()).rev().filter_map(|length| close.get(..length));
                let end =
                    begun.into_iter().find(|begun| self.held.ends_with(begun)).map_or(0, str::len);
                (self.held.get(..self.held.len() - end).unwrap_or_default().to_owned(), None)
            }
        };
        match rest {
            Some(rest) => (self.held, self.state) = (rest, State::After),
            None => drop(self.held.drain(..thought.len())),
        }
        if !thought.is_empty() {
            pieces.push(Piece::Thought(thought));
        }
        self.state == State::After
    }
}

#[cfg(test)]
mod tests {
    use super::{Piece, ThinkTags};

    fn told(pieces: &[&str]) -> (String, String) {
        let (mut tags, mut text, mut thought) =
            (ThinkTags::default(), String::new(), String::new());
        let mut all: Vec<Piece> = pieces.iter().flat_map(|piece| tags.push(piece)).collect();
        all.extend(tags.end());
        for piece in all {
            match piece {
                Piece::Text(piece) => text.push_str(&piece),
                Piece::Thought(piece) => thought.push_str(&piece),
            }
        }
        (thought, text)
    }

    #[test]
    fn only_the_beginning_of_an_answer_can_be_a_thought() {
        for (answer, thought, text) in [
            ("<think>hm</think>\n\n yes\n", "hm", "yes\n"),
            ("\n<think>\nhm</think>yes", "hm", "yes"),
            ("<thinking>hm</thinking>yes", "hm", "yes"),
            ("<think>a</think><think>b</think>c", "ab", "c"),
            ("<think>a < b </thin </think>c", "a < b </thin ", "c"),
            ("<think>ä€😀</think>ß", "ä€😀", "ß"),
            ("<think>never closed </th", "never closed </th", ""),
            ("the tag <think>x</think>", "", "the tag <think>x</think>"),
            ("<thin air", "", "<thin air"),
            ("<th", "", "<th"),
            ("<think>hm</think>\n", "hm", ""),
            ("\n yes", "", "\n yes"),
            ("", "", ""),
        ] {
            let expected = (thought.to_owned(), text.to_owned());
            assert_eq!(told(&[answer]), expected);
            let characters: Vec<String> = answer.chars().map(String::from).collect();
            let characters: Vec<&str> = characters.iter().map(String::as_str).collect();
            assert_eq!(told(&characters), expected, "{answer} by character");
        }
    }
}
