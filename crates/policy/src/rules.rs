//! A file of rules: reading it, checking it by its own examples, adding to it.

use crate::command;
use crate::folders::Folders;
use crate::line::commands;
use crate::rule::{Effect, Pattern, Rule, Subject};
use crate::text::{code, one_line};
use serde::Deserialize;
use std::fmt;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use toml::{Spanned, Value};
use url::Url;

#[cfg(test)]
mod tests;

/// How long a file of rules may be, in bytes.
const LONGEST: u64 = 256 * 1024;

/// What one file of rules says; its format is described in `PERMISSIONS.md`.
///
/// Every rule is checked by its own examples when the file is read. If anything is wrong with the
/// file no rule of it allows anything, and those that forbid or ask are obeyed all the same. If one
/// of these cannot be read, or the file cannot, nobody knows what it forbids, and whatever changes
/// something asks.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    pub(crate) rules: Vec<Rule>,
    faults: Vec<RuleFault>,
    pub(crate) broken: bool,
}

/// What is wrong with a file of rules: the person's fault, and for them to mend. Its `Display` is
/// one sentence with the file, the line and the rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFault {
    file: String,
    line: Option<usize>,
    what: String,
}

impl RuleFault {
    /// The line on which the rule begins, counted from one; none where the file cannot be read at
    /// all.
    pub fn line(&self) -> Option<usize> {
        self.line
    }
}

impl fmt::Display for RuleFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}, line {line}: {}", self.file, self.what),
            None => write!(f, "{}: {}", self.file, self.what),
        }
    }
}

impl std::error::Error for RuleFault {}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    allow: Vec<Spanned<Value>>,
    #[serde(default)]
    ask: Vec<Spanned<Value>>,
    #[serde(default)]
    deny: Vec<Spanned<Value>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    command: Option<String>,
    line: Option<String>,
    reads: Option<String>,
    changes: Option<String>,
    host: Option<String>,
    mcp: Option<String>,
    tool: Option<String>,
    #[serde(default)]
    unsandboxed: bool,
    #[serde(default)]
    network: bool,
    project: Option<PathBuf>,
    #[serde(default)]
    examples: Examples,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Examples {
    #[serde(default)]
    matches: Vec<String>,
    #[serde(default)]
    does_not_match: Vec<String>,
}

impl Rules {
    /// Reads a file of rules. One that is not there says nothing; what is wrong with it is in
    /// [`Rules::faults`]. Blocks on the disk.
    pub fn read(path: &Path) -> Self {
        let name = path.display().to_string();
        match attache_host::read_plain_text(path, LONGEST) {
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Self::unreadable(
                name,
                format!("it is longer than {LONGEST} bytes: make it shorter"),
            ),
            Ok(text) => Self::parse(&name, &text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::default(),
            Err(error) => Self::unreadable(name, format!("it cannot be read: {error}")),
        }
    }

    /// Reads the rules that came with the project in this folder, in `.attache/permissions.toml`;
    /// none if there is no such file. Of these what asks and forbids is obeyed, and what allows is
    /// not. Blocks on the disk.
    pub fn of_project(folder: &Path) -> Option<Self> {
        crate::policy::projects(&Folders::new(&[folder.to_owned()]).ok()?)
    }

    /// Reads the text of a file of rules; `file` is its name in messages.
    pub fn parse(file: &str, text: &str) -> Self {
        let written: File = match toml::from_str(text) {
            Ok(written) => written,
            Err(error) => {
                let mut rules = Self::unreadable(
                    file.to_owned(),
                    format!("it is no file of rules: {}", error.message()),
                );
                let line = error.span().map(|span| line_of(text, span.start));
                rules.faults.iter_mut().for_each(|fault| fault.line = line);
                return rules;
            }
        };
        let mut rules = Self::default();
        for (effect, listed) in [
            (Effect::Allow, written.allow),
            (Effect::Ask, written.ask),
            (Effect::Deny, written.deny),
        ] {
            for value in listed {
                let line = Some(line_of(text, value.span().start));
                let fault = |what: String| RuleFault { file: file.to_owned(), line, what };
                match rule(value.into_inner(), effect, file) {
                    Ok((rule, examples)) => {
                        rules.faults.extend(failing(&rule, &examples).into_iter().map(fault));
                        rules.rules.push(rule);
                    }
                    Err(why) => {
                        rules.broken |= effect != Effect::Allow;
                        rules.faults.push(fault(why));
                    }
                }
            }
        }
        if !rules.faults.is_empty() {
            rules.rules.retain(|rule| rule.effect != Effect::Allow);
        }
        rules
    }

    fn unreadable(file: String, what: String) -> Self {
        Self { rules: Vec::new(), faults: vec![RuleFault { file, line: None, what }], broken: true }
    }

    /// What is wrong with the file; nothing if all of it is obeyed.
    pub fn faults(&self) -> &[RuleFault] {
        &self.faults
    }

    /// Each rule that is obeyed, as a sentence that does not name the file.
    pub fn sentences(&self) -> impl Iterator<Item = String> + '_ {
        self.rules.iter().map(|rule| {
            let does = match rule.effect {
                Effect::Allow => "are allowed",
                Effect::Ask => "ask",
                Effect::Deny => "are forbidden",
            };
            let place = rule.project.as_ref().map(|project| format!(" in {}", project.display()));
            format!("{} {does}{}", rule.subject, place.unwrap_or_default())
        })
    }

