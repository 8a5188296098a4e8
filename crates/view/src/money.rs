//! Amounts and counts for people.

use crate::sanitize;
use crate::span::{Line, Role};
use attache_protocol::v1::Cost;

/// Returns a cost such as `0.0123 USD`, with at most four decimals.
pub fn cost(cost: &Cost) -> Line {
    let text = format!("{} {}", cost.short_amount(), sanitize::line(&cost.currency));
    Line::of(text, Role::Text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_is_sanitized() {
        assert_eq!(cost(&Cost::new(0.5, "U\u{1b}SD")).text(), "0.50 USD");
    }
}
