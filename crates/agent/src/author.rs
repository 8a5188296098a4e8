//! What the author of an agent writes.

use crate::{About, AuthStatusHandle, Error, Opening, Result, Turn};
use attache_protocol::Raw;
use attache_protocol::v1::{
    AuthAccount, AuthMethodId, AuthState, ProviderId, ProviderInfo, SessionConfigId,
    SessionConfigOption, SessionId, SetProviderRequest, StopReason,
};
use std::future::Future;

/// An agent: who it is, how a session of it begins, and what it does with a prompt. The kit does
/// the rest.
///
/// One value serves every session of a connection, at once where clients ask for it; what belongs
/// to one session is its [`Author::Memory`]. A panic in any of these functions fails the call it
/// served with `-32603` and nothing else.
pub trait Author: Send + Sync + 'static {
    /// What the author keeps of one session between its turns.
    type Memory: Send + 'static;

    /// Who this agent is and what it takes. Asked once per connection.
    fn about(&self) -> About;

    /// A session begins or comes back: see [`Opening::origin`]. Its options and commands are set
    /// through `opening`, and what the author remembered is found there.
    ///
    /// # Errors
    /// No session comes to be, and the client is told why: see [`Error`]. One that is stored stays
    /// as it was.
    fn open(&self, opening: Opening<'_>) -> impl Future<Output = Result<Self::Memory>> + Send;

    /// A prompt is answered. One turn runs at a time in a session; turns of other sessions run
    /// beside it.
    ///
    /// Once the turn is cancelled every function of `turn` says [`Error::Cancelled`]. A future that
    /// goes on all the same is dropped where it stands after the grace of
    /// [`Serving::cancel_grace`](crate::Serving::cancel_grace).
    ///
    /// # Errors
    /// The prompt is answered with a JSON-RPC error by blame, see [`Error`]; after a cancel with
    /// `cancelled` in any case.
    fn turn(
        &self,
        memory: &mut Self::Memory,
        turn: &Turn,
    ) -> impl Future<Output = Result<StopReason>> + Send;

    /// The client set `option`, in a turn or between turns. `options` hold the new value already,
    /// which is one of those allowed; options that depend on it may be changed here. It runs on a
    /// thread where it may block. Later changes of the session's options and its later turns wait
    /// for it; everything else goes on. Asked also for each stored value when a session comes back;
    /// one that is refused then gives way to the option's own.
    ///
    /// # Errors
    /// Everything stays as it was, and the client is told why.
    fn option_set(
        &self,
        session: &SessionId,
        option: &SessionConfigId,
        options: &mut Vec<SessionConfigOption>,
    ) -> Result<()> {
        let _ = (session, option, options);
        Ok(())
    }

    /// The client asks to log in by `method`, one of those in [`Author::about`].
    ///
    /// # Errors
    /// The login failed; the client is told why.
    fn authenticate(&self, method: &AuthMethodId) -> impl Future<Output = Result<()>> + Send {
        let refusal = Error::invalid(format!("the login {method} is not supported"));
        std::future::ready(Err(refusal))
    }

    /// The client asks to log out; served if [`About::logout`] says so. New sessions need a login
    /// again afterwards: then [`Author::auth_state`] says [`AuthState::Unauthenticated`] (AUTH-11).
    ///
    /// # Errors
    /// Somebody is still logged in; the client is told why.
    fn logout(&self) -> impl Future<Output = Result<()>> + Send {
        std::future::ready(Err(Error::failed("this agent has no logout")))
    }

    /// Whether somebody is logged in. While nobody is, sessions are not listed, begun, brought back
    /// or prompted, and the client is told how to log in (AUTH-01). Asked before each of these
    /// while the connection waits: it must be quick.
    fn auth_state(&self) -> AuthState {
        AuthState::NotRequired
    }

    /// Who is logged in, for display; told if [`About::auth_status`] says so. As quick as
    /// [`Author::auth_state`].
    fn accounts(&self) -> Vec<AuthAccount> {
        Vec::new()
    }

    /// Called once, when a client is there and [`About::auth_status`] says that it is told of
    /// logins: what happens otherwise than by its own calls is told through `handle` (AUTHS-03).
    /// Must be quick.
    fn auth_status_handle(&self, handle: AuthStatusHandle) {
        let _ = handle;
    }

    /// All providers of models that a client may configure, disabled ones without `current`
    /// (PROV-04); served, with the next two, if [`About::providers`] says so. Asked while the
    /// connection waits: it must be quick.
    fn providers(&self) -> Vec<ProviderInfo> {
        Vec::new()
    }

    /// A provider is reached so from now on, at least in later sessions. The kit has checked that
    /// it is one of [`Author::providers`] and speaks that protocol (PROV-02). Headers are secrets:
    /// not to be stored, echoed or logged (PROV-05).
    ///
    /// # Errors
    /// Everything stays as it was, and the client is told why; values of headers are taken out of
    /// the message.
    fn set_provider(
        &self,
        provider: SetProviderRequest,
    ) -> impl Future<Output = Result<()>> + Send {
        let refusal =
            Error::invalid(format!("the provider {} cannot be set", provider.provider_id));
        std::future::ready(Err(refusal))
    }

    /// A provider is not used any more; it stays listed, without `current` (PROV-04). Never one
    /// that is required (PROV-03).
    ///
    /// # Errors
    /// It is still used; the client is told why.
    fn disable_provider(&self, provider: &ProviderId) -> impl Future<Output = Result<()>> + Send {
        let refusal = Error::invalid(format!("the provider {provider} cannot be disabled"));
        std::future::ready(Err(refusal))
    }

    /// A call outside the protocol; its name begins with `_` (EXT-01). Say with [`About::meta`]
    /// that it is there (EXT-04).
    ///
    /// # Errors
    /// The client is told why; [`Error::MethodNotFound`] for a method that this agent does not have
    /// (EXT-02).
    fn extension(
        &self,
        method: &str,
        params: Option<Raw>,
    ) -> impl Future<Output = Result<Raw>> + Send {
        let _ = params;
        std::future::ready(Err(Error::MethodNotFound(method.to_owned())))
    }

    /// A notification outside the protocol; those not known are ignored (EXT-03). Runs while the
    /// connection waits: it must be quick.
    fn extension_notification(&self, method: &str, params: Option<Raw>) {
        let _ = (method, params);
    }
}
