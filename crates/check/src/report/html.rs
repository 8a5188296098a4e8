//! A judgement as one self-contained HTML page: no script, no links, and the traffic next to each
//! verdict.

use super::escape::{html, html_of_markdown};
use super::matrix::{LEGEND, lacks, tables};
use super::table::{Cell, Table};
use crate::{Judgement, Line, Outcome, Verdict, groups};
use attache_protocol::method::Side;

const STYLE: &str = include_str!("style.css");

/// The filters: the id of the switch, its label, and the words of the verdicts that it shows.
const FILTERS: &[(&str, &str)] = &[
    ("all", "all"),
    ("fail", "fail"),
    ("pass", "pass"),
    ("skipped", "skipped"),
    ("not-tested", "not tested"),
    ("must", "must hold"),
];

/// Returns the page.
pub(super) fn write(judgement: &Judgement) -> String {
    let name = html(&judgement.name());
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{name}: verdicts</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    );
    head(judgement, &name, &mut out);
    verdicts(judgement, &mut out);
    support(judgement, &mut out);
    out.push_str("</body>\n</html>\n");
    out
}

fn head(judgement: &Judgement, name: &str, out: &mut String) {
    out.push_str(&format!("<header>\n<h1>{name}</h1>\n"));
    out.push_str(&format!(
        "<p class=\"about\">{}, judged by version {} of the protocol by {} in {:.1} s{}: <code>{}</code></p>\n",
        judgement.side().as_str(),
        judgement.support.protocol,
        html(&judgement.judge),
        judgement.took.as_secs_f64(),
        if judgement.repeats > 1 {
            format!(", {} rounds", judgement.repeats)
        } else {
            String::new()
        },
        html(&judgement.command),
    ));
    let faults = judgement.verdicts.iter().filter(|verdict| verdict.is_fault()).count();
    let sentence = match (faults, judgement.musts()) {
        (0, 0) => "No mandatory rule was judged.".to_owned(),
        (0, 1) => "The peer keeps the one mandatory rule that was judged.".to_owned(),
        (0, musts) => {
            format!("The peer keeps all {musts} mandatory rules that were judged.")
        }
        (faults, musts) => {
            format!("The peer breaks {faults} of the {musts} mandatory rules that were judged.")
        }
    };
    let class = if faults == 0 { "good" } else { "bad" };
    out.push_str(&format!(
        "<p class=\"sentence {class}\">{sentence}</p>\n<div class=\"bar\" aria-hidden=\"true\">"
    ));
    for word in Outcome::WORDS.iter().filter(|word| judgement.count(word) > 0) {
        out.push_str(&format!(
            "<i class=\"{}\" style=\"flex-grow:{}\"></i>",
            class_of(word),
            judgement.count(word)
        ));
    }
    out.push_str("</div>\n</header>\n");
}

fn verdicts(judgement: &Judgement, out: &mut String) {
    out.push_str("<section id=\"verdicts\">\n<h2>Verdicts</h2>\n<div class=\"filters\">\n");
    for (id, label) in FILTERS {
        let count = match *id {
            "all" => judgement.verdicts.len(),
            "must" => judgement.verdicts.iter().filter(|verdict| verdict.rule.must_hold()).count(),
            _ => judgement.count(label),
        };
        let checked = if *id == "all" { " checked" } else { "" };
        out.push_str(&format!(
            "<label><input type=\"radio\" name=\"filter\" id=\"show-{id}\"{checked}> {label} <span>{count}</span></label>\n"
        ));
    }
    out.push_str("</div>\n");
    for verdict in judgement.fails() {
        self::verdict(judgement, verdict, out);
    }
    for group in groups() {
        let of_group = |verdict: &&Verdict| {
            verdict.rule.prefix() == group.prefix && !verdict.outcome.is_fail()
        };
        let verdicts: Vec<&Verdict> = judgement.verdicts.iter().filter(of_group).collect();
        if !verdicts.is_empty() {
            out.push_str(&format!("<div class=\"group\"><h3>{}</h3>\n", html(group.title)));
            verdicts.into_iter().for_each(|verdict| self::verdict(judgement, verdict, out));
            out.push_str("</div>\n");
        }
    }
    out.push_str("</section>\n");
}

