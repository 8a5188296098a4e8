//! The requests that the offline model understands. `OFFLINE.md` publishes the grammar.

/// A request to the offline model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Request {
    /// `summarize this project`
    Summarize,
    /// `show FILE`, with all or some of its lines.
    Show {
        /// The file, as the user wrote it.
        file: String,
        /// The first and the last line, from 1. The last one may be past the end.
        lines: Option<(u32, u32)>,
    },
    /// `where is X used`
    WhereUsed(String),
    /// `find X`
    Find(String),
    /// `rename A to B in PATH`
    Rename {
        /// The word to replace.
        from: String,
        /// The replacement.
        to: String,
        /// A file or folder.
        path: String,
    },
    /// `run CMD`
    Run(String),
    /// `plan A, B, C`
    Plan(Vec<String>),
    /// `leave plan mode`
    LeavePlan,
    /// `think about X`
    Think(String),
    /// `count to N`
    Count(u32),
    /// `fail`
    Fail,
    /// `ask QUESTION: A, B`
    Ask {
        /// The question.
        question: String,
        /// The options; empty for free text.
        options: Vec<String>,
    },
    /// `delegate PROMPT`
    Delegate(String),
    /// `fetch URL`
    Fetch(String),
    /// `help`
    Help,
    /// A request that lacks arguments, with the form that it needs.
    Incomplete(&'static str),
    /// Anything else.
    Unknown,
}

/// How many lines `show FILE:LINE` shows, beginning with the line `LINE`.
const FROM_LINE: u32 = 40;

const SHOW: &str = "show FILE";
const WHERE: &str = "where is X used";
const FIND: &str = "find X";
const RENAME: &str = "rename A to B in PATH";
const RUN: &str = "run CMD";
const PLAN: &str = "plan A, B, C";
const LEAVE: &str = "leave plan mode";
const THINK: &str = "think about X";
const COUNT: &str = "count to N";
const ASK: &str = "ask QUESTION: A, B";
const DELEGATE: &str = "delegate PROMPT";
const FETCH: &str = "fetch URL";

/// The highest number to count to.
const HIGHEST: u32 = 1000;
/// The maximum number of steps in a plan, and of options in a question.
const ITEMS: usize = 20;

/// Parses a prompt. Returns [`Request::Unknown`] for text that is not a known request.
pub(crate) fn parse(text: &str) -> Request {
    let text = without_courtesy(without_tags(text));
    let text = text.strip_prefix('/').unwrap_or(text);
    let (verb, rest) = word(text);
    match verb.to_lowercase().trim_end_matches(['.', '!', '?', ',']) {
        "help" => Request::Help,
        "summarize" | "summarise" | "summary" => Request::Summarize,
        "show" => show(rest),
        "line" | "lines" => lines_of(rest).unwrap_or(Request::Incomplete(SHOW)),
        "where" => where_used(rest),
        "find" => named(rest).map_or(Request::Incomplete(FIND), Request::Find),
        "search" => {
            let rest = after(rest, "for").unwrap_or(rest);
            named(rest).map_or(Request::Incomplete(FIND), Request::Find)
        }
        "rename" => rename(rest).unwrap_or(Request::Incomplete(RENAME)),
        "run" => command(rest).map_or(Request::Incomplete(RUN), Request::Run),
        "plan" => items(rest).map_or(Request::Incomplete(PLAN), Request::Plan),
        "leave" | "exit" => match after(rest, "plan") {
            Some(_) => Request::LeavePlan,
            None => Request::Incomplete(LEAVE),
        },
        "think" => named(after(rest, "about").unwrap_or(rest))
            .map_or(Request::Incomplete(THINK), Request::Think),
        "count" => count(after(rest, "to").unwrap_or(rest))
            .map_or(Request::Incomplete(COUNT), Request::Count),
        "fail" => Request::Fail,
        "ask" => ask(rest).unwrap_or(Request::Incomplete(ASK)),
        "delegate" => whole(rest).map_or(Request::Incomplete(DELEGATE), Request::Delegate),
        "fetch" => name(rest).map_or(Request::Incomplete(FETCH), Request::Fetch),
        _ => Request::Unknown,
    }
}

/// Returns what a person wrote. In a session that avante.nvim has open already, it puts the last
/// prompts between tags, the newest first, with a remark after them.
fn without_tags(text: &str) -> &str {
    let tagged = text.trim_start().strip_prefix("<previous_user_message>");
    let newest = tagged.and_then(|rest| rest.split_once("</previous_user_message>"));
    newest.map_or(text, |(newest, _)| newest)
}

/// Removes white space and polite words before a request.
fn without_courtesy(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let shorter = ["please", "can you", "could you", "now"]
            .iter()
            .find_map(|words| after(text, words))
            .map(|rest| rest.trim_start_matches(',').trim_start());
        match shorter {
            Some(shorter) if !shorter.is_empty() => text = shorter,
            _ => return text,
        }
    }
}

