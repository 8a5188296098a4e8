//! `attache permissions`: the remembered rules of this client, and the log of decisions.

pub(crate) mod arguments;

use crate::exit::{Exit, Failure};
use crate::folder::is_missing;
use crate::permission::rules;
use crate::sessions::time::exact;
use crate::show::json::escaped;
use crate::show::paint::{BOLD, DIM, Paint};
use arguments::{Audit, Permissions, Task};
use attache_client::PermissionBroker;
use attache_session::Timestamp;
use attache_view::sanitize;
use jiff::tz::TimeZone;
use serde_json::Value;
use std::io::{self, Write};
use std::path::Path;

/// The maximum size of a log file that is read, in bytes. This program writes files of less than
/// half this size.
const LONGEST: u64 = 4 << 20;

/// Runs `attache permissions`.
pub(crate) fn permissions(arguments: Permissions) -> Result<Exit, Failure> {
    let lines = match arguments.task.unwrap_or(Task::List) {
        Task::List => list()?,
        Task::Remove(arguments) => remove(arguments.number)?,
        Task::Audit(arguments) => audit(&arguments)?,
    };
    let mut stdout = io::stdout().lock();
    let written = lines.iter().try_for_each(|line| writeln!(stdout, "{line}"));
    written.map_err(|error| Failure::output(&error))?;
    Ok(Exit::Done)
}

fn list() -> Result<Vec<String>, Failure> {
    let rules = rules::open()?.rules();
    let files: Vec<String> =
        rules::files().iter().map(|file| shown(&file.to_string_lossy())).collect();
    if files.is_empty() {
        return Ok(vec![
            "there are no rules: set HOME or XDG_CONFIG_HOME to store rules".to_owned(),
        ]);
    }
    let paint = Paint::of(&io::stdout());
    let mut lines = match rules.is_empty() {
        true => {
            vec!["no rules are stored: press r at an agent's question to add one".to_owned()]
        }
        false => Vec::new(),
    };
    for (number, rule) in (1..).zip(&rules) {
        lines.push(format!(
            "{number:>3}  {}",
            paint.paint(BOLD, shown(&attache_view::rule_meaning(rule)))
        ));
        lines.push(format!("     {}", paint.paint(DIM, shown(&rule.to_line()))));
    }
    lines.push(paint.paint(DIM, format!("the rules are stored in {}", files.join(" and "))));
    Ok(lines)
}

fn remove(number: usize) -> Result<Vec<String>, Failure> {
    let broker = rules::open()?;
    let rules = broker.rules();
    let Some(rule) = number.checked_sub(1).and_then(|index| rules.get(index)) else {
        let there = match rules.len() {
            0 => "no rules are stored".to_owned(),
            count => format!("use a number from 1 to {count}, as `attache permissions` lists them"),
        };
        return Err(Failure::usage(format!("rule {number} does not exist: {there}")));
    };
    broker.forget(rule).map_err(|error| Failure::new(Exit::Internal, error))?;
    Ok(vec![format!("removed: {}", shown(&rule.to_line()))])
}

fn audit(arguments: &Audit) -> Result<Vec<String>, Failure> {
    let Some(file) = rules::log() else {
        return Ok(vec![
            "decisions are not stored: ATTACHE_STORE is none, or the data folder is unknown"
                .to_owned(),
        ]);
    };
    let mut text = String::new();
    for part in PermissionBroker::log_files(&file) {
        text += &read(&part)?;
    }
    let decisions: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let last = decisions.get(decisions.len().saturating_sub(arguments.count)..).unwrap_or_default();
    if arguments.json {
        return Ok(last.iter().map(|line| escaped(line)).collect());
    }
    let paint = Paint::of(&io::stdout());
    let mut lines: Vec<String> = last.iter().map(|line| decision(line)).collect();
    let place = shown(&file.to_string_lossy());
    let count = match decisions.len() {
        0 => "no decisions yet".to_owned(),
        count => format!("{} of {count} decisions", last.len()),
    };
    lines.push(paint.paint(DIM, format!("{count}; the log is {place}")));
    Ok(lines)
}

fn read(file: &Path) -> Result<String, Failure> {
    match attache_host::read_plain_file(file, LONGEST) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if is_missing(&error) => Ok(String::new()),
        Err(error) => {
            let file = shown(&file.to_string_lossy());
            Err(Failure::usage(format!("the log {file} cannot be read: {error}; check the file")))
        }
    }
}

/// Formats a line of the log for people. A line that this version cannot read stays unchanged.
fn decision(line: &str) -> String {
    let Ok(entry) = serde_json::from_str::<Value>(line) else { return shown(line) };
    let text = |name: &str| entry.get(name).and_then(Value::as_str).map(shown);
    let at = text("at").and_then(|at| at.parse::<jiff::Timestamp>().ok());
    let at = at
        .map_or_else(String::new, |at| exact(Timestamp(at.as_millisecond()), &TimeZone::system()));
    let by = match (text("by").as_deref(), text("rule"), text("flag")) {
        (Some("rule"), Some(rule), _) => format!("by your rule {rule}"),
        (Some("asked"), ..) => "by you".to_owned(),
        (_, _, Some(flag)) => format!("by {flag}"),
        _ => "without asking".to_owned(),
    };
    let verdict = text("verdict").unwrap_or_default();
    // A withdrawn question has no answer.
    let by = if verdict == "withdrawn" { String::new() } else { format!(" {by}") };
    let (agent, title) = (text("agent").unwrap_or_default(), text("title").unwrap_or_default());
    let effect = entry.get("effect").map(effect).unwrap_or_default();
    format!("{at}  {agent}  {verdict}{by}: {title}{effect}")
}

/// Describes the effect of a call beyond its title.
fn effect(effect: &Value) -> String {
    let list = |name: &str| effect.get(name).and_then(Value::as_array).into_iter().flatten();
    let text = |mark: &str, value: Option<&Value>| {
        value.and_then(Value::as_str).map(|text| format!("  {mark}{}", shown(text)))
    };
    let commands = list("commands").filter_map(|command| text("$ ", command.get("command")));
    let paths = list("paths").filter_map(|path| text("file ", Some(path)));
    let urls = list("urls").filter_map(|url| text("", Some(url)));
    let arguments = text("with ", effect.get("arguments"));
    commands.chain(paths).chain(urls).chain(arguments).collect()
}

fn shown(text: &str) -> String {
    sanitize::visible_line(text)
}
