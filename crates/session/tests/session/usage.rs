//! Levels and advice, cost, and the agent that counts tokens.

use crate::{apply, fold};
use attache_protocol::Patch;
use attache_protocol::v1::{Cost, StopReason, Usage};
use attache_session::{EventBody, Origin, Parts, Session, Timestamp, TurnOutcome, UsageLevel};
use proptest::prelude::*;

fn usage(used: u64, size: Option<u64>) -> EventBody {
    EventBody::Usage { used, size, cost: Patch::Keep }
}

fn cost(amount: f64, unit: &str) -> EventBody {
    EventBody::Usage { used: 1, size: Some(2), cost: Patch::Set(Cost::new(amount, unit)) }
}

fn opened(agent: Option<&str>) -> EventBody {
    EventBody::Opened {
        cwd: "/w".into(),
        additional_directories: Vec::new(),
        origin: Origin::Loaded,
        agent: agent.map(str::to_owned),
    }
}

fn turn(usage: Usage) -> EventBody {
    EventBody::TurnEnded { outcome: TurnOutcome::Stopped(StopReason::EndTurn), usage: Some(usage) }
}

/// Tokens: total, input, output, thought, read from the cache, and written to the cache.
fn tokens(total: u64, input: u64, output: u64, rest: [Option<u64>; 3]) -> Usage {
    let mut usage = Usage::new(total, input, output);
    [usage.thought_tokens, usage.cached_read_tokens, usage.cached_write_tokens] = rest;
    usage
}

/// USE-07: exact limits, also for sizes that have no whole percentages.
#[test]
fn levels_and_their_advice_change_at_exact_integers() {
    use UsageLevel::{Critical, Elevated, High, Normal};
    let cases = [
        (0, 1, Normal),
        (1, 1, Critical),
        (74, 99, Normal), // 75 % are 74.25
        (75, 99, Elevated),
        (89, 99, Elevated), // 90 % are 89.1
        (90, 99, High),
        (94, 99, High), // 95 % are 94.05
        (95, 99, Critical),
        (95, 100, High),
        (96, 100, Critical),
        (u64::MAX / 4 * 3, u64::MAX, Normal), // three parts in a number that 4 does not divide
        (u64::MAX / 4 * 3 + 3, u64::MAX, Elevated),
        (u64::MAX, u64::MAX, Critical),
        (u64::MAX, 1, Critical),
        (1, u64::MAX, Normal),
        (u64::MAX, 0, Normal),
    ];
    for (used, size, expected) in cases {
        let session = fold([usage(used, Some(size))]);
        assert_eq!(session.usage().level(), expected, "{used} of {size}");
        assert!(session.usage().percentage().is_none_or(|percent| percent <= 100));
    }
    assert_eq!(fold([usage(u64::MAX, None)]).usage().level(), Normal);
    let advice = [Normal, Elevated, High, Critical].map(UsageLevel::advice);
    assert_eq!(
        advice,
        [
            None,
            Some("the context is filling up"),
            Some("start a new session or compact"),
            Some("the next prompt may fail: hand off")
        ]
    );
}

/// USE-03, USE-07, COMP-11: the size changes with the model, and the context shrinks when the agent
/// compacts.
#[test]
fn the_last_update_counts() {
    let mut session = fold([usage(96, Some(100))]);
    let steps = [
        (96, Some(1000), UsageLevel::Normal, Some(9), Some(904)),
        (2000, Some(1000), UsageLevel::Critical, Some(100), Some(0)),
        (30, Some(1000), UsageLevel::Normal, Some(3), Some(970)),
        (950, None, UsageLevel::Normal, None, None),
        (950, Some(0), UsageLevel::Normal, None, None),
        (900, Some(1000), UsageLevel::High, Some(90), Some(100)),
    ];
    for (used, size, level, percentage, remaining) in steps {
        apply(&mut session, [usage(used, size)]);
        let state = session.usage();
        assert_eq!((state.used(), state.size()), (Some(used), size));
        assert_eq!(
            (state.level(), state.percentage(), state.remaining()),
            (level, percentage, remaining)
        );
    }
}

