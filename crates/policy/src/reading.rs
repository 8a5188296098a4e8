//! Commands that only read. They run without a question in every mode.
//!
//! Each command is listed with the options that are known to be harmless. Any other option may
//! write a file or start a program. The files that a command reads are judged separately, from its
//! words.

use crate::shell::Word;

/// The meaning of the words after the options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operands {
    /// Files whose content is shown.
    Files,
    /// Files of which only the names and properties are shown.
    Names,
    /// Text, not files.
    Text,
    /// A pattern, then files.
    PatternAndFiles,
    /// No words are allowed.
    None,
}
use Operands::{Files, Names, PatternAndFiles, Text};

/// The commands: name, harmless short options, harmless long options, and the meaning of the other
/// words.
const PROGRAMS: &[(&str, &str, &[&str], Operands)] = &[
    (
        "ls",
        "1aAbBcCdfFgGhHiklLmnNopqQrRsStTuUvwxXZ",
        &["all", "almost-all", "color", "human-readable", "recursive", "reverse"],
        Names,
    ),
    ("cat", "AbeEnstTuv", &["number", "show-all"], Files),
    ("head", "cnqvz", &["lines", "bytes"], Files),
    ("tail", "cnqvz", &["lines", "bytes"], Files),
    ("wc", "clLmw", &["lines", "words", "bytes", "chars"], Files),
    ("tac", "", &[], Files),
    ("cut", "bcdfsz", &["delimiter", "fields", "characters", "complement"], Files),
    ("sort", "bdfghiMnrRuVkt", &["reverse", "numeric-sort", "unique", "key"], Files),
    ("uniq", "cdiu", &["count"], Files),
    ("diff", "abBciNuwyqU", &["unified", "brief"], Files),
    ("cmp", "bls", &[], Files),
    ("comm", "", &[], Files),
    (
        "grep",
        "abcEFhHilnoqsvwxABCm",
        &["count", "ignore-case", "line-number", "color", "only-matching", "invert-match"],
        PatternAndFiles,
    ),
    ("md5sum", "", &[], Files),
    ("sha1sum", "", &[], Files),
    ("sha256sum", "", &[], Files),
    ("file", "bi", &[], Names),
    ("stat", "cLf", &[], Names),
    ("du", "abchksmd", &["max-depth", "summarize", "human-readable"], Names),
    ("df", "hTi", &[], Names),
    ("tree", "adLfhpsugDrtI", &[], Names),
    ("realpath", "", &[], Names),
    ("readlink", "fen", &[], Names),
    ("test", "abcdefghknoprstuwxzGLNOS", &[], Names),
    ("[", "abcdefghknoprstuwxzGLNOS", &[], Names),
    ("basename", "", &[], Text),
    ("dirname", "", &[], Text),
    ("echo", "neE", &[], Text),
    ("tr", "cdsC", &[], Text),
    ("seq", "w", &[], Text),
    ("sleep", "", &[], Text),
    ("which", "a", &[], Text),
    ("date", "uIR", &["utc", "iso-8601"], Text),
    ("uname", "amnrsv", &[], Operands::None),
    ("id", "ugn", &[], Operands::None),
    ("pwd", "LP", &[], Operands::None),
    ("whoami", "", &[], Operands::None),
    ("nproc", "", &[], Operands::None),
    ("arch", "", &[], Operands::None),
    ("uptime", "", &[], Operands::None),
    ("tty", "", &[], Operands::None),
    ("true", "", &[], Text),
    ("false", "", &[], Text),
    (":", "", &[], Text),
    ("exit", "", &[], Text),
    ("return", "", &[], Text),
    ("break", "", &[], Text),
    ("continue", "", &[], Text),
];

/// Programs that print their version, and do nothing else, if their only argument asks for it.
const VERSIONED: &[&str] = &[
    "bun", "cargo", "clang", "cmake", "deno", "gcc", "git", "go", "java", "make", "node", "npm",
    "pip", "pnpm", "python", "python3", "ruby", "rustc", "yarn",
];

/// Programs whose toolchain or release a project can choose, so that another program runs.
const CHOSEN_BY_PROJECTS: &[&str] = &["bun", "cargo", "go", "pnpm", "rustc", "yarn"];

/// Whether a command that only reads could still run programs because of the project's
/// configuration. For example, `.git/config` can name a pager, a file system monitor or a program
/// that shows differences.
pub(crate) fn depends_on_project(program: &str, arguments: &[Word]) -> bool {
    match program {
        "git" => !says_version(program, arguments),
        _ => CHOSEN_BY_PROJECTS.contains(&program),
    }
}

