//! Model providers that the client configures: an optional part of an agent.

use crate::Result;
use attache_protocol::v1::{ProviderId, ProviderInfo, SetProviderRequest};
use std::future::Future;

/// The model providers that a client can configure. Pass an implementation to
/// [`OptionalParts::providers`](crate::OptionalParts::providers). The kit then tells clients that
/// they can configure providers.
///
/// A panic in any of these functions fails only the call that it served, with the error `-32603`.
pub trait Providers: Send + Sync + 'static {
    /// Returns every provider; a disabled one has no `current`. The connection waits for this
    /// function: it must be quick.
    // PROV-04.
    fn providers(&self) -> Vec<ProviderInfo>;

    /// Uses this address, this protocol and these headers for a provider, at least in later
    /// sessions. The kit has checked that [`Providers::providers`] lists the provider and that it
    /// supports the protocol. Headers are secrets: do not store, echo or log them.
    ///
    /// # Errors
    /// Returns an error if the provider cannot be set. Nothing has changed then. The client
    /// receives the reason, from which the kit removes the values of the headers.
    // PROV-02, PROV-05.
    fn set_provider(&self, provider: SetProviderRequest)
    -> impl Future<Output = Result<()>> + Send;

    /// Stops using a provider. It stays listed, without `current`. Never called for a required one.
    ///
    /// # Errors
    /// Returns an error if the provider cannot be disabled. It is still used then. The client
    /// receives the reason.
    // PROV-03, PROV-04.
    fn disable_provider(&self, provider: &ProviderId) -> impl Future<Output = Result<()>> + Send;
}
