//! Login: an optional part of an agent.

use crate::{Error, Result};
use attache_connection::Peer;
use attache_protocol::method::AuthStatusUpdate;
use attache_protocol::v1::{AuthAccount, AuthMethodId, AuthState, AuthStatusUpdateNotification};
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

/// The login of an agent. Pass it to [`OptionalParts::login`](crate::OptionalParts::login), and
/// list the login methods with [`About::auth_method`](crate::About::auth_method).
///
/// A panic in any of these functions fails only the call that it served, with the error `-32603`.
pub trait Login: Send + Sync + 'static {
    /// Logs the user in by `method`, which is one of the methods in [`About`](crate::About).
    ///
    /// # Errors
    /// Returns an error if the login failed. The client receives the reason.
    fn authenticate(&self, method: &AuthMethodId) -> impl Future<Output = Result<()>> + Send;

    /// Logs the user out. Called only if [`About::logout`](crate::About::logout) is set. Afterwards
    /// [`Login::auth_state`] returns [`AuthState::Unauthenticated`].
    ///
    /// # Errors
    /// Returns an error if the user cannot be logged out. The client receives the reason.
    // AUTH-11.
    fn logout(&self) -> impl Future<Output = Result<()>> + Send {
        std::future::ready(Err(Error::failed("this agent does not support logout")))
    }

    /// Returns whether the user is logged in. While the state is
    /// [`Unauthenticated`](AuthState::Unauthenticated), the client cannot list, open or prompt
    /// sessions, and receives an error that names the login methods.
    ///
    /// The connection waits for this function before each of these calls: it must be quick.
    // AUTH-01.
    fn auth_state(&self) -> AuthState {
        AuthState::NotRequired
    }

    /// Returns the accounts that are logged in, for display. The accounts are sent only if
    /// [`About::auth_status`](crate::About::auth_status) is set. This function must be quick.
    fn accounts(&self) -> Vec<AuthAccount> {
        Vec::new()
    }

    /// Receives the handle for reporting logins and logouts that happen outside of the client's
    /// calls. Called once, after `initialize`, if [`About::auth_status`](crate::About::auth_status)
    /// is set. This function must be quick.
    // AUTHS-03.
    fn auth_status_handle(&self, handle: AuthStatusHandle) {
        let _ = handle;
    }
}

/// The state of the login and the accounts.
pub(crate) type AuthStatus = (AuthState, Vec<AuthAccount>);

/// Reports changes of the login that the client's own calls did not cause. Cheap to clone.
// AUTHS-03.
#[derive(Debug, Clone)]
pub struct AuthStatusHandle(Arc<Reported>);

#[derive(Debug)]
struct Reported {
    peer: Peer,
    /// The status that was last sent to the client; at first, the status at `initialize`.
    last: Mutex<AuthStatus>,
}

impl AuthStatusHandle {
    pub(crate) fn new(peer: Peer, status: AuthStatus) -> Self {
        Self(Arc::new(Reported { peer, last: Mutex::new(status) }))
    }

    /// Reports the current state. Sends nothing if the client knows it already.
    ///
    /// # Errors
    /// Returns [`Error::Disconnected`] if the connection is over.
    pub fn changed(&self, state: AuthState, accounts: Vec<AuthAccount>) -> Result<()> {
        let mut last = self.0.last.lock().unwrap_or_else(PoisonError::into_inner);
        let now = (state, accounts);
        if *last == now {
            return Ok(());
        }
        last.clone_from(&now);
        let mut update = AuthStatusUpdateNotification::new(now.0);
        update.accounts = now.1;
        Ok(self.0.peer.notify::<AuthStatusUpdate>(&update)?)
    }
}
