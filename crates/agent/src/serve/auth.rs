//! `authenticate`, `logout` and `auth/status`, and the check that a call needs a login.

use crate::author::login::AuthStatus as Status;
use crate::serve::context::Context;
use crate::serve::guard::{catch_panic, read_first, run_guarded};
use crate::{About, AuthStatusHandle, Error, Result};
use attache_connection::{Responder, Work};
use attache_protocol::Error as Refusal;
use attache_protocol::method::{AuthStatus, Authenticate, Logout, Row};
use attache_protocol::v1::{
    AuthMethod, AuthState, AuthStatusResponse, AuthenticateRequest, AuthenticateResponse,
    ClientCapabilities, LogoutResponse,
};
use std::sync::Arc;

impl Context {
    /// Returns the error for a call that needs a login, if the user is not logged in (AUTH-01).
    pub(crate) fn login_missing(&self, row: &Row, client: &ClientCapabilities) -> Option<Refusal> {
        if !row.needs_login {
            return None;
        }
        let login = self.parts.login.as_ref()?;
        match catch_panic(|| Ok(login.auth_state())) {
            Ok(AuthState::Unauthenticated) => {
                Some(Refusal::auth_required(how_to_log_in(&self.about, client)))
            }
            Ok(_) => None,
            Err(error) => Some(error.to_reply()),
        }
    }

    /// Returns the state of the login and the accounts.
    pub(crate) fn auth_status(&self) -> Result<Status> {
        match &self.parts.login {
            Some(login) => catch_panic(|| Ok((login.auth_state(), login.accounts()))),
            None => Ok((AuthState::NotRequired, Vec::new())),
        }
    }

    /// Gives the author the handle that reports logins to the client.
    pub(crate) fn give_status_handle(&self, handle: AuthStatusHandle) {
        if let Some(login) = &self.parts.login {
            // A panic in the author's code does not affect this client.
            let _ = catch_panic(|| {
                login.auth_status_handle(handle);
                Ok(())
            });
        }
    }

    /// Sends the current status to the client, if it supports that.
    fn send_auth_status(&self, handle: Option<&AuthStatusHandle>) {
        if let Some(handle) = handle
            && let Ok((state, accounts)) = self.auth_status()
        {
            // If the connection is over, the client needs no update.
            let _ = handle.changed(state, accounts);
        }
    }
}

/// Serves `authenticate`. The update of the status follows the reply.
pub(crate) fn authenticate(
    context: &Arc<Context>,
    handle: Option<&AuthStatusHandle>,
    params: AuthenticateRequest,
    responder: Responder<Authenticate>,
) -> Work {
    let method = params.method_id;
    if context.about.login(method.as_str()).is_none() {
        let message = format!("{method} is not a login method that authenticate supports here");
        return responder.send(Err(Refusal::invalid_params(message)));
    }
    let (context, handle) = (Arc::clone(context), handle.cloned());
    responder.later_with(|responder| async move {
        read_first().await;
        let done = match &context.parts.login {
            Some(login) => {
                let cancelled = Box::pin(responder.cancelled().clone().wait());
                run_guarded(login.authenticate(&method), cancelled).await
            }
            None => Err(Error::invalid(format!("the login method {method} is not supported"))),
        };
        responder
            .send(done.map(|()| AuthenticateResponse::new()).map_err(|error| error.to_reply()));
        context.send_auth_status(handle.as_ref());
    })
}

/// Serves `logout`. The update of the status follows the reply.
pub(crate) fn logout(
    context: &Arc<Context>,
    handle: Option<&AuthStatusHandle>,
    responder: Responder<Logout>,
) -> Work {
    let (context, handle) = (Arc::clone(context), handle.cloned());
    responder.later_with(|responder| async move {
        read_first().await;
        let done = match &context.parts.login {
            Some(login) => {
                let cancelled = Box::pin(responder.cancelled().clone().wait());
                run_guarded(login.logout(), cancelled).await
            }
            None => Err(Error::failed("this agent does not support logout")),
        };
        responder.send(done.map(|()| LogoutResponse::new()).map_err(|error| error.to_reply()));
        context.send_auth_status(handle.as_ref());
    })
}

/// Serves `auth/status`. It needs no login and changes nothing (AUTHS-01).
pub(crate) fn status(context: &Context, responder: Responder<AuthStatus>) -> Work {
    let status = context.auth_status().map_err(|error| error.to_reply());
    responder.send(status.map(|(state, accounts)| {
        let mut response = AuthStatusResponse::new(state);
        response.accounts = accounts;
        response
    }))
}

/// Returns one sentence that names the login methods which this client supports.
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
