//! The effect of a tool call, for people: an agent's title can be wrong or empty.

use crate::extent::Extent;
use crate::path::{distinct, relative};
use crate::sanitize;
use crate::span::{Line, Role, Span};
use attache_client::effect::Command;
use attache_client::{ToolEffect, is_invisible};
use std::path::Path;

/// The size of a tool's input, in bytes, up to which it is read for a row.
pub(crate) const INPUT_LIMIT: usize = 256 * 1024;

/// The number of lines and of characters in a line that a row shows.
const ROW_LINES: usize = 20;
const ROW_COLUMNS: usize = 2_000;

/// Verbs that can precede a command, a file or an address in a title that describes the call. Other
/// words can reverse the meaning, such as `Skip`, or hide it: `Read ./deploy.sh` does not say that
/// the file runs.
const COMMAND_VERBS: [&str; 5] = ["bash", "execute", "run", "running", "shell"];
const FILE_VERBS: [&str; 9] =
    ["create", "delete", "edit", "editing", "move", "read", "update", "write", "writing"];
const ADDRESS_VERBS: [&str; 1] = ["fetch"];

/// Returns what the call does. A row leaves out what the title already shows, and shows other
/// arguments only if there is no command, file or address. A question shows everything, because the
/// agent writes the title.
pub(crate) fn lines(effect: &ToolEffect, title: &str, cwd: &Path, extent: Extent) -> Vec<Line> {
    let mut lines = Vec::new();
    let says = |what: &str, verbs: &[&str]| extent == Extent::Row && says(title, what, verbs);
    for command in &effect.commands {
        lines.extend(command_lines(command, cwd, |line| says(line, &COMMAND_VERBS)));
    }
    for path in distinct(&effect.paths, cwd) {
        let shown = relative(path, cwd);
        let is_title = says(&shown, &FILE_VERBS) || says(&visible(path), &FILE_VERBS);
        if shown != "." && !is_title {
            lines.push(Line::of(shown, Role::Path));
        }
    }
    let urls = effect.urls.iter().map(|url| visible(url));
    let urls = urls.filter(|url| !says(url, &ADDRESS_VERBS));
    lines.extend(urls.map(|url| Line::of(url, Role::Name)));
    let is_rest = effect.commands.is_empty() && effect.paths.is_empty() && effect.urls.is_empty();
    if let Some(arguments) =
        effect.arguments.as_ref().filter(|_| is_rest || extent == Extent::Whole)
    {
        lines.extend(code_lines("with ", &visible(&arguments.to_string())));
    }
    if extent == Extent::Row {
        shorten(&mut lines);
    }
    lines
}

/// Returns the command, unless it is known, and its folder if it differs from the session's.
fn command_lines(command: &Command, cwd: &Path, is_known: impl Fn(&str) -> bool) -> Vec<Line> {
    let variables = command.environment.iter().map(|(name, value)| format!("{name}={value} "));
    let line = visible(&format!("{}{}", variables.collect::<String>(), command.line));
    let mut lines = Vec::new();
    if line.contains('\n') || !is_known(&line) {
        lines.extend(code_lines("$ ", &line));
    }
    let is_here = |folder: &&String| Path::new(folder) == cwd || *folder == ".";
    if let Some(folder) = command.folder.as_ref().filter(|folder| !is_here(folder)) {
        let folder = Span::new(relative(folder, cwd), Role::Path);
        lines.push(Line { spans: vec![Span::new("in ", Role::Muted), folder] });
    }
    lines
}

/// Returns the lines of a text, the first one after a mark.
fn code_lines(mark: &str, text: &str) -> Vec<Line> {
    let line = |(index, line): (usize, &str)| {
        let mark = if index == 0 { mark.to_owned() } else { " ".repeat(mark.len()) };
        Line { spans: vec![Span::new(mark, Role::Muted), Span::new(line, Role::Code)] }
    };
    text.split('\n').enumerate().map(line).collect()
}

/// Returns whether the title is only this command, file or address, letter by letter, with an
/// optional verb such as `Run` before it.
fn says(title: &str, what: &str, verbs: &[&str]) -> bool {
    let is_verb = |word: &str| word.is_empty() || verbs.contains(&word);
    let quoted = title.strip_suffix('`').and_then(|title| title.strip_suffix(what));
    quoted.or_else(|| title.strip_suffix(what)).is_some_and(|before| {
        let word = before.trim_end().trim_end_matches(':').trim_matches('`').trim().to_lowercase();
        before.is_empty() || before.ends_with([' ', '`']) && is_verb(&word)
    })
}