    /// Without the rules that allow: all that is obeyed of a file which came with a project.
    pub fn without_allowing(mut self) -> Self {
        self.rules.retain(|rule| rule.effect != Effect::Allow);
        self
    }

    /// Adds a rule that allows to a file, and leaves what stands there as it is. Blocks on the
    /// disk.
    pub fn add(path: &Path, subject: &Subject, project: Option<&Path>) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut text = format!("\n[[allow]]\n{}", written(subject));
        if let Some(project) = project {
            text.push_str(&format!("project = {}\n", quoted(&project.display().to_string())));
        }
        // One write at the end of the file, so that two sessions lose nothing of each other.
        std::fs::OpenOptions::new().append(true).create(true).open(path)?.write_all(text.as_bytes())
    }
}

/// The line of a place in a text, counted from one.
fn line_of(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|each| *each == b'\n').count()
}

fn rule(value: Value, effect: Effect, file: &str) -> Result<(Rule, Examples), String> {
    let written = Written::deserialize(value).map_err(|error| error.message().to_owned())?;
    let subject = subject(&written)?;
    if written.project.as_ref().is_some_and(|project| !project.is_absolute()) {
        return Err("`project` is the whole path of a folder".to_owned());
    }
    Ok((
        Rule { effect, subject, project: written.project, file: Some(file.to_owned()) },
        written.examples,
    ))
}

fn subject(written: &Written) -> Result<Subject, String> {
    let Written { command, line, reads, changes, host, mcp, tool, unsandboxed, network, .. } =
        written;
    let lone = [command, line, reads, changes, host].map(Option::is_some);
    let subjects = lone.into_iter().filter(|there| *there).count()
        + usize::from(mcp.is_some() || tool.is_some());
    if subjects != 1 {
        return Err(
            "a rule has one of `command`, `line`, `reads`, `changes`, `host`, `mcp` and `tool`"
                .to_owned(),
        );
    }
    let pattern = |text: &String| {
        Pattern::new(text).map_err(|why| format!("{} is no pattern: {why}", code(text)))
    };
    let subject = match (command, line, reads, changes, host, mcp, tool) {
        (Some(command), ..) => Subject::Command(command::words_of(command)?),
        (_, Some(line), ..) => Subject::Line(line.clone()),
        (_, _, Some(reads), ..) => Subject::Reads(pattern(reads)?),
        (_, _, _, Some(changes), ..) => Subject::Changes(pattern(changes)?),
        (_, _, _, _, Some(host), ..) => Subject::Host(checked_host(host)?),
        (_, _, _, _, _, Some(server), tool) => {
            Subject::Mcp { server: server.clone(), tool: tool.clone() }
        }
        (_, _, _, _, _, None, tool) => Subject::Tool(tool.clone().unwrap_or_default()),
    };
    if !unsandboxed && !network {
        return Ok(subject);
    }
    let runs = match &subject {
        Subject::Command(_) | Subject::Line(_) => true,
        Subject::Tool(tool) => tool == "execute",
        _ => false,
    };
    match runs {
        true => {
            let (unsandboxed, network) = (*unsandboxed, *network);
            Ok(Subject::Beyond { commands: Box::new(subject), unsandboxed, network })
        }
        false => Err("`unsandboxed` and `network` belong to a rule for commands: `command`, `line`, or `tool = \"execute\"`"
            .to_owned()),
    }
}

