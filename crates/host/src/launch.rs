//! A program to start, built step by step or parsed from a command line.

pub(crate) mod command_line;
pub(crate) mod program_names;
pub(crate) mod start_error;
#[cfg(unix)]
pub(crate) mod unix;
#[cfg(windows)]
pub(crate) mod windows;

#[cfg(unix)]
pub(crate) use unix as system;
#[cfg(windows)]
pub(crate) use windows as system;

use crate::launch::command_line::{ParseError, Word, words};
use crate::launch::program_names::{endings, program_names};
use crate::launch::system::{SHELL, USUAL_PATH, has_folder, is_executable, is_path};
#[cfg(unix)]
use crate::sandbox::inherited::Inherited;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::{env, fmt};

/// Receives the stderr of a program.
pub(crate) type StderrHook = Box<dyn FnMut(&[u8]) + Send>;

/// A program to start, with its arguments, folder and environment. A builder for [`Launch::start`]
/// and [`Launch::run`].
///
/// `Debug` shows the names of environment variables, but not their values or the arguments, which
/// can be secret.
pub struct Launch {
    program: OsString,
    arguments: Vec<OsString>,
    cwd: Option<PathBuf>,
    clear_env: bool,
    /// The variables in the order of the calls. `None` removes a variable.
    env: Vec<(OsString, Option<OsString>)>,
    pub(crate) stderr_hook: Option<StderrHook>,
    /// Whether stdin is a pseudo terminal that becomes the program's controlling terminal.
    #[cfg_attr(windows, allow(dead_code, reason = "no pseudo terminal is used on Windows"))]
    pub(crate) in_terminal: bool,
    /// What a sandbox gives to the program.
    #[cfg(unix)]
    pub(crate) inherited: Inherited,
}

impl Launch {
    /// Starts `program`: a path, or a name that is looked up in the program's own `PATH`. A
    /// relative path with a separator is relative to the launch's folder.
    pub fn new(program: impl Into<OsString>) -> Launch {
        Launch {
            program: program.into(),
            arguments: Vec::new(),
            cwd: None,
            clear_env: false,
            env: Vec::new(),
            stderr_hook: None,
            in_terminal: false,
            #[cfg(unix)]
            inherited: Inherited::default(),
        }
    }

    /// Runs a command line with the system's shell, `/bin/sh -c`. On Windows the shell is the first
    /// `sh` of the `PATH`, such as the one of Git, because the rest of this workspace reads command
    /// lines as this shell does.
    pub fn shell(command_line: impl Into<OsString>) -> Launch {
        Launch::new(SHELL).arg("-c").arg(command_line)
    }

    /// Parses a command line such as `RUST_LOG=debug "my agent" --acp` without a shell.
    ///
    /// White space separates words. Everything in single quotes is kept as it is. In double quotes
    /// a backslash escapes `"`, `\`, `$` and `` ` `` and is kept before any other character.
    /// Outside quotes it escapes every character. Leading words `NAME=value` set environment
    /// variables. Variables, `~` and patterns are not expanded, and comments are not removed.
    pub fn parse(command_line: &str) -> Result<Launch, ParseError> {
        let mut words = words(command_line)?.into_iter().peekable();
        let mut assigned = Vec::new();
        while let Some((name, value)) = words.peek().and_then(Word::assignment) {
            assigned.push((name.into(), Some(value.into())));
            words.next();
        }
        let program =
            words.next().filter(|word| !word.text.is_empty()).ok_or(ParseError::NoProgram)?;
        let mut launch = Launch::new(program.text).args(words.map(|word| word.text));
        launch.env = assigned;
        Ok(launch)
    }

    /// Quotes a word for [`Launch::parse`]: in single quotes, unless it is plain.
    ///
    /// ```
    /// assert_eq!(attache_host::Launch::quoted("--acp"), "--acp");
    /// assert_eq!(attache_host::Launch::quoted("it's"), r"'it'\''s'");
    /// ```
    pub fn quoted(word: &str) -> String {
        command_line::quoted(word)
    }

    /// Adds one argument, which is passed verbatim.
    pub fn arg(mut self, argument: impl Into<OsString>) -> Launch {
        self.arguments.push(argument.into());
        self
    }

