//! Decodes recorded answers, for tests: all bytes at once and byte by byte, which must give the
//! same result.

use crate::event::{ModelEvent, ModelStop, TokenUsage};
use crate::message::{
    AssistantMessage, AssistantPart, Document, Media, Message, ModelId, Part, Request, Thinking,
    ToolReply, ToolSpec,
};
use crate::provider::Provider;
use crate::wire::Wire;
use crate::wire::adapter::{Progress, StreamError};
use crate::wire::answer_format::AnswerFormat;
use crate::wire::draft::Draft;
use serde_json::{Value, json};
use std::collections::VecDeque;

/// The result of decoding an answer.
#[derive(Debug, PartialEq)]
pub(crate) struct Heard {
    pub(crate) text: String,
    pub(crate) thought: String,
    /// The tool calls, as `id name`, in the order in which they began.
    pub(crate) began: Vec<String>,
    /// The parts of the message as JSON.
    pub(crate) parts: Value,
    pub(crate) stop: ModelStop,
    pub(crate) usage: TokenUsage,
}

/// Decodes an answer. Errors are returned as text: `cut`, `said …`, `malformed …` or `refused …`.
pub(crate) fn heard(wire: Wire, bytes: &[u8]) -> Result<Heard, String> {
    let whole = read(wire, &[bytes]);
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(read(wire, &single), whole, "the result is the same byte by byte");
    whole
}

/// Returns an answer as a stream of events with this data.
pub(crate) fn events(data: &[Value]) -> Vec<u8> {
    data.iter().flat_map(|data| format!("data: {data}\n\n").into_bytes()).collect()
}

fn read(wire: Wire, pieces: &[&[u8]]) -> Result<Heard, String> {
    let mut decoder = Provider::new("p", "P", wire, "http://p/v1").decoder();
    let mut draft = Draft::new(ModelId::new("p", "m"), 7);
    let (mut form, mut events) = (AnswerFormat::default(), VecDeque::new());
    for piece in pieces {
        form.push(piece, &mut events).map_err(words)?;
    }
    form.end(&mut events).map_err(words)?;
    let mut over = false;
    for event in events {
        if decoder.take(&event, &mut draft).map_err(words)? == Progress::Done {
            over = true;
            break;
        }
    }
    if !over && !decoder.end(&mut draft) {
        return Err("cut".to_owned());
    }
    Ok(told(draft))
}

fn words(error: StreamError) -> String {
    match error {
        StreamError::Said(value) => format!("said {value}"),
        StreamError::Malformed(what) => format!("malformed {what}"),
        StreamError::Cut => "cut".to_owned(),
        StreamError::Refused(why) => format!("refused {why}"),
    }
}

fn told(mut draft: Draft) -> Heard {
    let (mut text, mut thought, mut began) = (String::new(), String::new(), Vec::new());
    while let Some(event) = draft.take() {
        match event {
            ModelEvent::Text(piece) => text.push_str(&piece),
            ModelEvent::Thought(piece) => thought.push_str(&piece),
            ModelEvent::CallBegan { index, id, name } => {
                assert_eq!(index, began.len());
                began.push(format!("{id} {name}"));
            }
            ModelEvent::Waiting { .. } => panic!("a reader never waits"),
            ModelEvent::Done { message, stop, usage } => {
                assert_eq!(draft.take(), None, "the end is the last event");
                // Serializing and deserializing does not change the message.
                let stored = serde_json::to_string(&message).unwrap();
                assert_eq!(serde_json::from_str::<AssistantMessage>(&stored).unwrap(), message);
                let parts = json!(message.parts);
                return Heard { text, thought, began, parts, stop, usage };
            }
        }
    }
    panic!("no end");
}

/// Returns a request to the model `m` of the provider `p`, with only these messages.
pub(crate) fn request(messages: Vec<Message>) -> Request {
    Request {
        model: ModelId::new("p", "m"),
        system: String::new(),
        messages,
        tools: Vec::new(),
        thinking: None,
        max_output: None,
        session: "s".to_owned(),
        without_thoughts: false,
    }
}

/// Returns a request with all kinds of content: images, audio, documents, a tool, and two calls, of
/// which one failed. `thought` comes before the calls.
pub(crate) fn full(thought: Option<AssistantPart>) -> Request {
    let media = |mime: &str| Media { mime: mime.to_owned(), base64: "AAAA".to_owned(), name: None };
    let person = Message::user(vec![
        Part::Text("look".to_owned()),
        Part::Image(media("image/png")),
        Part::Audio(media("audio/mpeg")),
        Part::Document(Document { name: "a.pdf".to_owned(), media: media("application/pdf") }),
    ]);
    let call = |id: &str, arguments: &str| AssistantPart::Call {
        id: id.to_owned(),
        name: "read".to_owned(),
        arguments: arguments.to_owned(),
        sealed: None,
    };
    let text = AssistantPart::Text { text: "I read.".to_owned(), sealed: None };
    let calls = [text, call("call_1", r#"{"path":"a"}"#), call("call:2", r#"{"path"#)];
    let parts = thought.into_iter().chain(calls).collect();
    let answer = |id: &str, text: &str, images: Vec<Media>, failed: bool| {
        Message::ToolReply(ToolReply {
            call_id: id.to_owned(),
            name: "read".to_owned(),
            text: text.to_owned(),
            images,
            failed,
            data: None,
        })
    };
    Request {
        system: "Be short.".to_owned(),
        tools: vec![ToolSpec {
            name: "read".to_owned(),
            description: "Reads a file".to_owned(),
            schema: json!({"type": "object", "properties": {"path": {"type": "string"}}}),
        }],
        max_output: Some(4000),
        ..request(vec![
            person,
            Message::Assistant(AssistantMessage { model: ModelId::new("p", "m"), parts }),
            answer("call_1", "one", vec![media("image/png")], false),
            answer("call:2", "no path", Vec::new(), true),
        ])
    }
}

/// Returns a thought with this sealed data.
pub(crate) fn thought(text: &str, sealed: Value) -> AssistantPart {
    AssistantPart::Thought { text: text.to_owned(), sealed: Some(sealed) }
}

/// Returns the request with this thinking level.
pub(crate) fn thinking(request: Request, thinking: Thinking) -> Request {
    Request { thinking: Some(thinking), ..request }
}
