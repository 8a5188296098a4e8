//! The first turn of a run: whether the agent answers a prompt (PROMPT-06), and whether its turns
//! follow their prompts.

use super::Run;
use crate::json::json;
use crate::judging::boxed::Boxed;
use crate::judging::conversation::{Conversation, Played, Turn, quoted, refusal};
use crate::judging::verdict::{Outcome, Probed, fail, not_tested};
use crate::model::acts::{self, Acts};
use crate::peer::line::Line;
use attache_protocol::method::{Method, SessionCancel, SessionNew, SessionUpdateNotification};
use serde_json::Value;
use std::collections::HashMap;
use tokio::time::Instant;

/// The text that a turn must send to show that it follows its prompt.
const WORD: &str = "attache-word-50917";

const EXPECTED: &str = "session/prompt is answered with a stopReason";

/// Error codes that mean that the agent does not accept a correct prompt. Any other code may come
/// from a missing model.
const TAKES_NONE: [i64; 5] = [-32700, -32600, -32601, -32602, -32002];

impl Run {
    /// Whether the agent opens a session. It fails if the agent does not know the request or does
    /// not answer. It is not tested if the agent needs a login or lacks something else. It is tried
    /// once per run.
    pub(crate) fn opened<'a>(&'a mut self) -> Boxed<'a, Probed> {
        Box::pin(async move {
            if self.opened.is_none() {
                let params = json!({"cwd": self.folder, "mcpServers": []});
                let opened = match self.talk().await?.call::<SessionNew>(params).await {
                    Ok(reply) => match reply.error("/code").and_then(Value::as_i64) {
                        Some(code) if TAKES_NONE.contains(&code) => {
                            fail("a session opens", quoted(reply.text()))
                        }
                        Some(_) => not_tested(format!("no session opens: {}", refusal(&reply))),
                        None => Ok(()),
                    },
                    Err(outcome) => Err(outcome),
                };
                self.opened = Some(opened);
            }
            self.opened.clone().unwrap_or(Ok(()))
        })
    }

    /// The same for a probe that needs a session for another rule: not tested if the agent opens
    /// none.
    pub(crate) fn opens_sessions<'a>(&'a mut self) -> Boxed<'a, Probed> {
        Box::pin(async move {
            match self.opened().await {
                Err(Outcome::Fail { seen, .. }) => {
                    not_tested(format!("the agent opens no session, see SESS-01: {seen}"))
                }
                _ => Ok(()),
            }
        })
    }

    /// Whether the agent's turns follow their prompts, which every probe of a turn needs. It is
    /// tried once per run.
    pub(crate) fn driven<'a>(&'a mut self) -> Boxed<'a, Probed> {
        Box::pin(async move {
            self.calibrated().await;
            match &self.driven {
                Some(Err(why)) => not_tested(why.clone()),
                _ => Ok(()),
            }
        })
    }

    /// Whether the agent answers a prompt. It fails if not, and is not tested if the agent has no
    /// model or needs a login.
    pub(crate) fn prompted<'a>(&'a mut self) -> Boxed<'a, Probed> {
        Box::pin(async move {
            self.calibrated().await;
            self.prompted.clone().unwrap_or(Ok(()))
        })
    }

    /// The same for a probe that prompts for another rule: not tested if the agent answers no
    /// prompt.
    pub(crate) fn answers_prompts<'a>(&'a mut self) -> Boxed<'a, Probed> {
        Box::pin(async move {
            match self.prompted().await {
                Err(Outcome::Fail { seen, .. }) => {
                    not_tested(format!("the agent takes no prompt, as PROMPT-06 tells: {seen}"))
                }
                _ => Ok(()),
            }
        })
    }

    /// The same for a probe of separate sessions: it fails if the first turn was reported in
    /// another session.
    pub(crate) fn driven_apart<'a>(&'a mut self) -> Boxed<'a, Probed> {
        Box::pin(async move {
            self.calibrated().await;
            if let Some(seen) = &self.misplaced {
                return fail("what a turn says is told in its session", seen.clone());
            }
            self.driven().await
        })
    }

    async fn calibrated(&mut self) {
        if self.prompted.is_none() {
            let (prompted, driven) = self.calibrate().await;
            (self.prompted, self.driven) = (Some(prompted), Some(driven));
        }
    }

    /// Runs one turn that must send a certain word. Returns whether the agent answered the prompt
    /// and whether it sent the word.
    async fn calibrate(&mut self) -> (Probed, Result<(), String>) {
        let (talk, session) = match self.session().await {
            Ok(opened) => opened,
            Err(outcome) => {
                let why = outcome.seen().to_owned();
                return (not_tested(why.clone()), Err(why));
            }
        };
        let turn = talk.begin_turn(&session, acts::say(WORD));
        let answer = answered(talk, &turn).await;
        let prompted = answer.as_ref().map_or_else(|outcome| Err(outcome.clone()), takes);
        if let Err(outcome @ Outcome::Fail { .. }) = &prompted {
            let why = format!("the agent takes no prompt, as PROMPT-06 tells: {}", outcome.seen());
            return (prompted, Err(why));
        }
        let said = answer.and_then(|played| played.stop_reason().map(|_| played.said()));
        let seen = match said {
            Ok(said) if said.contains(WORD) && Acts::read(&said).is_none() => {
                self.first_spoken = Some((session, Instant::now()));
                return (prompted, Ok(()));
            }
            Ok(_) if said_elsewhere(talk, &turn) => {
                let why = "the word that a turn is to say is told in another session";
                self.misplaced = Some(why.to_owned());
                return (prompted, Err(format!("{why}, as SESS-06 tells")));
            }
            Ok(said) if said.is_empty() => "it says nothing".to_owned(),
            Ok(said) => format!("it says: {}", quoted(&said)),
            Err(outcome) => outcome.seen().to_owned(),
        };
        let unasked =
            if self.asked() == Some(0) { "; the judge's model was not asked" } else { "" };
        let why = format!(
            "the agent has no model that can be told what to do (told to say a word, {seen}{unasked}): --model-env NAME"
        );
        (prompted, Err(why))
    }
}

