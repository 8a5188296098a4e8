//! A case: the lines that are sent to a peer, and their file format.

use super::value::{CWD, SESSION};
use crate::json::json;
use crate::peer::line::Line;
use crate::peer::script::Answer;
use crate::recording::{TraceError, trace};
use attache_protocol::method::{Initialize, Method, SessionNew, SessionPrompt, Side};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::time::Duration;

/// The lines that are sent to a peer, and the answers to its calls.
///
/// Texts refer to the open session and its folder as `{session}` and `{cwd}`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Case {
    pub(super) steps: Vec<Step>,
    /// The answers to the peer's calls, each with its method, in order. Later calls get the default
    /// answer.
    pub(super) answers: Vec<(String, Answer)>,
    /// Whether the input ends after the last step.
    pub(super) closes: bool,
}

/// Bytes that are sent together.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Step {
    pub(super) text: Vec<u8>,
    /// The number of spaces after the text.
    pub(super) pad: usize,
    /// The delay before the bytes are sent.
    pub(super) delay: Duration,
    /// The byte offsets in the text at which one write ends and the next begins.
    pub(super) cuts: Vec<usize>,
    /// Whether the line feed at the end is left out.
    pub(super) is_unended: bool,
}

/// A step that was played, or a line that the peer or the judge sent between two steps.
#[derive(Debug, Clone)]
pub(super) enum Said {
    Step(Step),
    Line(Line),
}

impl Step {
    pub(super) fn message(message: &Value) -> Self {
        Self { text: message.to_string().into_bytes(), ..Self::default() }
    }

    /// Returns the step as JSON, or `None` if it is not JSON.
    pub(super) fn value(&self) -> Option<Value> {
        serde_json::from_slice(&self.text).ok()
    }
}

/// Writes a recording: JSON lines that [`crate::Recording`] reads, with the extra data that a
/// replay needs.
pub(super) fn written(said: &[Said], judged: Side, closes: bool) -> String {
    let mut file = String::new();
    for said in said {
        let mut record = Map::new();
        let (from, text) = match said {
            Said::Step(step) => {
                details(step, &mut record);
                (judged.other(), String::from_utf8_lossy(&step.text).into_owned())
            }
            Said::Line(line) => (line.from, line.text.clone()),
        };
        record.insert("from".to_owned(), json!(from.as_str()));
        match serde_json::from_str::<Value>(&text) {
            Ok(Value::Object(message)) => {
                record.insert("message".to_owned(), Value::Object(message))
            }
            _ => record.insert("text".to_owned(), json!(text)),
        };
        file += &format!("{}\n", Value::Object(record));
    }
    if closes {
        file +=
            &format!("{}\n", json!({"from": judged.other().as_str(), "text": "", "closes": true}));
    }
    file
}

fn details(step: &Step, record: &mut Map<String, Value>) {
    let mut detail = |key: &str, value: Value| record.insert(key.to_owned(), value);
    if std::str::from_utf8(&step.text).is_err() {
        detail("bytes", json!(step.text));
    } else if step
        .value()
        .is_some_and(|value| value.is_object() && value.to_string().as_bytes() != step.text)
    {
        // Only the text preserves the exact JSON, including numbers that do not fit a double.
        detail("line", json!(String::from_utf8_lossy(&step.text)));
    }
    if step.pad > 0 {
        detail("pad", json!(step.pad));
    }
    if !step.delay.is_zero() {
        detail("delay", json!(u64::try_from(step.delay.as_millis()).unwrap_or(u64::MAX)));
    }
    if !step.cuts.is_empty() {
        detail("cuts", json!(step.cuts));
    }
    if step.is_unended {
        detail("unended", json!(true));
    }
}

