//! The providers that clients set or disable while the program runs. These settings are not stored
//! (PROV-05).

use crate::provider::Provider;
use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

/// The providers that clients have set, by their ids; `None` for a disabled provider.
#[derive(Debug, Default)]
pub(super) struct ConfiguredProviders(RwLock<BTreeMap<String, Option<Provider>>>);

impl ConfiguredProviders {
    /// Returns a copy of all settings.
    pub(super) fn all(&self) -> BTreeMap<String, Option<Provider>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns whether a client has disabled this provider.
    pub(super) fn is_disabled(&self, id: &str) -> bool {
        self.all().get(id).is_some_and(Option::is_none)
    }

    /// Sets a provider, or disables it if `provider` is `None`.
    pub(super) fn set(&self, id: &str, provider: Option<Provider>) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned(), provider);
    }
}
