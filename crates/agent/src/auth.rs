//! Logging in and out, and what the client is told of it (requirements §4.3 AUTH, and the unstable
//! AUTHS).

use crate::guard::{after_reading, calmly, guarded};
use crate::kit::Parts;
use crate::{About, Author, Result};
use attache_connection::{Peer, Responder, Work};
use attache_protocol::Error as Refusal;
use attache_protocol::method::{AuthStatus, AuthStatusUpdate, Authenticate, Logout, Row};
use attache_protocol::v1::{
    AuthAccount, AuthMethod, AuthState, AuthStatusResponse, AuthStatusUpdateNotification,
    AuthenticateRequest, AuthenticateResponse, ClientCapabilities, LogoutResponse,
};
use std::sync::{Arc, Mutex, PoisonError};

/// Tells the client when somebody logged in or out by other means than its own calls (AUTHS-03).
/// Cheap to clone.
#[derive(Debug, Clone)]
pub struct AuthStatusHandle(Arc<Told>);

#[derive(Debug)]
struct Told {
    peer: Peer,
    /// What the client was told last, or could have asked for since `initialize`.
    last: Mutex<Status>,
}

type Status = (AuthState, Vec<AuthAccount>);

impl AuthStatusHandle {
    pub(crate) fn new(peer: Peer, status: Status) -> Self {
        Self(Arc::new(Told { peer, last: Mutex::new(status) }))
    }

    /// This is how it is now. Nothing is sent if it was so already.
    ///
    /// # Errors
    /// [`Error::Gone`](crate::Error::Gone).
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

impl<A: Author> Parts<A> {
    /// Why a call is refused, if it is one that needs a login that is missing (AUTH-01).
    pub(crate) fn login_missing(&self, row: &Row, client: &ClientCapabilities) -> Option<Refusal> {
        if !row.needs_login {
            return None;
        }
        match calmly(|| Ok(self.author.auth_state())) {
            Ok(AuthState::Unauthenticated) => {
                Some(Refusal::auth_required(how_to_log_in(&self.about, client)))
            }
            Ok(_) => None,
            Err(error) => Some(error.to_reply()),
        }
    }

    /// Who is logged in, as the author says.
    pub(crate) fn auth_status(&self) -> Result<Status> {
        calmly(|| Ok((self.author.auth_state(), self.author.accounts())))
    }

    /// Tells the client how it is now, if it asked to be told.
    fn tell_auth_status(&self, handle: Option<&AuthStatusHandle>) {
        if let Some(handle) = handle
            && let Ok((state, accounts)) = self.auth_status()
        {
            // If the connection is over, nobody needs to know.
            let _ = handle.changed(state, accounts);
        }
    }
}

/// `authenticate`; the update that tells of it follows the reply.
pub(crate) fn authenticate<A: Author>(
    parts: &Arc<Parts<A>>,
    handle: Option<&AuthStatusHandle>,
    params: AuthenticateRequest,
    answer: Responder<Authenticate>,
) -> Work {
    if parts.about.login(params.method_id.as_str()).is_none() {
        let message =
            format!("{} is no login that authenticate can carry out here", params.method_id);
        return answer.send(Err(Refusal::invalid_params(message)));
    }
    let (parts, handle) = (Arc::clone(parts), handle.cloned());
    answer.by(|answer| async move {
        after_reading().await;
        let login = async { parts.author.authenticate(&params.method_id).await };
        let done = guarded(login, answer.cancelled().clone().wait()).await;
        answer.send(done.map(|()| AuthenticateResponse::new()).map_err(|error| error.to_reply()));
        parts.tell_auth_status(handle.as_ref());
    })
}

/// `logout`; the update that tells of it follows the reply.
pub(crate) fn logout<A: Author>(
    parts: &Arc<Parts<A>>,
    handle: Option<&AuthStatusHandle>,
    answer: Responder<Logout>,
) -> Work {
    let (parts, handle) = (Arc::clone(parts), handle.cloned());
    answer.by(|answer| async move {
        after_reading().await;
        let done =
            guarded(async { parts.author.logout().await }, answer.cancelled().clone().wait()).await;
        answer.send(done.map(|()| LogoutResponse::new()).map_err(|error| error.to_reply()));
        parts.tell_auth_status(handle.as_ref());
    })
}

/// `auth/status`: never refused for want of a login, and changes nothing (AUTHS-01).
pub(crate) fn status<A: Author>(parts: &Parts<A>, answer: Responder<AuthStatus>) -> Work {
    let status = parts.auth_status().map_err(|error| error.to_reply());
    answer.send(status.map(|(state, accounts)| {
        let mut response = AuthStatusResponse::new(state);
        response.accounts = accounts;
        response
    }))
}

/// One sentence that names the logins this client can use.
fn how_to_log_in(about: &About, client: &ClientCapabilities) -> String {
    let names: Vec<String> = about
        .logins_for(client)
        .map(|method| match method {
            AuthMethod::Agent(method) => {
                format!("{} (authenticate with {:?})", method.name, method.id.as_str())
            }
            AuthMethod::Terminal(method) => format!("{} (in a terminal)", method.name),
        })
        .collect();
    match names.is_empty() {
        true => "log in to this agent first".to_owned(),
        false => format!("log in first: {}", names.join(" or ")),
    }
}
