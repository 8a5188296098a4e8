//! The handler of the agent's calls and updates.

use crate::agent::stray_output::StrayOutput;
use crate::agent::undo_requests::{self, UndoHandler};
use crate::elicitation::Elicitations;
use crate::session::live_session::LiveSession;
use crate::session::live_session::asking::OpenQuestion;
use crate::session::session_table::SessionTable;
use crate::terminals::requests as terminals;
use crate::terminals::terminal_command::PrepareLaunch;
use crate::text_files::requests as text_files;
use crate::text_files::unsaved_text::UnsavedText;
use attache_connection::{Client, ConnectionEnd, IncomingCall, Peer, Responder, Unhandled, Work};
use attache_protocol::envelope::NotAMessage;
use attache_protocol::method::{
    ElicitationCreate, FsReadTextFile, FsWriteTextFile, Gate, SessionRequestPermission,
    TerminalCreate, TerminalKill, TerminalOutput, TerminalRelease, TerminalWaitForExit,
};
use attache_protocol::v1::{
    ClientCapabilities, CompleteElicitationNotification, CreateElicitationRequest,
    CreateTerminalRequest, KillTerminalRequest, ReadTextFileRequest, ReleaseTerminalRequest,
    RequestPermissionRequest, SessionId, SessionNotification, TerminalOutputRequest,
    WaitForTerminalExitRequest, WriteTextFileRequest,
};
use attache_protocol::{Error, UnknownValues, decode_reporting};
use attache_session::{EventBody, PermissionQuestion};
use std::sync::Arc;
use std::task::{Context, Poll};

/// The handler of one connection. It runs on the reading task, in wire order, except for the
/// futures that it returns.
pub(crate) struct IncomingHandler {
    pub(crate) sessions: Arc<SessionTable>,
    pub(crate) stray_output: Arc<StrayOutput>,
    /// The advertised capabilities. Calls that need any other capability are answered as unknown
    /// methods (INIT-17).
    pub(crate) advertised: ClientCapabilities,
    pub(crate) unsaved: Option<Arc<dyn UnsavedText>>,
    pub(crate) elicitations: Elicitations,
    pub(crate) undo: Option<UndoHandler>,
    pub(crate) prepare_terminal: Option<PrepareLaunch>,
}

impl IncomingHandler {
    /// Asks whether the agent may perform an action.
    pub(crate) fn ask(
        &self,
        session: &SessionId,
        question: PermissionQuestion,
        answer: Responder<SessionRequestPermission>,
    ) -> Work {
        let Some(live) = self.sessions.get(session) else {
            return answer.send(Err(unknown(session)));
        };
        let asking = live.ask(question, answer)?;
        let unsaved = self.unsaved_in(&live);
        let question = OpenQuestion { id: asking.request.id, live };
        Some(Box::pin(question.decide(asking, unsaved)))
    }
}

impl IncomingHandler {
    /// The texts of the editor that has the session open, or else of this program's editor.
    fn unsaved_in(&self, live: &LiveSession) -> Option<Arc<dyn UnsavedText>> {
        live.fold.unsaved_text().or_else(|| self.unsaved.clone())
    }
}

impl Client for IncomingHandler {
    fn advertises(&self, gate: &Gate) -> bool {
        gate.opened_by_client(&self.advertised)
    }

    fn session_update(&mut self, params: SessionNotification, _peer: &Peer) {
        self.sessions.updated(&params.session_id, EventBody::from_update(params.update));
    }

    fn session_request_permission(
        &mut self,
        params: RequestPermissionRequest,
        answer: Responder<SessionRequestPermission>,
    ) -> Work {
        let session = params.session_id.clone();
        self.ask(&session, params.into(), answer)
    }

    fn fs_read_text_file(
        &mut self,
        params: ReadTextFileRequest,
        answer: Responder<FsReadTextFile>,
    ) -> Work {
        match self.sessions.get(&params.session_id) {
            Some(live) => {
                let unsaved = self.unsaved_in(&live);
                text_files::read(live, params, unsaved, answer)
            }
            None => answer.send(Err(unknown(&params.session_id))),
        }
    }

