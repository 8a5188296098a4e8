//! The methods of version 1.

use super::context::Folders;
use super::opening::{self, Stored};
use super::served::{History, Opened, Served, follow_moved};
use super::{agent_option, changing, listing, prompting, refusal};
use crate::{Scope, SessionChange};
use attache_connection::{Agent, IncomingCall, Peer, Responder, Work};
use attache_protocol::Error;
use attache_protocol::method::{self, Method as _};
use attache_protocol::v1::*;
use std::sync::Arc;

impl Agent for Served {
    fn advertises(&self, gate: &method::Gate) -> bool {
        Served::advertises(self, gate)
    }

    fn initialize(
        &mut self,
        params: InitializeRequest,
        responder: Responder<method::Initialize>,
    ) -> Work {
        let meta = params.client_capabilities.meta.clone();
        responder.peer().set_client_capabilities(params.client_capabilities);
        let response = self.initialized(params.client_info.as_ref(), meta.as_ref());
        responder.send(Ok(response))
    }

    fn extension_call(&mut self, call: IncomingCall<'_>) -> Work {
        match call.name.starts_with("_attache/") {
            true => self.context.extension.call(call),
            false => call.method_not_found(),
        }
    }

    fn session_new(
        &mut self,
        params: NewSessionRequest,
        responder: Responder<method::SessionNew>,
    ) -> Work {
        let reply = |opened: Opened| NewSessionResponse {
            modes: opened.modes,
            config_options: Some(opened.options),
            ..NewSessionResponse::new(opened.attached.wire.clone())
        };
        let open = |context: Arc<super::context::Context>| async move {
            opening::new(&context, params).await
        };
        self.open(responder, History::New, open, reply)
    }

    fn session_load(
        &mut self,
        params: LoadSessionRequest,
        responder: Responder<method::SessionLoad>,
    ) -> Work {
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
        self.attach(responder, History::Replayed, stored, |opened| LoadSessionResponse {
            modes: opened.modes,
            config_options: Some(opened.options),
            ..LoadSessionResponse::new()
        })
    }

    fn session_resume(
        &mut self,
        params: ResumeSessionRequest,
        responder: Responder<method::SessionResume>,
    ) -> Work {
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
        self.attach(responder, History::Skipped, stored, |opened| ResumeSessionResponse {
            modes: opened.modes,
            config_options: Some(opened.options),
            ..ResumeSessionResponse::new()
        })
    }

    fn session_fork(
        &mut self,
        params: ForkSessionRequest,
        responder: Responder<method::SessionFork>,
    ) -> Work {
        let open = |context: Arc<super::context::Context>| async move {
            opening::fork(&context, params).await
        };
        self.open(responder, History::Copied, open, |opened| ForkSessionResponse {
            modes: opened.modes,
            config_options: Some(opened.options),
            ..ForkSessionResponse::new(opened.attached.wire.clone())
        })
    }

    fn session_list(
        &mut self,
        params: ListSessionsRequest,
        responder: Responder<method::SessionList>,
    ) -> Work {
        self.change(responder, |context| async move { listing::list(&context, params).await })
    }

    fn session_close(
        &mut self,
        params: CloseSessionRequest,
        responder: Responder<method::SessionClose>,
    ) -> Work {
        self.change(responder, |context| async move {
            match changing::close(&context, &params.session_id).await? {
                true => Ok(CloseSessionResponse::new()),
                false => Err(refusal::not_attached(&params.session_id)),
            }
        })
    }

    fn session_delete(
        &mut self,
        params: DeleteSessionRequest,
        responder: Responder<method::SessionDelete>,
    ) -> Work {
        self.change(responder, |context| async move {
            changing::change(&context, &params.session_id, SessionChange::Delete).await?;
            Ok(DeleteSessionResponse::new())
        })
    }

    fn session_archive(
        &mut self,
        params: ArchiveSessionRequest,
        responder: Responder<method::SessionArchive>,
    ) -> Work {
        self.change(responder, |context| async move {
            changing::change(&context, &params.session_id, SessionChange::Archive(true)).await?;
            Ok(ArchiveSessionResponse::new())
        })
    }

    fn session_unarchive(
        &mut self,
        params: UnarchiveSessionRequest,
        responder: Responder<method::SessionUnarchive>,
    ) -> Work {
        self.change(responder, |context| async move {
            changing::change(&context, &params.session_id, SessionChange::Archive(false)).await?;
            Ok(UnarchiveSessionResponse::new())
        })
    }

    fn session_set_title(
        &mut self,
        params: SetSessionTitleRequest,
        responder: Responder<method::SessionSetTitle>,
    ) -> Work {
        self.change(responder, |context| async move {
            let title = changing::set_title(&context, &params.session_id, &params.title).await?;
            Ok(SetSessionTitleResponse::new(title))
        })
    }

    fn session_set_mode(
        &mut self,
        params: SetSessionModeRequest,
        responder: Responder<method::SessionSetMode>,
    ) -> Work {
        self.change(responder, |context| async move {
            changing::set_mode(&context, &params.session_id, params.mode_id.as_str()).await?;
            Ok(SetSessionModeResponse::new())
        })
    }

    fn session_set_config_option(
        &mut self,
        params: SetSessionConfigOptionRequest,
        responder: Responder<method::SessionSetConfigOption>,
    ) -> Work {
        let peer = responder.peer().clone();
        self.change(responder, |context| async move {
            let SetSessionConfigOptionRequest { session_id, config_id, value, .. } = params;
            let (attached, has_moved) =
                changing::set_option(&context, &session_id, &config_id, value).await?;
            let options = agent_option::options(&context, &attached, &peer);
            if has_moved {
                follow_moved(&context, attached, peer);
            }
            Ok(SetSessionConfigOptionResponse::new(options))
        })
    }

    fn session_prompt(
        &mut self,
        params: PromptRequest,
        responder: Responder<method::SessionPrompt>,
    ) -> Work {
        prompting::version_1(&self.context, &params.session_id, params.prompt, responder)
    }

    fn session_cancel(&mut self, params: CancelNotification, _: &Peer) {
        if self.context.client.may(Scope::Control) {
            prompting::cancel(&self.context, &params.session_id);
        }
    }
}

/// The error for a call before `initialize`.
pub(super) fn not_initialized(method: &str) -> Error {
    let first = method::Initialize::ROW.name;
    Error::invalid_request(format!("{method} came before {first}: call {first} first"))
}
