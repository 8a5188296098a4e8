//! How full a model's context window is.

use crate::models::Model;
use attache_protocol::v1::Cost;
use attache_session::UsageLevel;

/// A token counter that corrects its estimates with the provider's last count.
#[derive(Debug, Default)]
pub(crate) struct Gauge {
    /// The model that counted, its count, and the estimate for the same request.
    pub(crate) measured: Option<(String, u64, u64)>,
    /// The last level that the person was told about.
    pub(crate) told: Option<UsageLevel>,
    /// The last usage that the client received: the tokens used, and the size of the window.
    pub(crate) told_fill: Option<(u64, u64)>,
    /// The last cost that the client received in this process.
    pub(crate) told_cost: Option<Cost>,
}

impl Gauge {
    /// Creates the gauge of a session whose user has already been told about this level.
    pub(crate) fn at_level(told: UsageLevel) -> Self {
        Self { told: Some(told), ..Self::default() }
    }

    /// The last usage that the client received: the tokens used, and the size of the window.
    pub(crate) fn told_fill(&self) -> Option<(u64, u64)> {
        self.told_fill
    }

    /// How many tokens the model counts for every thousand estimated ones, at least 750 and at most
    /// 4,000.
    pub(crate) fn tokens_per_thousand(&self, model: &dyn Model) -> u128 {
        match &self.measured {
            Some((title, counted, estimated)) if title == model.title() => {
                (u128::from(*counted) * 1000 / u128::from(*estimated)).clamp(750, 4000)
            }
            _ => 1000,
        }
    }
}
