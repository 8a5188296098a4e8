//! Conversations that are repaired so that one model can read them.

use crate::message::{AssistantMessage, AssistantPart, Message, Request, ToolReply};
use crate::text::stable_hash;
use serde_json::{Map, Value, json};

/// The reply that is added to a tool call that has no result.
const UNANSWERED: &str = "[not run: the turn ended first]";

/// Repairs the conversation of a request for its model. A tool call that has no reply gets one.
/// Replies without a call, empty messages, and the thoughts and provider data of other models are
/// left out, and those of the model itself if the request says so.
pub(crate) fn readable(request: &Request) -> Vec<Message> {
    let mut readable = Vec::new();
    let mut open: Vec<(String, String)> = Vec::new();
    for message in &request.messages {
        match message {
            Message::ToolReply(answer) => {
                let Some(at) = open.iter().position(|(id, _)| *id == answer.call_id) else {
                    continue;
                };
                open.remove(at);
                readable.push(message.clone());
                continue;
            }
            Message::User(user) if user.parts.is_empty() => continue,
            Message::User(_) => {
                close(&mut open, &mut readable);
                readable.push(message.clone());
            }
            Message::Assistant(said) => {
                close(&mut open, &mut readable);
                let said = of(said, request);
                if said.parts.is_empty() {
                    continue;
                }
                open = calls(&said).collect();
                readable.push(Message::Assistant(said));
            }
        }
    }
    close(&mut open, &mut readable);
    readable
}

/// Returns the index at which the current turn begins: after the last user message.
pub(crate) fn current_turn(messages: &[Message]) -> usize {
    messages.iter().rposition(|message| matches!(message, Message::User(_))).map_or(0, |at| at + 1)
}

/// Returns the arguments of a call as an object, even if they are not valid JSON.
pub(crate) fn object(arguments: &str) -> Map<String, Value> {
    match serde_json::from_str(arguments) {
        Ok(Value::Object(object)) => object,
        _ if arguments.trim().is_empty() => Map::new(),
        _ => Map::from_iter([("unreadable_arguments".to_owned(), json!(arguments))]),
    }
}

/// Returns an id that consists of letters, digits, `_` and `-` or, if `length` is set, of that many
/// letters and digits. Equal ids stay equal.
pub(crate) fn plain_id(id: &str, length: Option<usize>) -> String {
    let plain = |byte: u8| {
        byte.is_ascii_alphanumeric() || (length.is_none() && matches!(byte, b'_' | b'-'))
    };
    let fits = length.map_or(id.len() <= 40 && !id.is_empty(), |length| id.len() == length);
    if fits && id.bytes().all(plain) {
        return id.to_owned();
    }
    // The hash need not be cryptographic, because it only generates an id.
    let text = format!("{:016x}", stable_hash(id));
    text.get(..length.unwrap_or(text.len())).unwrap_or(&text).to_owned()
}

fn close(open: &mut Vec<(String, String)>, readable: &mut Vec<Message>) {
    readable.extend(open.drain(..).map(|(call_id, name)| {
        Message::ToolReply(ToolReply {
            call_id,
            name,
            text: UNANSWERED.to_owned(),
            images: Vec::new(),
            failed: true,
            data: None,
        })
    }));
}

fn calls(message: &AssistantMessage) -> impl Iterator<Item = (String, String)> {
    message.parts.iter().filter_map(|part| match part {
        AssistantPart::Call { id, name, .. } => Some((id.clone(), name.clone())),
        AssistantPart::Text { .. } | AssistantPart::Thought { .. } => None,
    })
}

/// Returns whether the conversation of a request contains thoughts, or data of thoughts, that the
/// request sends back.
pub(crate) fn has_thoughts(request: &Request) -> bool {
    let of_thought = |part: &AssistantPart| match part {
        AssistantPart::Text { sealed, .. } => sealed.as_ref().is_some_and(is_signature),
        AssistantPart::Thought { sealed, .. } | AssistantPart::Call { sealed, .. } => {
            sealed.is_some()
        }
    };
    let sent =
        |said: &AssistantMessage| said.model == request.model && said.parts.iter().any(of_thought);
    !request.without_thoughts
        && request
            .messages
            .iter()
            .any(|message| matches!(message, Message::Assistant(said) if sent(said)))
}

/// Returns whether the data of a text belongs to a thought. The other data of a text is its phase.
fn is_signature(sealed: &Value) -> bool {
    sealed.get("phase").is_none()
}

fn of(said: &AssistantMessage, request: &Request) -> AssistantMessage {
    let mut said = said.clone();
    let is_other = said.model != request.model;
    if is_other || request.without_thoughts {
        said.parts.retain(|part| !matches!(part, AssistantPart::Thought { .. }));
        for part in &mut said.parts {
            match part {
                AssistantPart::Text { sealed, .. } if !is_other => {
                    sealed.take_if(|sealed| is_signature(sealed));
                }
                AssistantPart::Text { sealed, .. }
                | AssistantPart::Thought { sealed, .. }
                | AssistantPart::Call { sealed, .. } => {
                    *sealed = None;
                }
            }
        }
    }
    said.parts.retain(
        |part| !matches!(part, AssistantPart::Text { text, sealed: None } if text.is_empty()),
    );
    said
}

