//! Reports: they are well-formed and complete for any text of a peer, and never interpret that
//! text.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use attache_check::{Form, Judgement};
use quick_xml::Reader;
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesStart, Event};
use std::path::Path;

/// The text of a hostile peer. It ends elements, attributes, tables and code, contains terminal
/// control sequences, and changes the direction of text.
const HOSTILE: &str = "\u{1b}[31m</code></script><script>alert(1)</script>\" ' | ` ``` ]]> \u{0} \u{202e} \u{ffff} &amp; <!-- \\n # h\n";

/// Returns a judgement with hostile text in every place where a peer's text can occur.
fn hostile() -> Judgement {
    let said = serde_json::Value::from(HOSTILE);
    let calls = r#"{"times": 1, "results": 1, "errors": {}}"#;
    let names =
        format!("{{\"updates\": {{{said}: 1}}, \"toolKinds\": {{{said}: 1, \"read\": 2}}}}");
    let verdict = |rule: &str, verdict: &str| {
        format!(
            r#"{{"rule": "{rule}", "verdict": "{verdict}", "grounds": {said}, "expected": {said}, "seen": {said}, "why": {said}, "lines": [{{"line": 1, "from": "agent", "t": 0.5, "text": {said}}}]}}"#
        )
    };
    let verdicts =
        [("RPC-03", "fail"), ("RPC-08", "pass"), ("CONF-07", "skipped"), ("CONF-08", "not tested")];
    let verdicts = verdicts.map(|(rule, word)| verdict(rule, word)).join(", ");
    let text = format!(
        r#"{{"version": 1, "judge": "attache 1", "side": "agent", "command": {said}, "flaky": {{"RPC-08": ["pass", "fail"]}}, "verdicts": [{verdicts}],
        "support": {{"name": {said}, "version": {said}, "capabilities": [{said}], "answered": {{{said}: {calls}}}, "called": {{{said}: {calls}}}, "sent": {names}, "taken": {names}}}}}"#
    );
    Judgement::read(&text).unwrap()
}

fn written(form: Form) -> String {
    let text = form.write(&hostile());
    let control = text
        .chars()
        .find(|c| *c != '\n' && (c.is_control() || ('\u{202a}'..='\u{202e}').contains(c)));
    assert_eq!(control, None, "{form:?} has a control character");
    text
}

#[test]
fn the_file_extension_selects_the_format() {
    let form = |name: &str| Form::of_file(Path::new(name));
    assert_eq!(form("a.b.json"), Some(Form::Json));
    assert_eq!(form("x/junit.xml"), Some(Form::Junit));
    assert_eq!((form("a.md"), form("a.html")), (Some(Form::Markdown), Some(Form::Html)));
    assert_eq!((form("json"), form("a.pdf"), form("a.")), (None, None, None));
}

#[test]
fn junit_is_well_formed_and_has_correct_counts() {
    let text = written(Form::Junit);
    let (mut reader, mut open, mut seen) = (Reader::from_str(&text), Vec::new(), Vec::new());
    loop {
        match reader.read_event().unwrap() {
            Event::Eof => break,
            Event::Start(start) => {
                open.push(start.name().as_ref().to_owned());
                seen.push(attributes(&start));
            }
            Event::Empty(empty) => seen.push(attributes(&empty)),
            Event::End(end) => assert_eq!(open.pop().as_deref(), Some(end.name().as_ref())),
            _ => {}
        }
    }
    assert!(open.is_empty(), "{open:?}");
    assert_eq!(&seen[0][..4], ["testsuites", "tests=4", "failures=1", "skipped=2"], "{seen:?}");
    let named = |name: &str| seen.iter().filter(|element| element[0] == name).count();
    assert_eq!(
        (named("testsuite"), named("testcase"), named("failure"), named("skipped")),
        (2, 4, 1, 2)
    );
    for (word, of) in [("skipped", 1), ("not tested", 1)] {
        assert_eq!(text.matches(&format!("<skipped type=\"{word}\"")).count(), of, "{text}");
        assert!(text.contains(&format!("<property name=\"{word}\" value=\"1\"/>")), "{text}");
    }
    assert!(text.contains("<failure type=\"must not\""), "a MUST NOT is marked: {text}");
    assert!(text.contains("<testcase name=\"RPC-03\"") && text.contains("␛[31m"), "{text}");
}

/// Returns the name of an element and its unescaped attributes.
fn attributes(element: &BytesStart<'_>) -> Vec<String> {
    let attribute = |attribute: Attribute<'_>| {
        format!(
            "{}={}",
            attribute.key.as_ref(),
            quick_xml::escape::unescape(&attribute.value).unwrap()
        )
    };
    let attributes = element.attributes().map(|read| attribute(read.unwrap()));
    std::iter::once(element.name().as_ref().to_owned()).chain(attributes).collect()
}

#[test]
fn the_page_has_no_markup_of_the_peer_and_loads_nothing() {
    let text = written(Form::Html);
    assert!(!text.contains("<script") && !text.contains("<!--"), "{text}");
    assert!(
        text.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot; &#39; | ` ``` ]]&gt; ␀"),
        "{text}"
    );
    assert!(text.contains("default-src 'none'"), "the page must load nothing");
    for asks in ["http:", "https:", "src=", "href=", "url(", "@import"] {
        assert!(!text.contains(asks), "{asks}");
    }
    // Every element is closed in the right order, so no text of a peer has opened an element.
    let body = text.split_once("<body>").unwrap().1.split_once("</body>").unwrap().0;
    let mut open: Vec<&str> = Vec::new();
    for tag in body.split('<').skip(1) {
        let name = tag.split(|c: char| c.is_whitespace() || c == '>').next().unwrap();
        match name.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "in {tag}"),
            None if name == "input" => {}
            None => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?}");
    assert_eq!(text.matches("<details class=\"verdict").count(), 4);
    assert_eq!(
        text.matches("<ol class=\"traffic\">").count(),
        4,
        "the traffic is next to each verdict"
    );
    assert!(text.contains("flaky: fail and pass"), "{text}");
}

#[test]
fn the_matrix_has_complete_rows_and_lists_missing_parts() {
    let text = written(Form::Markdown);
    for table in text.split("\n\n").filter(|part| part.starts_with('|')) {
        let cells = |row: &str| row.replace("\\|", "").matches('|').count();
        let head = cells(table.lines().next().unwrap());
        for row in table.lines() {
            assert_eq!(cells(row), head, "{row}");
        }
    }
    for row in [
        "| `session/prompt` | stable |  | not provoked |",
        "| `fs/read_text_file` | stable | `fs.readTextFile` | not provoked |",
        "| `plan` | stable |  | not provoked |",
        "| `loadSession` | stable | – |",
        "- Does not offer: ",
        "- Was not provoked: `initialize`, ",
        "| Kinds of tool calls | `read` | ✓ |",
        "| Kinds of tool calls | `edit` | not provoked |",
        "| RPC-03 | must not | MUST NOT: Write ",
        "\nRPC-08 is flaky: fail and pass in 1 rounds.\n",
    ] {
        assert!(text.contains(row), "{row} is missing in {text}");
    }
    // Code shows the text unchanged. The fence is longer than any fence in the text.
    let bare: Vec<&str> =
        text.split("````").step_by(2).filter(|part| part.contains("<script")).collect();
    assert!(bare.is_empty(), "{bare:?}");
}

#[test]
fn the_document_can_be_read_back() {
    let judgement = hostile();
    assert_eq!(Judgement::read(&Form::Json.write(&judgement)).unwrap(), judgement);
}
