//! The support of a peer and the rules that it breaks, as Markdown that authors can keep next to
//! the peer's source.

use super::escape::{markdown, markdown_code};
use super::matrix::{LEGEND, lacks, tables};
use super::method_link::MethodLink;
use super::table::{Cell, Table};
use crate::{Judgement, Outcome, Verdict};

/// Returns the support matrix. Two runs of a peer with the same behaviour give the same text.
pub(super) fn write(judgement: &Judgement) -> String {
    let mut out = format!("# Support of {}\n\n", markdown(&judgement.name()));
    out.push_str(&format!(
        "As observed by `attache check {}`, which judged {} rules of version {} of the protocol: {} pass, {} fail, {} skipped because the peer does not offer their subject, {} not tested.\n",
        judgement.side().as_str(),
        judgement.verdicts.len(),
        judgement.support.protocol,
        judgement.count(Outcome::PASS),
        judgement.count(Outcome::FAIL),
        judgement.count(Outcome::SKIPPED),
        judgement.count(Outcome::NOT_TESTED),
    ));
    out.push_str(&format!("\n{LEGEND}\n"));
    matrix(&[judgement], &[], &mut out);
    missing(judgement, &mut out);
    fails(judgement, &mut out);
    not_judged(judgement, &mut out);
    out
}

/// Returns the support of several peers, side by side.
pub(super) fn side_by_side(judgements: &[Judgement], links: &[MethodLink]) -> String {
    let mut names: Vec<String> =
        judgements.iter().map(|judgement| markdown(&judgement.name())).collect();
    names.dedup();
    let judged = judgements.iter().map(|judgement| {
        let (side, version) = (judgement.side().as_str(), judgement.support.protocol);
        format!("`attache check {side} --protocol {version}`")
    });
    let judged: Vec<String> = judged.collect();
    let mut out = format!(
        "# Support of {}\n\nAs observed by {}.\n\n{LEGEND}\n",
        names.join(" and "),
        judged.join(", ")
    );
    matrix(&judgements.iter().collect::<Vec<_>>(), links, &mut out);
    out
}

fn matrix(judgements: &[&Judgement], links: &[MethodLink], out: &mut String) {
    for table in tables(judgements, links) {
        out.push_str(&format!("\n## {}\n\n{}", table.title, rows(&table)));
    }
}

fn rows(table: &Table) -> String {
    let head: Vec<String> = table.head.iter().map(|head| markdown(head)).collect();
    let mut out = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(cell).collect();
        out.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    out
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Code(text) => markdown_code(text),
        Cell::Text(text) => markdown(text),
        Cell::Mark(true) => "✓".to_owned(),
        Cell::Mark(false) => "–".to_owned(),
        Cell::Names(names) => {
            let names = names.iter().map(|(name, links)| linked(name, links));
            names.collect::<Vec<_>>().join(", ")
        }
    }
}

fn linked(name: &str, links: &[(&str, String)]) -> String {
    let labels = links.iter().map(|(label, target)| format!("[{label}]({target})"));
    let labels: Vec<String> = labels.collect();
    match labels.is_empty() {
        true => markdown_code(name),
        false => format!("{} ({})", markdown_code(name), labels.join(", ")),
    }
}

fn codes(texts: &[String]) -> String {
    texts.iter().map(|text| markdown_code(text)).collect::<Vec<_>>().join(", ")
}

fn missing(judgement: &Judgement, out: &mut String) {
    let lacks = lacks(&judgement.support);
    if !lacks.is_empty() {
        out.push_str("\n## Missing parts of the stable protocol\n\n");
    }
    for lack in lacks {
        out.push_str(&format!("- {}: {}\n", lack.what, codes(&lack.names)));
    }
}

fn fails(judgement: &Judgement, out: &mut String) {
    let fails = judgement.fails();
    if !fails.is_empty() {
        out.push_str("\n## Broken rules\n\n| Rule | Strength | Text |\n|---|---|---|\n");
    }
    for Verdict { rule, .. } in fails {
        out.push_str(&format!(
            "| {} | {} | {}: {} |\n",
            rule.id,
            rule.strength_word(),
            rule.word,
            rule.text
        ));
    }
    for (rule, words) in &judgement.flaky {
        let words: Vec<&str> = words.iter().copied().collect();
        out.push_str(&format!(
            "\n{rule} is flaky: {} in {} rounds.\n",
            words.join(" and "),
            judgement.repeats
        ));
    }
}

fn not_judged(judgement: &Judgement, out: &mut String) {
    let reasons = judgement.not_judged();
    if !reasons.is_empty() {
        out.push_str("\n## Rules that were not judged\n\n");
    }
    for (outcome, rules) in reasons {
        let why = markdown(outcome.why().unwrap_or_default());
        out.push_str(&format!("- {}: {why}: {}\n", outcome.as_str(), rules.join(", ")));
    }
}