impl Case {
    /// Reads a recording of a case, or any recording of JSON lines. The replay sends the lines to
    /// the judged side again, with its new session and folder.
    ///
    /// # Errors
    /// Returns an error with the position and the reason if the file is malformed.
    pub fn read(file: &str, judged: Side) -> Result<Self, TraceError> {
        let (mut case, mut names) = (Self::default(), Vec::new());
        // The method of each call, by side and id.
        let mut calls: HashMap<(Side, String), String> = HashMap::new();
        for (number, line) in (1..).zip(file.lines()) {
            let Some(recorded) = trace(number, line)? else { continue };
            let record: Value = serde_json::from_str(line).unwrap_or_default();
            if record.get("closes") == Some(&Value::Bool(true)) {
                case.closes = true;
                continue;
            }
            let message: Value = serde_json::from_str(&recorded.text).unwrap_or_default();
            let id = message.get("id").map(Value::to_string);
            let called = message.get("method").and_then(Value::as_str);
            let replied = id
                .clone()
                .filter(|_| called.is_none())
                .and_then(|id| calls.get(&(recorded.from.other(), id)).cloned());
            if let (Some(method), Some(id)) = (called, id) {
                calls.insert((recorded.from, id), method.to_owned());
            }
            names.extend(named(&message, called, replied.as_deref()));
            if recorded.from == judged {
                continue;
            }
            match replied {
                Some(method) => {
                    case.answers.extend(answer(&message).map(|answer| (method, answer)))
                }
                None => case.steps.push(step(&record, &recorded.text)),
            }
        }
        if judged == Side::Client {
            // These calls get the judge's default answers, which open the session and end the turn.
            let is_own = |method: &str| {
                [Initialize::ROW.name, SessionNew::ROW.name, SessionPrompt::ROW.name]
                    .contains(&method)
            };
            case.answers
                .retain(|(method, answer)| !is_own(method) || !matches!(answer, Answer::Result(_)));
        }
        case.rename(&names);
        Ok(case)
    }

    /// Replaces the session and the folder with their placeholders.
    fn rename(&mut self, names: &[(String, &'static str)]) {
        let renamed = |text: &str| {
            names.iter().fold(text.to_owned(), |text, (old, new)| text.replace(old, new))
        };
        for step in &mut self.steps {
            if let Ok(text) = std::str::from_utf8(&step.text) {
                step.text = renamed(text).into_bytes();
            }
        }
        for (_, answer) in &mut self.answers {
            if let Answer::Result(result) = answer {
                *result = serde_json::from_str(&renamed(&result.to_string())).unwrap_or_default();
            }
        }
    }
}

/// Returns the session and its folder, escaped as in a JSON string.
fn named(
    message: &Value,
    called: Option<&str>,
    replied: Option<&str>,
) -> Vec<(String, &'static str)> {
    let within =
        |pointer| message.pointer(pointer).and_then(Value::as_str).filter(|name| name.len() > 3);
    let inner = |name: &str| Value::from(name).to_string().trim_matches('"').to_owned();
    let mut names = Vec::new();
    if replied == Some(SessionNew::ROW.name) {
        names.extend(within("/result/sessionId").map(|id| (inner(id), SESSION)));
    }
    if called == Some(SessionNew::ROW.name) {
        names.extend(within("/params/cwd").map(|cwd| (inner(cwd), CWD)));
    }
    names
}

fn answer(message: &Value) -> Option<Answer> {
    match (message.get("result"), message.pointer("/error/code").and_then(Value::as_i64)) {
        (Some(result), _) => Some(Answer::Result(result.clone())),
        (None, Some(code)) => Some(Answer::Error(code)),
        _ => None,
    }
}

fn step(record: &Value, text: &str) -> Step {
    let number = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
    let bytes = record["bytes"].as_array().map(|bytes| {
        bytes
            .iter()
            .filter_map(Value::as_u64)
            .filter_map(|byte| u8::try_from(byte).ok())
            .collect::<Vec<u8>>()
    });
    let text = record["line"].as_str().unwrap_or(text);
    Step {
        text: bytes.unwrap_or_else(|| text.as_bytes().to_vec()),
        pad: number(&record["pad"]).unwrap_or_default(),
        delay: Duration::from_millis(record["delay"].as_u64().unwrap_or_default()),
        cuts: record["cuts"]
            .as_array()
            .map(|cuts| cuts.iter().filter_map(number).collect())
            .unwrap_or_default(),
        is_unended: record["unended"] == true,
    }
}
