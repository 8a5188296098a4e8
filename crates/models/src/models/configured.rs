//! The addresses of providers that a client sets while the program runs. They are not stored
//! (PROV-05).

use crate::provider::Provider;
use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

/// The providers that clients set, by their ids; `None` for a disabled one.
#[derive(Debug, Default)]
pub(super) struct ConfiguredProviders(RwLock<BTreeMap<String, Option<Provider>>>);

impl ConfiguredProviders {
    /// Returns a copy of all settings.
    pub(super) fn all(&self) -> BTreeMap<String, Option<Provider>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets a provider, or switches it off.
    pub(super) fn set(&self, id: &str, provider: Option<Provider>) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned(), provider);
    }
}
