//! Measures how fast the official schema crate decodes recorded messages: `schema-decode FILE…`.
//!
//! A file contains one JSON object per line, `{"from": "agent" | "client", "message": {…}}`.
//! Messages after an `initialize` with a version other than 1 are skipped. A message is decoded in
//! two steps: a borrowed envelope, then the method's params or result as the official v1 type.
//! Methods without a type in the stable schema count as `untyped`, and only their envelope is
//! decoded. Prints one JSON object with the fastest of 20 passes.

use std::collections::HashMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use agent_client_protocol::v1::schema::{
    AuthenticateRequest, AuthenticateResponse, CancelNotification, CancelRequestNotification,
    CloseSessionRequest, CloseSessionResponse, CompleteElicitationNotification,
    CreateElicitationRequest, CreateElicitationResponse, CreateTerminalRequest,
    CreateTerminalResponse, DeleteSessionRequest, DeleteSessionResponse, Error, InitializeRequest,
    InitializeResponse, KillTerminalRequest, KillTerminalResponse, ListSessionsRequest,
    ListSessionsResponse, LoadSessionRequest, LoadSessionResponse, LogoutRequest, LogoutResponse,
    NewSessionRequest, NewSessionResponse, PromptRequest, PromptResponse, ReadTextFileRequest,
    ReadTextFileResponse, ReleaseTerminalRequest, ReleaseTerminalResponse,
    RequestPermissionRequest, RequestPermissionResponse, ResumeSessionRequest,
    ResumeSessionResponse, SessionNotification, SetSessionConfigOptionRequest,
    SetSessionConfigOptionResponse, SetSessionModeRequest, SetSessionModeResponse,
    TerminalOutputRequest, TerminalOutputResponse, WaitForTerminalExitRequest,
    WaitForTerminalExitResponse, WriteTextFileRequest, WriteTextFileResponse,
};
use bench_peers::allocation;
use serde::{Deserialize, Deserializer};
use serde_json::json;
use serde_json::value::RawValue;

const PASSES: usize = 20;

#[derive(Deserialize)]
struct Recorded {
    from: String,
    message: Box<RawValue>,
}

/// The version that `initialize` requests.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asked {
    protocol_version: u16,
}

/// All members of a message that determine its kind or its decoding, without copying.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(default)]
    method: Option<&'a str>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

/// A `null` result counts as a result.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Decodes params or a result; returns false on failure.
type Decode = fn(&str) -> bool;

fn decode<T: for<'de> Deserialize<'de>>(text: &str) -> bool {
    serde_json::from_str::<T>(text).map(|value| drop(black_box(value))).is_ok()
}

/// Returns the decoders of a method's params and, for a call, of its result.
fn typed(method: &str) -> Option<(Decode, Option<Decode>)> {
    fn call<P, R>() -> (Decode, Option<Decode>)
    where
        P: for<'de> Deserialize<'de>,
        R: for<'de> Deserialize<'de>,
    {
        (decode::<P>, Some(decode::<R>))
    }
    Some(match method {
        "initialize" => call::<InitializeRequest, InitializeResponse>(),
        "authenticate" => call::<AuthenticateRequest, AuthenticateResponse>(),
        "logout" => call::<LogoutRequest, LogoutResponse>(),
        "session/new" => call::<NewSessionRequest, NewSessionResponse>(),
        "session/load" => call::<LoadSessionRequest, LoadSessionResponse>(),
        "session/list" => call::<ListSessionsRequest, ListSessionsResponse>(),
        "session/delete" => call::<DeleteSessionRequest, DeleteSessionResponse>(),
        "session/resume" => call::<ResumeSessionRequest, ResumeSessionResponse>(),
        "session/close" => call::<CloseSessionRequest, CloseSessionResponse>(),
        "session/set_mode" => call::<SetSessionModeRequest, SetSessionModeResponse>(),
        "session/set_config_option" => {
            call::<SetSessionConfigOptionRequest, SetSessionConfigOptionResponse>()
        }
        "session/prompt" => call::<PromptRequest, PromptResponse>(),
        "session/request_permission" => {
            call::<RequestPermissionRequest, RequestPermissionResponse>()
        }
        "fs/read_text_file" => call::<ReadTextFileRequest, ReadTextFileResponse>(),
        "fs/write_text_file" => call::<WriteTextFileRequest, WriteTextFileResponse>(),
        "terminal/create" => call::<CreateTerminalRequest, CreateTerminalResponse>(),
        "terminal/output" => call::<TerminalOutputRequest, TerminalOutputResponse>(),
        "terminal/release" => call::<ReleaseTerminalRequest, ReleaseTerminalResponse>(),
        "terminal/wait_for_exit" => {
            call::<WaitForTerminalExitRequest, WaitForTerminalExitResponse>()
        }
        "terminal/kill" => call::<KillTerminalRequest, KillTerminalResponse>(),
        "elicitation/create" => call::<CreateElicitationRequest, CreateElicitationResponse>(),
        "session/update" => (decode::<SessionNotification>, None),
        "session/cancel" => (decode::<CancelNotification>, None),
        "elicitation/complete" => (decode::<CompleteElicitationNotification>, None),
        "$/cancel_request" => (decode::<CancelRequestNotification>, None),
        _ => return None,
    })
}

