//! The colours of verdicts and of rules.

use crate::show::paint::{DIM, GREEN, RED, YELLOW};
use anstyle::Style;
use attache_check::{Outcome, Strength};

/// Returns the style for a verdict with this name.
pub(in crate::check) fn style_of_verdict(word: &str) -> Style {
    match word {
        Outcome::PASS => GREEN,
        Outcome::FAIL => RED,
        Outcome::NOT_TESTED => YELLOW,
        _ => DIM,
    }
}

/// Returns the style for a rule of this strength.
pub(in crate::check) fn style_of(strength: Strength) -> Style {
    match strength {
        Strength::Must => RED,
        Strength::Should => YELLOW,
        _ => DIM,
    }
}
