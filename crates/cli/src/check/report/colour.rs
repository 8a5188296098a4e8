//! The colours of verdicts and of rules.

use crate::show::paint::{DIM, GREEN, RED, YELLOW};
use anstyle::Style;
use attache_check::{Outcome, Strength};

/// The style of a verdict, by its word.
pub(in crate::check) fn style_of_verdict(word: &str) -> Style {
    match word {
        Outcome::PASS => GREEN,
        Outcome::FAIL => RED,
        Outcome::NOT_TESTED => YELLOW,
        _ => DIM,
    }
}

/// The style of a rule, by its strength.
pub(in crate::check) fn style_of(strength: Strength) -> Style {
    match strength {
        Strength::Must => RED,
        Strength::Should => YELLOW,
        _ => DIM,
    }
}
