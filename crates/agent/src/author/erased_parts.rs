//! The optional parts as trait objects, so that the kit is compiled once for every author.

use crate::{AuthStatusHandle, Extensions, Login, Providers, Result};
use attache_protocol::Raw;
use attache_protocol::v1::{
    AuthAccount, AuthMethodId, AuthState, ProviderId, ProviderInfo, SetProviderRequest,
};
use std::pin::Pin;

/// A future of the author. The author's function is not called until the future is polled, so a
/// panic in the function is caught too.
pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

pub(crate) trait ErasedLogin: Send + Sync {
    fn authenticate<'a>(&'a self, method: &'a AuthMethodId) -> BoxFuture<'a, Result<()>>;
    fn logout(&self) -> BoxFuture<'_, Result<()>>;
    fn auth_state(&self) -> AuthState;
    fn accounts(&self) -> Vec<AuthAccount>;
    fn auth_status_handle(&self, handle: AuthStatusHandle);
}

impl<L: Login> ErasedLogin for L {
    fn authenticate<'a>(&'a self, method: &'a AuthMethodId) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { Login::authenticate(self, method).await })
    }

    fn logout(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { Login::logout(self).await })
    }

    fn auth_state(&self) -> AuthState {
        Login::auth_state(self)
    }

    fn accounts(&self) -> Vec<AuthAccount> {
        Login::accounts(self)
    }

    fn auth_status_handle(&self, handle: AuthStatusHandle) {
        Login::auth_status_handle(self, handle);
    }
}

pub(crate) trait ErasedProviders: Send + Sync {
    fn providers(&self) -> Vec<ProviderInfo>;
    fn set_provider(&self, provider: SetProviderRequest) -> BoxFuture<'_, Result<()>>;
    fn disable_provider<'a>(&'a self, provider: &'a ProviderId) -> BoxFuture<'a, Result<()>>;
}

impl<P: Providers> ErasedProviders for P {
    fn providers(&self) -> Vec<ProviderInfo> {
        Providers::providers(self)
    }

    fn set_provider(&self, provider: SetProviderRequest) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { Providers::set_provider(self, provider).await })
    }

    fn disable_provider<'a>(&'a self, provider: &'a ProviderId) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { Providers::disable_provider(self, provider).await })
    }
}

pub(crate) trait ErasedExtensions: Send + Sync {
    fn call<'a>(&'a self, method: &'a str, params: Option<Raw>) -> BoxFuture<'a, Result<Raw>>;
    fn notification(&self, method: &str, params: Option<Raw>);
}

impl<E: Extensions> ErasedExtensions for E {
    fn call<'a>(&'a self, method: &'a str, params: Option<Raw>) -> BoxFuture<'a, Result<Raw>> {
        Box::pin(async move { Extensions::call(self, method, params).await })
    }

    fn notification(&self, method: &str, params: Option<Raw>) {
        Extensions::notification(self, method, params);
    }
}
