//! What a session may cost.

use crate::show::sanitize;
use attache_protocol::v1::Cost;
use attache_session::UsageState;
use std::fmt;

/// The currency of a budget that names none.
const DEFAULT: &str = "USD";

/// What a session may cost, in one currency: costs in others do not count against it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Budget(Cost);

impl Budget {
    /// Reads `0.50`, `0.50USD` or `0.50 eur`.
    pub(crate) fn read(word: &str) -> Result<Self, String> {
        let (amount, currency) =
            word.split_at(word.find(|c: char| c.is_alphabetic()).unwrap_or(word.len()));
        let amount: Option<f64> =
            amount.trim().parse().ok().filter(|amount: &f64| amount.is_finite() && *amount > 0.0);
        let currency = if currency.is_empty() { DEFAULT } else { currency.trim_end() };
        match amount {
            Some(amount) if currency.len() >= 3 && currency.chars().all(char::is_alphanumeric) => {
                // A code of ISO 4217 has three capitals; another unit, such as `credits`, is as the
                // agent writes it (USE-05).
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

    /// As a session of a hub has it.
    pub(crate) fn of_session(&self) -> attache_client::Budget {
        attache_client::Budget::Cost(self.0.clone())
    }

    /// What is said when the session has cost more; `None` while it has not.
    pub(crate) fn passed(&self, usage: &UsageState) -> Option<String> {
        self.of_session().passed(usage)
    }

    /// What is said when a turn has ended and the budget could not be watched; `None` if it could.
    pub(crate) fn unwatched(&self, usage: &UsageState) -> Option<String> {
        if usage.costs().iter().any(|cost| cost.currency.eq_ignore_ascii_case(&self.0.currency)) {
            return None;
        }
        let others: Vec<String> =
            usage.costs().iter().map(|cost| sanitize::line(&cost.currency)).collect();
        Some(match others.is_empty() {
            true => "the agent reports no cost, so --budget has no effect".to_owned(),
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
