//! The prompts: from words, a script, or stdin.

use crate::args;
use crate::exit::Failure;
use std::borrow::Cow;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

/// The maximum length of text from stdin or a script, in bytes.
const LIMIT: u64 = 16 << 20;

/// The line that separates the prompts of a script.
const BETWEEN: &str = "---";

/// The value of `--file` for stdin.
const STDIN: &str = "-";

/// One prompt: pieces of text in order.
pub(crate) type Prompt = Vec<Piece>;

/// A piece of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Text from the person, in which `@path` attaches a file.
    Written(String),
    /// Text from a pipe, which is sent unchanged: it can come from anyone and must not attach
    /// files.
    Piped(String),
    /// A file that the person attached without a mention.
    File(PathBuf),
}

impl Piece {
    /// Returns the text, or the path of the file.
    pub(super) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Written(text) | Self::Piped(text) => Cow::Borrowed(text),
            Self::File(path) => path.to_string_lossy(),
        }
    }
}

/// Returns the prompts: at least one, and none of them empty.
pub(super) fn prompts(arguments: &args::Run) -> Result<Vec<Prompt>, Failure> {
    let prompts = match &arguments.file {
        Some(path) if path == Path::new(STDIN) => {
            script(&stdin()?).map(|text| vec![Piece::Piped(text)]).collect()
        }
        Some(path) => script(&file(path)?).map(|text| vec![Piece::Written(text)]).collect(),
        None => vec![words(&arguments.prompt)?],
    };
    let prompts: Vec<Prompt> = prompts.into_iter().filter(|prompt| !is_blank(prompt)).collect();
    match (prompts.is_empty(), &arguments.file) {
        (false, _) => Ok(prompts),
        (true, None) => Err(Failure::usage("the prompt is empty: write what to do")),
        (true, Some(path)) => {
            Err(Failure::usage(format!("{} contains no prompt: write what to do", path.display())))
        }
    }
}

fn is_blank(prompt: &Prompt) -> bool {
    prompt.iter().all(|piece| piece.text().trim().is_empty())
}

/// Joins the words with spaces; `-`, or no word at all, reads stdin.
fn words(words: &[String]) -> Result<Prompt, Failure> {
    if words.is_empty() && io::stdin().is_terminal() {
        let example = "attache run \"summarize this project\"";
        return Err(Failure::usage(format!(
            "the prompt is missing: write what to do, such as {example}, or pipe it in"
        )));
    }
    let piped = [STDIN.to_owned()];
    let words = if words.is_empty() { &piped } else { words };
    let mut prompt = Prompt::new();
    for word in words {
        if !prompt.is_empty() {
            prompt.push(Piece::Written(" ".to_owned()));
        }
        prompt.push(if word == STDIN {
            Piece::Piped(stdin()?)
        } else {
            Piece::Written(word.clone())
        });
    }
    Ok(prompt)
}

/// Splits a script into prompts, without surrounding blank lines.
fn script(text: &str) -> impl Iterator<Item = String> {
    let mut prompts = vec![String::new()];
    for line in text.trim_start_matches('\u{feff}').lines() {
        match prompts.last_mut() {
            Some(prompt) if line.trim_end() != BETWEEN => {
                prompt.push_str(line);
                prompt.push('\n');
            }
            _ => prompts.push(String::new()),
        }
    }
    prompts.into_iter().map(|prompt| prompt.trim_matches(['\n', '\r']).trim_end().to_owned())
}

fn file(path: &Path) -> Result<String, Failure> {
    let shown = path.display();
    attache_host::read_text_or_pipe(path, LIMIT).map_err(|error| {
        Failure::usage(format!(
            "--file: {shown} cannot be read: {error}; name a text file of prompts"
        ))
    })
}

fn stdin() -> Result<String, Failure> {
    read(io::stdin().lock(), "stdin")
}

fn read(from: impl Read, named: &str) -> Result<String, Failure> {
    let mut text = String::new();
    match from.take(LIMIT + 1).read_to_string(&mut text) {
        Ok(length) if length as u64 > LIMIT => Err(Failure::usage(format!(
            "{named} is larger than {} MiB: store it in a file and attach it with @PATH",
            LIMIT >> 20
        ))),
        Ok(_) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            Err(Failure::usage(format!("{named} is not UTF-8 text: attach the file with @PATH")))
        }
        Err(error) => Err(Failure::usage(format!(
            "{named} cannot be read: {error}; give the prompt as words"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::script;

    #[test]
    fn a_script_is_split_only_at_lines_of_three_dashes() {
        let text = "\u{feff}one\n\n  indented\n---\n\ntwo --- still two\n ---\n--- \nthree\r\n";
        let prompts: Vec<String> = script(text).collect();
        assert_eq!(prompts, ["one\n\n  indented", "two --- still two\n ---", "three"]);
    }
}
