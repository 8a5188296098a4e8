//! The methods of version 2. Most are served by the method of version 1 that does the same, with
//! its params and its result converted.

use super::context::Folders;
use super::opening::Stored;
use super::served::{History, Opened, Served};
use super::{changing, prompting};
use crate::Scope;
use attache_connection::{Agent, IncomingCall, Peer, Responder, Work, v2 as connection};
use attache_protocol::method::{Gate, v2 as methods};
use attache_protocol::{Error, UnknownVariant, v1, v2};
use attache_session::to_v2_option;

impl connection::Agent for Served {
    fn advertises(&self, gate: &Gate) -> bool {
        Served::advertises_v2(self, gate)
    }

    fn extension_call(&mut self, call: IncomingCall<'_>) -> Work {
        Agent::extension_call(self, call)
    }

    fn session_new(
        &mut self,
        params: v2::NewSessionRequest,
        responder: Responder<methods::SessionNew>,
    ) -> Work {
        let responder = responder.map(|opened: v1::NewSessionResponse| v2::NewSessionResponse {
            config_options: options(&opened.config_options.unwrap_or_default()),
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
        let history = match &params.replay_from {
            None => History::Skipped,
            Some(v2::ReplayFrom::Start(_)) => History::Replayed,
            Some(v2::ReplayFrom::Unknown(unknown)) => {
                return responder.send(Err(Error::invalid_params(format!(
                    "replayFrom has the type {}, which the hub does not support: \
                     use start, or leave replayFrom out",
                    unknown.tag
                ))));
            }
        };
        let params: v1::ResumeSessionRequest = match params.try_into() {
            Ok(params) => params,
            Err(unknown) => return responder.send(Err(unsupported_server(&unknown))),
        };
        let stored = Stored {
            id: params.session_id,
            cwd: params.cwd,
            folders: Folders {
                additional: params.additional_directories,
                mcp_servers: params.mcp_servers,
                ..Folders::default()
            },
            meta: params.meta,
        };
        let reply = |opened: Opened| v2::ResumeSessionResponse {
            config_options: options(&opened.options),
            ..v2::ResumeSessionResponse::new()
        };
        self.attach(responder, history, stored, reply)
    }

    fn session_fork(
        &mut self,
        params: v2::ForkSessionRequest,
        responder: Responder<methods::SessionFork>,
    ) -> Work {
        let responder = responder.map(|opened: v1::ForkSessionResponse| v2::ForkSessionResponse {
            config_options: options(&opened.config_options.unwrap_or_default()),
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

    /// A session that is not attached counts as closed.
    fn session_close(
        &mut self,
        params: v2::CloseSessionRequest,
        responder: Responder<methods::SessionClose>,
    ) -> Work {
        self.change(responder, |context| async move {
            changing::close(&context, &params.session_id).await?;
            Ok(v2::CloseSessionResponse::new())
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
                return responder.send(Err(Error::invalid_params(format!(
                    "the value has the type {}, which the hub does not support: use id or boolean",
                    unknown.tag
                ))));
            }
        };
        let request =
            v1::SetSessionConfigOptionRequest::new(params.session_id, params.config_id, value);
        let responder = responder.map(|set: v1::SetSessionConfigOptionResponse| {
            v2::SetSessionConfigOptionResponse::new(options(&set.config_options))
        });
        Agent::session_set_config_option(self, request, responder)
    }

    fn session_prompt(
        &mut self,
        params: v2::PromptRequest,
        responder: Responder<methods::SessionPrompt>,
    ) -> Work {
        prompting::version_2(&self.context, &params.session_id, params.prompt, responder)
    }

    fn session_cancel(&mut self, params: v2::CancelSessionNotification, _: &Peer) {
        if self.context.client.may(Scope::Control) {
            prompting::cancel(&self.context, &params.session_id);
        }
    }

    fn tool_call_cancel(
        &mut self,
        params: v2::CancelToolCallRequest,
        responder: Responder<methods::ToolCallCancel>,
    ) -> Work {
        self.change(responder, |context| async move {
            let attached = context.get(&params.session_id)?;
            let cancelled = attached.session.cancel_tool_call(&params.tool_call_id).await;
            cancelled.map_err(|error| super::refusal::call(&error))?;
            Ok(v2::CancelToolCallResponse::new())
        })
    }

    fn terminal_cancel(
        &mut self,
        params: v2::CancelTerminalRequest,
        responder: Responder<methods::TerminalCancel>,
    ) -> Work {
        self.change(responder, |context| async move {
            let attached = context.get(&params.session_id)?;
            let cancelled = attached.session.cancel_terminal(&params.terminal_id).await;
            cancelled.map_err(|error| super::refusal::call(&error))?;
            Ok(v2::CancelTerminalResponse::new())
        })
    }
}

fn options(options: &[v1::SessionConfigOption]) -> Vec<v2::SessionConfigOption> {
    options.iter().map(to_v2_option).collect()
}

fn unsupported_server(unknown: &UnknownVariant) -> Error {
    Error::invalid_params(format!(
        "an MCP server has the type {}, which the hub does not support",
        unknown.tag
    ))
}
