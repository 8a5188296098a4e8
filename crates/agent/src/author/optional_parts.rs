//! The parts that only some agents have.

use crate::author::erased_parts::{ErasedExtensions, ErasedLogin, ErasedProviders};
use crate::{Extensions, Login, Providers};
use std::sync::Arc;

/// The optional parts of an agent, for [`Author::parts`](crate::Author::parts). One value can be
/// the author and several of its parts:
///
/// ```
/// use attache_agent::{About, Author, Login, Opening, OptionalParts, Result, StopReason, Turn};
/// use attache_protocol::v1::{AuthMethodAgent, AuthMethodId};
/// use std::sync::Arc;
///
/// struct Guarded;
///
/// impl Login for Guarded {
///     async fn authenticate(&self, _: &AuthMethodId) -> Result<()> {
///         Ok(())
///     }
/// }
///
/// impl Author for Guarded {
///     type Memory = ();
///     fn about(&self) -> About {
///         About::new("guarded", "0.1.0").auth_method(AuthMethodAgent::new("key", "API key"))
///     }
///     fn parts(self: Arc<Self>) -> OptionalParts {
///         OptionalParts::new().login(self)
///     }
///     # async fn open(&self, _: Opening<'_>) -> Result<()> {
///     #     Ok(())
///     # }
///     # async fn turn(&self, _: &mut (), _: &Turn) -> Result<StopReason> {
///     #     Ok(StopReason::EndTurn)
///     # }
///     // `open` and `turn` as always
/// }
/// ```
#[derive(Clone, Default)]
pub struct OptionalParts {
    pub(crate) login: Option<Arc<dyn ErasedLogin>>,
    pub(crate) providers: Option<Arc<dyn ErasedProviders>>,
    pub(crate) extensions: Option<Arc<dyn ErasedExtensions>>,
}

impl OptionalParts {
    /// Creates no parts: an agent without login, configurable providers or extension methods.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the login.
    #[must_use]
    pub fn login(mut self, login: Arc<impl Login>) -> Self {
        self.login = Some(login);
        self
    }

    /// Adds the model providers that a client can configure, and advertises them.
    // PROV-01.
    #[must_use]
    pub fn providers(mut self, providers: Arc<impl Providers>) -> Self {
        self.providers = Some(providers);
        self
    }

    /// Adds methods outside the protocol.
    #[must_use]
    pub fn extensions(mut self, extensions: Arc<impl Extensions>) -> Self {
        self.extensions = Some(extensions);
        self
    }
}

impl std::fmt::Debug for OptionalParts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OptionalParts")
            .field("login", &self.login.is_some())
            .field("providers", &self.providers.is_some())
            .field("extensions", &self.extensions.is_some())
            .finish()
    }
}
