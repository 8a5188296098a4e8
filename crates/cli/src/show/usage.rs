//! Context, tokens and cost in one line.

use super::paint::{DIM, Paint, RED, YELLOW};
use super::sanitize;
use attache_protocol::v1::{Cost, Usage};
use attache_session::{UsageLevel, UsageState};

/// `context 1,234 of 32,768 tokens (3 %) · turn 900 tokens (in 850, out 50) · cost 0.0123 USD`; `None` if nothing is known.
pub(crate) fn line(state: &UsageState, turn: Option<&Usage>, paint: Paint) -> Option<String> {
    let dim = |text: String| paint.paint(DIM, text);
    let mut parts = Vec::new();
    if let Some(used) = state.used() {
        parts.push(match (state.size(), state.percentage()) {
            (Some(size), Some(percent)) => {
                let filled = format!("context {} of {} tokens ({percent} %)", grouped(used), grouped(size));
                format!("{}{}", dim(filled), level(state.level(), paint))
            }
            _ => dim(format!("context {} tokens", grouped(used))),
        });
    }
    if let Some(turn) = turn {
        let all = [
            ("in", Some(turn.input_tokens)),
            ("out", Some(turn.output_tokens)),
            ("thought", turn.thought_tokens),
            ("cache read", turn.cached_read_tokens),
            ("cache written", turn.cached_write_tokens),
        ];
        let kinds: Vec<String> =
            all.iter().filter_map(|(name, tokens)| Some(format!("{name} {}", grouped((*tokens)?)))).collect();
        parts.push(dim(format!("turn {} tokens ({})", grouped(turn.total_tokens), kinds.join(", "))));
    }
    parts.extend(state.costs().iter().map(|cost| dim(cost_of(cost))));
    (!parts.is_empty()).then(|| parts.join(&dim(" · ".to_owned())))
}

fn level(level: UsageLevel, paint: Paint) -> String {
    match level {
        UsageLevel::Normal => String::new(),
        UsageLevel::Elevated => paint.paint(YELLOW, " elevated"),
        UsageLevel::High => paint.paint(YELLOW, " high"),
        UsageLevel::Critical => paint.paint(RED, " critical: start a new session soon"),
    }
}

fn cost_of(cost: &Cost) -> String {
    format!("cost {} {}", money(cost.amount), sanitize::line(&cost.currency))
}

/// At most four decimals, and none that say nothing.
fn money(amount: f64) -> String {
    let text = format!("{amount:.4}");
    match text.split_once('.') {
        Some((whole, decimals)) => match decimals.trim_end_matches('0') {
            "" => whole.to_owned(),
            decimals => format!("{whole}.{decimals:0<2}"),
        },
        None => text,
    }
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use attache_session::{EventBody, Session, Timestamp};

    const PLAIN: Paint = Paint { colours: false };

    fn state(used: u64, size: Option<u64>, cost: Option<Cost>) -> UsageState {
        let mut session = Session::new("s");
        let event = session.next(Timestamp(0), EventBody::Usage { used, size, cost });
        session.apply(&event);
        session.usage().clone()
    }

    #[test]
    fn context_tokens_and_cost_stand_in_one_line() {
        let mut turn = Usage::new(1900_u64, 1850_u64, 50_u64);
        turn.cached_read_tokens = Some(7);
        let shown = line(&state(1234, Some(32768), Some(Cost::new(0.0123, "USD"))), Some(&turn), PLAIN);
        let expected = "context 1,234 of 32,768 tokens (3 %) · turn 1,900 tokens (in 1,850, out 50, cache read 7) · cost 0.0123 USD";
        assert_eq!(shown.as_deref(), Some(expected));
    }

    #[test]
    fn the_level_is_a_word_at_its_edges() {
        let word = |used| line(&state(used, Some(100), None), None, PLAIN).unwrap();
        assert_eq!(word(74), "context 74 of 100 tokens (74 %)");
        assert_eq!(word(75), "context 75 of 100 tokens (75 %) elevated");
        assert_eq!(word(90), "context 90 of 100 tokens (90 %) high");
        assert_eq!(word(95), "context 95 of 100 tokens (95 %) high");
        assert_eq!(word(521), "context 521 of 100 tokens (100 %) critical: start a new session soon");
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        assert_eq!(line(&UsageState::default(), None, PLAIN), None);
        assert_eq!(line(&state(5, None, None), None, PLAIN).as_deref(), Some("context 5 tokens"));
        assert_eq!(line(&state(5, Some(0), None), None, PLAIN).as_deref(), Some("context 5 tokens"));
    }

    #[test]
    fn money_has_no_idle_decimals() {
        let shown = [1.0, 0.5, 0.12345, 12.0001, f64::NAN].map(money);
        assert_eq!(shown, ["1", "0.50", "0.1235", "12.0001", "NaN"]);
    }
}
