//! The summary for a new session.

use crate::sequences::bodies;
use crate::{chunk, fold, say, update};
use attache_protocol::v1::StopReason;
use attache_session::{EventBody, MessageAuthor, Session, TurnOutcome};
use proptest::prelude::*;

fn prompt(text: &str) -> EventBody {
    EventBody::Prompt { content: vec![text.into()] }
}

fn ended() -> EventBody {
    EventBody::TurnEnded { outcome: TurnOutcome::Stopped(StopReason::MaxTokens), usage: None }
}

fn call(id: &str, kind: &str, status: &str, rest: &str) -> EventBody {
    update(&format!(
        r#"{{"sessionUpdate":"tool_call","toolCallId":"{id}","title":"Call {id}","kind":"{kind}","status":"{status}"{rest}}}"#
    ))
}

fn at(paths: &[&str]) -> String {
    let paths: Vec<_> = paths.iter().map(|path| format!(r#"{{"path":"{path}"}}"#)).collect();
    format!(r#","locations":[{}]"#, paths.join(","))
}

fn diff(path: &str) -> String {
    format!(r#","content":[{{"type":"diff","path":"{path}","newText":"x"}}]"#)
}

fn plan(entries: &[(&str, &str)]) -> EventBody {
    let entries: Vec<_> = entries
        .iter()
        .map(|(content, status)| {
            format!(r#"{{"content":"{content}","priority":"high","status":"{status}"}}"#)
        })
        .collect();
    update(&format!(r#"{{"sessionUpdate":"plan","entries":[{}]}}"#, entries.join(",")))
}

fn compaction(id: &str, status: &str, summary: &str) -> EventBody {
    update(&format!(
        r#"{{"sessionUpdate":"compaction_update","compactionId":"{id}","status":"{status}","summary":[{{"type":"text","text":"{summary}"}}]}}"#
    ))
}

fn whole() -> Session {
    fold([
        update(r#"{"sessionUpdate":"session_info_update","title":"Fix the parser"}"#),
        prompt("The parser\nfails on #1"),
        compaction("c1", "completed", "Old summary"),
        compaction("c2", "completed", "The parser reads **lines**"),
        compaction("c3", "failed", "Half"),
        plan(&[("look", "completed"), ("fix", "in_progress"), ("test", "pending")]),
        call("1", "edit", "completed", &diff("/w/b.rs")),
        call("2", "edit", "completed", &at(&["/w/a.rs", "/w/b.rs"])),
        call("3", "delete", "completed", &at(&["/w/c.rs"])),
        call("4", "edit", "failed", &at(&["/w/not.rs"])),
        call("5", "read", "completed", &at(&["/w/not.rs"])),
        call("6", "other", "completed", &diff("/w/d.rs")),
        call("7", "execute", "in_progress", ""),
        call("8", "edit", "pending", &at(&["/w/not.rs"])),
        say("First answer"),
        prompt("Now test it"),
        say("Tested: "),
        chunk(MessageAuthor::Thought, None, "hm"),
        say("two tests fail."),
        ended(),
    ])
}

const WHOLE: &str = "# Continued from Fix the parser

## Summary so far
> The parser reads **lines**

## The first prompt
> The parser
> fails on #1

## The last prompt
> Now test it

## Where things stand
- the last turn ended: max_tokens
- not finished: Call 7
- not started: Call 8

## Open steps
- fix (in progress)
- test

## Files changed
- /w/b.rs
- /w/a.rs
- /w/c.rs (delete)
- /w/d.rs

## End of the last answer
> two tests fail.
";

/// COMP-08, PLAN-03, TOOL-10.
#[test]
fn a_hand_off_contains_prompts_changes_and_open_work() {
    assert_eq!(whole().hand_off(10_000), WHOLE);
}

#[test]
fn a_hand_off_leaves_out_empty_sections() {
    assert_eq!(Session::new("s").hand_off(1000), "# Continued from a session\n");
    let one = fold([prompt("Hi"), plan(&[("look", "completed")]), EventBody::TurnBegan]);
    let expected = "# Continued from a session\n\n## The prompt\n> Hi\n\n## Where things stand\n- a turn is running\n";
    assert_eq!(one.hand_off(1000), expected);
    let failed = fold([EventBody::TurnEnded {
        outcome: TurnOutcome::Failed(attache_protocol::Error::internal("no\nmodel")),
        usage: None,
    }]);
    assert!(failed.hand_off(1000).ends_with("\n- the last turn failed: no model\n"));
    // An answer to an earlier prompt is not the last answer.
    let unanswered = fold([prompt("a"), say("answer"), prompt("b")]);
    assert!(!unanswered.hand_off(1000).contains("answer"));
}

#[test]
fn text_of_the_session_is_quoted_without_control_characters() {
    let session = fold([
        prompt("a\n# Not a heading\r\n\u{1b}[31mred\u{7} \u{202e}turned\tend"),
        call("t", "edit", "completed", &at(&[r"/w/\u001b]0;x\n# y"])),
        say("```\ncode"),
    ]);
    let text = session.hand_off(1000);
    assert!(text.contains("> a\n> # Not a heading\n> [31mred turned end\n"), "{text}");
    assert!(text.contains("- /w/ ]0;x # y\n"), "{text}");
    assert!(text.contains("> ```\n> code\n"), "{text}");
}

#[test]
fn a_short_hand_off_keeps_the_most_valuable() {
    let long = |text: &str| format!("{text} ").repeat(400);
    let session = fold([
        compaction("c", "completed", &long("summary")),
        prompt(&long("wish")),
        call("t", "execute", "in_progress", ""),
        plan(&[("step", "pending")]),
        say(&format!("{}THE END", long("answer"))),
    ]);
    let text = session.hand_off(1000);
    assert!(text.len() <= 1000 && text.len() > 900, "{}", text.len());
    for part in ["> summary", "> wish", "- not finished: Call t", "- step", "THE END\n"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(text.matches('…').count(), 3, "{text}");
    assert!(session.hand_off(200).contains("> summary"));
    assert_eq!(session.hand_off(14), "# Continued fr");
    assert_eq!(session.hand_off(0), "");
}

#[test]
fn a_list_that_is_too_long_names_the_number_of_omitted_items() {
    let entries: Vec<_> = (0..100).map(|n| format!("step {n}")).collect();
    let entries: Vec<_> = entries.iter().map(|entry| (entry.as_str(), "pending")).collect();
    let text = fold([plan(&entries)]).hand_off(400);
    let shown = text.matches("- step").count();
    assert!(shown > 5 && text.ends_with(&format!("- … and {} more\n", 100 - shown)), "{text}");
}

#[test]
fn a_prompt_after_dropped_entries_is_not_called_the_first() {
    let mut session = Session::new("s");
    session.set_memory_limit(1000);
    for n in 0..9 {
        crate::apply(&mut session, [prompt(&format!("prompt {n}"))]);
    }
    let text = session.hand_off(1000);
    assert!(text.contains("## An early prompt\n") && text.contains("prompt 8"), "{text}");
}

proptest! {
    /// A summary never exceeds its limit, never contains control characters and is deterministic,
    /// and a greater limit never gives a shorter text.
    #[test]
    fn every_hand_off_keeps_its_limit(
        bodies in bodies(),
        limit in prop_oneof![0usize..700, Just(100_000)],
    ) {
        let session = fold(bodies);
        let text = session.hand_off(limit);
        prop_assert!(text.len() <= limit, "{} > {limit}", text.len());
        prop_assert!(!text.contains(|char: char| char.is_control() && char != '\n'));
        prop_assert_eq!(&text, &session.clone().hand_off(limit));
        let start = "# Continued from ";
        prop_assert!(text.starts_with(&start[..limit.min(start.len())]));
    }
}
