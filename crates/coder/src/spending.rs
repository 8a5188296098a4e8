//! What a session cost.

use attache_protocol::v1::Cost;

/// What the calls of a session cost so far.
#[derive(Debug, Default)]
pub(crate) struct Spending {
    dollars: f64,
    /// Whether there was a call of which nobody knows the price: then there is no sum that would be true.
    unknown: bool,
}

impl Spending {
    /// One more call, in US dollars; nothing where nobody knows.
    pub(crate) fn add(&mut self, dollars: Option<f64>) {
        match dollars {
            Some(dollars) => self.dollars += dollars,
            None => self.unknown = true,
        }
    }

    /// What the session cost since it began (USE-04), if that is known and not nothing.
    pub(crate) fn cost(&self) -> Option<Cost> {
        (!self.unknown && self.dollars > 0.0).then(|| Cost::new(self.dollars, "USD"))
    }
}

#[cfg(test)]
mod tests {
    use super::Spending;

    #[test]
    fn a_sum_with_an_unknown_price_is_none() {
        let mut spending = Spending::default();
        assert_eq!(spending.cost(), None);
        spending.add(Some(0.5));
        spending.add(Some(0.25));
        assert_eq!(spending.cost().map(|cost| (cost.amount, cost.currency)), Some((0.75, "USD".to_owned())));
        spending.add(None);
        spending.add(Some(1.0));
        assert_eq!(spending.cost(), None);
    }
}
