//! The methods of version 1.

use crate::serve::prompt_reply::PromptResponder;
use crate::serve::served::{Served, reply_with};
use crate::serve::{auth, extensions, list, new, option_call, providers};
use crate::session::config_options::OptionNotice;
use attache_connection::{Agent, IncomingCall, Peer, Responder, Unhandled, Work};
use attache_protocol::method;
use attache_protocol::v1::*;
use attache_protocol::{Error as Refusal, Raw};
use attache_session::{ConfigOptions, EventBody};
use std::sync::Arc;

impl Agent for Served {
    fn advertises(&self, gate: &method::Gate) -> bool {
        gate.opened_by_agent(&self.advertised)
    }

    fn unhandled(&mut self, unhandled: Unhandled<'_>) {
        self.log.unhandled(&unhandled);
    }

    fn reports_dropped(&self) -> bool {
        true
    }

    fn initialize(
        &mut self,
        params: InitializeRequest,
        responder: Responder<method::Initialize>,
    ) -> Work {
        responder.peer().set_client_capabilities(params.client_capabilities.clone());
        let response = self.initialized(&params.client_capabilities);
        self.reply_to_initialize(response, responder)
    }

    fn authenticate(
        &mut self,
        params: AuthenticateRequest,
        responder: Responder<method::Authenticate>,
    ) -> Work {
        auth::authenticate(&self.context, self.auth_status.as_ref(), params, responder)
    }

    fn logout(&mut self, _: LogoutRequest, responder: Responder<method::Logout>) -> Work {
        auth::logout(&self.context, self.auth_status.as_ref(), responder)
    }

    fn auth_status(
        &mut self,
        _: AuthStatusRequest,
        responder: Responder<method::AuthStatus>,
    ) -> Work {
        auth::status(&self.context, responder)
    }

    fn providers_list(
        &mut self,
        _: ListProvidersRequest,
        responder: Responder<method::ProvidersList>,
    ) -> Work {
        providers::list(&self.context, responder)
    }

    fn providers_set(
        &mut self,
        params: SetProviderRequest,
        responder: Responder<method::ProvidersSet>,
    ) -> Work {
        providers::set(&self.context, params, responder)
    }

    fn providers_disable(
        &mut self,
        params: DisableProviderRequest,
        responder: Responder<method::ProvidersDisable>,
    ) -> Work {
        providers::disable(&self.context, params, responder)
    }

    fn extension_call(&mut self, call: IncomingCall<'_>) -> Work {
        extensions::call(&self.context, call)
    }

    fn extension_notification(&mut self, name: &str, params: Option<Raw>, _: &Peer) {
        extensions::notification(&self.context, name, params);
    }

    fn session_new(
        &mut self,
        params: NewSessionRequest,
        responder: Responder<method::SessionNew>,
    ) -> Work {
        let context = Arc::clone(&self.context);
        responder.later_with(|responder| new::new(context, params, responder))
    }

    fn session_load(
        &mut self,
        params: LoadSessionRequest,
        responder: Responder<method::SessionLoad>,
    ) -> Work {
        match self.context.store_methods {
            Some(methods) => methods.load(Arc::clone(&self.context), params, responder),
            None => {
                let id = params.session_id.clone();
                responder.send(Err(self.context.not_stored(params.into(), &id).to_reply()))
            }
        }
    }

    fn session_resume(
        &mut self,
        params: ResumeSessionRequest,
        responder: Responder<method::SessionResume>,
    ) -> Work {
        match self.context.store_methods {
            Some(methods) => methods.resume(Arc::clone(&self.context), params, responder),
            None => {
                let id = params.session_id.clone();
                responder.send(Err(self.context.not_stored(params.into(), &id).to_reply()))
            }
        }
    }

    fn session_fork(
        &mut self,
        params: ForkSessionRequest,
        responder: Responder<method::SessionFork>,
    ) -> Work {
        match self.context.store_methods {
            Some(methods) => methods.fork(Arc::clone(&self.context), params, responder),
            None => responder.method_not_found(),
        }
    }

    fn session_list(
        &mut self,
        params: ListSessionsRequest,
        responder: Responder<method::SessionList>,
    ) -> Work {
        let context = Arc::clone(&self.context);
        reply_with(responder, async move {
            context.sessions.send_info()?;
            list::list(&context.stored, context.about.hides_empty_sessions(), params).await
        })
    }

