//! Replays of several turns while another session is active (SESS-13).

use super::driven::{play_in, unjudged};
use super::history::{LOAD, refused};
use super::session::CLOSE;
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, Session, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect};
use crate::model::acts::say;
use attache_protocol::method::{SessionClose, SessionLoad};
use serde_json::Value;

probes! { Run:
    "SESS-13" several_turns_are_replayed_once_and_in_order;
}

/// The words that the session's turns send.
const WORDS: [&str; 3] =
    ["attache-first-word-6203", "attache-second-word-6203", "attache-third-word-6203"];
const BESIDE: &str = "attache-word-beside-6203";

/// A text that occurs only in prompts that tell the judge's model what to do.
const PROMPTED: &str = "\"acts\"";

/// The sender of a word, and the word's index in [`WORDS`].
type Said = (&'static str, usize);

async fn several_turns_are_replayed_once_and_in_order(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    run.talk().await?.needs(LOAD)?;
    let folder = run.folder().to_owned();
    let (talk, session) = run.session().await?;
    let other = talk.open(&folder).await?;
    for word in WORDS {
        play_in(talk, &session, say(word)).await?;
        play_in(talk, &other, say(BESIDE)).await?;
    }
    let reported = match loaded(run, &session, true).await? {
        Some(reported) => reported,
        None => loaded(run, &session, false).await?.unwrap_or_default(),
    };
    let wanted: Vec<Said> =
        (0..WORDS.len()).flat_map(|word| [("user", word), ("agent", word)]).collect();
    let said = words(&reported);
    // If the agent stores no prompts, it must still replay its own text.
    let by_agent =
        |all: &[Said]| all.iter().filter(|(who, _)| *who == "agent").copied().collect::<Vec<_>>();
    let is_right = said == wanted || (by_agent(&wanted) == said);
    let shown = |all: &[Said]| {
        let all: Vec<String> =
            all.iter().map(|(who, word)| format!("{who} {}", word + 1)).collect();
        all.join(", ")
    };
    expect(is_right, format!("each turn once and in order: {}", shown(&wanted)), shown(&said))?;
    let beside = reported.iter().find(|update| text(update).contains(BESIDE));
    let seen = quoted(&beside.map(Value::to_string).unwrap_or_default());
    expect(beside.is_none(), "no updates of another session", seen)
}

/// Loads a session and returns its updates. If `is_new`, loads it in a new process, and returns
/// `None` if that process does not know the session. Otherwise closes the session before loading it
/// in the same process.
async fn loaded(run: &mut Run, session: &Session, is_new: bool) -> Probed<Option<Vec<Value>>> {
    if is_new {
        run.restart().await;
    }
    let params = json!({"sessionId": session.id, "cwd": run.folder(), "mcpServers": []});
    let talk = run.talk().await?;
    if !is_new && talk.offers(CLOSE) {
        close(talk, session).await?;
    }
    let first = talk.now();
    let reply = talk.call::<SessionLoad>(params).await?;
    if is_new && reply.error("/code") == Some(&json!(-32002)) {
        return Ok(None);
    }
    reply.result().map_err(|outcome| refused(&outcome))?;
    Ok(Some(talk.updates(&session.id, first, reply.number()).cloned().collect()))
}

async fn close(talk: &mut Conversation, session: &Session) -> Probed {
    let closed = talk.call::<SessionClose>(json!({"sessionId": session.id})).await;
    closed.map(|_| ()).map_err(|outcome| unjudged(&outcome))
}

/// Joins the chunks of each message, and returns the words with their senders, in order. The
/// prompts of the user also contain the words that the agent sends.
fn words(updates: &[Value]) -> Vec<Said> {
    let mut messages: Vec<(&'static str, String)> = Vec::new();
    for update in updates {
        let who = match update.get("sessionUpdate").and_then(Value::as_str) {
            Some("user_message_chunk") => "user",
            // A prompt that is replayed as a message of the agent counts as the user's here.
            // SESS-15 judges its sender.
            Some("agent_message_chunk") if text(update).contains(PROMPTED) => "user",
            Some("agent_message_chunk") => "agent",
            _ => continue,
        };
        match messages.last_mut() {
            Some((last, said)) if *last == who => said.push_str(text(update)),
            _ => messages.push((who, text(update).to_owned())),
        }
    }
    let mut said = Vec::new();
    for (who, message) in messages {
        let found = WORDS.iter().enumerate().flat_map(|(number, word)| {
            message.match_indices(word).map(move |(place, _)| (place, number))
        });
        let mut found: Vec<(usize, usize)> = found.collect();
        found.sort_unstable();
        if who == "user" {
            found.dedup_by_key(|(_, number)| *number);
        }
        said.extend(found.into_iter().map(|(_, number)| (who, number)));
    }
    said
}

fn text(update: &Value) -> &str {
    update.pointer("/content/text").and_then(Value::as_str).unwrap_or_default()
}