/// Splits off the first word.
fn word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim_start()),
        None => (text, ""),
    }
}

/// Returns the text after `words`, if the text starts with them. Ignores case.
fn after<'t>(text: &'t str, words: &str) -> Option<&'t str> {
    let (start, rest) = text.split_at_checked(words.len())?;
    let ends =
        rest.is_empty() || rest.starts_with(|next: char| next.is_whitespace() || next == ',');
    (start.eq_ignore_ascii_case(words) && ends).then(|| rest.trim_start())
}

/// Returns the text before `words`, if the text ends with them. Ignores case.
fn before<'t>(text: &'t str, words: &str) -> Option<&'t str> {
    let (rest, end) = text.split_at_checked(text.len().checked_sub(words.len())?)?;
    let begins = rest.is_empty() || rest.ends_with(char::is_whitespace);
    (end.eq_ignore_ascii_case(words) && begins).then(|| rest.trim_end())
}

/// Removes white space, punctuation and "please" after a request.
fn without_ending(text: &str) -> &str {
    let mut text = text.trim();
    if let Some(rest) = before(text.trim_end_matches(['.', '!', '?']), "please") {
        text = rest.trim_end_matches(',').trim_end();
    }
    let end = text.trim_end_matches(['?', '!', ',', ';']);
    // Removes a full stop, but not from the paths `.` and `..`.
    match end.strip_suffix('.') {
        Some(rest) if !rest.is_empty() && !rest.ends_with(['.', '/']) => rest,
        _ => end,
    }
}

/// Returns the text between the quotes, if one pair of quotes encloses the whole text.
fn unquoted(text: &str) -> Option<&str> {
    [('`', '`'), ('"', '"'), ('\'', '\''), ('“', '”'), ('«', '»')].iter().find_map(
        |(open, close)| {
            let inner = text.strip_prefix(*open)?.strip_suffix(*close)?;
            (!inner.is_empty() && !inner.contains([*open, *close])).then_some(inner)
        },
    )
}

/// Reads a name or a path, without quotes and without the `@` of a mention.
fn name(text: &str) -> Option<String> {
    let text = without_ending(text);
    let text = text.strip_prefix('@').filter(|rest| !rest.is_empty()).unwrap_or(text);
    let text = unquoted(text).unwrap_or(text);
    (!text.is_empty()).then(|| text.to_owned())
}

/// Reads a text to search for. Unlike [`name`], keeps an `@` at its start.
fn named(text: &str) -> Option<String> {
    let text = without_ending(text);
    let text = unquoted(text).unwrap_or(text);
    (!text.is_empty()).then(|| text.to_owned())
}

fn show(rest: &str) -> Request {
    let mut rest = without_ending(rest);
    for filler in ["me", "the file", "file", "the"] {
        rest = after(rest, filler).filter(|more| !more.is_empty()).unwrap_or(rest);
    }
    if let Some(lines) = after(rest, "lines").or_else(|| after(rest, "line")).and_then(lines_of) {
        return lines;
    }
    for key in [" lines ", " line "] {
        // Changes only the case of ASCII letters, so that the position is also valid in `rest`.
        let at = rest.to_ascii_lowercase().rfind(key);
        if let Some((file, lines)) = at.and_then(|at| rest.split_at_checked(at))
            && let Some(lines) = lines.get(key.len()..).and_then(range)
            && let Some(file) = name(file)
        {
            return Request::Show { file, lines: Some(lines) };
        }
    }
    let Some(whole) = name(rest) else { return Request::Incomplete(SHOW) };
    match whole.rsplit_once(':').map(|(file, lines)| (file, range(lines))) {
        Some((file, Some((first, last)))) if !file.is_empty() => {
            let last = if first == last { first.saturating_add(FROM_LINE - 1) } else { last };
            let file = unquoted(file).unwrap_or(file).to_owned();
            Request::Show { file, lines: Some((first, last)) }
        }
        _ => Request::Show { file: whole, lines: None },
    }
}

/// `A-B of FILE`
fn lines_of(rest: &str) -> Option<Request> {
    let at = rest.to_ascii_lowercase().find(" of ")?;
    let (lines, file) = rest.split_at_checked(at)?;
    let file = name(file.get(4..)?)?;
    Some(Request::Show { file, lines: Some(range(lines)?) })
}

/// `A`, `A-B` or `A to B`; the first line is 1.
fn range(text: &str) -> Option<(u32, u32)> {
    let text = without_ending(text);
    let (first, last) = match text.split_once('-').or_else(|| text.split_once(" to ")) {
        Some((first, last)) => (first.trim(), last.trim()),
        None => (text, text),
    };
    let (first, last) = (first.parse::<u32>().ok()?.max(1), last.parse::<u32>().ok()?);
    (first <= last).then_some((first, last))
}

