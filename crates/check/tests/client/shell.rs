//! A simulated shell. It computes the output, the writes and the times of a command before the
//! command begins. It supports `sh -c`, `printf`, `printenv`, `pwd`, `sleep`, `exit`, `true`,
//! `false`, `kill -NAME $$`, `;`, `&&` and `>`.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// An action of a command.
#[derive(Debug, Clone)]
pub(crate) enum Effect {
    Print(Vec<u8>),
    Write(PathBuf, Vec<u8>),
}

/// The actions and the end of a command, with their times since its start.
pub(crate) type Script = (Vec<(Duration, Effect)>, (Duration, Done));

/// The exit of a command.
#[derive(Debug, Clone)]
pub(crate) enum Done {
    Code(i32),
    Signal(String),
}

impl Done {
    /// Returns the exit in the form of the protocol.
    pub(crate) fn exit(&self) -> Value {
        match self {
            Self::Code(code) => json!({"exitCode": code, "signal": null}),
            Self::Signal(signal) => json!({"exitCode": null, "signal": signal}),
        }
    }
}

/// A running command.
struct Shell<'e> {
    env: &'e BTreeMap<String, String>,
    cwd: &'e Path,
    now: Duration,
    effects: Vec<(Duration, Effect)>,
}

/// Returns the actions of a command, or `None` if there is no such command.
pub(crate) fn run(words: &[String], env: &BTreeMap<String, String>, cwd: &Path) -> Option<Script> {
    let mut shell = Shell { env, cwd, now: Duration::ZERO, effects: Vec::new() };
    let done = match words {
        [sh, flag, script] if sh == "sh" && flag == "-c" => shell.script(script),
        _ => shell.program(words, None)?,
    };
    Some((shell.effects, (shell.now, done)))
}

impl Shell<'_> {
    fn script(&mut self, script: &str) -> Done {
        let mut last = Done::Code(0);
        for (is_and, command) in commands(script) {
            if is_and && !matches!(last, Done::Code(0)) {
                continue;
            }
            let mut words = words(&command);
            let file = words.iter().position(|word| word == ">").map(|place| {
                let file = self.cwd.join(&words[place + 1]);
                words.truncate(place);
                file
            });
            last = match words.first().map(String::as_str) {
                Some("exit") => return Done::Code(words[1].parse().unwrap()),
                Some("kill") => {
                    return Done::Signal(format!("SIG{}", words[1].trim_start_matches('-')));
                }
                Some("exec") => return self.program(&words[1..], None).unwrap_or(Done::Code(127)),
                Some(_) => self.program(&words, file).unwrap_or(Done::Code(127)),
                None => last,
            };
        }
        last
    }

    fn program(&mut self, words: &[String], file: Option<PathBuf>) -> Option<Done> {
        let (name, args) = words.split_first()?;
        let (code, printed) = match name.as_str() {
            "printf" => (0, printf(args)),
            "printenv" => match self.env.get(&args[0]) {
                Some(value) => (0, format!("{value}\n").into_bytes()),
                None => (1, Vec::new()),
            },
            "pwd" => (0, format!("{}\n", self.cwd.display()).into_bytes()),
            "sleep" => {
                self.now += Duration::from_secs_f64(args[0].parse().unwrap());
                (0, Vec::new())
            }
            "true" => (0, Vec::new()),
            "false" => (1, Vec::new()),
            _ => return None,
        };
        match file {
            Some(file) => self.effects.push((self.now, Effect::Write(file, printed))),
            None if printed.is_empty() => {}
            None => self.effects.push((self.now, Effect::Print(printed))),
        }
        Some(Done::Code(code))
    }
}

/// Returns the commands of a script. If the flag of a command is set, the command runs only if the
/// one before it succeeded.
fn commands(script: &str) -> Vec<(bool, String)> {
    let (mut all, mut command, mut quote, mut is_and) = (Vec::new(), String::new(), None, false);
    let mut chars = script.chars().peekable();
    while let Some(char) = chars.next() {
        match (char, quote) {
            ('\'' | '"', None) => quote = Some(char),
            (_, Some(open)) if open == char => quote = None,
            (';', None) => {
                all.push((is_and, std::mem::take(&mut command)));
                is_and = false;
                continue;
            }
            ('&', None) if chars.next_if_eq(&'&').is_some() => {
                all.push((is_and, std::mem::take(&mut command)));
                is_and = true;
                continue;
            }
            _ => {}
        }
        command.push(char);
    }
    all.push((is_and, command));
    all
}

/// Returns the words of a command without their quotes.
fn words(command: &str) -> Vec<String> {
    let (mut all, mut word, mut quote, mut is_word) = (Vec::new(), String::new(), None, false);
    for char in command.chars() {
        match (char, quote) {
            ('\'' | '"', None) => (quote, is_word) = (Some(char), true),
            (_, Some(open)) if open == char => quote = None,
            (' ' | '\n', None) => {
                if std::mem::take(&mut is_word) {
                    all.push(std::mem::take(&mut word));
                }
            }
            _ => {
                word.push(char);
                is_word = true;
            }
        }
    }
    if is_word {
        all.push(word);
    }
    all
}

/// Formats the arguments. The format is repeated until all arguments are used.
fn printf(args: &[String]) -> Vec<u8> {
    let Some((format, args)) = args.split_first() else { return Vec::new() };
    let (mut printed, mut args) = (Vec::new(), args.iter());
    loop {
        let mut chars = format.chars().peekable();
        while let Some(char) = chars.next() {
            match (char, chars.peek()) {
                ('%', Some('s')) => {
                    chars.next();
                    printed.extend_from_slice(args.next().map_or("", String::as_str).as_bytes());
                }
                ('\\', Some('n')) => {
                    chars.next();
                    printed.push(b'\n');
                }
                ('\\', Some('0'..='7')) => {
                    let octal: String =
                        std::iter::from_fn(|| chars.next_if(|next| next.is_digit(8)))
                            .take(3)
                            .collect();
                    printed.push(u8::from_str_radix(&octal, 8).unwrap());
                }
                _ => printed.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        if !format.contains("%s") || args.as_slice().is_empty() {
            return printed;
        }
    }
}