/// USE-04, USE-05: a cost is shown as received, in any currency, never converted or added.
#[test]
fn a_cost_is_kept_until_a_new_cost_in_its_currency() {
    let session = fold([
        cost(0.1, "USD"),
        cost(0.3, "USD"),
        usage(5, Some(9)),
        cost(12.0, "credits"),
        usage(6, None),
    ]);
    assert_eq!(session.usage().cost(), Some(&Cost::new(12.0, "credits")));
    assert_eq!(session.usage().costs(), [Cost::new(0.3, "USD"), Cost::new(12.0, "credits")]);
    let session = fold([cost(0.3, "USD"), cost(0.1, "USD"), cost(7.0, "usd"), cost(-1.0, "")]);
    let expected = [Cost::new(0.1, "USD"), Cost::new(7.0, "usd"), Cost::new(-1.0, "")];
    assert_eq!(session.usage().costs(), expected);
}

/// USE-10, USE-12: the numbers that real agents send for the same turn with one call (200 new
/// tokens, 1000 cached, 34 written, of which 10 are thoughts).
#[test]
fn figures_that_do_not_add_up_are_inconsistent() {
    let cases = [
        ("codex 2.6", tokens(1234, 200, 34, [Some(10), Some(1000), Some(0)]), true),
        ("claude", tokens(1284, 200, 34, [Some(0), Some(1000), Some(50)]), true),
        ("goose, cached tokens as input", tokens(1234, 1200, 34, [None; 3]), true),
        (
            "copilot, cached tokens counted twice",
            tokens(1234, 1200, 34, [Some(10), Some(1000), Some(0)]),
            false,
        ),
        ("vibe, the same", tokens(1234, 1200, 34, [None, Some(1000), None]), false),
        (
            "opencode, thought beside output",
            tokens(1234, 200, 24, [Some(10), Some(1000), None]),
            false,
        ),
        ("more thought than output", tokens(34, 0, 34, [Some(35), None, None]), false),
        ("a sum past the greatest number", tokens(u64::MAX, u64::MAX, 1, [None; 3]), false),
        ("nothing", tokens(0, 0, 0, [None; 3]), true),
    ];
    for (agent, figures, expected) in cases {
        let session = fold([opened(Some(agent)), turn(figures.clone())]);
        assert_eq!(session.usage().consistent(), expected, "{agent}");
        assert_eq!(session.usage().last_turn(), Some(&figures), "{agent}: as received");
        let good = tokens(1, 1, 0, [None; 3]);
        let later = fold([turn(figures), turn(good)]);
        assert_eq!(
            later.usage().consistent(),
            expected,
            "{agent}: a later consistent turn does not repair the sum"
        );
    }
    assert!(Session::new("s").usage().consistent());
}

/// USE-10: figures from two agents are never added.
#[test]
fn tokens_of_different_agents_are_not_added() {
    let figures = || tokens(3, 1, 1, [None, Some(1), None]);
    let total = |session: &Session| (session.usage().total().total, session.usage().total().turns);
    let mut session = fold([opened(None), turn(figures()), opened(None), turn(figures())]);
    assert_eq!((session.usage().counted_by(), total(&session)), (None, (6, 2)));
    apply(&mut session, [turn(tokens(9, 1, 1, [None; 3])), usage(5, Some(9)), cost(1.0, "USD")]);
    assert!(!session.usage().consistent());
    let event = session.next(Timestamp(9), opened(Some("gemini-cli")));
    assert!(session.apply(&event).parts.contains(Parts::USAGE | Parts::ROOTS));
    assert_eq!((session.usage().counted_by(), total(&session)), (Some("gemini-cli"), (0, 0)));
    assert_eq!((session.usage().last_turn(), session.usage().consistent()), (None, true));
    assert_eq!(session.usage().costs().len(), 1, "context and cost belong to the session");
    apply(&mut session, [turn(figures())]);
    let event = session.next(Timestamp(9), opened(Some("gemini-cli")));
    assert_eq!(session.apply(&event).parts, Parts::ROOTS, "the same agent continues counting");
    assert_eq!(total(&session), (3, 1));
}

proptest! {
    /// USE-07: any numbers are accepted, and a fuller context never has a lower level.
    #[test]
    fn usage_accepts_any_numbers(used in any::<u64>(), more in any::<u64>(), size in any::<u64>()) {
        let state = |used| fold([usage(used, Some(size))]).usage().clone();
        let (low, high) = (state(used.min(more)), state(used.max(more)));
        prop_assert!(low.level() <= high.level());
        prop_assert!(low.percentage() <= high.percentage());
        prop_assert!(low.remaining() >= high.remaining());
        prop_assert_eq!(high.percentage().is_some(), size > 0);
    }
}
