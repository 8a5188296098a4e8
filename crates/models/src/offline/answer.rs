//! The answers of the offline model. They contain only the results of tools, and if nothing was
//! found, they say where the model searched.

use super::current_turn::Outcome;
use super::found::{Files, Found, Lines, Matches, Ran};
use crate::text::{code, code_block, counted, ends_within, grouped};

/// The maximum number of files that one rename changes.
pub(crate) const FILES_RENAMED: usize = 40;

/// The answer to `help`.
pub const HELP: &str = "\
I am the offline model: no key, no network, and the same answer every time. I understand:

- `summarize this project`
- `show FILE`, `show FILE:LINE`, `lines A-B of FILE`
- `where is X used`
- `find X`, in file names and text
- `rename A to B in PATH`, whole words in a file or folder
- `run CMD`
- `plan A, B, C`, ticked off one by one; `leave plan mode`
- `think about X`, `count to N`, `fail`, to see what that looks like
- `ask QUESTION: A, B`, which you answer
- `delegate PROMPT`, to a subagent
- `fetch URL`
- `help`

What I say is only what my tools found. The session's mode decides what may run without asking: `ask`, `edit`, `auto` or `plan`.
";

/// The maximum number of names in an answer.
const MAX_NAMES: usize = 50;

/// The maximum length of a README's first paragraph, in characters.
const MAX_PARAGRAPH: usize = 600;

/// The maximum length of a command's output in an answer, in bytes of JSON. The tool call shows the
/// whole output.
const MAX_OUTPUT: usize = 8 * 1024;

/// Files that describe a project, besides its README.
const MANIFESTS: &[&str] = &[
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "requirements.txt",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
    "Gemfile",
    "mix.exs",
    "CMakeLists.txt",
    "Makefile",
    "meson.build",
    "deno.json",
    "pubspec.yaml",
];

/// The keys whose values a summary shows from a manifest.
const KEYS: &[&str] = &["name", "version", "description", "module"];

/// The answer to a request that lacks arguments.
pub(crate) fn incomplete(form: &str) -> String {
    format!("This request is incomplete. The form is: `{form}`. `help` lists all requests.\n")
}

/// The answer to a prompt that is too long.
pub(crate) fn too_long(length: usize, longest: usize) -> String {
    format!("This request is too long: it has {length} bytes and the limit is {longest}.\n")
}

/// The answer to an unknown request.
pub(crate) fn unknown() -> String {
    format!(
        "I cannot do that: I am the offline model and understand only a few requests. `attache config` \
         shows how to choose a model of a provider.\n\n{HELP}"
    )
}

/// The answer when a tool failed or was not allowed.
pub(crate) fn failure(text: &str) -> String {
    let text = text.trim_end();
    let mut characters = text.chars();
    let first: String =
        characters.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    // A path at the start is not capitalized.
    let path = text.split_whitespace().next().is_some_and(|word| word.contains(['/', '.']));
    let text = if path { text.to_owned() } else { first + characters.as_str() };
    let end = if text.ends_with(['.', '!', '?', ']']) { "" } else { "." };
    format!("{text}{end}\n")
}

/// Returns whether `summarize this project` reads this file.
pub(crate) fn is_summary_source(name: &str) -> bool {
    !name.contains('/') && (name.to_lowercase().starts_with("readme") || is_manifest(name))
}

/// Returns whether the file is a manifest.
pub(crate) fn is_manifest(name: &str) -> bool {
    MANIFESTS.contains(&name)
}

