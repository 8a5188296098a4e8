//! The requests to the offline model that work on the project. Each function reads the results so
//! far and returns the next step.

use super::answer::{self, FILES_RENAMED};
use super::current_turn::{CurrentTurn, Outcome};
use super::found::{Found, Unreadable};
use super::output::Output;
use crate::text::code;
use serde_json::{Value, json};

/// The maximum number of files that a summary reads.
const FILES_SUMMARIZED: usize = 3;

/// The time limit of a command, in seconds.
const COMMAND_SECONDS: u64 = 120;

/// `summarize this project`
pub(crate) fn summarize(turn: &CurrentTurn<'_>) -> Vec<Output> {
    let mut steps = vec!["List the files of the project".to_owned()];
    let Some((listed, reads)) = turn.outcomes.split_first() else {
        steps.push("Read its README and manifests".to_owned());
        return vec![
            Output::thought(
                "I list the files, then read the README and the manifests of the top folder.",
            ),
            Output::plan(&steps, 0),
            Output::list(".", None),
        ];
    };
    let Found::Files(files) = &listed.found else {
        return Output::text(answer::failure(listed.text));
    };
    let mut chosen: Vec<&String> =
        files.named.iter().filter(|name| answer::is_summary_source(name)).collect();
    chosen.sort_by_key(|name| answer::is_manifest(name));
    chosen.truncate(FILES_SUMMARIZED);
    steps.extend(chosen.iter().map(|name| format!("Read {name}")));
    if reads.is_empty() && !chosen.is_empty() {
        let mut outputs = vec![Output::plan(&steps, 1)];
        for (index, name) in chosen.iter().enumerate() {
            outputs.push(Output::read(name, Some((1, 60))));
            outputs.push(Output::plan(&steps, index + 2));
        }
        return outputs;
    }
    match turn.is_planned {
        true => Output::text(answer::summary(files, reads)),
        false => vec![Output::plan(&steps, steps.len())],
    }
}

/// `show FILE`
pub(crate) fn show(turn: &CurrentTurn<'_>, file: &str, lines: Option<(u32, u32)>) -> Vec<Output> {
    let Some(last) = turn.outcomes.last() else {
        return vec![Output::thought(format!("I read {}.", code(file))), Output::read(file, lines)];
    };
    let argument = |name: &str| last.arguments.get(name).and_then(Value::as_str);
    let attached = turn
        .prompt
        .files
        .iter()
        .find(|each| mentions(&each.path, file))
        .and_then(|each| each.text.as_deref());
    Output::text(match (&last.found, attached) {
        (Found::Lines(lines), _) => answer::lines(lines),
        (Found::Unreadable(_), Some(text)) => answer::attached(file, text),
        (Found::Unreadable(Unreadable::Folder(_)), None) if last.name == "read" => {
            return vec![Output::list(argument("path").unwrap_or_default(), None)];
        }
        (Found::Unreadable(Unreadable::Missing(_)), None) if turn.outcomes.len() == 1 => {
            return vec![
                Output::thought("There is no such file here; I search for that name."),
                Output::list(".", Some(named(file))),
            ];
        }
        (Found::Files(files), _) if argument("glob").is_some() => match files.named.as_slice() {
            // Only one file in other folders has that name, so that file is shown.
            [only] => return vec![Output::read(only, lines)],
            several => answer::file_not_found(file, several, files),
        },
        (Found::Files(files), _) => answer::folder(files),
        _ => answer::failure(last.text),
    })
}

/// Whether `path`, without line numbers, is the requested file.
fn mentions(path: &str, file: &str) -> bool {
    path.strip_prefix(file).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

/// Returns a glob pattern for files of this name in any folder.
fn named(file: &str) -> String {
    let name = file.trim_start_matches("./").trim_matches('/');
    format!("**/{}", literal(name))
}

/// Returns a glob pattern that matches exactly this text.
fn literal(text: &str) -> String {
    let special = |each: char| matches!(each, '*' | '?' | '[' | ']' | '{' | '}' | '\\' | '!' | '#');
    text.chars().flat_map(|each| special(each).then_some('\\').into_iter().chain([each])).collect()
}

/// `where is X used`
pub(crate) fn where_used(turn: &CurrentTurn<'_>, name: &str) -> Vec<Output> {
    let Some(searched) = turn.outcomes.first() else {
        return vec![
            Output::thought(format!("I search all files for the word {}.", code(name))),
            Output::find_word(name, "."),
        ];
    };
    Output::text(match &searched.found {
        Found::Matches(matches) => answer::used(name, matches),
        _ => answer::failure(searched.text),
    })
}

/// `find X`
pub(crate) fn find(turn: &CurrentTurn<'_>, text: &str) -> Vec<Output> {
    match turn.outcomes.as_slice() {
        [names, lines, ..] => Output::text(answer::found(text, names, lines)),
        _ => vec![
            Output::thought(format!(
                "I look for {} in file names, then in the text of all files.",
                code(text)
            )),
            Output::list(".", Some(format!("**/*{}*", literal(text)))),
            Output::find_text(text),
        ],
    }
}

/// `rename A to B in PATH`
pub(crate) fn rename(turn: &CurrentTurn<'_>, [from, to, path]: [&str; 3]) -> Vec<Output> {
    let find = format!("Find {} in {}", code(from), code(path));
    let Some(searched) = turn.outcomes.first() else {
        return vec![
            Output::thought(format!(
                "I find the files that contain the word {}, then edit them one by one.",
                code(from)
            )),
            Output::plan(&[find, "Edit each file that contains it".to_owned()], 0),
            Output::find_word(from, path),
        ];
    };
    let Found::Matches(matches) = &searched.found else {
        return Output::text(answer::failure(searched.text));
    };
    let files = matches.files.get(..FILES_RENAMED).unwrap_or(&matches.files);
    let mut steps = vec![find];
    steps.extend(files.iter().map(|(file, ..)| format!("Edit {file}")));
    let edits: Vec<&Outcome<'_>> =
        turn.outcomes.iter().filter(|outcome| outcome.name == "edit").collect();
    let rejected = edits.iter().any(|edit| edit.found == Found::NotAllowed);
    match files.get(edits.len()) {
        // Once an edit is rejected, the other files are not edited.
        Some((file, first, _)) if !rejected => vec![
            Output::plan(&steps, edits.len() + 1),
            // The file is read first, so that the edit applies to its current content in the
            // client.
            Output::read(file, Some((*first, *first))),
            Output::replace_word(file, from, to),
        ],
        _ if rejected || turn.is_planned => {
            Output::text(answer::renamed([from, to, path], matches, &edits))
        }
        _ => vec![Output::plan(&steps, steps.len())],
    }
}

/// `run CMD`
pub(crate) fn run(turn: &CurrentTurn<'_>, command: &str) -> Vec<Output> {
    let Some(ran) = turn.outcomes.first() else {
        let arguments = json!({ "command": command, "seconds": COMMAND_SECONDS });
        return vec![
            Output::thought(format!("I run {}.", code(command))),
            Output::Call("execute", arguments),
        ];
    };
    Output::text(match &ran.found {
        Found::Ran(ran) => answer::ran(command, ran),
        _ => answer::failure(ran.text),
    })
}