    /// Adds arguments, which are passed verbatim.
    pub fn args<A: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = A>) -> Launch {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Sets the folder that the program starts in. The default is this process's folder.
    pub fn cwd(mut self, folder: impl Into<PathBuf>) -> Launch {
        self.cwd = Some(folder.into());
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Launch {
        self.env.push((name.into(), Some(value.into())));
        self
    }

    /// Removes an environment variable, inherited or set before.
    pub fn env_remove(mut self, name: impl Into<OsString>) -> Launch {
        self.env.push((name.into(), None));
        self
    }

    /// Inherits no environment variable of this process. Variables set by this launch stay,
    /// whatever the order of the calls.
    pub fn clear_env(mut self) -> Launch {
        self.clear_env = true;
        self
    }

    /// Replaces each word, beginning with the program, with the words that `fill` returns for it.
    /// The value of each variable is replaced in the same way, with the words joined by spaces. A
    /// word that is not UTF-8 is kept.
    ///
    /// ```
    /// use attache_host::Launch;
    ///
    /// let launch = Launch::parse("my-client --agent AGENT")?;
    /// let filled = launch.filled(|word| if word == "AGENT" { vec!["a".into(), "b".into()] } else { vec![word.into()] });
    /// assert_eq!(filled.command_line(), "my-client --agent a b");
    /// # Ok::<(), attache_host::ParseError>(())
    /// ```
    pub fn filled(mut self, fill: impl Fn(&str) -> Vec<String>) -> Launch {
        let of = |word: &OsString| match word.to_str() {
            Some(word) => fill(word).into_iter().map(OsString::from).collect(),
            None => vec![word.clone()],
        };
        for (_, value) in &mut self.env {
            if let Some(value) = value {
                *value = of(value).join(OsStr::new(" "));
            }
        }
        let words = [std::mem::take(&mut self.program)]
            .into_iter()
            .chain(std::mem::take(&mut self.arguments));
        let mut words = words.flat_map(|word| of(&word)).collect::<Vec<_>>().into_iter();
        self.program = words.next().unwrap_or_default();
        self.arguments = words.collect();
        self
    }

    /// Calls `hook` with every chunk of stderr on a task of the child. The hook must not block.
    /// After a panic it is not called again. [`Launch::run`], where stderr is part of the output,
    /// does not call it.
    pub fn on_stderr(mut self, hook: impl FnMut(&[u8]) + Send + 'static) -> Launch {
        self.stderr_hook = Some(Box::new(hook));
        self
    }

    /// Runs `program` instead, with these words and then the launch's own program and arguments as
    /// its arguments.
    #[cfg(target_os = "linux")]
    pub(crate) fn run_by(mut self, program: &Path, words: Vec<OsString>) -> Launch {
        let inner = std::mem::replace(&mut self.program, program.into());
        let arguments = std::mem::take(&mut self.arguments);
        self.arguments = words.into_iter().chain([inner]).chain(arguments).collect();
        self
    }

    /// Returns the launch as a line that [`Launch::parse`] reads. Values of variables and arguments
    /// can be secret. Invalid UTF-8 becomes U+FFFD.
    pub fn command_line(&self) -> String {
        self.line(|value| Launch::quoted(&value.to_string_lossy()))
    }

    /// Returns the launch as a line for messages, without the values of variables.
    pub fn shown(&self) -> String {
        self.line(|_| "…".to_owned())
    }

    fn line(&self, shown: impl Fn(&OsStr) -> String) -> String {
        let set = self.env.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        let set = set.map(|(name, value)| format!("{}={}", name.display(), shown(value)));
        let words = [self.program.as_os_str()].into_iter().chain(self.arguments());
        set.chain(words.map(|word| Launch::quoted(&word.to_string_lossy())))
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Returns the program as a command of the standard library with this process's own stdin,
    /// stdout and stderr, for a program that talks to the user at the terminal, such as a login. It
    /// has no guardian: it belongs to the terminal.
    pub fn in_terminal(&self) -> std::process::Command {
        self.command(&self.program)
    }

    /// Returns a command of the standard library that starts this program with the launch's
    /// arguments, folder and environment.
    pub(crate) fn command(&self, program: &OsStr) -> std::process::Command {
        let mut command = std::process::Command::new(program);
        command.args(&self.arguments);
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        if self.clear_env {
            command.env_clear();
        }
        for (name, value) in self.environment() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }

    /// The program as given.
    pub fn program(&self) -> &OsStr {
        &self.program
    }

    /// The folder as given.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.cwd.as_deref()
    }

    /// The arguments as given.
    pub fn arguments(&self) -> impl Iterator<Item = &OsStr> {
        self.arguments.iter().map(OsString::as_os_str)
    }

    /// Returns whether the program inherits the environment of this process.
    pub fn inherits_environment(&self) -> bool {
        !self.clear_env
    }

    /// Returns whether the launch sets or removes this environment variable.
    pub fn sets(&self, name: impl AsRef<OsStr>) -> bool {
        self.env.iter().any(|(known, _)| known == name.as_ref())
    }

    /// The variables to set and, with `None`, to remove, in order.
    pub(crate) fn environment(&self) -> &[(OsString, Option<OsString>)] {
        &self.env
    }

    /// The `PATH` in which the program is looked up. `None` if the program is given as a path.
    pub(crate) fn searched(&self) -> Option<OsString> {
        if self.program.is_empty() || has_folder(&self.program) {
            return None;
        }
        let path = match self.env.iter().rev().find(|(name, _)| is_path(name)) {
            Some((_, value)) => value.clone(),
            None if self.clear_env => None,
            None => env::var_os("PATH"),
        };
        Some(path.unwrap_or_else(|| USUAL_PATH.into()))
    }

    /// Returns the program's path, found in the same way as at a start, or `None` if there is no
    /// such file or it may not be executed. Blocks on the disk.
    pub fn find(&self) -> Option<PathBuf> {
        let folder = self.folder().unwrap_or(Path::new(""));
        let found = |file: &PathBuf| is_executable(file);
        self.candidates().into_iter().map(|file| folder.join(file)).find(found)
    }

    /// The candidate paths of the program in the order of search. Relative ones are relative to the
    /// launch's folder.
    pub(crate) fn candidates(&self) -> Vec<PathBuf> {
        let names = program_names(&self.program, endings().as_deref());
        match self.searched() {
            None => names.into_iter().map(PathBuf::from).collect(),
            Some(path) => {
                let folders = env::split_paths(&path);
                folders.flat_map(|folder| names.iter().map(move |name| folder.join(name))).collect()
            }
        }
    }
}

impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&OsString> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("Launch")
            .field("program", &self.program)
            .field("arguments", &self.arguments.len())
            .field("cwd", &self.cwd)
            .field("clear_env", &self.clear_env)
            .field("env", &names)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::{Launch, ParseError};

    fn parts(line: &str) -> (Vec<String>, Vec<String>) {
        let launch = Launch::parse(line).unwrap();
        let text = |value: &std::ffi::OsStr| value.to_str().unwrap().to_owned();
        let mut command = vec![text(&launch.program)];
        command.extend(launch.arguments.iter().map(|argument| text(argument)));
        let env =
            launch.env.iter().map(|(n, v)| format!("{}={}", text(n), text(v.as_ref().unwrap())));
        (command, env.collect())
    }

    #[test]
    fn words_are_split_as_a_shell_would_without_expansion() {
        assert_eq!(parts("gemini --acp").0, ["gemini", "--acp"]);
        assert_eq!(
            parts("  a\t'b  c' \"d \\\" \\n $HOME\" e\\ f '' ").0,
            ["a", "b  c", "d \" \\n $HOME", "e f", ""]
        );
        assert_eq!(parts("a'b'\"c\"d ~ *").0, ["abcd", "~", "*"]);
    }

    #[test]
    fn leading_assignments_set_the_environment() {
        let (command, env) = parts("A=1 _B2='x y' C= run D=4");
        assert_eq!(
            (command.join(" ").as_str(), env.join(",").as_str()),
            ("run D=4", "A=1,_B2=x y,C=")
        );
        assert_eq!(parts("'A=1' x").0, ["A=1", "x"], "a quoted name is a program");
        assert_eq!(parts("2A=1 x").0, ["2A=1", "x"], "a word without a valid name is a program");
    }

    #[test]
    fn unreadable_command_lines_are_reported() {
        let error = |line| Launch::parse(line).unwrap_err();
        assert_eq!(error("a 'b"), ParseError::OpenQuote { quote: '\'', at: 2 });
        assert_eq!(error("a \"b\\"), ParseError::OpenQuote { quote: '"', at: 2 });
        assert_eq!(error("a\\"), ParseError::LastBackslash);
        assert_eq!(error(" \n"), ParseError::NoProgram);
        assert_eq!(error("A=1"), ParseError::NoProgram);
        assert_eq!(error("''"), ParseError::NoProgram);
    }

    #[test]
    fn debug_shows_no_secret() {
        let launch = Launch::parse("KEY=hush run --token=hush").unwrap();
        let shown = format!("{launch:?}");
        assert!(shown.contains("KEY") && !shown.contains("hush"), "{shown}");
    }

    #[cfg(unix)]
    #[test]
    fn a_program_is_found_where_a_start_would_find_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("first"), folder.path().join("second"));
        for (place, mode) in [(&first, 0o644), (&second, 0o755)] {
            std::fs::create_dir(place).unwrap();
            std::fs::write(place.join("it"), "").unwrap();
            std::fs::set_permissions(place.join("it"), std::fs::Permissions::from_mode(mode))
                .unwrap();
        }
        let path = std::env::join_paths([&first, &second]).unwrap();
        let named =
            |program: &str| Launch::new(program).env("PATH", &path).cwd(folder.path()).find();
        assert_eq!(
            named("it"),
            Some(second.join("it")),
            "a file that may not be executed is skipped"
        );
        assert_eq!(named("second/it"), Some(second.join("it")));
        assert_eq!((named("second"), named("missing"), named("first/it")), (None, None, None));
    }
}
