//! The budget of a session.

use attache_protocol::v1::Cost;
use attache_session::UsageState;
use attache_view::sanitize;
use std::fmt;

/// The default currency.
const DEFAULT: &str = "USD";

/// The budget of a session in one currency; costs in other currencies do not count.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Budget(Cost);

impl Budget {
    /// Parses `0.50`, `0.50USD` or `0.50 eur`.
    pub(crate) fn read(word: &str) -> Result<Self, String> {
        let (amount, currency) =
            word.split_at(word.find(|c: char| c.is_alphabetic()).unwrap_or(word.len()));
        let amount: Option<f64> =
            amount.trim().parse().ok().filter(|amount: &f64| amount.is_finite() && *amount > 0.0);
        let currency = if currency.is_empty() { DEFAULT } else { currency.trim_end() };
        match amount {
            Some(amount) if currency.len() >= 3 && currency.chars().all(char::is_alphanumeric) => {
                // ISO 4217 codes have three capital letters; other units, such as `credits`, stay
                // as the agent writes them (USE-05).
                let money = currency.len() == 3;
                let currency = if money { currency.to_uppercase() } else { currency.to_owned() };
                Ok(Self(Cost::new(amount, currency)))
            }
            _ => Err(
                "expected an amount above 0 and a currency, such as 0.50USD; the default currency is USD"
                    .to_owned(),
            ),
        }
    }

    /// Returns the budget for a session of a hub.
    pub(crate) fn of_session(&self) -> attache_client::Budget {
        attache_client::Budget::Cost(self.0.clone())
    }

    /// Returns the message if the session costs more than the budget.
    pub(crate) fn passed(&self, usage: &UsageState) -> Option<String> {
        self.of_session().passed(usage)
    }

    /// Returns the message for a turn whose cost could not be compared with the budget.
    pub(crate) fn unwatched(&self, usage: &UsageState) -> Option<String> {
        if usage.costs().iter().any(|cost| cost.currency.eq_ignore_ascii_case(&self.0.currency)) {
            return None;
        }
        let others: Vec<String> =
            usage.costs().iter().map(|cost| sanitize::line(&cost.currency)).collect();
        Some(match others.is_empty() {
            true => "no cost so far: --budget has no effect until the agent reports one".to_owned(),
            false => format!(
                "the agent reports its cost in {}, not in {}, so --budget has no effect",
                others.join(", "),
                self.0.currency
            ),
        })
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.of_session().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::Budget;

    #[test]
    fn a_budget_is_an_amount_and_a_currency() {
        for (word, shown) in [
            ("2", "2 USD"),
            ("0.50usd", "0.5 USD"),
            ("1.25 EUR", "1.25 EUR"),
            (".5", "0.5 USD"),
            ("9 credits", "9 credits"),
        ] {
            assert_eq!(Budget::read(word).unwrap().to_string(), shown);
        }
        for word in ["", "USD", "0", "-1", "inf", "NaN", "1e", "5 $", "1,5USD", "2USD3-"] {
            assert!(Budget::read(word).is_err(), "{word}");
        }
    }
}
