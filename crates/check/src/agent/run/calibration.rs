//! The first turn of a run. It shows whether the agent answers a prompt (PROMPT-06), and whether
//! its turns do what their prompts say.

use super::Run;
use crate::agent::basic_rules::BasicRules;
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

/// The word that the first turn must send to show that it follows its prompt.
const WORD: &str = "attache-word-50917";

const EXPECTED: &str = "session/prompt is answered, and its turn ends with a stopReason";

/// The error codes that mean that the agent does not accept a correct request. Any other code may
/// be due to a missing model or login.
const TAKES_NONE: [i64; 5] = [-32700, -32600, -32601, -32602, -32002];

impl Run {
    /// Checks that the agent opens a session. Fails if the agent rejects the request as such or
    /// does not answer. The rule is not tested if the agent returns another error, for example
    /// because it needs a login. The run tries this only once.
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

    /// Like [`opened`](Self::opened), for a probe of another rule, which is not tested if `opened`
    /// fails.
    pub(crate) fn opens_sessions<'a>(&'a mut self) -> Boxed<'a, Probed> {
        Box::pin(async move {
            match self.opened().await {
                Err(Outcome::Fail { seen, .. }) => not_tested(format!(
                    "the agent opens no session, which breaks {}: {seen}",
                    self.basic_rules().opened
                )),
                _ => Ok(()),
            }
        })
    }

    /// Checks that the agent's turns do what their prompts say, which every probe of a turn needs.
    /// The run tries this only once.
    pub(crate) fn follows_prompts<'a>(&'a mut self) -> Boxed<'a, Probed> {
        Box::pin(async move {
            self.calibrated().await;
            match &self.driven {
                Some(Err(why)) => not_tested(why.clone()),
                _ => Ok(()),
            }
        })
    }

    /// Checks that the agent answers a prompt. The rule is not tested if the turn fails, for
    /// example because the agent has no model or needs a login.
    pub(crate) fn prompted<'a>(&'a mut self) -> Boxed<'a, Probed> {
        Box::pin(async move {
            self.calibrated().await;
            self.prompted.clone().unwrap_or(Ok(()))
        })
    }

    /// Like [`prompted`](Self::prompted), for a probe of another rule, which is not tested if
    /// `prompted` fails.
    pub(crate) fn answers_prompts<'a>(&'a mut self) -> Boxed<'a, Probed> {
        Box::pin(async move {
            match self.prompted().await {
                Err(Outcome::Fail { seen, .. }) => not_tested(format!(
                    "the agent accepts no prompt, which breaks {}: {seen}",
                    self.basic_rules().prompted
                )),
                _ => Ok(()),
            }
        })
    }

    /// Like [`follows_prompts`](Self::follows_prompts), for a probe about separate sessions: fails
    /// if the updates of the first turn named another session.
    pub(crate) fn separates_sessions<'a>(&'a mut self) -> Boxed<'a, Probed> {
        Box::pin(async move {
            self.calibrated().await;
            if let Some(seen) = &self.misplaced {
                return fail("the updates of a turn name the session of the turn", seen.clone());
            }
            self.follows_prompts().await
        })
    }

    async fn calibrated(&mut self) {
        if self.prompted.is_none() {
            let (prompted, driven) = self.calibrate().await;
            (self.prompted, self.driven) = (Some(prompted), Some(driven));
        }
    }

    /// Runs one turn whose prompt asks for a word. Returns whether the agent answered the prompt,
    /// and whether the turn sent the word.
    async fn calibrate(&mut self) -> (Probed, Result<(), String>) {
        let BasicRules { prompted: rule, separate, .. } = self.basic_rules();
        let (talk, session) = match self.session().await {
            Ok(opened) => opened,
            Err(outcome) => {
                let why = outcome.seen().to_owned();
                return (not_tested(why.clone()), Err(why));
            }
        };
        let turn = talk.begin_turn(&session, acts::say(WORD));
        let answer = answered(talk, &turn).await;
        let prompted = answer.as_ref().map_or_else(|outcome| Err(outcome.clone()), has_stop_reason);
        if let Err(outcome @ Outcome::Fail { .. }) = &prompted {
            let why =
                format!("the agent accepts no prompt, which breaks {rule}: {}", outcome.seen());
            return (prompted, Err(why));
        }
        let said = answer.and_then(|played| played.stop_reason().map(|_| played.said()));
        let seen = match said {
            Ok(said) if said.contains(WORD) && Acts::read(&said).is_none() => {
                self.first_spoken = Some((session, Instant::now()));
                return (prompted, Ok(()));
            }
            Ok(_) if said_elsewhere(talk, &turn) => {
                let why = "the word that the prompt asks for is sent in another session";
                self.misplaced = Some(why.to_owned());
                return (prompted, Err(format!("{why}, which breaks {separate}")));
            }
            Ok(said) if said.is_empty() => "it sends no text".to_owned(),
            Ok(said) => format!("it sends: {}", quoted(&said)),
            Err(outcome) => outcome.seen().to_owned(),
        };
        let unasked =
            if self.asked() == Some(0) { "; it did not use the judge's model" } else { "" };
        let why = format!(
            "the agent has no model that follows instructions (its prompt asks for a word, but {seen}{unasked}): use --model-env NAME"
        );
        (prompted, Err(why))
    }
}

/// Whether [`WORD`] was sent in a session other than the turn's.
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

/// Waits for the reply to a prompt. If none arrives in time, cancels the turn, so that it does not
/// affect later probes. The rule is not tested if the turn sent updates and the cancel ended the
/// turn.
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
            && ["_chunk\"", "\"tool_call", "\"plan\"", "\"running\""]
                .iter()
                .any(|kind| line.text.contains(kind))
    };
    let shows = talk.heard(turn.first).any(is_of_turn);
    talk.notify(SessionCancel::ROW.name, json!({"sessionId": session}));
    let patience = talk.patience;
    let ended = talk.finish_within(turn.clone(), patience).await;
    match (shows, ended) {
        (true, Ok(_)) => {
            not_tested(format!("the turn did not end and was cancelled: {}", outcome.seen()))
        }
        _ => fail(EXPECTED, outcome.seen().to_owned()),
    }
}

/// Checks that the reply to a prompt has a stop reason.
fn has_stop_reason(played: &Played) -> Probed {
    let code = played.reply.error("/code").and_then(Value::as_i64);
    match code {
        Some(code) if TAKES_NONE.contains(&code) => fail(EXPECTED, quoted(played.reply.text())),
        // The agent may lack a model or a login, so it is unknown whether it can run a turn.
        Some(_) => not_tested(format!("the turn fails: {}", refusal(&played.reply))),
        None => played.stop_reason().map(|_| ()),
    }
}
