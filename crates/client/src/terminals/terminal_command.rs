//! A command that an agent asks the client to run.

use attache_host::{FileError, Launch, Roots};
use attache_policy::effect::affects_only_appearance;
use attache_protocol::Error;
use attache_protocol::v1::{CreateTerminalRequest, EnvVariable, SessionId};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Prepares the launch of a command that an agent asks for: see
/// [`Options::terminal_launches`](crate::Options::terminal_launches).
pub type PrepareLaunch = Arc<dyn Fn(Launch) -> Launch + Send + Sync>;

/// A command that an agent asks the client to run in a terminal on this machine.
///
/// `Debug` and [`TerminalCommand::line`] show the names of environment variables but not their
/// values, which may be secret.
#[derive(Clone)]
#[non_exhaustive]
pub struct TerminalCommand {
    /// The program. Some agents send a whole line for the shell instead: this field then contains
    /// white space, and there are no arguments.
    pub command: String,
    /// The arguments, passed unchanged.
    pub args: Vec<String>,
    /// The working directory: a folder of the session.
    pub cwd: PathBuf,
    env: Vec<EnvVariable>,
}

impl TerminalCommand {
    /// Reads a request. Blocks on disk I/O.
    ///
    /// # Errors
    /// Returns an error if the folder is not absolute, or is outside of the session's folders.
    pub(crate) fn read(params: CreateTerminalRequest, roots: &Roots) -> Result<Self, Error> {
        let CreateTerminalRequest { command, args, env, cwd, .. } = params;
        if command.trim().is_empty() {
            return Err(Error::invalid_params("the command is empty: name a program"));
        }
        let cwd = match cwd {
            None => roots.cwd().to_owned(),
            Some(cwd) if !Path::new(&cwd).is_absolute() => {
                return Err(Error::invalid_params(format!(
                    "the folder \"{cwd}\" is not absolute: give its full path"
                )));
            }
            Some(cwd) => {
                let resolved = roots
                    .resolve(&cwd)
                    .map_err(|error: FileError| Error::invalid_params(error.to_string()))?;
                resolved.path()
            }
        };
        Ok(Self { command, args, cwd, env })
    }

    /// The whole command as a line that a shell reads the same way. It begins with the variables,
    /// as `NAME=…`.
    pub fn line(&self) -> String {
        let variables = self.env.iter().map(|variable| format!("{}=…", variable.name));
        let command = match self.is_shell_line() {
            true => self.command.clone(),
            false => quoted(&self.command),
        };
        let words = variables.chain([command]).chain(self.args.iter().map(|word| quoted(word)));
        words.collect::<Vec<_>>().join(" ")
    }

