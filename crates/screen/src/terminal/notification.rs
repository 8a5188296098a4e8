//! Notifications while the person looks elsewhere.

use super::modes;
use std::io::Write;

/// How the terminal notifies the person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NotificationMethod {
    /// A bell, and a message by the sequence that the terminal understands, if it is known.
    #[default]
    Automatic,
    /// Only a bell.
    Bell,
    /// Nothing.
    Off,
}

/// Which sequence a terminal understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sequence {
    /// OSC 9: iTerm2, WezTerm, Ghostty, kitty, Windows Terminal.
    Nine,
    /// OSC 777: urxvt, VTE, foot.
    SevenSevenSeven,
    None,
}

/// Notifies the person. The texts are sanitized. Errors are ignored: the next frame reports a
/// terminal that is gone.
pub(crate) fn notify(method: NotificationMethod, title: &str, text: &str) {
    let bytes = match method {
        NotificationMethod::Off => return,
        NotificationMethod::Bell => "\x07".to_owned(),
        NotificationMethod::Automatic => {
            message(sequence(|name| std::env::var(name).ok()), title, text)
        }
    };
    if let Ok(mut terminal) = modes::terminal() {
        let _ = terminal.write_all(bytes.as_bytes());
    }
}

fn sequence(variable: impl Fn(&str) -> Option<String>) -> Sequence {
    let is = |name: &str, start: &str| variable(name).is_some_and(|value| value.starts_with(start));
    let programs = ["iTerm", "WezTerm", "ghostty"];
    if programs.iter().any(|program| is("TERM_PROGRAM", program))
        || is("TERM", "xterm-kitty")
        || variable("WT_SESSION").is_some()
    {
        Sequence::Nine
    } else if variable("VTE_VERSION").is_some() || is("TERM", "rxvt") || is("TERM", "foot") {
        Sequence::SevenSevenSeven
    } else {
        Sequence::None
    }
}

fn message(sequence: Sequence, title: &str, text: &str) -> String {
    // A semicolon separates the parts of OSC 777.
    let part = |text: &str| text.replace(|c: char| c.is_control() || c == ';', " ");
    match sequence {
        Sequence::Nine => format!("\x1b]9;{}: {}\x07\x07", part(title), part(text)),
        Sequence::SevenSevenSeven => {
            format!("\x1b]777;notify;{};{}\x07\x07", part(title), part(text))
        }
        Sequence::None => "\x07".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_terminal_gets_the_sequence_that_it_understands() {
        let of = |name: &'static str, value: &'static str| {
            sequence(move |wanted| (wanted == name).then(|| value.to_owned()))
        };
        assert_eq!(of("TERM_PROGRAM", "WezTerm"), Sequence::Nine);
        assert_eq!(of("VTE_VERSION", "7600"), Sequence::SevenSevenSeven);
        assert_eq!(of("TERM", "xterm-256color"), Sequence::None);
        assert_eq!(message(Sequence::Nine, "a;\x1b", "b"), "\x1b]9;a  : b\x07\x07");
        assert_eq!(message(Sequence::None, "a", "b"), "\x07");
    }
}