/// Writes one verdict: a line, and its evidence below it.
fn verdict(judgement: &Judgement, verdict: &Verdict, out: &mut String) {
    let Verdict { rule, outcome, grounds, lines, .. } = verdict;
    let (class, strength) = (class_of(outcome.as_str()), rule.strength_word());
    let must = if rule.must_hold() { " must" } else { "" };
    let flaky = match judgement.flaky.get(rule.id) {
        Some(words) => format!(
            " <b class=\"flaky\">flaky: {}</b>",
            words.iter().copied().collect::<Vec<_>>().join(" and ")
        ),
        None => String::new(),
    };
    out.push_str(&format!(
        "<details class=\"verdict {class}{must}\" id=\"{id}\"{open}>\n<summary><b class=\"word\">{word}</b> <b class=\"id\">{id}</b> \
         <span class=\"strength\">{strength}</span> <span class=\"rule\"><b>{asks}</b> {text}</span>{flaky}</summary>\n<dl>\n",
        id = rule.id,
        open = if outcome.is_fail() { " open" } else { "" },
        word = outcome.as_str(),
        asks = html(rule.word),
        text = html_of_markdown(rule.text),
    ));
    let mut item =
        |name: &str, text: &str| out.push_str(&format!("<dt>{name}</dt><dd>{text}</dd>\n"));
    match outcome {
        Outcome::Fail { expected, seen } => {
            if !expected.ends_with(rule.text) {
                item("expected", &html(expected));
            }
            item("seen", &html(seen));
        }
        Outcome::Skipped(why) | Outcome::NotTested(why) => item("why", &html(why)),
        Outcome::Pass => {}
    }
    item("binds", rule.binds.as_str());
    item("judged by", &html(&grounds.replace('_', " ")));
    out.push_str("</dl>\n");
    traffic(lines, out);
    out.push_str("</details>\n");
}

fn traffic(lines: &[Line], out: &mut String) {
    if lines.is_empty() {
        return;
    }
    out.push_str("<ol class=\"traffic\">\n");
    for line in lines {
        let (class, arrow) =
            if line.from == Side::Client { ("sent", "→") } else { ("came", "←") };
        out.push_str(&format!(
            "<li class=\"{class}\"><span class=\"at\">{}</span> <span class=\"time\">{:.3}</span> <span class=\"arrow\" title=\"{}\">{arrow}</span> <code>{}</code></li>\n",
            line.number,
            line.at.as_secs_f64(),
            line.from.as_str(),
            html(&line.text)
        ));
    }
    out.push_str("</ol>\n");
}

fn support(judgement: &Judgement, out: &mut String) {
    out.push_str("<section id=\"support\">\n<h2>Support</h2>\n");
    out.push_str(&format!("<p>{LEGEND}</p>\n"));
    for table in tables(&[judgement], &[]) {
        self::table(&table, out);
    }
    let lacks = lacks(&judgement.support);
    if !lacks.is_empty() {
        out.push_str("<h3>Missing parts of the stable protocol</h3>\n<dl>\n");
        for lack in lacks {
            out.push_str(&format!("<dt>{}</dt><dd>{}</dd>\n", html(lack.what), codes(&lack.names)));
        }
        out.push_str("</dl>\n");
    }
    out.push_str("</section>\n");
}

fn table(table: &Table, out: &mut String) {
    out.push_str(&format!("<h3>{}</h3>\n<div class=\"scroll\"><table>\n<tr>", html(table.title)));
    table.head.iter().for_each(|head| out.push_str(&format!("<th>{}</th>", html(head))));
    out.push_str("</tr>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for cell in row {
            match cell {
                Cell::Code(text) => out.push_str(&format!("<td><code>{}</code></td>", html(text))),
                Cell::Text(text) => out.push_str(&format!("<td>{}</td>", html_of_markdown(text))),
                Cell::Mark(true) => out.push_str("<td class=\"yes\">✓</td>"),
                Cell::Mark(false) => out.push_str("<td class=\"no\">–</td>"),
                Cell::Names(names) => {
                    let names: Vec<String> =
                        names.iter().map(|(name, _)| (*name).to_owned()).collect();
                    out.push_str(&format!("<td>{}</td>", codes(&names)));
                }
            }
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table></div>\n");
}

fn codes(texts: &[String]) -> String {
    texts.iter().map(|text| format!("<code>{}</code>", html(text))).collect::<Vec<_>>().join(" ")
}

/// Returns the CSS class for the word of an outcome.
fn class_of(word: &str) -> String {
    word.replace(' ', "-")
}