/// The files that a command reads.
#[derive(Debug, Default)]
pub(crate) struct Read<'w> {
    /// The words that are files.
    pub(crate) files: Vec<&'w Word>,
    /// The words that are text, but that a shell could expand to file names.
    pub(crate) names: Vec<&'w Word>,
    /// Whether only the names and properties of the files are shown.
    pub(crate) names_only: bool,
    /// Whether a folder among the files stands for the files in it.
    pub(crate) whole_folders: bool,
    /// Whether git expands patterns among the files.
    pub(crate) paths_of_git: bool,
    /// Whether the command could show the content of files that it does not name.
    pub(crate) everything: bool,
}

/// Returns the files that the command reads; `None` if it could do more than read.
pub(crate) fn reads<'w>(program: &str, arguments: &'w [Word]) -> Option<Read<'w>> {
    let names = |(_, _, _, operands): &(_, _, _, Operands)| *operands == Names;
    let names_only =
        program == "find" || PROGRAMS.iter().any(|each| each.0 == program && names(each));
    let files = files(program, arguments)?;
    let shows_words =
        program == "printf" || PROGRAMS.iter().any(|each| each.0 == program && each.3 == Text);
    let names = match shows_words {
        true => arguments.iter().filter(|word| word.pattern).collect(),
        false => Vec::new(),
    };
    let git = program == "git";
    let everything = git && shows_everything(arguments);
    Some(Read {
        files,
        names,
        names_only,
        whole_folders: program == "diff",
        paths_of_git: git,
        everything,
    })
}

fn files<'w>(program: &str, arguments: &'w [Word]) -> Option<Vec<&'w Word>> {
    match program {
        "git" => git(arguments),
        "find" => find(arguments),
        "sed" => sed(arguments),
        "printf" => {
            let first = arguments.first()?;
            (!first.text.starts_with('-') && are_text(arguments)).then(Vec::new)
        }
        "command" => {
            let asks =
                arguments.first().is_some_and(|first| ["-v", "-V"].contains(&first.text.as_str()));
            (asks && are_literal(arguments)).then(Vec::new)
        }
        "set" => arguments.iter().all(sets_harmlessly).then(Vec::new),
        _ if says_version(program, arguments) => Some(Vec::new()),
        _ => listed(program, arguments),
    }
}

fn listed<'w>(program: &str, arguments: &'w [Word]) -> Option<Vec<&'w Word>> {
    let (_, letters, long, operands) = PROGRAMS.iter().find(|(name, ..)| *name == program)?;
    // No word after `--` is an option.
    let end = arguments.iter().position(|word| word.text == "--").unwrap_or(arguments.len());
    let is_option = |word: &Word| word.text.starts_with('-') && word.text != "-";
    let (mut behind, mut values) = (Vec::new(), Vec::new());
    for (at, word) in arguments.iter().enumerate() {
        match at < end && is_option(word) {
            true if !is_harmless_option(word, letters, long) => return None,
            true if word.text.contains('=') && *operands != Text => values.push(word),
            true => {}
            false if at == end => {}
            false => behind.push(word),
        }
    }
    let files = match operands {
        Operands::None if behind.is_empty() => Vec::new(),
        Operands::None => return None,
        // `date 1200` sets the clock.
        Text if program == "date" => {
            behind.iter().all(|word| word.text.starts_with('+')).then(Vec::new)?
        }
        Text if are_text(arguments) => Vec::new(),
        Text => return None,
        // A shell may expand a pattern to several words, and all but the first of them are files.
        PatternAndFiles if behind.first().is_some_and(|word| word.pattern) => behind,
        PatternAndFiles => behind.get(1..).unwrap_or_default().to_vec(),
        // `uniq` writes to its second file.
        Files if program == "uniq" && (behind.len() > 1 || !are_literal(arguments)) => return None,
        Files | Names => behind,
    };
    let known = |word: &Word| !word.variable && !word.substitution;
    let known = arguments.iter().all(|word| known(word) || *operands == Text);
    known.then(|| files.into_iter().chain(values).collect())
}

fn is_harmless_option(word: &Word, letters: &str, long: &[&str]) -> bool {
    let Some(rest) = word.text.strip_prefix('-').filter(|_| word.is_literal()) else {
        return false;
    };
    match rest.strip_prefix('-') {
        Some("") => true,
        Some(name) => long.contains(&name.split_once('=').map_or(name, |(name, _)| name)),
        None => rest.chars().all(|each| letters.contains(each) || each.is_ascii_digit()),
    }
}

/// Whether these words reveal only the text of the command line: variables would reveal more.
fn are_text(words: &[Word]) -> bool {
    words.iter().all(|word| !word.variable)
}

fn are_literal(words: &[Word]) -> bool {
    words.iter().all(Word::is_literal)
}

fn says_version(program: &str, arguments: &[Word]) -> bool {
    let [only] = arguments else { return false };
    let asks = ["--version", "-V"].contains(&only.text.as_str()) && only.is_literal();
    asks && VERSIONED.contains(&program)
}