/// A host in the spelling in which addresses have it.
fn checked_host(host: &str) -> Result<String, String> {
    let (below, name) = host.strip_prefix("*.").map_or(("", host), |name| ("*.", name));
    let url = Url::parse(&format!("http://{name}/")).ok();
    let same = url
        .as_ref()
        .and_then(crate::rule::host_of)
        .filter(|_| !name.contains(['/', '@', '\\', '*', '?', '#']));
    same.map(|name| format!("{below}{name}")).ok_or_else(|| {
        format!("{} is no host: write its name alone, such as \"docs.rs\"", code(host))
    })
}

/// What the rule does not do as its examples say.
fn failing(rule: &Rule, examples: &Examples) -> Vec<String> {
    let wrong = |example: &String, wanted: bool| {
        let words =
            if wanted { "does not match its example" } else { "matches what it should not," };
        let example = code(&one_line(example, 120));
        format!(
            "the rule for {} {words} {example}: mend one of them; until then no rule of this file allows anything",
            rule.subject
        )
    };
    let missed = examples
        .matches
        .iter()
        .filter(|example| !is_about(rule, example))
        .map(|each| wrong(each, true));
    let taken = examples
        .does_not_match
        .iter()
        .filter(|example| is_about(rule, example))
        .map(|each| wrong(each, false));
    missed.chain(taken).collect()
}

/// Whether a rule is about an example: a command line, a path, an address, `SERVER TOOL`, or the
/// name of a tool.
fn is_about(rule: &Rule, example: &str) -> bool {
    match rule.subject.commands() {
        Subject::Command(words) => match commands(example) {
            Ok(parts) => {
                let about = |part: &_| rule.subject.is_about_command(part, rule.effect);
                match rule.effect {
                    Effect::Allow => parts.iter().all(about),
                    Effect::Ask | Effect::Deny => parts.iter().any(about),
                }
            }
            Err(_) => rule.effect != Effect::Allow && command::stands_in(example, words),
        },
        Subject::Line(line) => line == example,
        Subject::Reads(pattern) | Subject::Changes(pattern) => {
            pattern.covers(example, Path::new(example))
        }
        Subject::Host(_) => Url::parse(example).is_ok_and(|url| {
            let plain =
                url.username().is_empty() && url.password().is_none() && !example.contains('\\');
            (plain || rule.effect != Effect::Allow) && rule.subject.is_about_address(&url)
        }),
        Subject::Mcp { .. } => {
            let (server, tool) = example.split_once(' ').unwrap_or((example, ""));
            rule.subject.is_about_mcp(server, tool)
        }
        Subject::Tool(tool) => tool == example,
        Subject::Beyond { .. } => false,
    }
}

/// A subject as a file has it.
fn written(subject: &Subject) -> String {
    match subject {
        Subject::Command(words) => format!("command = {}\n", quoted(&words.join(" "))),
        Subject::Line(line) => format!("line = {}\n", quoted(line)),
        Subject::Reads(pattern) => format!("reads = {}\n", quoted(pattern.text())),
        Subject::Changes(pattern) => format!("changes = {}\n", quoted(pattern.text())),
        Subject::Host(host) => format!("host = {}\n", quoted(host)),
        Subject::Tool(tool) => format!("tool = {}\n", quoted(tool)),
        Subject::Mcp { server, tool } => {
            let tool =
                tool.as_ref().map_or_else(String::new, |tool| format!("tool = {}\n", quoted(tool)));
            format!("mcp = {}\n{tool}", quoted(server))
        }
        Subject::Beyond { commands, unsandboxed, network } => {
            let keys = [("unsandboxed", unsandboxed), ("network", network)];
            let keys =
                keys.into_iter().filter(|(_, set)| **set).map(|(key, _)| format!("{key} = true\n"));
            written(commands) + &keys.collect::<String>()
        }
    }
}

/// Text as a string of TOML on one line.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for each in text.chars() {
        match each {
            '"' | '\\' => quoted.extend(['\\', each]),
            each if each.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(each))),
            each => quoted.push(each),
        }
    }
    quoted + "\""
}