/// Makes every character visible, including tabs and characters without a width.
pub(crate) fn visible(text: &str) -> String {
    let shown = |each: char| match each {
        '\t' => '\u{2409}',
        each if each != '\n' && is_invisible(each) => '\u{fffd}',
        each => each,
    };
    sanitize::visible(text).chars().map(shown).collect()
}

/// Shortens what a row shows. A question and the pager show everything.
fn shorten(lines: &mut Vec<Line>) {
    let more = lines.len().saturating_sub(ROW_LINES);
    if more > 1 {
        lines.truncate(ROW_LINES);
        lines.push(Line::of(format!("… {more} more lines"), Role::Muted));
    }
    for span in lines.iter_mut().flat_map(|line| &mut line.spans) {
        if let Some((end, _)) = span.text.char_indices().nth(ROW_COLUMNS) {
            span.text.truncate(end);
            span.text.push('…');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use attache_client::effect::ReportedCall;
    use attache_protocol::v1::ToolKind;

    fn shown(title: &str, kind: ToolKind, input: &str) -> Vec<String> {
        let input = serde_json::from_str(input).unwrap();
        let effect = ToolEffect::of(&ReportedCall {
            kind: Some(&kind),
            title,
            raw_input: Some(&input),
            ..ReportedCall::default()
        });
        let lines = lines(&effect, title, Path::new("/p"), Extent::Row);
        lines.iter().map(Line::text).collect()
    }

    #[test]
    fn the_effect_is_what_the_title_does_not_say() {
        for (title, kind, input, expected) in [
            ("Run tests", ToolKind::Execute, r#"{"command":"cargo test"}"#, &["$ cargo test"][..]),
            ("`cargo test`", ToolKind::Execute, r#"{"command":"cargo test"}"#, &[]),
            ("run cargo test", ToolKind::Execute, r#"{"command":"cargo test"}"#, &[]),
            (
                "Read ./deploy.sh",
                ToolKind::Read,
                r#"{"command":"./deploy.sh"}"#,
                &["$ ./deploy.sh"],
            ),
            ("run ls a b", ToolKind::Execute, r#"{"command":"ls a  b"}"#, &["$ ls a  b"]),
            ("Run a.txt", ToolKind::Read, r#"{"path":"/p/a.txt"}"#, &["a.txt"]),
            (
                "Skip cargo test",
                ToolKind::Execute,
                r#"{"command":"cargo test"}"#,
                &["$ cargo test"],
            ),
            (
                "Clean",
                ToolKind::Execute,
                r#"{"command":"rm -rf a\nls","cwd":"/p/b"}"#,
                &["$ rm -rf a", "  ls", "in b"],
            ),
            ("Read it", ToolKind::Read, r#"{"path":"/p/a.txt"}"#, &["a.txt"]),
            ("Read a.txt", ToolKind::Read, r#"{"path":"/p/a.txt"}"#, &[]),
            ("Read it", ToolKind::Read, r#"{"path":"/p/a.txt","file":"a.txt"}"#, &["a.txt"]),
            (
                "Search",
                ToolKind::Search,
                r#"{"pattern":"fn main"}"#,
                &["with {\"pattern\":\"fn main\"}"],
            ),
            ("Fetch", ToolKind::Fetch, r#"{"url":"https://a.example/"}"#, &["https://a.example/"]),
            ("x", ToolKind::Execute, r#"{"command":"a\u001b[2J\u202eb"}"#, &["$ a␛[2J\u{fffd}b"]),
        ] {
            assert_eq!(shown(title, kind, input), expected, "{title}");
        }
    }

    #[test]
    fn a_row_shows_a_bounded_part_of_a_long_command() {
        let command = "x\n".repeat(500) + &"y".repeat(9_000);
        let input = serde_json::json!({ "command": command }).to_string();
        let shown = shown("t", ToolKind::Execute, &input);
        assert_eq!(shown.len(), ROW_LINES + 1);
        assert_eq!(shown.last().map(String::as_str), Some("… 481 more lines"));
    }
}
