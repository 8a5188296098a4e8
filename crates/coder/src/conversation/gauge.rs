//! The measured fill of a model's window.

use crate::models::Model;
use attache_session::UsageLevel;

/// A token counter. It estimates, and corrects the estimate by the last count of the provider.
#[derive(Debug, Default)]
pub(crate) struct Gauge {
    /// The model that counted, its count, and the estimate for the same request.
    pub(crate) measured: Option<(String, u64, u64)>,
    /// The last level of which the person was told.
    pub(crate) told: Option<UsageLevel>,
    /// The last usage that the client received: tokens used, and the window.
    pub(crate) told_fill: Option<(u64, u64)>,
}

impl Gauge {
    /// A gauge of a session whose person knows that it is this full.
    pub(crate) fn at_level(told: UsageLevel) -> Self {
        Self { told: Some(told), ..Self::default() }
    }

    /// The last usage that the client received: tokens used, and the window.
    pub(crate) fn told_fill(&self) -> Option<(u64, u64)> {
        self.told_fill
    }

    /// How many tokens the model counts for a thousand estimated ones. A count of zero, or one far
    /// from the estimate, is ignored.
    pub(crate) fn tokens_per_thousand(&self, model: &dyn Model) -> u128 {
        match &self.measured {
            Some((title, counted, estimated)) if title == model.title() => {
                (u128::from(*counted) * 1000 / u128::from(*estimated)).clamp(750, 4000)
            }
            _ => 1000,
        }
    }
}