fn where_used(rest: &str) -> Request {
    let rest = without_ending(rest);
    let rest = after(rest, "is").or_else(|| after(rest, "are")).unwrap_or(rest);
    let rest = before(rest, "used").unwrap_or(rest);
    named(rest).map_or(Request::Incomplete(WHERE), Request::WhereUsed)
}

fn rename(rest: &str) -> Option<Request> {
    let (from, rest) = quoted_word(rest)?;
    let (to, rest) = quoted_word(after(rest, "to")?)?;
    Some(Request::Rename { from, to, path: name(after(rest, "in")?)? })
}

/// Splits off the first word, or the text in quotes at the start.
fn quoted_word(text: &str) -> Option<(String, &str)> {
    let quote = text.chars().next().filter(|first| matches!(first, '`' | '"' | '\''));
    let (inner, rest) = match quote {
        Some(quote) => text.get(1..)?.split_once(quote)?,
        None => word(text),
    };
    (!inner.is_empty()).then(|| (inner.to_owned(), rest.trim_start()))
}

/// Returns the trimmed text if it is not empty.
fn whole(rest: &str) -> Option<String> {
    Some(rest.trim()).filter(|rest| !rest.is_empty()).map(str::to_owned)
}

/// Returns the texts between commas, at most [`ITEMS`].
fn items(rest: &str) -> Option<Vec<String>> {
    let items: Vec<String> = rest.split(',').filter_map(named).take(ITEMS).collect();
    (!items.is_empty()).then_some(items)
}

fn count(rest: &str) -> Option<u32> {
    without_ending(rest).parse().ok().filter(|number| (1..=HIGHEST).contains(number))
}

/// Reads the question before the last colon and the options after it.
fn ask(rest: &str) -> Option<Request> {
    let rest = after(rest, "me").unwrap_or(rest);
    let (question, options) = match rest.rsplit_once(':') {
        Some((question, options)) => (question, items(options).unwrap_or_default()),
        None => (rest, Vec::new()),
    };
    Some(Request::Ask { question: whole(question)?, options })
}

/// Reads a command line: the text in backticks or quotes if it is quoted, otherwise exactly what
/// was written.
fn command(rest: &str) -> Option<String> {
    let rest = rest.trim();
    let quoted = ['.', '!'].iter().find_map(|end| rest.strip_suffix(*end)).unwrap_or(rest);
    let line = unquoted(quoted).unwrap_or(rest).trim();
    (!line.is_empty()).then(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Request, parse};

    /// `OFFLINE.md` shows each example as a row of a table: the prompt, and the [`Request`] in
    /// Rust's debug format.
    #[test]
    fn every_published_example_has_its_meaning() {
        let page = include_str!("../../OFFLINE.md");
        let mut examples = 0;
        for line in page.lines().filter(|line| line.starts_with("| ``")) {
            let mut cells = line.trim_matches('|').split(" | ").map(str::trim);
            let cell = |text: Option<&str>| {
                text.and_then(|text| {
                    text.strip_prefix("`` ")?.strip_suffix(" ``").map(str::to_owned)
                })
            };
            let (prompt, meaning) = (cell(cells.next()).unwrap(), cell(cells.next()).unwrap());
            assert_eq!(format!("{:?}", parse(&prompt)), meaning, "{prompt}");
            examples += 1;
        }
        assert!(examples >= 40, "only {examples} examples were found in OFFLINE.md");
    }

    #[test]
    fn every_text_is_read_without_a_panic() {
        let odd = [
            "",
            " ",
            "/",
            "//",
            "show",
            "show :",
            "show :3",
            "show \u{130} line 3",
            "rename",
            "rename `a",
            "rename ` to b in c",
            "lines",
            "lines 3-1 of x",
            "show a:99999999999",
            "run",
            "run ``",
            "where is used",
            "find '",
            "please",
            "please please",
            "show @",
            "show ..",
            "show me",
            "\u{0}",
            "show İİ lines 1-2 of İ",
            "plan ,,",
            "count to 0",
            "count to 99999999999",
            "ask :",
            "ask : a",
            "leave",
            "delegate",
            "think about",
        ];
        for text in odd {
            let _read = parse(text);
        }
        assert_eq!(parse("show .."), Request::Show { file: "..".into(), lines: None });
        assert_eq!(parse("lines 3-1 of x"), Request::Incomplete("show FILE"));
    }

    #[test]
    fn a_command_is_read_exactly_as_written() {
        assert_eq!(parse("run ls -l ."), Request::Run("ls -l .".into()));
        assert_eq!(parse("please run `echo 'a  b'`."), Request::Run("echo 'a  b'".into()));
        assert_eq!(parse("RUN echo \"a\" \"b\""), Request::Run("echo \"a\" \"b\"".into()));
    }
}
