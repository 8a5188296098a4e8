//! The grammar of the commands: counts, operators, motions and text objects.

/// A complete command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) count: Option<usize>,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// Moves the cursor.
    Move(Motion),
    /// Does something with a part of the text.
    Operate(Operator, Target),
    /// Selects a text object, in visual mode.
    Select(Object),
    /// Replaces characters by this one.
    Replace(char),
    /// Another command of one key.
    Key(char),
}

/// An operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Delete,
    Change,
    Yank,
    Indent,
    Outdent,
    Join,
    SwapCase,
    LowerCase,
    UpperCase,
    Replace(char),
}

/// What an operator works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    Motion(Motion),
    Object(Object),
    /// Whole lines.
    Lines,
    /// The selection of the visual mode.
    Selection,
    /// As many characters, or lines, as an earlier selection had.
    Extent {
        length: usize,
        lines: bool,
    },
}

/// A motion: its key, and the character that it looks for. `g` is `gg`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Motion {
    pub(super) key: char,
    pub(super) sought: Option<char>,
}

/// A text object: its key, with or without what is around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Object {
    pub(super) key: char,
    pub(super) around: bool,
}

/// What the keys so far are.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Parsed {
    /// The first keys of a command.
    Incomplete,
    /// No command.
    Invalid,
    Command(Command),
}

/// Motions of one key.
const MOTIONS: &str = "hjkl wbeWBE0^$G;,%{}";

/// Commands of one key in normal mode that are neither motions nor operators.
const KEYS: &str = "xXDCsSYpPJ~u.iIaAoOvV\u{12}";

/// Commands of one key in visual mode that are no operators.
const VISUAL_KEYS: &str = "vVopP";

const OBJECTS: &str = "wW\"'`()b[]{}B<>p";

/// Reads keys. Ctrl-R is the control character 0x12.
pub(super) fn parse(keys: &str, visual: bool) -> Parsed {
    let mut keys = Keys(keys);
    let count = keys.count();
    let Some(first) = keys.next() else { return Parsed::Incomplete };
    let command = |kind| Parsed::Command(Command { count, kind });
    if let Some(motion) = keys.motion(first) {
        return motion.map_or_else(|parsed| parsed, |motion| command(Kind::Move(motion)));
    }
    match (first, visual) {
        ('r', _) => match (keys.next(), visual) {
            (None, _) => Parsed::Incomplete,
            (Some(with), true) => {
                command(Kind::Operate(Operator::Replace(with), Target::Selection))
            }
            (Some(with), false) => command(Kind::Replace(with)),
        },
        ('i' | 'a', true) => match keys.object(first) {
            Ok(object) => command(Kind::Select(object)),
            Err(parsed) => parsed,
        },
        (_, true) => match visual_operator(first) {
            Some(operator) => command(Kind::Operate(operator, Target::Selection)),
            None if VISUAL_KEYS.contains(first) => command(Kind::Key(first)),
            None => Parsed::Invalid,
        },
        (_, false) => match operator(first) {
            Some(operator) => keys.operation(first, operator, count),
            None if KEYS.contains(first) => command(Kind::Key(first)),
            None => Parsed::Invalid,
        },
    }
}

fn operator(key: char) -> Option<Operator> {
    Some(match key {
        'd' => Operator::Delete,
        'c' => Operator::Change,
        'y' => Operator::Yank,
        '>' => Operator::Indent,
        '<' => Operator::Outdent,
        _ => return None,
    })
}

fn visual_operator(key: char) -> Option<Operator> {
    Some(match key {
        'x' => Operator::Delete,
        's' => Operator::Change,
        'J' => Operator::Join,
        '~' => Operator::SwapCase,
        'u' => Operator::LowerCase,
        'U' => Operator::UpperCase,
        key => return operator(key),
    })
}

/// The keys that are not read yet.
struct Keys<'k>(&'k str);

impl Keys<'_> {
    fn next(&mut self) -> Option<char> {
        let next = self.0.chars().next()?;
        self.0 = self.0.get(next.len_utf8()..).unwrap_or_default();
        Some(next)
    }

    /// Reads a count. A zero at its start is a motion.
    fn count(&mut self) -> Option<usize> {
        let digits = self.0.find(|key: char| !key.is_ascii_digit()).unwrap_or(self.0.len());
        if digits == 0 || self.0.starts_with('0') {
            return None;
        }
        let (count, rest) = self.0.split_at_checked(digits)?;
        self.0 = rest;
        Some(count.parse().unwrap_or(usize::MAX))
    }

    /// Reads the rest of a motion; `None` if the key begins none.
    fn motion(&mut self, key: char) -> Option<Result<Motion, Parsed>> {
        Some(match key {
            'f' | 'F' | 't' | 'T' => match self.next() {
                Some(sought) => Ok(Motion { key, sought: Some(sought) }),
                None => Err(Parsed::Incomplete),
            },
            'g' => match self.next() {
                Some('g') => Ok(Motion { key, sought: None }),
                Some(_) => Err(Parsed::Invalid),
                None => Err(Parsed::Incomplete),
            },
            key if MOTIONS.contains(key) => Ok(Motion { key, sought: None }),
            _ => return None,
        })
    }

    fn object(&mut self, first: char) -> Result<Object, Parsed> {
        match self.next() {
            Some(key) if OBJECTS.contains(key) => Ok(Object { key, around: first == 'a' }),
            Some(_) => Err(Parsed::Invalid),
            None => Err(Parsed::Incomplete),
        }
    }

    /// Reads what an operator works on.
    fn operation(&mut self, first: char, operator: Operator, count: Option<usize>) -> Parsed {
        let second = self.count();
        let count = match (count, second) {
            (Some(one), Some(other)) => Some(one.saturating_mul(other)),
            (one, other) => one.or(other),
        };
        let Some(key) = self.next() else { return Parsed::Incomplete };
        let target = match key {
            key if key == first => Ok(Target::Lines),
            'i' | 'a' => self.object(key).map(Target::Object),
            key => match self.motion(key) {
                Some(motion) => motion.map(Target::Motion),
                None => Err(Parsed::Invalid),
            },
        };
        match target {
            Ok(target) => Parsed::Command(Command { count, kind: Kind::Operate(operator, target) }),
            Err(parsed) => parsed,
        }
    }
}
