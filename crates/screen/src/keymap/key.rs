//! One key with its modifiers.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::fmt;
use std::str::FromStr;

/// One key with its modifiers, written like `ctrl-x`, `alt-enter`, `shift-tab`, `f1` or `?`.
///
/// Terminals without an extended keyboard protocol send the same bytes for some keys. A `Key` has
/// one form for them: an upper-case letter has no `shift`, and Ctrl-7 is `ctrl-_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd)]
pub struct Key {
    code: KeyCode,
    modifiers: KeyModifiers,
}

/// The names of keys that are not characters. The first name of a key is the one that is shown.
const NAMES: &[(&str, KeyCode)] = &[
    ("enter", KeyCode::Enter),
    ("return", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("escape", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("space", KeyCode::Char(' ')),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("del", KeyCode::Delete),
    ("insert", KeyCode::Insert),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pageup", KeyCode::PageUp),
    ("pagedown", KeyCode::PageDown),
];

const MODIFIERS: &[(&str, KeyModifiers)] = &[
    ("ctrl", KeyModifiers::CONTROL),
    ("alt", KeyModifiers::ALT),
    ("shift", KeyModifiers::SHIFT),
    ("control", KeyModifiers::CONTROL),
    ("option", KeyModifiers::ALT),
];

impl Key {
    /// Returns the key of an event of the terminal.
    pub fn of(event: KeyEvent) -> Self {
        let known = KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT;
        let mut modifiers = event.modifiers & known;
        let control = modifiers.contains(KeyModifiers::CONTROL);
        let code = match event.code {
            KeyCode::BackTab => {
                modifiers |= KeyModifiers::SHIFT;
                KeyCode::Tab
            }
            // The control characters 0x1c to 0x1f.
            KeyCode::Char('4') if control => KeyCode::Char('\\'),
            KeyCode::Char('5') if control => KeyCode::Char(']'),
            KeyCode::Char('6') if control => KeyCode::Char('^'),
            KeyCode::Char('7' | '/') if control => KeyCode::Char('_'),
            KeyCode::Char(letter) if control => KeyCode::Char(letter.to_ascii_lowercase()),
            KeyCode::Char(letter) if modifiers.contains(KeyModifiers::SHIFT) => {
                KeyCode::Char(letter.to_ascii_uppercase())
            }
            code => code,
        };
        if matches!(code, KeyCode::Char(letter) if letter != ' ') {
            modifiers -= KeyModifiers::SHIFT;
        }
        Self { code, modifiers }
    }

    /// Returns the character that the key types; `None` with Ctrl or Alt, and for other keys.
    pub fn character(self) -> Option<char> {
        match self.code {
            KeyCode::Char(letter)
                if !self.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) =>
            {
                Some(letter)
            }
            _ => None,
        }
    }

    /// Returns the code of the key, without its modifiers.
    pub fn code(self) -> KeyCode {
        self.code
    }

    /// Returns the modifiers.
    pub fn modifiers(self) -> KeyModifiers {
        self.modifiers
    }
}

impl FromStr for Key {
    type Err = String;

    /// Reads a key. Modifiers end with `-` or `+`; names may be in upper or lower case.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = text;
        while let Some((word, after)) = rest.split_once(['-', '+']) {
            let named = MODIFIERS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
            let Some((_, modifier)) = named else { break };
            modifiers |= *modifier;
            rest = after;
        }
        let mut characters = rest.chars();
        let code = match (characters.next(), characters.next()) {
            (Some(letter), None) if !letter.is_control() => KeyCode::Char(letter),
            _ => named(rest).ok_or_else(|| format!("`{text}` is not a key"))?,
        };
        Ok(Self::of(KeyEvent::new(code, modifiers)))
    }
}

fn named(name: &str) -> Option<KeyCode> {
    let found = NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    let function = || {
        let number = name.strip_prefix(['f', 'F'])?.parse().ok()?;
        (1..=24).contains(&number).then_some(KeyCode::F(number))
    };
    found.map(|(_, code)| *code).or_else(function)
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, modifier) in MODIFIERS.iter().take(3) {
            if self.modifiers.contains(*modifier) {
                write!(f, "{name}-")?;
            }
        }
        match (self.code, NAMES.iter().find(|(_, code)| *code == self.code)) {
            (_, Some((name, _))) => f.write_str(name),
            (KeyCode::Char(letter), None) => write!(f, "{letter}"),
            (KeyCode::F(number), None) => write!(f, "f{number}"),
            (code, None) => write!(f, "{code}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_and_written() {
        for (text, shown) in [
            ("ctrl-x", "ctrl-x"),
            ("Ctrl+X", "ctrl-x"),
            ("alt-Enter", "alt-enter"),
            ("shift-tab", "shift-tab"),
            ("control-alt-delete", "ctrl-alt-delete"),
            ("F12", "f12"),
            ("?", "?"),
            ("-", "-"),
            ("ctrl--", "ctrl--"),
            ("alt-+", "alt-+"),
            ("N", "N"),
            ("shift-n", "N"),
            ("alt-N", "alt-N"),
            ("ctrl-/", "ctrl-_"),
            ("ctrl-7", "ctrl-_"),
            ("space", "space"),
            ("é", "é"),
        ] {
            assert_eq!(text.parse::<Key>().map(|key| key.to_string()), Ok(shown.to_owned()));
            assert_eq!(shown.parse::<Key>(), text.parse::<Key>(), "{text}");
        }
        for wrong in ["", "ctrl-", "hyper-x", "f0", "f25", "ab", "\u{1b}", "enter "] {
            assert_eq!(wrong.parse::<Key>(), Err(format!("`{wrong}` is not a key")));
        }
    }

    #[test]
    fn different_terminals_send_the_same_key() {
        let key = |code, modifiers| Key::of(KeyEvent::new(code, modifiers)).to_string();
        assert_eq!(key(KeyCode::BackTab, KeyModifiers::SHIFT), "shift-tab");
        assert_eq!(key(KeyCode::BackTab, KeyModifiers::NONE), "shift-tab");
        assert_eq!(key(KeyCode::Char('A'), KeyModifiers::SHIFT), "A");
        assert_eq!(key(KeyCode::Char('a'), KeyModifiers::SHIFT), "A");
        assert_eq!(key(KeyCode::Char('C'), KeyModifiers::CONTROL), "ctrl-c");
        assert_eq!(key(KeyCode::Char('7'), KeyModifiers::CONTROL), "ctrl-_");
    }
}
