//! `attache check trace`: reports the lines of a recording that break a rule.

use super::arguments::Trace;
use super::report::colour::style_of;
use super::report::tally::Tally;
use crate::exit::{Exit, Failure};
use crate::show::json::escaped;
use crate::show::paint::{BOLD, CYAN, DIM, Paint};
use crate::show::width::{cut, wrap};
use crate::terminal;
use attache_check::{Finding, Observer, Recorded, Recording, RecordingError};
use attache_protocol::method::Side;
use attache_view::sanitize;
use serde_json::json;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

/// The width of a line if there is no terminal, in columns.
const LINE_SHOWN: usize = 160;

/// Runs `attache check trace`.
pub(crate) fn trace(arguments: &Trace) -> Result<Exit, Failure> {
    let file: Box<dyn BufRead> = match arguments.file.to_str() {
        Some("-") => Box::new(BufReader::new(io::stdin())),
        _ => Box::new(BufReader::new(
            File::open(&arguments.file).map_err(|error| cannot_read(&arguments.file, &error))?,
        )),
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    let printer = Printer { paint: Paint::of(&io::stdout()), columns: terminal::columns() };
    let mut show = |line: &Recorded, finding: &Finding| -> io::Result<()> {
        match arguments.json {
            true => writeln!(out, "{}", json_line(finding, line)),
            false => printer
                .finding(finding, line)
                .into_iter()
                .try_for_each(|line| writeln!(out, "{line}")),
        }
    };
    let tally = judge(file, &arguments.file, &mut show)?;
    let said = if arguments.json { Ok(()) } else { writeln!(out, "{}", tally.sentence()) };
    said.and_then(|()| out.flush()).map_err(|error| Failure::output(&error))?;
    Ok(if tally.musts > 0 { Exit::AgentFailed } else { Exit::Done })
}

fn cannot_read(path: &Path, error: &io::Error) -> Failure {
    Failure::usage(format!("{} cannot be read: {error}", path.display()))
}

/// Shows and counts the findings in a file.
fn judge(
    file: impl BufRead,
    path: &Path,
    show: &mut impl FnMut(&Recorded, &Finding) -> io::Result<()>,
) -> Result<Tally, Failure> {
    let (mut tally, mut observer) = (Tally::default(), Observer::default());
    // A name under `_meta` is reported only once per recording, even if the recording contains
    // several connections.
    let mut names = HashSet::new();
    let mut report = |tally: &mut Tally, line: &Recorded, findings: Vec<Finding>| {
        let is_new = |finding: &&Finding| {
            finding.rule.id != "META-07" || names.insert((finding.by, finding.seen.clone()))
        };
        findings.iter().filter(is_new).try_for_each(|finding| {
            tally.finding(finding);
            show(line, finding).map_err(|error| Failure::output(&error))
        })
    };
    let mut last: Option<Recorded> = None;
    for recorded in Recording::new(file) {
        let recorded = recorded.map_err(|error| match error {
            RecordingError::Unreadable(error) => cannot_read(path, &error),
            RecordingError::Broken(error) => Failure::usage(format!("{}, {error}", path.display())),
        })?;
        if let Some(last) = last.filter(|_| recorded.begins_another) {
            tally.version(observer.version());
            report(&mut tally, &last, std::mem::take(&mut observer).end())?;
        }
        if tally.lines == 0 && !Observer::begins_with(recorded.from, recorded.text.as_bytes()) {
            observer = Observer::of_rest();
        }
        tally.lines += 1;
        let findings = observer.line(recorded.line, recorded.from, recorded.text.as_bytes());
        report(&mut tally, &recorded, findings)?;
        last = Some(recorded);
    }
    let Some(last) = last else {
        return Err(Failure::usage(format!("{} contains no messages", path.display())));
    };
    tally.version(observer.version());
    report(&mut tally, &last, observer.end())?;
    Ok(tally)
}

fn json_line(finding: &Finding, line: &Recorded) -> String {
    let rule = finding.rule;
    let line = json!({
        "line": finding.line, "path": line.path, "earlier": finding.earlier,
        "from": line.from.as_str(), "at": line.at, "by": finding.by.as_str(), "rule": rule.id,
        "strength": rule.strength.as_str(), "seen": finding.seen, "text": rule.text,
    });
    escaped(&line.to_string())
}

/// Formats findings for a person.
struct Printer {
    paint: Paint,
    columns: Option<usize>,
}

impl Printer {
    /// Formats a finding: line and rule, the actual behaviour, the text of the rule, and the
    /// message.
    fn finding(&self, finding: &Finding, line: &Recorded) -> Vec<String> {
        let rule = finding.rule;
        let earlier =
            finding.earlier.map_or_else(String::new, |earlier| format!(" (see line {earlier})"));
        let head = format!(
            "{}{} {} {} {}",
            self.paint.paint(BOLD, format!("line {}", finding.line)),
            line.path.as_ref().map(|path| format!(" {path}")).unwrap_or_default(),
            finding.by.as_str(),
            self.paint.paint(CYAN, rule.id),
            self.paint.paint(style_of(rule.strength), rule.word),
        );
        let mut lines = vec![head];
        lines.extend(self.wrapped(&format!("{}{earlier}", sanitize::text(&finding.seen))));
        lines.extend(self.wrapped(rule.text).into_iter().map(|line| self.paint.paint(DIM, line)));
        let shown = cut(
            &sanitize::text(&line.text),
            self.columns.map_or(LINE_SHOWN, |columns| columns.saturating_sub(4)),
        );
        let arrow = if line.from == Side::Client { "->" } else { "<-" };
        lines.push(self.paint.paint(DIM, format!("  {arrow} {shown}")));
        lines.push(String::new());
        lines
    }

    fn wrapped(&self, text: &str) -> Vec<String> {
        let lines = match self.columns {
            Some(columns) => wrap(text, columns.saturating_sub(2)),
            None => vec![text.to_owned()],
        };
        lines.into_iter().map(|line| format!("  {line}")).collect()
    }
}
