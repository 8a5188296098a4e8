//! Context, tokens and cost in one line.

use super::paint::{DIM, Paint, RED, YELLOW};
use super::width;
use attache_models::text::grouped;
use attache_protocol::v1::{Cost, Usage};
use attache_session::{UsageLevel, UsageState};
use attache_view::sanitize;

/// Returns a line such as `context 1,234 of 32,768 tokens (3 %) · turn 900 tokens (in 850, out 50)
/// · session 2,100 tokens · cost 0.0123 USD`; `None` if nothing is known.
///
/// Tokens that another agent reports are shown with the agent's name, because they can be those of
/// a turn, of the agent's last call or of the whole session (USE-10). The session's total is shown
/// from the second turn on, but only for our own agent and while its figures add up (USE-12).
pub(crate) fn line(state: &UsageState, turn: Option<&Usage>, paint: Paint) -> Option<String> {
    lines(state, turn, paint, usize::MAX).pop()
}

/// Returns the parts in several lines, without breaking a part that fits `columns`.
pub(crate) fn lines(
    state: &UsageState,
    turn: Option<&Usage>,
    paint: Paint,
    columns: usize,
) -> Vec<String> {
    let plain = parts(state, turn, Paint { colours: false });
    let mut lines: Vec<String> = Vec::new();
    let mut taken = 0;
    for (part, plain) in parts(state, turn, paint).iter().zip(plain) {
        let wanted = width::width(&plain);
        match lines.last_mut() {
            Some(line) if taken + width::width(BETWEEN) + wanted <= columns => {
                line.push_str(&paint.paint(DIM, BETWEEN.to_owned()));
                line.push_str(part);
                taken += width::width(BETWEEN) + wanted;
            }
            _ => {
                lines.push(part.clone());
                taken = wanted;
            }
        }
    }
    lines
}

const BETWEEN: &str = " · ";

fn parts(state: &UsageState, turn: Option<&Usage>, paint: Paint) -> Vec<String> {
    let dim = |text: String| paint.paint(DIM, text);
    let mut parts = Vec::new();
    if let Some(used) = state.used() {
        parts.push(match (state.size(), state.percentage()) {
            (Some(size), Some(percent)) => {
                let filled =
                    format!("context {} of {} tokens ({percent} %)", grouped(used), grouped(size));
                format!("{}{}", dim(filled), advice(state.level(), paint))
            }
            _ => dim(format!("context {} tokens", grouped(used))),
        });
    }
    parts.extend(turn.map(|turn| dim(tokens(state.counted_by(), turn))));
    let total = state.total();
    if state.counted_by().is_none() && state.consistent() && total.turns > 1 {
        parts.push(dim(format!("session {} tokens", grouped(total.total))));
    }
    let cost = |cost: &Cost| format!("cost {}", attache_view::cost(cost).text());
    parts.extend(state.costs().iter().map(|each| dim(cost(each))));
    parts
}

/// Describes the usage of a turn in its agent's terms.
fn tokens(counted_by: Option<&str>, turn: &Usage) -> String {
    let all = [
        ("in", Some(turn.input_tokens)),
        ("out", Some(turn.output_tokens)),
        ("thought", turn.thought_tokens),
        ("cache read", turn.cached_read_tokens),
        ("cache written", turn.cached_write_tokens),
    ];
    let kinds: Vec<String> = all
        .iter()
        .filter_map(|(name, tokens)| Some(format!("{name} {}", grouped((*tokens)?))))
        .collect();
    let (total, kinds) = (grouped(turn.total_tokens), kinds.join(", "));
    match counted_by {
        Some(agent) => {
            format!("{total} tokens as counted by {} ({kinds})", sanitize::line(agent))
        }
        None => format!("turn {total} tokens ({kinds})"),
    }
}