    fn fs_write_text_file(
        &mut self,
        params: WriteTextFileRequest,
        answer: Responder<FsWriteTextFile>,
    ) -> Work {
        match self.sessions.get(&params.session_id) {
            Some(live) => {
                let unsaved = self.unsaved_in(&live);
                text_files::write(live, params, unsaved, answer)
            }
            None => answer.send(Err(unknown(&params.session_id))),
        }
    }

    fn terminal_create(
        &mut self,
        params: CreateTerminalRequest,
        answer: Responder<TerminalCreate>,
    ) -> Work {
        match self.sessions.get(&params.session_id) {
            Some(live) => terminals::create(live, params, self.prepare_terminal.clone(), answer),
            None => answer.send(Err(unknown(&params.session_id))),
        }
    }

    fn terminal_output(
        &mut self,
        params: TerminalOutputRequest,
        answer: Responder<TerminalOutput>,
    ) -> Work {
        match self.sessions.get(&params.session_id) {
            Some(live) => terminals::output(&live, &params, answer),
            None => answer.send(Err(unknown(&params.session_id))),
        }
    }

    fn terminal_wait_for_exit(
        &mut self,
        params: WaitForTerminalExitRequest,
        answer: Responder<TerminalWaitForExit>,
    ) -> Work {
        match self.sessions.get(&params.session_id) {
            Some(live) => terminals::wait_for_exit(&live, &params, answer),
            None => answer.send(Err(unknown(&params.session_id))),
        }
    }

    fn terminal_kill(
        &mut self,
        params: KillTerminalRequest,
        answer: Responder<TerminalKill>,
    ) -> Work {
        match self.sessions.get(&params.session_id) {
            Some(live) => terminals::kill(&live, &params, answer),
            None => answer.send(Err(unknown(&params.session_id))),
        }
    }

    fn terminal_release(
        &mut self,
        params: ReleaseTerminalRequest,
        answer: Responder<TerminalRelease>,
    ) -> Work {
        match self.sessions.get(&params.session_id) {
            Some(live) => terminals::release(&live, &params, answer),
            None => answer.send(Err(unknown(&params.session_id))),
        }
    }

    fn elicitation_create(
        &mut self,
        params: CreateElicitationRequest,
        answer: Responder<ElicitationCreate>,
    ) -> Work {
        self.elicitations.create(&self.sessions, params, answer)
    }

    fn elicitation_complete(&mut self, params: CompleteElicitationNotification, _peer: &Peer) {
        self.elicitations.complete(&params);
    }

    fn extension_call(&mut self, call: IncomingCall<'_>) -> Work {
        undo_requests::call(self.undo.as_ref(), call)
    }

    fn unhandled(&mut self, unhandled: Unhandled<'_>) {
        if let Unhandled::Frame(line, NotAMessage::NotJson(_) | NotAMessage::Invalid(_)) = unhandled
        {
            self.stray_output.keep(line);
        }
    }

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.sessions.poll_room(context)
    }

    fn ended(&mut self, end: &ConnectionEnd) {
        self.elicitations.outstanding.end();
        self.sessions.over(end);
    }
}

impl Drop for IncomingHandler {
    /// An aborted connection does not report that it ended.
    fn drop(&mut self) {
        self.sessions.over(&ConnectionEnd::Closed);
    }
}

/// Decodes the params of an update.
pub(super) fn read_update(params: &str) -> Option<(SessionId, EventBody)> {
    let (params, dropped) = decode_reporting::<SessionNotification>(params, UnknownValues::Keep);
    let params = params.ok().filter(|_| dropped.is_empty())?;
    Some((params.session_id, EventBody::from_update(params.update)))
}

fn unknown(id: &SessionId) -> Error {
    Error::resource_not_found_session(id.as_str())
}
