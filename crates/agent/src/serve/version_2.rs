//! The methods of version 2. Each is served by the function of version 1 that does the same, with
//! its params and its result converted.

use crate::serve::prompt_reply::PromptResponder;
use crate::serve::served::Served;
use attache_connection::{Agent, IncomingCall, Peer, Responder, Unhandled, Work, v2 as connection};
use attache_protocol::method::{Gate, v2 as methods};
use attache_protocol::{Error as Refusal, Raw, UnknownVariant, v1, v2};
use attache_session::to_v2_option;
use std::sync::Arc;

impl connection::Agent for Served {
    fn advertises(&self, gate: &Gate) -> bool {
        gate.opened_by_v2_agent(&self.advertised_v2)
    }

    fn unhandled(&mut self, unhandled: Unhandled<'_>) {
        Agent::unhandled(self, unhandled);
    }

    fn reports_dropped(&self) -> bool {
        Agent::reports_dropped(self)
    }

    fn extension_call(&mut self, call: IncomingCall<'_>) -> Work {
        Agent::extension_call(self, call)
    }

    fn extension_notification(&mut self, name: &str, params: Option<Raw>, peer: &Peer) {
        Agent::extension_notification(self, name, params, peer);
    }

    fn auth_login(
        &mut self,
        params: v2::LoginAuthRequest,
        responder: Responder<methods::AuthLogin>,
    ) -> Work {
        match self.has_logins() {
            true => self.authenticate(params.into(), responder.map(Into::into)),
            false => responder.method_not_found(),
        }
    }

    fn auth_logout(
        &mut self,
        _: v2::LogoutAuthRequest,
        responder: Responder<methods::AuthLogout>,
    ) -> Work {
        match self.has_logins() {
            true => self.logout(v1::LogoutRequest::new(), responder.map(Into::into)),
            false => responder.method_not_found(),
        }
    }

    fn auth_status(
        &mut self,
        params: v2::AuthStatusRequest,
        responder: Responder<methods::AuthStatus>,
    ) -> Work {
        Agent::auth_status(self, params, responder.cast())
    }

    fn providers_list(
        &mut self,
        params: v2::ListProvidersRequest,
        responder: Responder<methods::ProvidersList>,
    ) -> Work {
        Agent::providers_list(self, params, responder.cast())
    }

    fn providers_set(
        &mut self,
        params: v2::SetProviderRequest,
        responder: Responder<methods::ProvidersSet>,
    ) -> Work {
        Agent::providers_set(self, params, responder.cast())
    }

    fn providers_disable(
        &mut self,
        params: v2::DisableProviderRequest,
        responder: Responder<methods::ProvidersDisable>,
    ) -> Work {
        Agent::providers_disable(self, params, responder.cast())
    }

    fn session_new(
        &mut self,
        params: v2::NewSessionRequest,
        responder: Responder<methods::SessionNew>,
    ) -> Work {
        let responder = responder.map(|opened: v1::NewSessionResponse| v2::NewSessionResponse {
            config_options: options(opened.config_options),
            ..v2::NewSessionResponse::new(opened.session_id)
        });
        match params.try_into() {
            Ok(params) => Agent::session_new(self, params, responder),
            Err(unknown) => responder.send(Err(unsupported_server(&unknown))),
        }
    }

    fn session_resume(
        &mut self,
        params: v2::ResumeSessionRequest,
        responder: Responder<methods::SessionResume>,
    ) -> Work {
        match &params.replay_from {
            None => {
                let responder = responder
                    .map(|opened: v1::ResumeSessionResponse| resumed(opened.config_options));
                match params.try_into() {
                    Ok(params) => Agent::session_resume(self, params, responder),
                    Err(unknown) => responder.send(Err(unsupported_server(&unknown))),
                }
            }
            Some(v2::ReplayFrom::Start(_)) => {
                let responder =
                    responder.map(|opened: v1::LoadSessionResponse| resumed(opened.config_options));
                match params.try_into() {
                    Ok(params) => self.session_load(params, responder),
                    Err(unknown) => responder.send(Err(unsupported_server(&unknown))),
                }
            }
            Some(v2::ReplayFrom::Unknown(unknown)) => {
                let message = format!(
                    "replayFrom has the type {}, which this agent does not support: use start, or leave replayFrom out",
                    unknown.tag
                );
                responder.send(Err(Refusal::invalid_params(message)))
            }
        }
    }

    fn session_fork(
        &mut self,
        params: v2::ForkSessionRequest,
        responder: Responder<methods::SessionFork>,
    ) -> Work {
        let responder = responder.map(|opened: v1::ForkSessionResponse| v2::ForkSessionResponse {
            config_options: options(opened.config_options),
            ..v2::ForkSessionResponse::new(opened.session_id)
        });
        match params.try_into() {
            Ok(params) => Agent::session_fork(self, params, responder),
            Err(unknown) => responder.send(Err(unsupported_server(&unknown))),
        }
    }

    fn session_list(
        &mut self,
        params: v2::ListSessionsRequest,
        responder: Responder<methods::SessionList>,
    ) -> Work {
        Agent::session_list(self, params, responder.map(Into::into))
    }