    fn session_status(
        &mut self,
        params: SessionStatusRequest,
        responder: Responder<method::SessionStatusQuery>,
    ) -> Work {
        match self.context.store_methods {
            Some(methods) => methods.status(Arc::clone(&self.context), params, responder),
            None => responder.method_not_found(),
        }
    }

    fn session_close(
        &mut self,
        params: CloseSessionRequest,
        responder: Responder<method::SessionClose>,
    ) -> Work {
        let (context, id) = (Arc::clone(&self.context), params.session_id);
        let served = context.remove(&id);
        responder.later_with(|responder| async move {
            let closed = context.close_or_wait(&id, served, responder.cancelled()).await;
            let _ = responder.send(closed.and_then(|was_open| match was_open {
                true => Ok(CloseSessionResponse::new()),
                false => Err(Refusal::resource_not_found_session(id.as_str())),
            }));
        })
    }

    fn session_delete(
        &mut self,
        params: DeleteSessionRequest,
        responder: Responder<method::SessionDelete>,
    ) -> Work {
        let (context, served) =
            (Arc::clone(&self.context), self.context.remove(&params.session_id));
        reply_with(responder, async move {
            context.delete(params.session_id, served).await.map(|()| DeleteSessionResponse::new())
        })
    }

    fn session_archive(
        &mut self,
        params: ArchiveSessionRequest,
        responder: Responder<method::SessionArchive>,
    ) -> Work {
        let (context, served) =
            (Arc::clone(&self.context), self.context.remove(&params.session_id));
        reply_with(responder, async move {
            context.archive(params.session_id, served).await.map(|()| ArchiveSessionResponse::new())
        })
    }

    fn session_unarchive(
        &mut self,
        params: UnarchiveSessionRequest,
        responder: Responder<method::SessionUnarchive>,
    ) -> Work {
        let (body, reply) = (EventBody::Archived(false), UnarchiveSessionResponse::new());
        self.context.note(params.session_id, body, responder, reply)
    }

    fn session_set_title(
        &mut self,
        params: SetSessionTitleRequest,
        responder: Responder<method::SessionSetTitle>,
    ) -> Work {
        let Some(title) = attache_session::title(&params.title) else {
            return responder.send(Err(Refusal::invalid_params("a title must not be blank")));
        };
        let body = EventBody::StoredTitle { title: title.clone(), by_person: true };
        self.context.note(params.session_id, body, responder, SetSessionTitleResponse::new(title))
    }

    fn session_set_mode(
        &mut self,
        params: SetSessionModeRequest,
        responder: Responder<method::SessionSetMode>,
    ) -> Work {
        let (category, mode) =
            (SessionConfigOptionCategory::Mode, params.mode_id.as_str().to_owned());
        let reply = SetSessionModeResponse::new();
        option_call::choose(&self.context, &params.session_id, category, mode, responder, reply)
    }

    fn session_set_model(
        &mut self,
        params: SetSessionModelRequest,
        responder: Responder<method::SessionSetModel>,
    ) -> Work {
        let (category, model) =
            (SessionConfigOptionCategory::Model, params.model_id.as_str().to_owned());
        let reply = SetSessionModelResponse::new();
        option_call::choose(&self.context, &params.session_id, category, model, responder, reply)
    }

    fn session_set_config_option(
        &mut self,
        params: SetSessionConfigOptionRequest,
        responder: Responder<method::SessionSetConfigOption>,
    ) -> Work {
        let client = responder.peer().client_capabilities().unwrap_or_default();
        let pick = |_: &ConfigOptions| Ok((params.config_id, params.value));
        let reply = move |options: Vec<SessionConfigOption>| {
            SetSessionConfigOptionResponse::new(attache_session::options_for(&options, &client))
        };
        option_call::change(
            &self.context,
            &params.session_id,
            OptionNotice::Reply,
            responder,
            pick,
            reply,
        )
    }

    fn session_prompt(
        &mut self,
        params: PromptRequest,
        responder: Responder<method::SessionPrompt>,
    ) -> Work {
        match self.accept_prompt(&params, responder.cancelled()) {
            Ok(accepted) => responder.later_with(|responder| {
                accepted.serve(params.prompt, PromptResponder::V1(responder))
            }),
            Err(refusal) => responder.send(Err(refusal)),
        }
    }

    fn session_cancel(&mut self, params: CancelNotification, _peer: &Peer) {
        // In a session that is not open there is nothing to cancel (CANCEL-08).
        if let Ok(served) = self.context.sessions.get(&params.session_id) {
            served.session.state().cancel_prompts();
        }
    }
}