/// Whether the word is a harmless option of `set`, such as `-e`.
fn sets_harmlessly(word: &Word) -> bool {
    let letters = |rest: &str| rest.chars().all(|each| "euxo".contains(each));
    word.is_literal()
        && (word.text == "pipefail" || word.text.strip_prefix('-').is_some_and(letters))
}

/// The parts of a `find` expression that only test or print.
const LOOKING: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-type",
    "-maxdepth",
    "-mindepth",
    "-not",
    "-o",
    "-or",
    "-a",
    "-and",
    "-size",
    "-mtime",
    "-mmin",
    "-newer",
    "-empty",
    "-print",
    "-print0",
    "-prune",
    "-regex",
    "-iregex",
    "-perm",
    "-user",
];

fn find(arguments: &[Word]) -> Option<Vec<&Word>> {
    let looks = |word: &Word| !word.text.starts_with('-') || LOOKING.contains(&word.text.as_str());
    (are_literal(arguments) && arguments.iter().all(looks)).then(|| arguments.iter().collect())
}

/// Recognizes `sed -n 10,20p FILE`, which shows some lines.
fn sed(arguments: &[Word]) -> Option<Vec<&Word>> {
    let [first, script, files @ ..] = arguments else { return None };
    let lines = script.text.strip_suffix('p')?;
    let number = |text: &str| {
        text == "$" || (!text.is_empty() && text.bytes().all(|each| each.is_ascii_digit()))
    };
    let (from, to) = lines.split_once(',').unwrap_or((lines, "1"));
    let shows = first.text == "-n" && number(from) && number(to);
    let plain = files.iter().all(|word| !word.text.starts_with('-'));
    (shows && plain && are_literal(arguments)).then(|| files.iter().collect())
}

/// Subcommands of git that change nothing, whatever their arguments.
const SHOWS: &[&str] =
    &["blame", "describe", "diff", "log", "ls-files", "rev-parse", "shortlog", "show", "status"];

/// Subcommands of git that only list something with these arguments.
const LISTS: &[(&str, &[&str])] = &[
    ("branch", &["-a", "-r", "-v", "-vv", "--all", "--list", "--show-current"]),
    ("remote", &["-v"]),
    ("tag", &["-l", "--list"]),
    ("stash", &["list"]),
    ("worktree", &["list"]),
];

/// Options that make these subcommands write a file, start a program or leave the repository. Git
/// also accepts abbreviated long options.
const DOES_MORE: &[&str] = &[
    "alternate-refs",
    "contents",
    "exec",
    "ext-diff",
    "help",
    "ignore-revs-file",
    "no-index",
    "open-files-in-pager",
    "output",
    "paginate",
    "remerge-diff",
    "show-signature",
    "stdin",
    "submodule",
    "textconv",
    "upload-pack",
];

fn git(arguments: &[Word]) -> Option<Vec<&Word>> {
    if arguments.iter().any(|word| word.variable || word.substitution) {
        return None;
    }
    let quiet = |word: &&Word| ["--no-pager", "--no-optional-locks"].contains(&word.text.as_str());
    let rest = arguments.get(arguments.iter().take_while(quiet).count()..)?;
    if let [only] = rest
        && only.text == "--version"
    {
        return Some(Vec::new());
    }
    let (verb, rest) = rest.split_first()?;
    let verb = verb.text.as_str();
    if let Some((_, words)) = LISTS.iter().find(|(name, _)| *name == verb) {
        let fits = rest.iter().all(|word| words.contains(&word.text.as_str()) && word.is_literal());
        let needs = verb == "stash" || verb == "worktree";
        return (fits && (!needs || !rest.is_empty())).then(Vec::new);
    }
    let fits = SHOWS.contains(&verb) && !rest.iter().any(does_more);
    fits.then(|| rest.iter().collect())
}

/// Whether git shows the content of files that the command does not name.
fn shows_everything(arguments: &[Word]) -> bool {
    let end = arguments.iter().position(|word| word.text == "--");
    let has = |words: &[&str]| arguments.iter().any(|word| words.contains(&word.text.as_str()));
    let patch = |word: &Word| {
        ["-p", "-u", "-U", "-S", "-G", "-L", "--pa", "--un", "--cc", "-c", "-m"]
            .iter()
            .any(|option| word.text.starts_with(option))
    };
    let shows = has(&["diff", "show"]) || (has(&["log"]) && arguments.iter().any(patch));
    shows && end.is_none_or(|end| end + 1 == arguments.len())
}

fn does_more(word: &Word) -> bool {
    if word.text.contains("%G") {
        return true; // Git checks signatures with a program that the repository names.
    }
    match word.text.strip_prefix("--") {
        Some("") => false,
        Some(name) => {
            let name = name.split_once('=').map_or(name, |(name, _)| name);
            DOES_MORE.iter().any(|more| more.starts_with(name) || name.starts_with(more))
        }
        None => ["-o", "-O"].iter().any(|short| word.text.starts_with(short)),
    }
}
