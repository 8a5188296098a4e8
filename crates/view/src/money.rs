//! Amounts and counts for people.

use crate::sanitize;
use crate::span::{Line, Role};
use attache_protocol::v1::Cost;

/// Returns a cost such as `0.0123 USD`, with at most four decimals.
pub fn cost(cost: &Cost) -> Line {
    let text = format!("{} {}", amount(cost.amount), sanitize::line(&cost.currency));
    Line::of(text, Role::Text)
}

/// Formats an amount with at most four decimals, without trailing zeros.
fn amount(amount: f64) -> String {
    let text = format!("{amount:.4}");
    match text.split_once('.') {
        Some((whole, decimals)) => match decimals.trim_end_matches('0') {
            "" => whole.to_owned(),
            decimals => format!("{whole}.{decimals:0<2}"),
        },
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_no_trailing_zeros() {
        let shown = [1.0, 0.5, 0.12345, 12.0001, f64::NAN].map(amount);
        assert_eq!(shown, ["1", "0.50", "0.1235", "12.0001", "NaN"]);
        assert_eq!(cost(&Cost::new(0.5, "U\u{1b}SD")).text(), "0.50 USD");
    }
}
