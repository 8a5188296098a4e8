//! `attache check trace`: which line of a recorded conversation breaks which rule.

use super::arguments::Trace;
use super::{name, style_of};
use crate::exit::{Exit, Failure};
use crate::show::json::escaped;
use crate::show::paint::{BOLD, CYAN, DIM, Paint};
use crate::show::sanitize;
use crate::show::width::{cut, wrap};
use crate::terminal;
use attache_check::{Finding, Observer, Recorded, Strength, trace as read};
use attache_protocol::method::Side;
use serde_json::json;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

/// How much of a line is shown without a terminal, in columns.
const LINE_SHOWN: usize = 160;

/// Runs the command.
pub(crate) fn trace(arguments: &Trace) -> Result<Exit, Failure> {
    let mut judged = Judged::default();
    let file: Box<dyn BufRead> = match arguments.file.to_str() {
        Some("-") => Box::new(BufReader::new(io::stdin())),
        _ => Box::new(BufReader::new(
            File::open(&arguments.file).map_err(|error| cannot_read(&arguments.file, &error))?,
        )),
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    let face = Face { paint: Paint::of(&io::stdout()), columns: terminal::columns() };
    let mut show = |line: &Recorded, finding: &Finding| -> io::Result<()> {
        match arguments.json {
            true => writeln!(out, "{}", json_line(finding, line)),
            false => face.finding(finding, line).into_iter().try_for_each(|line| writeln!(out, "{line}")),
        }
    };
    judged.read(file, &arguments.file, &mut show)?;
    let said = if arguments.json { Ok(()) } else { writeln!(out, "{}", judged.sentence()) };
    said.and_then(|()| out.flush()).map_err(|error| Failure::output(&error))?;
    Ok(if judged.musts > 0 { Exit::AgentFailed } else { Exit::Done })
}

fn cannot_read(path: &Path, error: &io::Error) -> Failure {
    Failure::usage(format!("{} cannot be read: {error}", path.display()))
}

/// What was found in a file.
#[derive(Default)]
struct Judged {
    lines: usize,
    findings: usize,
    musts: usize,
    rules: BTreeSet<&'static str>,
}

impl Judged {
    fn read(
        &mut self,
        file: impl BufRead,
        path: &Path,
        show: &mut impl FnMut(&Recorded, &Finding) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let mut observer = Observer::default();
        let mut last = None;
        for (number, line) in (1..).zip(file.split(b'\n')) {
            let line = line.map_err(|error| cannot_read(path, &error))?;
            let recorded = read(number, &String::from_utf8_lossy(&line));
            let recorded =
                recorded.map_err(|error| Failure::usage(format!("{}, {error}", path.display())))?;
            let Some(recorded) = recorded else { continue };
            self.lines += 1;
            self.tell(&recorded, &observer.line(number, recorded.from, recorded.text.as_bytes()), show)?;
            last = Some(recorded);
        }
        let Some(last) = last else {
            return Err(Failure::usage(format!("{} has no line of a conversation", path.display())));
        };
        self.tell(&last, &observer.end(), show)
    }

    fn tell(
        &mut self,
        line: &Recorded,
        findings: &[Finding],
        show: &mut impl FnMut(&Recorded, &Finding) -> io::Result<()>,
    ) -> Result<(), Failure> {
        for finding in findings {
            self.findings += 1;
            self.musts += usize::from(finding.rule.strength == Strength::Must);
            self.rules.insert(finding.rule.id);
            show(line, finding).map_err(|error| Failure::output(&error))?;
        }
        Ok(())
    }

    fn sentence(&self) -> String {
        match self.findings {
            0 => format!("{} lines, and none breaks a rule that can be seen in them.", self.lines),
            findings => format!(
                "{} lines, {findings} findings about {} rules, {} of them about what must hold. `attache check rules ID` tells a rule.",
                self.lines,
                self.rules.len(),
                self.musts
            ),
        }
    }
}

fn json_line(finding: &Finding, line: &Recorded) -> String {
    let rule = finding.rule;
    let line = json!({
        "line": finding.line, "earlier": finding.earlier, "from": name(line.from), "at": line.at, "rule": rule.id,
        "strength": rule.strength.as_str(), "seen": finding.seen, "text": rule.text,
    });
    escaped(&line.to_string())
}

/// How findings are shown to a person.
struct Face {
    paint: Paint,
    columns: Option<usize>,
}

impl Face {
    /// A finding: which line and rule, what is seen, what the rule says, and the line.
    fn finding(&self, finding: &Finding, line: &Recorded) -> Vec<String> {
        let rule = finding.rule;
        let earlier = finding.earlier.map_or_else(String::new, |earlier| format!(" (see line {earlier})"));
        let head = format!(
            "{} {} {} {}",
            self.paint.paint(BOLD, format!("line {}", finding.line)),
            name(line.from),
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
