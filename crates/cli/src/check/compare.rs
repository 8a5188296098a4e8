//! `attache check compare`: compares judgements.

use super::arguments::Compare;
use super::report::colour::{style_of, style_of_verdict};
use crate::exit::{Exit, Failure};
use crate::show::json::escaped;
use crate::show::paint::{BOLD, CYAN, DIM, Paint};
use crate::show::width::cut;
use crate::terminal;
use attache_check::{Comparison, ComparisonRow, Judgement, support_matrix};
use attache_view::sanitize;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// The width of a verdict, in columns.
const VERDICT: usize = 11;

/// Runs `attache check compare`.
pub(super) fn compare(arguments: &Compare) -> Result<Exit, Failure> {
    let judgements =
        arguments.files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?;
    if arguments.support {
        return write(support_matrix(&judgements, &[]).lines());
    }
    let whole = Comparison::of(&judgements);
    let of = whole.rows.len();
    let comparison = if arguments.all { whole } else { whole.differences() };
    let lines = if arguments.json {
        vec![escaped(&comparison.to_json())]
    } else if arguments.markdown {
        comparison.to_markdown().lines().map(str::to_owned).collect()
    } else {
        Printer { paint: Paint::of(&io::stdout()), columns: terminal::columns() }
            .table(&comparison, of)
    };
    write(lines.iter().map(String::as_str))
}

fn write<'l>(mut lines: impl Iterator<Item = &'l str>) -> Result<Exit, Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let written = lines.try_for_each(|line| writeln!(out, "{}", line.trim_end()));
    written.and_then(|()| out.flush()).map_err(|error| Failure::output(&error))?;
    Ok(Exit::Done)
}

fn read(path: &Path) -> Result<Judgement, Failure> {
    let shown = path.display();
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("{shown} cannot be read: {error}")))?;
    Judgement::read(&text).map_err(|error| {
        Failure::usage(format!(
            "{shown}, {error}; `attache check agent --report FILE.json` writes one"
        ))
    })
}

/// Formats a comparison for a person.
struct Printer {
    paint: Paint,
    columns: Option<usize>,
}

impl Printer {
    /// Returns the judgements with their letters, a row per rule, and the number of differences.
    fn table(&self, comparison: &Comparison, of: usize) -> Vec<String> {
        let letters = (0..comparison.names.len()).map(letter);
        let name = |(letter, name): (String, &String)| {
            format!("{}  {}", self.paint.paint(BOLD, letter), sanitize::visible_line(name))
        };
        let mut lines: Vec<String> = letters.clone().zip(&comparison.names).map(name).collect();
        lines.push(String::new());
        if !comparison.rows.is_empty() {
            let heads: String = letters.map(|letter| format!("{letter:<VERDICT$}")).collect();
            lines.push(self.paint.paint(DIM, format!("{:<9} {:<11}{heads}rule", "", "")));
        }
        lines.extend(comparison.rows.iter().map(|row| self.row(row)));
        let differ = comparison.rows.iter().filter(|row| row.differs()).count();
        lines.push(String::new());
        lines.push(match (differ, of) {
            (0, of) => format!("The judgements agree on all {of} rules."),
            (1, of) => format!("The judgements differ on 1 of {of} rules."),
            (differ, of) => format!("The judgements differ on {differ} of {of} rules."),
        });
        lines
    }

    fn row(&self, row: &ComparisonRow) -> String {
        let rule = row.rule;
        let words: String = row.words.iter().map(|word| self.word(word)).collect();
        let before = 21 + VERDICT * row.words.len();
        let text = match self.columns {
            Some(columns) => cut(rule.text, columns.saturating_sub(before).max(10)),
            None => rule.text.to_owned(),
        };
        let id = self.paint.paint(CYAN, format!("{:<9}", rule.id));
        let strength =
            self.paint.paint(style_of(rule.strength), format!("{:<10}", rule.strength_word()));
        format!("{id} {strength} {words}{text}")
    }

    fn word(&self, word: &str) -> String {
        let said = self.paint.paint(style_of_verdict(word), word);
        format!("{said}{}", " ".repeat(VERDICT.saturating_sub(word.chars().count())))
    }
}

/// Returns the label of a judgement: a letter from A to Z; from the 27th judgement on, a number
/// follows the letter.
fn letter(place: usize) -> String {
    let letter =
        u32::try_from(place % 26).ok().and_then(|offset| char::from_u32(u32::from('A') + offset));
    let round = if place < 26 { String::new() } else { (place / 26).to_string() };
    format!("{}{round}", letter.unwrap_or('A'))
}