    fn session_status(
        &mut self,
        params: v2::SessionStatusRequest,
        responder: Responder<methods::SessionStatus>,
    ) -> Work {
        Agent::session_status(self, params, responder.map(Into::into))
    }

    /// A session that is not open counts as closed (V2-23).
    fn session_close(
        &mut self,
        params: v2::CloseSessionRequest,
        responder: Responder<methods::SessionClose>,
    ) -> Work {
        let (context, id) = (Arc::clone(&self.context), params.session_id);
        let served = context.remove(&id);
        responder.later_with(|responder| async move {
            let closed = context.close_or_wait(&id, served, responder.cancelled()).await;
            let _ = responder.send(closed.map(|_| v2::CloseSessionResponse::new()));
        })
    }

    fn session_delete(
        &mut self,
        params: v2::DeleteSessionRequest,
        responder: Responder<methods::SessionDelete>,
    ) -> Work {
        Agent::session_delete(self, params, responder.cast())
    }

    fn session_archive(
        &mut self,
        params: v2::ArchiveSessionRequest,
        responder: Responder<methods::SessionArchive>,
    ) -> Work {
        Agent::session_archive(self, params, responder.cast())
    }

    fn session_unarchive(
        &mut self,
        params: v2::UnarchiveSessionRequest,
        responder: Responder<methods::SessionUnarchive>,
    ) -> Work {
        Agent::session_unarchive(self, params, responder.cast())
    }

    fn session_set_title(
        &mut self,
        params: v2::SetSessionTitleRequest,
        responder: Responder<methods::SessionSetTitle>,
    ) -> Work {
        Agent::session_set_title(self, params, responder.cast())
    }

    fn session_set_config_option(
        &mut self,
        params: v2::SetSessionConfigOptionRequest,
        responder: Responder<methods::SessionSetConfigOption>,
    ) -> Work {
        let value: v1::SessionConfigOptionValue = match params.value {
            v2::SessionConfigOptionValue::Id(value) => value.value.into(),
            v2::SessionConfigOptionValue::Boolean(value) => value.value.into(),
            v2::SessionConfigOptionValue::Unknown(unknown) => {
                let message = format!(
                    "the value has the type {}, which this agent does not support: use id or boolean",
                    unknown.tag
                );
                return responder.send(Err(Refusal::invalid_params(message)));
            }
        };
        let request =
            v1::SetSessionConfigOptionRequest::new(params.session_id, params.config_id, value);
        let responder = responder.map(|set: v1::SetSessionConfigOptionResponse| {
            v2::SetSessionConfigOptionResponse::new(options(Some(set.config_options)))
        });
        Agent::session_set_config_option(self, request, responder)
    }

    fn session_prompt(
        &mut self,
        params: v2::PromptRequest,
        responder: Responder<methods::SessionPrompt>,
    ) -> Work {
        match self.accept_prompt(&params, responder.cancelled()) {
            Ok(accepted) => responder.later_with(|responder| {
                accepted.serve(params.prompt, PromptResponder::V2(responder))
            }),
            Err(refusal) => responder.send(Err(refusal)),
        }
    }

    fn session_cancel(&mut self, params: v2::CancelSessionNotification, peer: &Peer) {
        Agent::session_cancel(self, v1::CancelNotification::new(params.session_id), peer);
    }

    fn tool_call_cancel(
        &mut self,
        params: v2::CancelToolCallRequest,
        responder: Responder<methods::ToolCallCancel>,
    ) -> Work {
        let cancelled = match self.context.sessions.get(&params.session_id) {
            Ok(served) => served.session.state().cancel_tool_call(&params.tool_call_id),
            Err(refusal) => return responder.send(Err(refusal)),
        };
        responder.send(match cancelled {
            true => Ok(v2::CancelToolCallResponse::new()),
            false => Err(Refusal::invalid_params(format!(
                "the tool call {} cannot be cancelled: it is unknown, has ended, or has no capabilities.cancel",
                params.tool_call_id
            ))),
        })
    }

    /// The agents of this kit show no terminals of their own.
    fn terminal_cancel(
        &mut self,
        params: v2::CancelTerminalRequest,
        responder: Responder<methods::TerminalCancel>,
    ) -> Work {
        let message = format!("the terminal {} is unknown", params.terminal_id);
        responder.send(Err(Refusal::invalid_params(message)))
    }
}

impl Served {
    /// Returns whether the agent has login methods, which oblige it to serve `auth/login` and
    /// `auth/logout`.
    fn has_logins(&self) -> bool {
        self.context.about.logins_for(&v1::ClientCapabilities::default()).next().is_some()
    }
}

/// Converts the options of a result.
fn options(options: Option<Vec<v1::SessionConfigOption>>) -> Vec<v2::SessionConfigOption> {
    options.unwrap_or_default().iter().map(to_v2_option).collect()
}

fn resumed(config_options: Option<Vec<v1::SessionConfigOption>>) -> v2::ResumeSessionResponse {
    v2::ResumeSessionResponse {
        config_options: options(config_options),
        ..v2::ResumeSessionResponse::new()
    }
}

fn unsupported_server(unknown: &UnknownVariant) -> Refusal {
    Refusal::invalid_params(format!(
        "an MCP server has the type {}, which this agent does not support",
        unknown.tag
    ))
}
