//! The measured fill of a model's window.

use crate::models::Model;
use attache_session::UsageLevel;

/// Counts by our own estimate, corrected by what the provider counted last.
#[derive(Debug, Default)]
pub(crate) struct Gauge {
    /// The model that counted, what it counted, and what had been estimated of the same.
    pub(crate) measured: Option<(String, u64, u64)>,
    /// The level of which the person was told last.
    pub(crate) told: Option<UsageLevel>,
    /// What the client was told last: tokens used, and the window.
    pub(crate) told_fill: Option<(u64, u64)>,
}

impl Gauge {
    /// One of a session of which the person was told that it is this full.
    pub(crate) fn told(told: UsageLevel) -> Self {
        Self { told: Some(told), ..Self::default() }
    }

    /// What the client was told last: tokens used, and the window.
    pub(crate) fn told_fill(&self) -> Option<(u64, u64)> {
        self.told_fill
    }

    /// How many tokens the model counts where a thousand are estimated. A provider that counts in
    /// another way altogether, or nothing, is not believed.
    pub(crate) fn rate(&self, model: &dyn Model) -> u128 {
        match &self.measured {
            Some((title, counted, estimated)) if title == model.title() => {
                (u128::from(*counted) * 1000 / u128::from(*estimated)).clamp(750, 4000)
            }
            _ => 1000,
        }
    }
}