struct Message {
    text: String,
    /// The decoder for the message's params, result or error.
    decode: Option<Decode>,
}

impl Message {
    fn read(&self) -> bool {
        let Ok(envelope) = serde_json::from_str::<Envelope>(&self.text) else { return false };
        black_box((envelope.id, envelope.method));
        let body = envelope.params.or(envelope.result).or(envelope.error);
        match (self.decode, body) {
            (Some(decode), Some(body)) => decode(body.get()),
            (Some(decode), None) => decode("{}"),
            (None, _) => true,
        }
    }
}

/// Returns the version 1 messages of one file. Each `initialize` starts a connection.
fn messages(file: &str) -> std::io::Result<Vec<Message>> {
    let mut calls = HashMap::new();
    let mut messages = Vec::new();
    let mut version = None;
    for line in std::fs::read_to_string(file)?.lines() {
        let recorded: Recorded = serde_json::from_str(line)?;
        let text = recorded.message.get();
        let Ok(envelope) = serde_json::from_str::<Envelope>(text) else { continue };
        if envelope.method == Some("initialize") {
            version =
                envelope.params.and_then(|params| serde_json::from_str::<Asked>(params.get()).ok());
        }
        if version.as_ref().is_none_or(|version| version.protocol_version != 1) {
            continue;
        }
        let by_client = recorded.from == "client";
        let decode = match (envelope.method, envelope.id) {
            (Some(method), id) => {
                if let Some(id) = id {
                    calls.insert(
                        (by_client, id.get().to_owned()),
                        typed(method).and_then(|typed| typed.1),
                    );
                }
                typed(method).map(|typed| typed.0)
            }
            (None, _) if envelope.error.is_some() => Some(decode::<Error> as Decode),
            (None, Some(id)) => calls.remove(&(!by_client, id.get().to_owned())).flatten(),
            (None, None) => None,
        };
        messages.push(Message { text: text.to_owned(), decode });
    }
    Ok(messages)
}

fn main() -> std::io::Result<()> {
    let mut all = Vec::new();
    for file in std::env::args().skip(1) {
        all.extend(messages(&file)?);
    }
    let bytes = all.iter().map(|message| message.text.len()).sum::<usize>();
    let untyped = all.iter().filter(|message| message.decode.is_none()).count();
    let undecoded = all.iter().filter(|message| !message.read()).count();
    let before = allocation::so_far().0;
    let mut fastest = Duration::MAX;
    for _ in 0..PASSES {
        let start = Instant::now();
        for message in &all {
            black_box(message.read());
        }
        fastest = fastest.min(start.elapsed());
    }
    let items = all.len().max(1) as f64;
    let allocations = (allocation::so_far().0 - before) as f64 / items / PASSES as f64;
    println!(
        "{}",
        json!({
            "messages": all.len(),
            "untyped": untyped,
            "undecoded": undecoded,
            "bytes": bytes,
            "mb_s": bytes as f64 / 1e6 / fastest.as_secs_f64(),
            "ns_per_item": fastest.as_nanos() as f64 / items,
            "allocs_per_item": allocations,
        })
    );
    Ok(())
}
