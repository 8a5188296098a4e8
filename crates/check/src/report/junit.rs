//! A judgement as JUnit XML for continuous integration: a suite per group of rules, a case per
//! rule.

use super::escape::visible;
use crate::{Judgement, Outcome, Verdict, groups};
use attache_protocol::method::Side;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};
use std::io;

/// Returns the document.
pub(super) fn write(judgement: &Judgement) -> String {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    // Writing to memory cannot fail.
    let written = suites(judgement, &mut writer);
    debug_assert!(written.is_ok(), "{written:?}");
    let mut text = String::from_utf8(writer.into_inner()).unwrap_or_default();
    text.push('\n');
    text
}

type Out = Writer<Vec<u8>>;

fn suites(judgement: &Judgement, out: &mut Out) -> io::Result<()> {
    out.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let time = format!("{:.3}", judgement.took.as_secs_f64());
    let all: Vec<&Verdict> = judgement.verdicts.iter().collect();
    let name = format!("{} {}", judgement.side().as_str(), judgement.name());
    let protocol = judgement.support.protocol;
    let name = visible(&match protocol {
        1 => name,
        _ => format!("{name} (version {protocol} of the protocol)"),
    });
    let suites = counted(BytesStart::new("testsuites"), &all);
    let suites = suites.with_attributes([("name", name.as_str()), ("time", time.as_str())]);
    out.write_event(Event::Start(suites))?;
    for group in groups() {
        let verdicts: Vec<&Verdict> = judgement
            .verdicts
            .iter()
            .filter(|verdict| verdict.rule.prefix() == group.prefix)
            .collect();
        if verdicts.is_empty() {
            continue;
        }
        let name = format!("{} {}", group.prefix, group.title);
        let suite = counted(BytesStart::new("testsuite"), &verdicts);
        out.write_event(Event::Start(suite.with_attributes([("name", name.as_str())])))?;
        properties(&verdicts, out)?;
        verdicts.into_iter().try_for_each(|verdict| case(judgement, verdict, out))?;
        out.write_event(Event::End(BytesEnd::new("testsuite")))?;
    }
    out.write_event(Event::End(BytesEnd::new("testsuites")))
}

/// Adds the numbers of verdicts and failures to the element. JUnit counts untested rules as
/// skipped; [`properties`] lists both numbers.
fn counted(element: BytesStart<'static>, verdicts: &[&Verdict]) -> BytesStart<'static> {
    let fails = verdicts.iter().filter(|verdict| verdict.outcome.is_fail()).count();
    let untold = verdicts.iter().filter(|verdict| verdict.outcome.why().is_some()).count();
    let (all, fails, untold) = (verdicts.len().to_string(), fails.to_string(), untold.to_string());
    element.with_attributes([
        ("tests", all.as_str()),
        ("failures", fails.as_str()),
        ("skipped", untold.as_str()),
    ])
}

/// Writes the number of skipped rules, whose subject the peer does not offer, and the number of
/// untested rules.
fn properties(verdicts: &[&Verdict], out: &mut Out) -> io::Result<()> {
    out.write_event(Event::Start(BytesStart::new("properties")))?;
    for word in [Outcome::SKIPPED, Outcome::NOT_TESTED] {
        let count =
            verdicts.iter().filter(|verdict| verdict.outcome.as_str() == word).count().to_string();
        let property = BytesStart::new("property");
        out.write_event(Event::Empty(
            property.with_attributes([("name", word), ("value", count.as_str())]),
        ))?;
    }
    out.write_event(Event::End(BytesEnd::new("properties")))
}

fn case(judgement: &Judgement, verdict: &Verdict, out: &mut Out) -> io::Result<()> {
    let rule = verdict.rule;
    let class = format!("{}.{}", judgement.side().as_str(), rule.prefix());
    let time = format!("{:.3}", verdict.took.as_secs_f64());
    let case = BytesStart::new("testcase").with_attributes([
        ("name", rule.id),
        ("classname", class.as_str()),
        ("time", time.as_str()),
    ]);
    match &verdict.outcome {
        Outcome::Pass => out.write_event(Event::Empty(case)),
        Outcome::Fail { expected, seen } => {
            out.write_event(Event::Start(case))?;
            let message = visible(seen);
            let failure = BytesStart::new("failure")
                .with_attributes([("type", rule.strength_word()), ("message", message.as_str())]);
            out.write_event(Event::Start(failure))?;
            out.write_event(Event::Text(BytesText::new(&visible(&reported(
                verdict, expected, seen,
            )))))?;
            out.write_event(Event::End(BytesEnd::new("failure")))?;
            out.write_event(Event::End(BytesEnd::new("testcase")))
        }
        Outcome::Skipped(why) | Outcome::NotTested(why) => {
            out.write_event(Event::Start(case))?;
            let message = visible(why);
            let skipped = BytesStart::new("skipped").with_attributes([
                ("type", verdict.outcome.as_str()),
                ("message", message.as_str()),
            ]);
            out.write_event(Event::Empty(skipped))?;
            out.write_event(Event::End(BytesEnd::new("testcase")))
        }
    }
}

/// Describes the evidence of a failure.
fn reported(verdict: &Verdict, expected: &str, seen: &str) -> String {
    let rule = verdict.rule;
    let mut text =
        format!("{} {}: {}\nexpected: {expected}\nseen: {seen}\n", rule.id, rule.word, rule.text);
    for line in &verdict.lines {
        let arrow = if line.from == Side::Client { "->" } else { "<-" };
        text.push_str(&format!("{:>8.3} {arrow} {}\n", line.at.as_secs_f64(), line.text));
    }
    text
}
