//! The measured agent. It answers a prompt "N SIZE" with N chunks of SIZE bytes.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a benchmark stops at the first error"
)]

use attache_bench::{filler, runtime, stats};
use attache_connection::{Agent, AgentHandler, Builder, IncomingCall, Responder, Work, stdio};
use attache_protocol::method::{
    Initialize, SessionNew, SessionPrompt, SessionSetMode, SessionUpdateNotification,
};
use attache_protocol::v1::*;

struct Bench;

impl Agent for Bench {
    fn initialize(&mut self, params: InitializeRequest, answer: Responder<Initialize>) -> Work {
        answer.send(Ok(InitializeResponse::new(params.protocol_version)))
    }

    fn session_new(&mut self, _params: NewSessionRequest, answer: Responder<SessionNew>) -> Work {
        answer.send(Ok(NewSessionResponse::new("sess-0123456789abcdef")))
    }

    fn session_set_mode(
        &mut self,
        _params: SetSessionModeRequest,
        answer: Responder<SessionSetMode>,
    ) -> Work {
        answer.send(Ok(SetSessionModeResponse::new()))
    }

    fn session_prompt(&mut self, params: PromptRequest, answer: Responder<SessionPrompt>) -> Work {
        answer.later_with(|answer| async move {
            let text = params.prompt[0].as_text().unwrap().to_owned();
            let mut words = text.split(' ').map(|word| word.parse::<usize>().unwrap_or(0));
            let (count, size) = (words.next().unwrap(), words.next().unwrap());
            let text = filler(size);
            let peer = answer.peer().clone();
            for _ in 0..count {
                if peer.wait_for_room().await.is_err() {
                    return;
                }
                let update = SessionUpdate::AgentMessageChunk(ContentChunk::new(text.as_str()));
                let update = SessionNotification::new(params.session_id.clone(), update);
                peer.notify::<SessionUpdateNotification>(&update).unwrap();
            }
            answer.send(Ok(PromptResponse::new(StopReason::EndTurn)));
        })
    }

    fn extension_call(&mut self, call: IncomingCall<'_>) -> Work {
        call.answer_raw(&stats())
    }
}

fn main() {
    let end = runtime().block_on(async {
        let (_peer, connection) = Builder::new().connect(
            stdio::input().unwrap(),
            stdio::output().unwrap(),
            AgentHandler(Bench),
        );
        connection.run().await
    });
    if std::env::var("VERBOSE").is_ok() {
        eprintln!("{end}");
    }
}
