//! How Windows reads paths. These rules need no Windows, so they are tested everywhere.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::files::spelled_path::{SpelledPath, Step};

/// The names of devices, in any folder and with any extension.
const DEVICES: &[&str] = &["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"];

/// Takes a path apart: relative, or absolute on a drive (`C:\x`) or a share (`\\server\share\x`),
/// also in the long form (`\\?\C:\x`). The start has the short form and a drive in upper case.
///
/// Everything else is an error: a path whose drive or folder depends on the process (`C:x`, `\x`),
/// a device (`\\.\pipe`), and a name for which [`flaw_of`] returns a reason.
pub(crate) fn spelled(path: &str) -> Result<SpelledPath, &'static str> {
    let (start, rest) = start(path)?;
    let mut steps = Vec::new();
    for name in rest.split(['/', '\\']) {
        match name {
            "" | "." => {}
            ".." => steps.push(Step::Up),
            _ => match flaw_of(name) {
                None => steps.push(Step::Down(OsString::from(name))),
                Some(why) => return Err(why),
            },
        }
    }
    Ok(SpelledPath { start, steps })
}

/// Divides a path into its start and the rest.
fn start(path: &str) -> Result<(Option<PathBuf>, &str), &'static str> {
    const DEVICE: &str = "it is the path of a device";
    let path_of_drive = |path| drive(path).map(|(letter, rest)| (format!("{letter}:\\"), rest));
    if let Some(long) = path.strip_prefix(r"\\?\") {
        // In this form only a backslash separates names.
        if long.contains('/') {
            return Err("a path that begins with \\\\?\\ has no \"/\"");
        }
        let unc = long.get(..4).filter(|start| start.eq_ignore_ascii_case(r"UNC\"));
        let found = match unc {
            Some(_) => share(long.get(4..).unwrap_or_default()),
            None => path_of_drive(long).filter(|(_, rest)| rest.starts_with('\\')),
        };
        return found.map(|(start, rest)| (Some(start.into()), rest)).ok_or(DEVICE);
    }
    let mut characters = path.chars();
    let separators = characters.by_ref().take(2).filter(|letter| is_separator(*letter)).count();
    match (separators, path_of_drive(path)) {
        (2, _) => {
            let rest = path.get(2..).unwrap_or_default();
            share(rest).map(|(start, rest)| (Some(start.into()), rest)).ok_or(DEVICE)
        }
        (_, Some((start, rest))) if rest.starts_with(is_separator) => {
            Ok((Some(start.into()), rest))
        }
        (_, Some(_)) => Err("it has a drive but no \"\\\" after it: give the full path"),
        (_, None) if path.starts_with(is_separator) => Err("it has no drive: give the full path"),
        (_, None) => Ok((None, path)),
    }
}

/// The drive at the start of a path, in upper case, and the rest.
fn drive(path: &str) -> Option<(char, &str)> {
    let (letter, rest) = path.split_once(':')?;
    let mut letters = letter.chars();
    let letter = letters.next().filter(char::is_ascii_alphabetic)?;
    letters.next().is_none().then(|| (letter.to_ascii_uppercase(), rest))
}

/// The server and the share at the start of a path, and the rest.
fn share(path: &str) -> Option<(String, &str)> {
    let (server, rest) = path.split_once(is_separator)?;
    let (share, rest) = rest.split_at(rest.find(is_separator).unwrap_or(rest.len()));
    let is_plain = |name: &str| !name.is_empty() && flaw_of(name).is_none();
    (is_plain(server) && is_plain(share)).then(|| (format!(r"\\{server}\{share}\"), rest))
}

fn is_separator(letter: char) -> bool {
    matches!(letter, '/' | '\\')
}

/// Returns why Windows does not treat a name as that of one ordinary entry, or `None` if it does.
/// Some of these names mean a device, and others a part of a file, or the entry of another name.
pub(crate) fn flaw_of(name: &str) -> Option<&'static str> {
    let stem = name.split('.').next().unwrap_or(name).trim_end_matches(' ');
    let is_numbered = |device: &str| {
        let number = stem.get(..3).filter(|start| start.eq_ignore_ascii_case(device));
        let number = number.and_then(|_| stem.get(3..)).unwrap_or_default();
        let mut digits = number.chars();
        matches!(digits.next(), Some('0'..='9' | '¹' | '²' | '³')) && digits.next().is_none()
    };
    if name.contains(':') {
        return Some("a name with \":\" means a part of a file, an alternate data stream");
    }
    if name.contains(|letter: char| letter < ' ' || "<>\"|?*/\\".contains(letter)) {
        return Some("a name has a character that Windows does not allow");
    }
    if name.ends_with(['.', ' ']) {
        return Some("a name ends with a period or a space, which Windows ignores");
    }
    let is_device = DEVICES.iter().any(|device| stem.eq_ignore_ascii_case(device));
    (is_device || is_numbered("COM") || is_numbered("LPT"))
        .then_some("a name is that of a device, such as NUL or COM1")
}

/// Returns the short form of an absolute path in the long form. `None` if it has no short form that
/// means the same, or is too long for programs that know only the short form.
#[cfg_attr(not(windows), allow(dead_code, reason = "only tests use it here"))]
pub(crate) fn shortest(path: &str) -> Option<String> {
    /// The length from which programs may refuse a path in the short form.
    const LONGEST: usize = 248;
    let SpelledPath { start, steps } = spelled(path).ok()?;
    let mut text = start?.into_os_string().into_string().ok()?;
    for (at, step) in steps.into_iter().enumerate() {
        let Step::Down(name) = step else { return None };
        if at > 0 {
            text.push('\\');
        }
        text.push_str(name.to_str()?);
    }
    (text.len() < LONGEST).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::{Step, flaw_of, shortest, spelled};

    /// The start and the steps of a path, as a text.
    fn shown(path: &str) -> Option<String> {
        let spelled = spelled(path).ok()?;
        let steps = spelled.steps.iter().map(|step| match step {
            Step::Up => "..",
            Step::Down(name) => name.to_str().unwrap(),
        });
        let steps: Vec<&str> = steps.collect();
        let start = spelled.start.map_or(String::new(), |start| start.display().to_string());
        Some(format!("{start}|{}", steps.join(",")))
    }

    #[test]
    fn a_path_is_divided_into_its_start_and_its_names() {
        for (path, wanted) in [
            (r"C:\a\b", r"C:\|a,b"),
            (r"c:/a/./b\..", r"C:\|a,b,.."),
            (r"\\?\c:\a", r"C:\|a"),
            (r"\\server\share\a", r"\\server\share\|a"),
            (r"//server/share", r"\\server\share\|"),
            (r"\\?\UNC\server\share\a", r"\\server\share\|a"),
            (r"\\?\unc\server\share", r"\\server\share\|"),
            (r"src\main.rs", "|src,main.rs"),
            (r"..\x", "|..,x"),
            ("C:\\", "C:\\|"),
            ("ä\\日本", "|ä,日本"),
        ] {
            assert_eq!(shown(path).as_deref(), Some(wanted), "{path}");
        }
    }

    #[test]
    fn paths_that_depend_on_the_process_and_devices_are_refused() {
        for path in [
            "C:a",
            "C:",
            r"\a",
            "/a",
            r"\\.\pipe\x",
            r"\\.\C:\x",
            r"\\?\Volume{b75e2c83-0000-0000-0000-602f00000000}\x",
            r"\\?\GLOBALROOT\Device\x",
            r"\\?\pipe\x",
            r"\\?\C:",
            r"\\?\C:\a/b",
            r"\??\C:\x",
            r"\\server",
            r"\\\share\x",
            r"C:\a\NUL",
            r"C:\a:b\c",
            r"a\file.txt:stream",
            r"a\file::$DATA",
            "a\0b",
        ] {
            assert_eq!(shown(path), None, "{path}");
        }
    }

    #[test]
    fn names_that_mean_something_else_have_a_flaw() {
        let flawed = [
            "NUL", "nul.txt", "Con", "aux .c", "COM1", "com9.log", "LPT²", "CONIN$", "a:b", "a.",
            "a ", "...", "a<b", "a|b", "a?", "a*", "a\tb", "\"",
        ];
        for name in flawed {
            assert!(flaw_of(name).is_some(), "{name}");
        }
        for name in ["NULL", "console", "COM", "COM10", "COMA", ".git", "a.b.c", "con-fig", "ß"] {
            assert_eq!(flaw_of(name), None, "{name}");
        }
    }

    #[test]
    fn the_short_form_is_used_where_it_means_the_same() {
        assert_eq!(shortest(r"\\?\C:\a\b").as_deref(), Some(r"C:\a\b"));
        assert_eq!(shortest(r"\\?\C:\").as_deref(), Some("C:\\"));
        assert_eq!(shortest(r"\\?\UNC\s\h\a").as_deref(), Some(r"\\s\h\a"));
        assert_eq!(shortest(r"\\?\C:\a\NUL"), None);
        assert_eq!(shortest(r"\\?\C:\a."), None);
        assert_eq!(shortest(&format!(r"\\?\C:\{}", "a".repeat(300))), None);
    }
}
