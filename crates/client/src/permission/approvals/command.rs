//! A command that a permission request allowed.

use crate::permission::request::PermissionRequest;
use crate::terminals::terminal_command::TerminalCommand;
use attache_policy::Folders;
use attache_policy::effect::{Command, affects_only_appearance};
use std::path::{Path, PathBuf};

/// The shells that run a line exactly as the request showed it.
const SHELLS: [&str; 4] = ["bash", "sh", "zsh", "dash"];

/// A command that a permission request allowed: the command as it was shown, its folder and its
/// variables.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ApprovedCommand {
    shown: Shown,
    /// The folder, without symbolic links.
    cwd: PathBuf,
    /// The variables that may change the command's effect, sorted.
    env: Vec<(String, String)>,
}

/// How the request showed the command.
#[derive(Debug, Clone, PartialEq)]
enum Shown {
    Line(String),
    Words(Vec<String>),
}

impl ApprovedCommand {
    /// The commands that a request shows. Blocks on disk I/O.
    pub(crate) fn of(request: &PermissionRequest, folders: &Folders) -> Vec<Self> {
        let commands = request.effect().commands.into_iter();
        commands.filter_map(|command| Self::new(command, folders)).collect()
    }

    fn new(command: Command, folders: &Folders) -> Option<Self> {
        let Command { line, words, folder, environment: mut env } = command;
        let shown = if words.is_empty() { Shown::Line(line) } else { Shown::Words(words) };
        let cwd = match folder {
            None => folders.roots().cwd().to_owned(),
            Some(folder) => folders.roots().resolve(folder).ok()?.path(),
        };
        env.retain(|(name, value)| !affects_only_appearance(name, value));
        env.sort();
        Some(Self { shown, cwd, env })
    }

    /// Whether this command is the one that was allowed: the same arguments, folder and variables.
    pub(crate) fn covers(&self, command: &TerminalCommand) -> bool {
        command.cwd == self.cwd && command.changes() == self.env && self.shown.is(command)
    }
}

impl Shown {
    fn is(&self, command: &TerminalCommand) -> bool {
        let is_line = |line: &str| Self::is_line(line, command);
        match self {
            Self::Words(words) => {
                let is_same = match command.script() {
                    Some(line) => self::words(line).is_some_and(|given| given == *words),
                    None => given(command).eq(words),
                };
                is_same || script(words).is_some_and(is_line)
            }
            Self::Line(line) => is_line(line),
        }
    }

    fn is_line(line: &str, command: &TerminalCommand) -> bool {
        let given_words: Vec<&String> = given(command).collect();
        match command.script().or_else(|| script(&given_words)) {
            Some(script) => script == line || in_folder(script, &command.cwd) == Some(line),
            None => words(line).is_some_and(|words| given(command).eq(&words)),
        }
    }
}

fn given(command: &TerminalCommand) -> impl Iterator<Item = &String> {
    std::iter::once(&command.command).chain(&command.args)
}

/// The line that these words pass to a shell: `bash -c LINE`.
fn script<S: AsRef<str>>(words: &[S]) -> Option<&str> {
    let [shell, option, line] = words else { return None };
    let shell = Path::new(shell.as_ref());
    let is_usual = shell.parent().is_none_or(|folder| {
        folder.as_os_str().is_empty()
            || folder == Path::new("/bin")
            || folder == Path::new("/usr/bin")
    });
    let is_shell = shell.file_name().is_some_and(|name| SHELLS.iter().any(|known| name == *known));
    (is_usual && is_shell && matches!(option.as_ref(), "-c" | "-lc")).then_some(line.as_ref())
}

/// The line without a leading `cd FOLDER && `, if the line runs in that folder anyway. Some agents
/// add such a prefix.
fn in_folder<'l>(line: &'l str, cwd: &Path) -> Option<&'l str> {
    let (step, rest) = line.split_once(" && ")?;
    let folder = words(step.strip_prefix("cd ")?)?;
    matches!(folder.as_slice(), [folder] if Path::new(folder) == cwd).then_some(rest)
}

/// The words of a line that is one plain command; `None` if a shell might run more than that
/// command.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line.chars();
    while let Some(character) = rest.next() {
        match character {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => {
                let (quoted, after) = rest.as_str().split_once('\'')?;
                word.get_or_insert_default().push_str(quoted);
                rest = after.chars();
            }
            '"' => {
                let (quoted, after) = rest.as_str().split_once('"')?;
                if quoted.contains(['$', '`', '\\', '!']) {
                    return None;
                }
                word.get_or_insert_default().push_str(quoted);
                rest = after.chars();
            }
            plain if plain.is_alphanumeric() || "-_./,:@%+=".contains(plain) => {
                word.get_or_insert_default().push(plain);
            }
            _ => return None,
        }
    }
    words.extend(word);
    // A word with `=` before the program sets a variable.
    words.first().is_some_and(|program| !program.contains('=')).then_some(words)
}
