//! Notifications while the person looks elsewhere.

use super::modes;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

/// The time that a program of the desktop has to show a notification.
const PROGRAM_TIME: Duration = Duration::from_secs(10);

/// The maximum length of a title and of a text, in characters.
const LONGEST: usize = 200;

/// How the terminal notifies the person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NotificationMethod {
    /// A bell, and a message: by the sequence that the terminal understands, or by a program of the
    /// desktop.
    #[default]
    Automatic,
    /// Only a bell.
    Bell,
    /// Nothing.
    Off,
}

impl NotificationMethod {
    /// Returns the method with this name in the configuration file: `on`, `bell` or `off`.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Automatic, Self::Bell, Self::Off].into_iter().find(|method| method.name() == name)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Automatic => "on",
            Self::Bell => "bell",
            Self::Off => "off",
        }
    }
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

/// Notifies the person through the terminal. Errors are ignored: the next frame reports a terminal
/// that is gone.
pub(crate) fn notify(method: NotificationMethod, title: &str, text: &str) {
    let bytes = match method {
        NotificationMethod::Off => return,
        NotificationMethod::Bell => "\x07".to_owned(),
        NotificationMethod::Automatic => message(sequence(of_environment), title, text),
    };
    if let Ok(mut terminal) = modes::terminal() {
        let _ = terminal.write_all(bytes.as_bytes());
    }
}

fn of_environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
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

/// Returns a text without characters that control a terminal, and not longer than a notification.
fn plain(text: &str) -> String {
    let line = attache_view::sanitize::line(text);
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

fn message(sequence: Sequence, title: &str, text: &str) -> String {
    // A semicolon separates the parts of OSC 777.
    let part = |text: &str| plain(text).replace(|c: char| c.is_control() || c == ';', " ");
    match sequence {
        Sequence::Nine => format!("\x1b]9;{}: {}\x07\x07", part(title), part(text)),
        Sequence::SevenSevenSeven => {
            format!("\x1b]777;notify;{};{}\x07\x07", part(title), part(text))
        }
        Sequence::None => "\x07".to_owned(),
    }
}

/// Returns the program and the arguments that show a notification on the desktop: the person's
/// command, or else a usual program where the terminal shows no messages by itself.
pub(crate) fn desktop_program(command: &[String], title: &str, text: &str) -> Option<Vec<String>> {
    if let Some((program, arguments)) = command.split_first() {
        let mut words = vec![program.clone()];
        words.extend_from_slice(arguments);
        words.extend([plain(title), plain(text)]);
        return Some(words);
    }
    if sequence(of_environment) != Sequence::None {
        return None;
    }
    let paths = std::env::var_os("PATH")?;
    let is_installed =
        |program: &str| std::env::split_paths(&paths).any(|folder| folder.join(program).is_file());
    usual_program(is_installed, of_environment, title, text)
}

fn usual_program(
    is_installed: impl Fn(&str) -> bool,
    variable: impl Fn(&str) -> Option<String>,
    title: &str,
    text: &str,
) -> Option<Vec<String>> {
    let has_desktop = ["WAYLAND_DISPLAY", "DISPLAY"].iter().any(|name| variable(name).is_some());
    let words: &[&str] = if cfg!(target_os = "macos") && is_installed("terminal-notifier") {
        // A message that begins with a bracket or a dash would be read as something else.
        &[
            "terminal-notifier",
            "-title",
            &format!(" {}", plain(title)),
            "-message",
            &format!(" {}", plain(text)),
        ]
    } else if has_desktop && is_installed("notify-send") {
        &["notify-send", "--app-name=attache", "--", &plain(title), &plain(text)]
    } else {
        return None;
    };
    Some(words.iter().map(|word| (*word).to_owned()).collect())
}

/// Runs a program without a shell, and waits for it for a while. A program that fails has no
/// effect: the bell rang already.
pub(crate) async fn run(words: Vec<String>) {
    let Some((program, arguments)) = words.split_first() else { return };
    let mut command = Command::new(Path::new(program));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Ok(mut child) = command.kill_on_drop(true).spawn() {
        let _ = tokio::time::timeout(PROGRAM_TIME, child.wait()).await;
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
        let shown = message(Sequence::Nine, "a;\x1b", "b\n\u{9b}c");
        assert_eq!(shown.matches(|c: char| c.is_control()).count(), 3, "{shown:?}");
        assert_eq!(message(Sequence::None, "a", "b"), "\x07");
        assert!(message(Sequence::Nine, "a", &"é".repeat(5000)).len() < 500);
    }

    #[test]
    fn texts_are_arguments_and_never_options_or_commands() {
        let (title, text) = ("--help; touch x", "$(touch x)\x1b[2J\n--icon");
        let mine = desktop_program(&["notify".to_owned(), "-a b".to_owned()], title, text).unwrap();
        assert_eq!(mine[..3], ["notify", "-a b", title]);
        assert!(mine[3].starts_with("$(touch x)") && !mine[3].contains(['\x1b', '\n']));
        assert_eq!(mine.len(), 4);
        let display = |name: &str| (name == "DISPLAY").then(|| ":0".to_owned());
        if cfg!(target_os = "linux") {
            let usual = usual_program(|name| name == "notify-send", display, title, text).unwrap();
            assert_eq!(usual[..4], ["notify-send", "--app-name=attache", "--", title]);
            assert_eq!(usual.len(), 5);
        }
        assert_eq!(usual_program(|_| false, display, title, text), None);
        assert_eq!(
            usual_program(|_| true, |_| None, "a", "b").is_some(),
            cfg!(target_os = "macos")
        );
    }
}
