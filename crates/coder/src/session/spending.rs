//! The tokens and the cost of a session.

use crate::models::{Model, TokenUsage};
use attache_protocol::v1::Cost;
use attache_session::Tokens;
use std::collections::BTreeMap;

/// The currency of all prices.
const CURRENCY: &str = "USD";

/// The cost of a model call in US dollars, or `None` if the price or the number of tokens is
/// unknown.
pub(crate) fn cost(model: &dyn Model, usage: &TokenUsage) -> Option<f64> {
    if usage.is_known() {
        return model.cost(usage);
    }
    // The number of tokens does not matter if the model is free.
    let some = TokenUsage { input: 1, output: 1, ..TokenUsage::default() };
    model.cost(&some).filter(|dollars| *dollars == 0.0)
}

/// The tokens and the cost of the calls of a session so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spending {
    tokens: TokenUsage,
    dollars: f64,
    /// The models of calls whose cost is unknown, and whether the person knows that. If there are
    /// any, the real cost is higher than `dollars`.
    uncounted: BTreeMap<String, bool>,
}

impl Spending {
    /// Creates the spending of a session that has already used this many tokens.
    pub(crate) fn of(before: &Tokens) -> Self {
        let tokens = TokenUsage {
            input: before.input,
            output: before.output,
            thought: Some(before.thought),
            cached_read: before.cached_read,
            cached_write: before.cached_write,
            ..TokenUsage::default()
        };
        Self { tokens, ..Self::default() }
    }

    /// Sets the cost to the last one that the client received. That cost is higher than the stored
    /// one if a model was called between turns.
    pub(crate) fn set_reported(&mut self, cost: Option<&Cost>) {
        let told = cost.filter(|cost| cost.currency == CURRENCY).map_or(0.0, |cost| cost.amount);
        self.dollars = self.dollars.max(told);
    }

    /// Adds the tokens of a call.
    pub(crate) fn count(&mut self, usage: &TokenUsage) {
        self.tokens.add(usage);
    }

    /// The tokens so far.
    pub(crate) fn tokens(&self) -> &TokenUsage {
        &self.tokens
    }

    /// Whether the known cost is zero.
    pub(crate) fn is_free(&self) -> bool {
        self.uncounted.is_empty() && self.dollars == 0.0
    }

    /// Adds the cost of a call of this model in US dollars; `None` if the price or the number of
    /// tokens is unknown.
    pub(crate) fn add(&mut self, model: &str, dollars: Option<f64>) {
        match dollars {
            Some(dollars) => self.dollars += dollars,
            None => {
                self.uncounted.entry(model.to_owned()).or_default();
            }
        }
    }

    /// The known cost of the session (USE-04), if it is not zero. It is too low if the cost of some
    /// calls is unknown. It never decreases, so a budget stays effective.
    pub(crate) fn cost(&self) -> Option<Cost> {
        (self.dollars > 0.0).then(|| Cost::new(self.dollars, CURRENCY).rounded())
    }

    /// The models of calls whose cost is unknown.
    pub(crate) fn uncounted(&self) -> Option<String> {
        let models: Vec<_> = self.uncounted.keys().map(String::as_str).collect();
        (!models.is_empty()).then(|| models.join(", "))
    }

    /// The models whose calls are missing in the cost, if a cost is shown and the person does not
    /// yet know that it is too low.
    pub(crate) fn newly_uncounted(&mut self) -> Option<String> {
        if self.dollars == 0.0 {
            return None;
        }
        let new = self.uncounted.iter_mut().filter(|(_, told)| !**told);
        let new: Vec<&str> = new
            .map(|(model, told)| {
                *told = true;
                model.as_str()
            })
            .collect();
        (!new.is_empty()).then(|| new.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::Spending;

    #[test]
    fn known_cost_stays_if_the_cost_of_a_call_is_unknown() {
        let mut spending = Spending::default();
        assert_eq!((spending.cost(), spending.is_free()), (None, true));
        spending.add("Local", None);
        assert_eq!((spending.cost(), spending.is_free()), (None, false));
        assert_eq!(spending.newly_uncounted(), None, "no cost is shown yet");
        for _ in 0..6 {
            spending.add("Priced", Some(0.1));
        }
        spending.add("Other", None);
        spending.add("Other", None);
        let cost = spending.cost().unwrap();
        assert_eq!((cost.amount, cost.currency.as_str()), (0.6, "USD"));
        assert_eq!(spending.newly_uncounted().as_deref(), Some("Local, Other"));
        assert_eq!(spending.newly_uncounted(), None, "the person is told once");
        assert_eq!(spending.uncounted().as_deref(), Some("Local, Other"));
    }
}
