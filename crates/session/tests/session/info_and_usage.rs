//! Title, time, metadata; context, cost, tokens.

use crate::{fold, update};
use attache_protocol::Patch;
use attache_protocol::v1::{Cost, StopReason, Usage};
use attache_session::{EventBody, Session, Summary, Timestamp, TurnOutcome, UsageLevel};

fn info(members: &str) -> EventBody {
    update(&format!(r#"{{"sessionUpdate":"session_info_update",{members}}}"#))
}

fn usage(used: u64, size: Option<u64>, cost: Option<(f64, &str)>) -> EventBody {
    EventBody::Usage {
        used,
        size,
        cost: cost.map_or(Patch::Keep, |(amount, unit)| Patch::Set(Cost::new(amount, unit))),
    }
}

/// INFO-03, INFO-06, INFO-10.
#[test]
fn info_is_patched_field_by_field() {
    let mut session =
        fold([info(r#""title":"T","updatedAt":"2026-01-01T00:00:00Z""#), info(r#""updatedAt":7"#)]);
    assert_eq!(session.info().title(), Some("T"));
    assert_eq!(session.info().updated_at(), Some("2026-01-01T00:00:00Z"));
    crate::apply(&mut session, [info(r#""title":null"#)]);
    assert_eq!((session.info().title(), session.info().updated_at().is_some()), (None, true));
}

/// INFO-07, INFO-08, INFO-09.
#[test]
fn metadata_merges_null_clears_and_absent_keeps() {
    let meta = |session: &Session| session.info().meta().map(|meta| meta.raw().get().to_owned());
    let mut session = fold([
        info(r#""_meta":{"tags":["a","b"],"x":{"y":1,"z":2}}"#),
        info(r#""title":"T""#),
        info(r#""_meta":{"tags":["c"],"x":{"y":null}}"#),
    ]);
    assert_eq!(meta(&session).as_deref(), Some(r#"{"tags":["c"],"x":{"z":2}}"#));
    crate::apply(&mut session, [info(r#""_meta":null"#)]);
    assert_eq!(meta(&session), None);
}

/// INFO-03, INFO-07, INFO-10, DEC-11, INFO-04: each kind of change of each field, after `title`,
/// `updatedAt` and `_meta` were set.
#[test]
fn every_field_of_info_is_kept_cleared_or_replaced_alone() {
    let (title, time, meta) = (Some("T"), Some("2026-01-01T00:00:00Z"), Some(r#"{"a":1}"#));
    let other = "2026-02-02T00:00:00Z";
    let cases = [
        (r#""x":1"#.to_owned(), (title, time, meta)),
        (r#""title":null"#.to_owned(), (None, time, meta)),
        (r#""title":"U""#.to_owned(), (Some("U"), time, meta)),
        (r#""title":7"#.to_owned(), (title, time, meta)),
        (r#""title":" ""#.to_owned(), (None, time, meta)),
        (r#""updatedAt":null"#.to_owned(), (title, None, meta)),
        (format!(r#""updatedAt":"{other}""#), (title, Some(other), meta)),
        (r#""updatedAt":{}"#.to_owned(), (title, time, meta)),
        (r#""_meta":null"#.to_owned(), (title, time, None)),
        (r#""_meta":{}"#.to_owned(), (title, time, meta)),
        (r#""_meta":{"a":null}"#.to_owned(), (title, time, Some("{}"))),
        (r#""_meta":5"#.to_owned(), (title, time, meta)),
        (
            r#""sessionId":"o","cwd":"/o","additionalDirectories":["/o"]"#.to_owned(),
            (title, time, meta),
        ),
        (
            r#""title":"U","updatedAt":null,"_meta":{"b":2}"#.to_owned(),
            (Some("U"), None, Some(r#"{"a":1,"b":2}"#)),
        ),
    ];
    for (members, expected) in cases {
        let session = fold([
            info(r#""title":"T","updatedAt":"2026-01-01T00:00:00Z","_meta":{"a":1}"#),
            info(&members),
        ]);
        let got = session.info();
        let meta = got.meta().map(|meta| meta.raw().get());
        assert_eq!((got.title(), got.updated_at(), meta), expected, "{members}");
        assert_eq!((session.id().as_str(), session.cwd()), ("s", ""));
    }
}

/// INFO-01, INFO-12: an update may come at any time, even in the middle of a message, which
/// continues.
#[test]
fn info_may_arrive_at_any_time() {
    let session = fold([
        info(r#""title":"A""#),
        EventBody::TurnBegan,
        crate::say("Hel"),
        info(r#""title":"B""#),
        crate::say("lo"),
        update(r#"{"sessionUpdate":"session_info_from_the_future","title":"C"}"#),
    ]);
    assert_eq!(session.info().title(), Some("B"));
    assert_eq!(crate::outline(&session)[0], "Agent: Hello");
}

/// INFO-05: the list of a store shows the title that was sent.
#[test]
fn a_summary_of_the_log_equals_the_session() {
    let mut session = Session::new("s");
    let mut summary = Summary::default();
    for body in [
        info(r#""title":"A","_meta":{"attache/labels":{"tags":["x"]},"k":1}"#),
        EventBody::StoredTitle { title: "Mine".into(), by_person: true },
        info(r#""title":"B","updatedAt":"2026-01-01T00:00:00Z","_meta":{"k":null}"#),
    ] {
        let event = session.next(Timestamp(5), body);
        session.apply(&event);
        summary.apply(&event);
    }
    assert_eq!(&summary.info, session.info());
    assert_eq!(summary.info.title(), Some("Mine"));
}

/// TITLE-03.
#[test]
fn a_title_chosen_by_the_user_is_not_replaced_by_a_generated_one() {
    let stored = |by_person| EventBody::StoredTitle { title: "Mine".into(), by_person };
    let kept = fold([stored(true), info(r#""title":"Generated""#), info(r#""title":null"#)]);
    assert_eq!((kept.info().title(), kept.info().titled_by_person()), (Some("Mine"), true));
    let shown = fold([stored(false), info(r#""title":"Generated""#)]);
    assert_eq!(shown.info().title(), Some("Generated"));
}

/// TITLE-03: only the next stored title replaces a user's title.
#[test]
fn a_stored_title_replaces_any_other() {
    let stored = |title: &str, by_person| EventBody::StoredTitle { title: title.into(), by_person };
    let session =
        fold([stored("Mine", true), stored("Ours", false), info(r#""title":"Generated""#)]);
    assert_eq!(
        (session.info().title(), session.info().titled_by_person()),
        (Some("Generated"), false)
    );
    let blank = fold([stored("Mine", true), stored(" ", true), info(r#""title":"Generated""#)]);
    assert_eq!(
        blank.info().title(),
        Some("Generated"),
        "a blank title does not count as a person's title"
    );
}

/// INFO-11.
#[test]
fn a_title_is_shown_on_one_line_without_control_characters() {
    let title = Patch::Set("a\n\u{1b}b\u{202e}c".to_owned());
    let session = fold([EventBody::Info { title, updated_at: Patch::Keep, meta: Patch::Keep }]);
    assert_eq!(session.info().title(), Some("a bc"));
}

/// USE-07: the limits are exact integers.
#[test]
fn the_level_changes_exactly_at_its_edges() {
    let level = |used, size| fold([usage(used, Some(size), None)]).usage().level();
    let edges = [
        (749, UsageLevel::Normal),
        (750, UsageLevel::Elevated),
        (899, UsageLevel::Elevated),
        (900, UsageLevel::High),
        (950, UsageLevel::High),
        (951, UsageLevel::Critical),
        (5000, UsageLevel::Critical),
    ];
    for (used, expected) in edges {
        assert_eq!(level(used, 1000), expected, "{used}");
    }
    assert_eq!(level(u64::MAX, u64::MAX), UsageLevel::Critical);
    assert_eq!(level(5, 0), UsageLevel::Normal);
}

/// USE-07: the percentage is limited, but the numbers are not.
#[test]
fn the_percentage_is_at_most_100_and_handles_a_size_of_0() {
    let session = fold([usage(1500, Some(1000), None)]);
    assert_eq!(session.usage().percentage(), Some(100));
    assert_eq!(session.usage().remaining(), Some(0));
    assert_eq!(session.usage().used(), Some(1500));
    for size in [None, Some(0)] {
        let session = fold([usage(1500, size, None)]);
        assert_eq!((session.usage().percentage(), session.usage().remaining()), (None, None));
        assert_eq!(session.usage().size(), size);
    }
    assert_eq!(Session::new("s").usage().used(), None);
}

/// USE-04, USE-05, USE-08.
#[test]
fn cost_is_cumulative_and_units_are_kept_apart() {
    let session = fold([
        usage(1, Some(2), Some((0.5, "USD"))),
        usage(1, Some(2), Some((3.0, "credits"))),
        usage(1, Some(2), None),
        usage(1, Some(2), Some((0.75, "USD"))),
    ]);
    assert_eq!(session.usage().cost(), Some(&Cost::new(0.75, "USD")));
    assert_eq!(session.usage().costs(), [Cost::new(3.0, "credits"), Cost::new(0.75, "USD")]);
}

/// USE-10.
#[test]
fn tokens_of_turns_are_summed_and_stop_at_the_greatest_value() {
    let turn =
        |usage| EventBody::TurnEnded { outcome: TurnOutcome::Stopped(StopReason::EndTurn), usage };
    let mut first = Usage::new(10u64, 6u64, 4u64);
    first.cached_read_tokens = Some(2);
    let session =
        fold([turn(Some(first)), turn(None), turn(Some(Usage::new(u64::MAX, 1u64, 1u64)))]);
    let total = session.usage().total();
    assert_eq!((total.total, total.input, total.output), (u64::MAX, 7, 5));
    assert_eq!((total.cached_read, total.thought, total.turns), (2, 0, 2));
    assert_eq!(session.usage().last_turn().map(|usage| usage.total_tokens), Some(u64::MAX));
}
