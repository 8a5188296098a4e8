//! The cost of a session and the tokens of a turn. These figures are for
//! display, not for accounting.

use crate::wire::declare::wire_struct;
use std::fmt;

wire_struct! {
    /// An amount in a currency or another unit.
    pub struct Cost {
        /// The amount since the session began.
        must amount: f64 = "amount",
        /// An ISO 4217 currency code, such as `USD`, or another unit, such as `credits`.
        must currency: String = "currency",
    }
}

/// A billion: amounts are rounded to nine decimals. Prices of single tokens have fewer.
const NINE_DECIMALS: f64 = 1e9;

impl Cost {
    /// Rounds the amount to nine decimals. Sums of binary fractions otherwise end in digits that
    /// nobody charged, such as `0.6044999999999999`.
    #[must_use]
    pub fn rounded(mut self) -> Self {
        let rounded = (self.amount * NINE_DECIMALS).round() / NINE_DECIMALS;
        if rounded.is_finite() {
            self.amount = rounded;
        }
        self
    }

    /// Returns the amount for people: with at least two and at most four decimals, and without
    /// decimals if it is a whole number. An amount that is smaller keeps two significant digits.
    pub fn short_amount(&self) -> String {
        let amount = self.amount;
        let decimals = match amount.abs() {
            small if small > 0.0 && small < 1e-4 => (1.0 - small.log10().floor()).min(12.0),
            _ => 4.0,
        };
        let text = format!("{amount:.*}", decimals as usize);
        match text.split_once('.') {
            Some((whole, decimals)) => match decimals.trim_end_matches('0') {
                "" => whole.to_owned(),
                decimals => format!("{whole}.{decimals:0<2}"),
            },
            None => text,
        }
    }
}

/// Writes the rounded amount and the unit, such as `0.6045 USD`. The unit is written as it is.
impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.clone().rounded().amount, self.currency)
    }
}

wire_struct! {
    /// Tokens by kind; unstable. In version 2, they are those of the work that just ended. Version
    /// 1 does not define whether they count one turn or the session. The snake_case keys of the
    /// 2025 draft are read, unless unknown values are refused, but never written.
    pub struct Usage {
        /// All tokens.
        must total_tokens: u64 = "totalTokens" formerly "total_tokens",
        /// Tokens sent to the model.
        must input_tokens: u64 = "inputTokens" formerly "input_tokens",
        /// Tokens that the model wrote.
        must output_tokens: u64 = "outputTokens" formerly "output_tokens",
        /// Tokens of the model's reasoning.
        lenient thought_tokens: Option<u64> = "thoughtTokens" formerly "thought_tokens",
        /// Tokens read from the provider's cache.
        lenient cached_read_tokens: Option<u64> = "cachedReadTokens" formerly "cached_read_tokens",
        /// Tokens written to the provider's cache.
        lenient cached_write_tokens: Option<u64> = "cachedWriteTokens" formerly "cached_write_tokens",
    }
}

#[cfg(test)]
mod tests {
    use super::Cost;

    #[test]
    fn amounts_have_no_noise_of_binary_fractions() {
        for (amount, shown) in [
            (0.6044999999999999, "0.6045 USD"),
            (0.20860499999999998, "0.208605 USD"),
            (3.2200000000000003e-05, "0.0000322 USD"),
            (0.1 + 0.2, "0.3 USD"),
            (12.0, "12 USD"),
            (f64::MAX, &format!("{} USD", f64::MAX)),
        ] {
            assert_eq!(Cost::new(amount, "USD").to_string(), shown);
        }
    }

    #[test]
    fn short_amounts_have_few_decimals_but_are_never_rounded_to_nothing() {
        let shown = [1.0, 0.5, 0.12345, 12.0001, 0.0, 0.0000322, f64::NAN]
            .map(|amount| Cost::new(amount, "USD").short_amount());
        assert_eq!(shown, ["1", "0.50", "0.1235", "12.0001", "0", "0.000032", "NaN"]);
    }
}
