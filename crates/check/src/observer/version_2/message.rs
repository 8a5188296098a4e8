//! Prompts and the user messages that they insert (V2-27 to V2-30).

use super::super::finding::Report;
use super::super::seen::{Seen, entries, quoted, text};
use attache_protocol::method::{SessionCancel, SessionClose, SessionPrompt};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The error code of a cancelled call.
const CANCELLED: i64 = -32800;

/// Error codes of prompts that fail for another reason than a cancel: unknown method, invalid
/// params, unknown session, needed login.
const REFUSED: [i64; 4] = [-32601, -32602, -32002, -32000];

/// The prompts of each session.
#[derive(Debug, Default)]
pub(super) struct Judge {
    sessions: HashMap<String, Prompts>,
}

#[derive(Debug, Default)]
struct Prompts {
    /// The lines of the prompts without a reply, each with the line of a later cancel.
    open: HashMap<usize, Option<usize>>,
    /// The ids in replies to prompts, each with the line of the reply.
    inserted: HashMap<String, usize>,
    /// The ids of user messages in updates.
    reported: HashSet<String>,
    /// The inserted messages that no update has reported.
    unreported: Vec<Unreported>,
}

#[derive(Debug)]
struct Unreported {
    message: String,
    /// The line of the reply to its prompt.
    line: usize,
    /// Whether the session was idle since then.
    is_over: bool,
}

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Some(asked) = seen.asked::<SessionPrompt>() {
            report.keeps("V2-27", !entries(&asked.params, "prompt").is_empty(), || {
                "the prompt has no content".to_owned()
            });
            self.of(&asked.params).open.insert(report.line(), None);
        }
        let stops = seen.asked::<SessionCancel>().or_else(|| seen.asked::<SessionClose>());
        if let Some(asked) = stops {
            for stopped in self.of(&asked.params).open.values_mut() {
                stopped.get_or_insert(report.line());
            }
        }
        if let Some((session, update)) = seen.update()
            && let Some(prompts) = self.sessions.get_mut(session)
        {
            prompts.updated(update);
        }
        if let Some((call, outcome)) = seen.reply::<SessionPrompt>() {
            self.of(&call.params).replied(call.line, outcome, report);
        }
        if let Some((call, _)) = seen.result::<SessionClose>() {
            let prompts = self.of(&call.params);
            prompts.unreported.iter_mut().for_each(|message| message.is_over = true);
            prompts.judge_unreported(report);
        }
    }

    fn of(&mut self, params: &Value) -> &mut Prompts {
        let session = text(params, "sessionId").unwrap_or_default();
        self.sessions.entry(session.to_owned()).or_default()
    }
}

impl Prompts {
    fn updated(&mut self, update: &Value) {
        match text(update, "sessionUpdate") {
            Some("user_message" | "user_message_chunk") => {
                let id = text(update, "messageId").unwrap_or_default();
                self.unreported.retain(|message| message.message != id);
                self.reported.insert(id.to_owned());
            }
            Some("state_update") if text(update, "state") == Some("idle") => {
                self.unreported.iter_mut().for_each(|message| message.is_over = true);
            }
            _ => {}
        }
    }

    fn replied(&mut self, prompt: usize, outcome: Result<&Value, &Value>, report: &mut Report) {
        let stopped = self.open.remove(&prompt).flatten();
        match outcome {
            Ok(result) => {
                let Some(id) = text(result, "messageId") else { return };
                self.judge_unreported(report);
                let earlier = self.inserted.insert(id.to_owned(), report.line());
                report.agrees("V2-28", earlier, || {
                    format!("{} is the id of an earlier message", quoted(id))
                });
                if !self.reported.contains(id) {
                    let (message, line) = (id.to_owned(), report.line());
                    self.unreported.push(Unreported { message, line, is_over: false });
                }
            }
            Err(error) => {
                let Some(stopped) = stopped else { return };
                let code = error.get("code").and_then(Value::as_i64).unwrap_or_default();
                let is_right = code == CANCELLED || REFUSED.contains(&code);
                report.agrees("V2-30", (!is_right).then_some(stopped), || {
                    format!("the cancelled prompt is answered with the error {code}")
                });
            }
        }
    }

    /// Reports the messages that were inserted and whose work is over, but that no update has
    /// reported.
    fn judge_unreported(&mut self, report: &mut Report) {
        if !self.reported.is_empty() {
            report.tests(&["V2-29"]);
        }
        for message in &self.unreported {
            if message.is_over {
                let seen = format!("no update reports the message {}", quoted(&message.message));
                report.contradicts("V2-29", message.line, seen);
            }
        }
        self.unreported.retain(|message| !message.is_over);
    }
}