    /// The names of the environment variables that are set.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.env.iter().map(|variable| variable.name.as_str())
    }

    /// The variables that are set, with their values, which may be secret.
    pub(crate) fn environment(&self) -> impl Iterator<Item = (&str, &str)> {
        self.env.iter().map(|variable| (variable.name.as_str(), variable.value.expose()))
    }

    /// The variables that may change the command's effect, sorted.
    pub(crate) fn changes(&self) -> Vec<(String, String)> {
        let changes =
            self.environment().filter(|(name, value)| !affects_only_appearance(name, value));
        let mut changes: Vec<_> =
            changes.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        changes.sort();
        changes
    }

    /// The line for the shell, if the agent sent a whole line instead of a program.
    pub(crate) fn script(&self) -> Option<&str> {
        self.is_shell_line().then_some(self.command.as_str())
    }

    pub(crate) fn is_shell_line(&self) -> bool {
        self.args.is_empty() && self.command.contains(char::is_whitespace)
    }

    /// The request that runs the command in another client's terminal. A line for the shell is
    /// passed to one, as [`TerminalCommand::launch`] does.
    ///
    /// Some clients join the words to a line for a shell, and not all of them quote the words. The
    /// command would then do something else than what was allowed. Returns `None` if a shell could
    /// read a word differently, or if the folder's name is not UTF-8.
    pub(crate) fn request(
        &self,
        session: SessionId,
        limit: usize,
    ) -> Option<CreateTerminalRequest> {
        let (command, args) = match self.is_shell_line() {
            true => ("/bin/sh", vec!["-c".to_owned(), self.command.clone()]),
            false if self.is_same_in_shell() => (self.command.as_str(), self.args.clone()),
            false => return None,
        };
        let mut request = CreateTerminalRequest::new(session, command);
        request.args = args;
        request.env.clone_from(&self.env);
        request.cwd = Some(self.cwd.to_str()?.to_owned());
        request.output_byte_limit = u64::try_from(limit).ok();
        Some(request)
    }

    /// Whether a shell reads the words, joined by spaces, as this program and these arguments.
    fn is_same_in_shell(&self) -> bool {
        // To a shell, a first word with `=` is a variable; zsh looks up a program after a leading
        // `=`.
        let is_same = |word: &String| is_plain(word) && !word.starts_with('=');
        is_same(&self.command) && !self.command.contains('=') && self.args.iter().all(is_same)
    }

    pub(crate) fn launch(&self) -> Launch {
        let launch = match self.is_shell_line() {
            true => Launch::shell(&self.command),
            false => Launch::new(&self.command).args(self.args.iter().map(String::as_str)),
        };
        self.env.iter().fold(launch.cwd(&self.cwd), |launch, variable| {
            launch.env(variable.name.as_str(), variable.value.expose())
        })
    }
}

impl std::fmt::Debug for TerminalCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TerminalCommand")
            .field("line", &self.line())
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

/// The word as it is written for a shell: in single quotes, if it needs them.
pub(crate) fn quoted(word: &str) -> String {
    match is_plain(word) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// Whether a shell reads the word as itself without quotes.
fn is_plain(word: &str) -> bool {
    let plain =
        |character: char| character.is_ascii_alphanumeric() || "-_./:=,+@%".contains(character);
    !word.is_empty() && word.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(command: &str, args: &[&str]) -> TerminalCommand {
        let args = args.iter().map(|word| (*word).to_owned()).collect();
        TerminalCommand { command: command.into(), args, cwd: "/".into(), env: Vec::new() }
    }

    #[test]
    fn a_line_reads_as_the_command_that_runs() {
        assert_eq!(command("ls", &["-l", "a b", "it's", ""]).line(), r"ls -l 'a b' 'it'\''s' ''");
        assert_eq!(
            command("echo a; ls", &[]).line(),
            "echo a; ls",
            "a line for the shell stays as it is"
        );
        assert_eq!(command("/opt/my tool", &["x"]).line(), "'/opt/my tool' x");
    }

    #[test]
    fn another_client_gets_no_word_that_a_shell_could_read_differently() {
        let sent = |program: &str, args: &[&str]| {
            let request = command(program, args).request(SessionId::from("s"), 1)?;
            Some((request.command, request.args))
        };
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let git = ("git".to_owned(), words(&["log", "--format=%H", "src/a.rs"]));
        assert_eq!(sent("git", &["log", "--format=%H", "src/a.rs"]), Some(git));
        let line = ("/bin/sh".to_owned(), words(&["-c", "ls a; id"]));
        assert_eq!(sent("ls a; id", &[]), Some(line), "it was judged as a line");
        for (program, args) in [
            ("ls", &["a; id"][..]),
            ("ls", &["$(id)"]),
            ("ls", &["a b"]),
            ("ls", &["*"]),
            ("ls", &[""]),
            ("ls", &["=id"]),
            ("ls", &["~"]),
            ("ls;id", &[]),
            ("A=b", &["id"]),
        ] {
            assert_eq!(sent(program, args), None, "{program} {args:?}");
        }
    }

    #[test]
    fn values_of_variables_are_not_shown() {
        let mut command = command("ls", &[]);
        command.env.push(EnvVariable::new("TOKEN", "abc123".to_owned()));
        assert_eq!(command.line(), "TOKEN=… ls");
        assert!(!format!("{command:?}").contains("abc123"));
    }
}