/// Returns advice about a nearly full context, to append to the fill level.
fn advice(level: UsageLevel, paint: Paint) -> String {
    let colour = if level == UsageLevel::Critical { RED } else { YELLOW };
    level.advice().map(|advice| paint.paint(colour, format!("; {advice}"))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use attache_protocol::Patch;
    use attache_protocol::v1::StopReason;
    use attache_session::{EventBody, Origin, Session, Timestamp, TurnOutcome};

    const PLAIN: Paint = Paint { colours: false };

    fn state(used: u64, size: Option<u64>, cost: Option<Cost>) -> UsageState {
        let mut session = Session::new("s");
        let event = session.next(
            Timestamp(0),
            EventBody::Usage { used, size, cost: cost.map_or(Patch::Keep, Patch::Set) },
        );
        session.apply(&event);
        session.usage().clone()
    }

    #[test]
    fn context_tokens_and_cost_share_one_line() {
        let mut turn = Usage::new(1900_u64, 1850_u64, 50_u64);
        turn.cached_read_tokens = Some(7);
        let shown =
            line(&state(1234, Some(32768), Some(Cost::new(0.0123, "USD"))), Some(&turn), PLAIN);
        let expected = "context 1,234 of 32,768 tokens (3 %) · turn 1,900 tokens (in 1,850, out 50, cache read 7) · cost 0.0123 USD";
        assert_eq!(shown.as_deref(), Some(expected));
    }

    #[test]
    fn a_narrow_terminal_gets_several_lines_of_whole_parts() {
        let turn = Usage::new(900_u64, 850_u64, 50_u64);
        let state = state(1234, Some(32768), Some(Cost::new(0.5, "USD")));
        let shown = |columns| lines(&state, Some(&turn), PLAIN, columns);
        let whole = line(&state, Some(&turn), PLAIN).unwrap();
        assert_eq!(shown(width::width(&whole)), [whole.as_str()]);
        for columns in [1, 20, 40, 60, 80, width::width(&whole) - 1] {
            let lines = shown(columns);
            assert!(lines.len() > 1 && lines.join(BETWEEN) == whole, "{columns}");
            assert!(
                lines.iter().all(|line| width::width(line) <= columns || !line.contains(BETWEEN)),
                "{columns}"
            );
        }
        let painted = lines(&state, Some(&turn), Paint { colours: true }, 60);
        assert_eq!(painted.len(), shown(60).len(), "colours take no room");
    }

    /// Returns the last line for a session of `agent` with one turn per triple of figures (total,
    /// in, out).
    fn turns(agent: Option<&str>, figures: &[(u64, u64, u64)]) -> String {
        let mut session = Session::new("s");
        let mut apply = |body| session.apply(&session.next(Timestamp(0), body));
        apply(EventBody::Opened {
            cwd: "/a".into(),
            additional_directories: Vec::new(),
            origin: Origin::New,
            agent: agent.map(str::to_owned),
        });
        for (total, input, output) in figures {
            let outcome = TurnOutcome::Stopped(StopReason::EndTurn);
            apply(EventBody::TurnEnded {
                outcome,
                usage: Some(Usage::new(*total, *input, *output)),
            });
        }
        line(session.usage(), session.usage().last_turn(), PLAIN).unwrap()
    }

    /// USE-10, USE-12.
    #[test]
    fn tokens_name_their_counter_and_are_summed_only_if_correct() {
        assert_eq!(turns(None, &[(9, 4, 5)]), "turn 9 tokens (in 4, out 5)");
        assert_eq!(
            turns(None, &[(9, 4, 5), (1200, 1000, 200)]),
            "turn 1,200 tokens (in 1,000, out 200) · session 1,209 tokens"
        );
        assert_eq!(
            turns(None, &[(9, 9, 5), (3, 1, 2)]),
            "turn 3 tokens (in 1, out 2)",
            "nine is not 9 + 5"
        );
        assert_eq!(
            turns(Some("co\u{1b}pilot"), &[(9, 4, 5), (18, 8, 10)]),
            "18 tokens as counted by copilot (in 8, out 10)"
        );
    }

    #[test]
    fn advice_appears_from_75_percent() {
        let shown = |used| line(&state(used, Some(100), None), None, PLAIN).unwrap();
        assert_eq!(shown(74), "context 74 of 100 tokens (74 %)");
        assert_eq!(shown(75), "context 75 of 100 tokens (75 %); the context is filling up");
        assert_eq!(shown(90), "context 90 of 100 tokens (90 %); start a new session or compact");
        assert_eq!(shown(95), "context 95 of 100 tokens (95 %); start a new session or compact");
        assert_eq!(
            shown(521),
            "context 521 of 100 tokens (100 %); the next prompt may fail: hand off"
        );
    }

    #[test]
    fn unknown_values_are_left_out() {
        assert_eq!(line(&UsageState::default(), None, PLAIN), None);
        assert_eq!(line(&state(5, None, None), None, PLAIN).as_deref(), Some("context 5 tokens"));
        assert_eq!(
            line(&state(5, Some(0), None), None, PLAIN).as_deref(),
            Some("context 5 tokens")
        );
    }
}