#[cfg(test)]
mod tests {
    use super::{UNANSWERED, has_thoughts, object, plain_id, readable};
    use crate::message::{
        AssistantMessage, AssistantPart, Message, ModelId, Part, Request, ToolReply,
    };
    use crate::testing::replay::request;
    use serde_json::json;

    fn person(text: &str) -> Message {
        Message::user(vec![Part::Text(text.into())])
    }

    fn answer(id: &str, text: &str, failed: bool) -> Message {
        Message::ToolReply(ToolReply {
            call_id: id.into(),
            name: "t".into(),
            text: text.into(),
            images: vec![],
            failed,
            data: None,
        })
    }

    fn call(id: &str) -> AssistantPart {
        AssistantPart::Call {
            id: id.into(),
            name: "t".into(),
            arguments: "{}".into(),
            sealed: Some(json!(1)),
        }
    }

    fn model(parts: Vec<AssistantPart>) -> Message {
        Message::Assistant(AssistantMessage { model: ModelId::new("p", "m"), parts })
    }

    #[test]
    fn each_call_has_one_reply() {
        let asked = model(vec![call("1"), call("2")]);
        let messages = [
            answer("0", "stray", false),
            person("a"),
            asked.clone(),
            answer("2", "two", false),
            person("b"),
        ];
        let expected = [
            person("a"),
            asked,
            answer("2", "two", false),
            answer("1", UNANSWERED, true),
            person("b"),
        ];
        assert_eq!(readable(&request(messages.to_vec())), expected);
    }

    #[test]
    fn another_model_gets_no_thoughts_and_no_provider_data() {
        let thought =
            AssistantPart::Thought { text: "hm".into(), sealed: Some(json!({"signature": "s"})) };
        let messages =
            [person("a"), model(vec![thought.clone(), call("1")]), answer("1", "x", false)];
        let sent = request(messages.to_vec());
        assert_eq!(readable(&sent), messages);
        assert!(has_thoughts(&sent));
        let bare = AssistantPart::Call {
            id: "1".into(),
            name: "t".into(),
            arguments: "{}".into(),
            sealed: None,
        };
        for other in [ModelId::new("p", "other"), ModelId::new("other", "m")] {
            let expected = [person("a"), model(vec![bare.clone()]), answer("1", "x", false)];
            let to_other = Request { model: other, ..sent.clone() };
            assert_eq!((readable(&to_other), has_thoughts(&to_other)), (expected.to_vec(), false));
        }
        let other = ModelId::new("p", "other");
        assert_eq!(readable(&Request { model: other, ..request(vec![model(vec![thought])]) }), []);
    }

    #[test]
    fn refused_thoughts_are_left_out_and_the_text_stays() {
        let thought =
            AssistantPart::Thought { text: "hm".into(), sealed: Some(json!({"signature": "s"})) };
        let text = |sealed| AssistantPart::Text { text: "a".into(), sealed };
        let phase = Some(json!({"phase": "commentary"}));
        let parts = vec![
            thought,
            text(phase.clone()),
            text(Some(json!({"thoughtSignature": "s"}))),
            call("1"),
        ];
        let messages = vec![person("a"), model(parts), answer("1", "x", false)];
        let bare = Request { without_thoughts: true, ..request(messages) };
        let AssistantPart::Call { id, name, arguments, .. } = call("1") else { panic!() };
        let call = AssistantPart::Call { id, name, arguments, sealed: None };
        let expected =
            [person("a"), model(vec![text(phase), text(None), call]), answer("1", "x", false)];
        assert_eq!((readable(&bare), has_thoughts(&bare)), (expected.to_vec(), false));
    }

    #[test]
    fn arguments_always_become_an_object() {
        assert_eq!(json!(object(r#"{"a":1}"#)), json!({"a": 1}));
        assert_eq!(json!(object(" ")), json!({}));
        assert_eq!(json!(object(r#"{"a":"#)), json!({"unreadable_arguments": "{\"a\":"}));
        assert_eq!(json!(object("[1]")), json!({"unreadable_arguments": "[1]"}));
    }

    #[test]
    fn valid_ids_are_kept() {
        assert_eq!(plain_id("toolu_01-A", None), "toolu_01-A");
        assert_eq!(plain_id("abcdefgh9", Some(9)), "abcdefgh9");
        for (id, length) in
            [("functions.read:0", None), ("", None), (&"x".repeat(65), None), ("call_1", Some(9))]
        {
            let plain = plain_id(id, length);
            assert_eq!(plain.len(), length.unwrap_or(16));
            assert!(plain.bytes().all(|byte| byte.is_ascii_alphanumeric()));
            assert_eq!(plain, plain_id(id, length));
            assert_ne!(plain, plain_id(&format!("{id}1"), length));
        }
    }
}
