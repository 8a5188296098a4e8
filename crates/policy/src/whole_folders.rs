//! Commands that read all files below a folder.

use crate::command::program;
use crate::command::programs::program_name;
use crate::shell::{Part, Word};
use crate::wildcard::meet;
use std::path::Path;

/// Whether the program runs other programs with file names that it reads from its input.
pub(crate) fn takes_names(program: &str) -> bool {
    ["parallel", "xargs"].contains(&program_name(program))
}

/// Programs that read all files below a folder that their arguments name. For each program: the
/// short options and the long options with which it does so; empty if it needs no option.
const READ_FOLDERS: &[(&str, &str, &[&str])] = &[
    ("7z", "", &[]),
    ("ack", "", &[]),
    ("ag", "", &[]),
    ("cp", "rRa", &["--recursive", "--archive"]),
    ("diff", "r", &["--recursive"]),
    ("egrep", "rR", &["--recursive", "--dereference-recursive", "--directories"]),
    ("fgrep", "rR", &["--recursive", "--dereference-recursive", "--directories"]),
    ("find", "", &[]),
    ("grep", "rRd", &["--recursive", "--dereference-recursive", "--directories"]),
    ("rg", "", &[]),
    ("rsync", "ra", &["--recursive", "--archive"]),
    ("scp", "r", &[]),
    ("tar", "", &[]),
    ("zgrep", "rR", &["--recursive"]),
    ("zip", "r", &["--recurse-paths"]),
];

/// Whether the command searches its working folder if its arguments name no folder.
pub(crate) fn searches_here(part: &Part) -> bool {
    let name = name(part);
    name.is_some_and(|name| {
        name.contains("grep") || ["ack", "ag", "find", "git", "rg"].contains(&name)
    })
}

/// Whether the command reads the files below the folders that it names, or below its working
/// folder.
pub(crate) fn reads_folders(part: &Part) -> bool {
    let name = name(part);
    let words = part.words.get(1..).unwrap_or_default();
    if name == Some("git") {
        return words.iter().any(|word| word.text == "grep");
    }
    let Some((_, letters, long)) = READ_FOLDERS.iter().find(|(program, ..)| Some(*program) == name)
    else {
        return false;
    };
    let asks = |word: &Word| match word.text.strip_prefix('-') {
        Some(rest) if rest.starts_with('-') => long.iter().any(|name| {
            let given = word.text.split('=').next().unwrap_or_default();
            given.len() > 2 && name.starts_with(given)
        }),
        Some(rest) => rest.contains(|each| letters.contains(each)),
        None => false,
    };
    letters.is_empty() || words.iter().any(asks)
}

fn name(part: &Part) -> Option<&str> {
    program(part).map(program_name)
}

/// A filter for the files that a command reads below a folder.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    /// Patterns, one of which must match a file's name; empty if all files are read.
    names: Vec<String>,
    /// Whether files and folders whose names begin with a dot are left out.
    without_hidden: bool,
    /// Whether symbolic links are left out.
    without_links: bool,
}

/// Programs that skip symbolic links below a folder. For each program: the short options, and the
/// beginning of the long options, that make it follow links.
const LEAVE_OUT_LINKS: &[(&str, &str, &str)] = &[
    ("ack", "f", "--fo"),
    ("ag", "f", "--fo"),
    ("cp", "LH", "--de"),
    ("egrep", "R", "--de"),
    ("fgrep", "R", "--de"),
    ("git", "", "--"),
    ("grep", "R", "--de"),
    ("rg", "L", "--fo"),
    ("rsync", "Lk", "--copy"),
    ("tar", "h", "--de"),
];

impl Filter {
    /// The filter with the patterns by which `find` selects files. If the expression contains `-o`,
    /// `!` or the like, the filter has no patterns, so it takes all files.
    pub(crate) fn of_find(words: &[&Word]) -> Self {
        let odd = |word: &&Word| ["-o", "-or", "-not", "!", ","].contains(&word.text.as_str());
        let named = words.iter().zip(words.iter().skip(1));
        let names = named.filter(|(option, _)| ["-name", "-iname"].contains(&option.text.as_str()));
        match words.iter().any(odd) {
            true => Self::default(),
            false => Self {
                names: names.map(|(_, name)| name.text.clone()).collect(),
                ..Self::default()
            },
        }
    }

    /// Returns the filter of the files that the command reads below a folder.
    pub(crate) fn of(part: &Part) -> Self {
        Self { without_links: leaves_out_links(part), ..Self::of_files(part) }
    }

    fn of_files(part: &Part) -> Self {
        let words: Vec<&Word> = part.words.iter().skip(1).collect();
        let texts = words.iter().map(|word| word.text.as_str());
        match name(part) {
            Some("find") => Self::of_find(&words),
            Some("ack" | "ag" | "rg") => {
                let all = |text: &str| {
                    let plain = text.starts_with('-') && !text.starts_with("--");
                    (plain && text.contains(['u', '.', 'a', 'g']))
                        || ["--hid", "--unr", "--glob", "--iglob"]
                            .iter()
                            .any(|long| text.starts_with(long))
                };
                Self {
                    names: Vec::new(),
                    without_hidden: !texts.into_iter().any(all),
                    ..Self::default()
                }
            }
            Some(name) if name.ends_with("grep") => {
                let included = texts.filter_map(|text| text.strip_prefix("--include="));
                Self { names: included.map(str::to_owned).collect(), ..Self::default() }
            }
            _ => Self::default(),
        }
    }

    /// Whether a file is read. Its path is relative to the folder, and `link` says whether it is a
    /// symbolic link.
    pub(crate) fn takes(&self, below: &Path, link: bool) -> bool {
        let name = below.file_name().unwrap_or_default().to_string_lossy();
        let hidden = || below.iter().any(|part| part.to_string_lossy().starts_with('.'));
        (self.names.is_empty() || self.names.iter().any(|pattern| meet(pattern, &name)))
            && !(self.without_hidden && hidden())
            && !(self.without_links && link)
    }
}

fn leaves_out_links(part: &Part) -> bool {
    let words = part.words.get(1..).unwrap_or_default();
    LEAVE_OUT_LINKS.iter().any(|(program, letters, long)| {
        let follows = |word: &Word| match word.text.strip_prefix('-') {
            Some(rest) if rest.starts_with('-') => word.text.starts_with(long) && *program != "git",
            Some(rest) => rest.contains(|each| letters.contains(each)),
            // The first argument of `tar` may contain options without a dash.
            None => *program == "tar" && word.text.contains('h'),
        };
        name(part) == Some(program)
            && words.iter().all(|word| !word.variable)
            && !words.iter().any(follows)
    })
}