/// The answer to `summarize this project`.
pub(crate) fn summary(files: &Files, reads: &[Outcome<'_>]) -> String {
    if files.total == 0 {
        return format!(
            "There are no files in {} (hidden files and files that `.gitignore` names are left out).\n",
            code(&files.folder)
        );
    }
    let mut text = format!("The project has {}", files.count());
    let kinds =
        files.extensions.iter().take(8).map(|(extension, count)| match extension.as_str() {
            "" => format!("{} without extension", grouped(*count)),
            extension => format!("{} {}", grouped(*count), code(&format!(".{extension}"))),
        });
    text.push_str(&format!(": {}.\n", kinds.collect::<Vec<_>>().join(", ")));
    if !files.folders.is_empty() {
        let folders = files.folders.iter().map(|(folder, count)| {
            format!("{} ({})", code(&format!("{folder}/")), counted(*count, "file"))
        });
        text.push_str(&format!("Folders: {}", folders.collect::<Vec<_>>().join(", ")));
        text.push_str(&more(files.folders_total, files.folders.len(), "folder"));
        text.push_str(".\n");
    }
    for result in reads {
        match &result.found {
            Found::Lines(lines) if is_manifest(&lines.path) => text.push_str(&manifest(lines)),
            Found::Lines(lines) => text.push_str(&readme(lines)),
            _ => text.push_str(&format!("\n{}", failure(result.text))),
        }
    }
    text
}

fn manifest(lines: &Lines) -> String {
    let told = KEYS.iter().filter_map(|key| {
        let line = lines.text.lines().map(str::trim).find(|line| {
            let rest = line.trim_start_matches('"').strip_prefix(key);
            rest.is_some_and(|rest| rest.starts_with(['"', ' ', '=', ':']))
        })?;
        Some(format!("- {}\n", code(line.trim_end_matches(','))))
    });
    let told: String = told.collect();
    match told.is_empty() {
        true => String::new(),
        false => format!("\n{} says:\n{told}", code(&lines.path)),
    }
}

/// Returns the title and the first paragraph.
fn readme(lines: &Lines) -> String {
    let mut rows = lines
        .text
        .lines()
        .map(str::trim)
        .filter(|row| !is_decoration(row))
        .skip_while(|row| row.is_empty());
    let title = rows.next().unwrap_or_default().trim_start_matches('#').trim();
    if title.is_empty() {
        return format!("\n{} has no text in its first lines.\n", code(&lines.path));
    }
    let paragraph = rows
        .skip_while(|row| row.is_empty())
        .take_while(|row| !row.is_empty() && !row.starts_with('#'));
    let paragraph = paragraph.collect::<Vec<_>>().join(" ");
    let cut: String = paragraph.chars().take(MAX_PARAGRAPH).collect();
    let end = if cut.len() < paragraph.len() { "…" } else { "" };
    match cut.is_empty() {
        true => format!("\n{} is titled “{title}”.\n", code(&lines.path)),
        false => {
            format!("\n{} is titled “{title}” and begins:\n\n> {cut}{end}\n", code(&lines.path))
        }
    }
}

/// Returns whether a line of a README is not prose: a badge, markup, or the underline of a title.
fn is_decoration(row: &str) -> bool {
    let underline = row.len() >= 3 && row.chars().all(|each| matches!(each, '=' | '-' | '*' | '~'));
    underline || row.starts_with('<') || row.starts_with("[!") || row.starts_with("![")
}

/// The answer to `show FILE`.
pub(crate) fn lines(lines: &Lines) -> String {
    let path = code(&lines.path);
    match (lines.given, lines.total) {
        (_, 0) => format!("{path} is empty.\n"),
        (0, total) => {
            let verb = if total == 1 { "line" } else { "lines" };
            format!("{path} has only {total} {verb}; line {} does not exist.\n", lines.first)
        }
        (_, total) => {
            let what = match lines.cut {
                true => format!("the beginning of line {} of {total}", lines.first),
                false if lines.first == lines.last() => format!("line {} of {total}", lines.first),
                false => format!("lines {}-{} of {total}", lines.first, lines.last()),
            };
            let next = match lines.last() < total {
                true => format!(
                    "\nFor more: `show {}:{}`.\n",
                    lines.path,
                    lines.last().saturating_add(1)
                ),
                false => String::new(),
            };
            format!("{path}, {what}:\n\n{}\n{next}", code_block(&lines.text))
        }
    }
}

/// The answer to `show FILE` for a file that is attached to the prompt but does not exist on disk.
pub(crate) fn attached(file: &str, text: &str) -> String {
    format!("{}, as it was attached to the prompt:\n\n{}\n", code(file), code_block(text))
}

/// The answer to `show FOLDER`.
pub(crate) fn folder(files: &Files) -> String {
    if files.total == 0 {
        return format!(
            "{} is a folder without files, apart from hidden and ignored ones.\n",
            code(&files.folder)
        );
    }
    format!("{} is a folder with {}:\n\n{}", code(&files.folder), files.count(), names(files))
}

/// The answer if a file is missing. Lists files of the same name in other folders.
pub(crate) fn file_not_found(file: &str, several: &[String], files: &Files) -> String {
    match several {
        [] => format!(
            "There is no file {} in any folder of the project (hidden and ignored files are left out).\n",
            code(file)
        ),
        _ => format!(
            "There is no file {} here, but {} of that name:\n\n{}",
            code(file),
            files.count(),
            names(files)
        ),
    }
}

fn names(files: &Files) -> String {
    let rows = files.named.iter().take(MAX_NAMES).map(|name| format!("- {}\n", code(name)));
    let more = more(files.total, MAX_NAMES, "file");
    let more = more.trim_start_matches([',', ' ']);
    let last = if more.is_empty() { String::new() } else { format!("- {more}\n") };
    rows.collect::<String>() + &last
}

fn more(total: u64, told: usize, noun: &str) -> String {
    match total.saturating_sub(told as u64) {
        0 => String::new(),
        more => format!(", and {}", counted(more, &format!("more {noun}"))),
    }
}

fn nothing(what: &str, matches: &Matches) -> String {
    format!(
        "{what} ({} in {}; hidden, ignored and binary files are left out).\n",
        matches.searched(),
        code(&matches.place)
    )
}

fn rows(matches: &Matches) -> String {
    let rows = matches.lines.iter().take(MAX_NAMES).map(|each| {
        format!("- {}: {}\n", code(&format!("{}:{}", each.path, each.line)), code(each.text.trim()))
    });
    let more = match matches.total.saturating_sub(MAX_NAMES as u64) {
        0 => String::new(),
        more => format!("- and {}\n", counted(more, "more line")),
    };
    rows.collect::<String>() + &more
}

/// The answer to `where is X used`.
pub(crate) fn used(name: &str, matches: &Matches) -> String {
    match matches.total {
        0 => nothing(&format!("I found no use of {}", code(name)), matches),
        total => format!(
            "The word {} is on {} of {}:\n\n{}",
            code(name),
            counted(total, "line"),
            counted(matches.holding, "file"),
            rows(matches)
        ),
    }
}

/// The answer to `find X`.
pub(crate) fn found(text: &str, by_name: &Outcome<'_>, by_text: &Outcome<'_>) -> String {
    let mut answer = String::new();
    match &by_name.found {
        Found::Files(files) if files.total > 0 => {
            answer.push_str(&format!(
                "{} with {} in the name:\n\n{}\n",
                files.count(),
                code(text),
                names(files)
            ));
        }
        Found::Files(_) => answer.push_str(&format!("No file has {} in its name.\n\n", code(text))),
        _ => answer.push_str(&failure(by_name.text)),
    }
    match &by_text.found {
        Found::Matches(matches) if matches.total > 0 => answer.push_str(&format!(
            "{} of {} with {}:\n\n{}",
            counted(matches.total, "line"),
            counted(matches.holding, "file"),
            code(text),
            rows(matches)
        )),
        Found::Matches(matches) => {
            answer.push_str(&nothing(&format!("No file has {} in its text", code(text)), matches));
        }
        _ => answer.push_str(&failure(by_text.text)),
    }
    answer
}

/// The answer to `rename A to B in PATH`.
pub(crate) fn renamed(
    [from, to, path]: [&str; 3],
    matches: &Matches,
    edits: &[&Outcome<'_>],
) -> String {
    if matches.total == 0 {
        return nothing(
            &format!("Nothing was changed: the word {} is not in {}", code(from), code(path)),
            matches,
        );
    }
    let (mut places, mut changed, mut tried) = (0, String::new(), 0);
    let (mut failures, mut count) = (String::new(), 0);
    for (result, (file, ..)) in edits.iter().zip(&matches.files) {
        tried += 1;
        match &result.found {
            Found::Edited(edited) => {
                count += 1;
                places += edited.places;
                changed.push_str(&format!(
                    "- {}: {}\n",
                    code(&edited.path),
                    counted(edited.places, "place")
                ));
            }
            _ => {
                let why = result.text.strip_prefix("Not done: ").unwrap_or(result.text);
                failures.push_str(&format!("- {}: {}", code(file), failure(why)));
            }
        }
    }
    let mut answer = match count {
        0 => format!("Nothing was changed: {} stays {}.\n", code(from), code(from)),
        count => format!(
            "{} is now {} in {} of {}:\n\n{changed}",
            code(from),
            code(to),
            counted(places, "place"),
            counted(count, "file")
        ),
    };
    if !failures.is_empty() {
        answer.push_str(&format!("\nNot done:\n\n{failures}"));
    }
    let untried = matches.files.len().min(FILES_RENAMED).saturating_sub(tried);
    if untried > 0 {
        answer.push_str(&format!("\nNot tried: {}.\n", counted(untried as u64, "more file")));
    }
    match matches.holding.saturating_sub(FILES_RENAMED as u64) {
        0 => answer,
        left => {
            answer
                + &format!(
                    "\nStill to do: {}. Repeat the request to continue.\n",
                    counted(left, "more file")
                )
        }
    }
}

/// The answer to `run CMD`.
pub(crate) fn ran(command: &str, ran: &Ran) -> String {
    match ran.output.trim().is_empty() {
        true => format!("{} wrote nothing: {}.\n", code(command), ran.end),
        false => format!(
            "{}: {}.\n\n{}\n",
            code(command),
            ran.end,
            code_block(&ends_within(&ran.output, MAX_OUTPUT))
        ),
    }
}