/// Whether the word was sent in a session without a running turn.
fn said_elsewhere(talk: &Conversation, turn: &Turn) -> bool {
    let mut said: HashMap<String, String> = HashMap::new();
    let updates = talk.heard(turn.first).filter(|line| line.calls::<SessionUpdateNotification>());
    for params in updates.filter_map(|line| line.get("params")) {
        let session = params.get("sessionId").filter(|session| *session != turn.session());
        let text = params.pointer("/update/content/text").and_then(Value::as_str);
        if let (Some(session), Some(text)) = (session, text) {
            said.entry(session.to_string()).or_default().push_str(text);
        }
    }
    said.values().any(|said| said.contains(WORD))
}

/// Waits for the reply to a prompt. A turn that sends updates but does not end is cancelled, so
/// that it does not disturb later probes.
async fn answered(talk: &mut Conversation, turn: &Turn) -> Probed<Played> {
    let outcome = match talk.finish(turn.clone()).await {
        Ok(played) => return Ok(played),
        Err(outcome) => outcome,
    };
    if !talk.is_up() {
        return fail(EXPECTED, outcome.seen().to_owned());
    }
    let session = turn.session().clone();
    let is_of_turn = |line: &Line| {
        line.calls::<SessionUpdateNotification>()
            && line.get("params").and_then(|params| params.get("sessionId")) == Some(&session)
            && ["_chunk\"", "\"tool_call", "\"plan\""].iter().any(|kind| line.text.contains(kind))
    };
    let shows = talk.heard(turn.first).any(is_of_turn);
    talk.notify(SessionCancel::ROW.name, json!({"sessionId": session}));
    let patience = talk.patience;
    let ended = talk.finish_within(turn.clone(), patience).await;
    match (shows, ended) {
        (true, Ok(_)) => {
            not_tested(format!("the turn goes on, and was cancelled: {}", outcome.seen()))
        }
        _ => fail(EXPECTED, outcome.seen().to_owned()),
    }
}

/// Whether the reply to a prompt has a stop reason.
fn takes(played: &Played) -> Probed {
    let code = played.reply.error("/code").and_then(Value::as_i64);
    match code {
        Some(code) if TAKES_NONE.contains(&code) => fail(EXPECTED, quoted(played.reply.text())),
        // The agent lacks a model or a login, so it is unknown whether it would run a turn.
        Some(_) => not_tested(format!("the turn fails: {}", refusal(&played.reply))),
        None => played.stop_reason().map(|_| ()),
    }
}
