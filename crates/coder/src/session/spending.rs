//! The tokens and the cost of a session.

use crate::models::TokenUsage;
use attache_protocol::v1::Cost;
use attache_session::Tokens;

/// The currency of all prices.
const CURRENCY: &str = "USD";

/// The tokens and the cost of the calls of a session so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spending {
    tokens: TokenUsage,
    dollars: f64,
    /// Whether the price of any call was unknown. If so, the total cost is unknown too.
    unknown: bool,
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
        !self.unknown && self.dollars == 0.0
    }

    /// Adds the cost of a call in US dollars; `None` if the price is unknown.
    pub(crate) fn add(&mut self, dollars: Option<f64>) {
        match dollars {
            Some(dollars) => self.dollars += dollars,
            None => self.unknown = true,
        }
    }

    /// The total cost of the session (USE-04), if it is known and not zero.
    pub(crate) fn cost(&self) -> Option<Cost> {
        (!self.unknown && self.dollars > 0.0).then(|| Cost::new(self.dollars, CURRENCY))
    }
}

#[cfg(test)]
mod tests {
    use super::Spending;

    #[test]
    fn total_with_an_unknown_price_is_unknown() {
        let mut spending = Spending::default();
        assert_eq!(spending.cost(), None);
        spending.add(Some(0.5));
        spending.add(Some(0.25));
        assert_eq!(
            spending.cost().map(|cost| (cost.amount, cost.currency)),
            Some((0.75, "USD".to_owned()))
        );
        spending.add(None);
        spending.add(Some(1.0));
        assert_eq!(spending.cost(), None);
    }
}
