//! Effects of the capabilities of both sides (INIT-11, INIT-14, INIT-17, INIT-21, EXT-04).

use crate::agent::judge_client::capabilities;
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::quoted;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, skipped};
use crate::model::acts::say;
use attache_protocol::method::{Gate, Kind, METHODS, Receiver, Row, SessionPrompt};
use attache_protocol::v1::AgentCapabilities;
use attache_protocol::{FaultKind, UnknownValues, decode_reporting};
use serde_json::{Map, Value};

probes! { Run:
    "INIT-11" clients_with_any_capabilities_are_served;
    "INIT-14" a_client_without_capabilities_is_served;
    "INIT-17" unoffered_methods_answer_method_not_found;
    "INIT-21" extensions_are_offered_in_metadata;
    "EXT-04" extensions_are_offered_in_metadata;
}

const WORD: &str = "attache-served";

/// Returns different sets of client capabilities, chosen so that the five groups of capabilities
/// occur in varying combinations.
fn clients() -> [Value; 7] {
    let all = capabilities();
    let with = |keys: &[&str]| {
        let part = keys.iter().filter_map(|key| Some(((*key).to_owned(), all.get(*key)?.clone())));
        Value::Object(part.collect::<Map<_, _>>())
    };
    [
        json!({}),
        with(&["fs", "session"]),
        with(&["terminal", "elicitation"]),
        with(&["fs", "terminal"]),
        with(&["session", "elicitation"]),
        json!({"fs": {"readTextFile": true}, "session": {"notices": {}}}),
        json!({"fs": {"writeTextFile": true}, "session": {"compaction": {}}, "plan": {}, "subagents": {}}),
    ]
}

async fn clients_with_any_capabilities_are_served(run: &mut Run) -> Probed {
    let (folder, is_driven) = (run.folder().to_owned(), run.follows_prompts().await.is_ok());
    // If the agent opens no session for any client, this probe says nothing about capabilities.
    run.session().await?;
    for client in clients() {
        let talk = run.talk_with(client.clone()).await?;
        let session = talk.open(&folder).await;
        let seen = |why: &str| format!("{why} for a client with {client}");
        let Ok(session) = session else {
            return fail("a session opens for every client", seen("none opens"));
        };
        if is_driven {
            let said = talk.play(&session, say(WORD)).await?.said();
            expect(said.contains(WORD), "a turn runs for every client", seen("none runs"))?;
        }
    }
    Ok(())
}

async fn a_client_without_capabilities_is_served(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let folder = run.folder().to_owned();
    let talk = run.talk_with(json!({})).await?;
    let session = talk.open(&folder).await?;
    let link =
        json!({"type": "resource_link", "uri": "file:///attache/notes.txt", "name": "notes.txt"});
    let text = json!({"type": "text", "text": say(WORD).prompt_text()});
    for prompt in [json!([text]), json!([link, text])] {
        let first = talk.now();
        let reply =
            talk.call::<SessionPrompt>(json!({"sessionId": session.id, "prompt": prompt})).await?;
        let reason = reply.result()?.get("stopReason").cloned().unwrap_or_default();
        expect(reason == "end_turn", "the turn ends with end_turn", reason.to_string())?;
        let said: Vec<_> =
            talk.heard(first).filter(|line| line.text.contains("agent_message_chunk")).collect();
        expect(!said.is_empty(), "session/update with the agent's text", "no text")?;
    }
    Ok(())
}

/// Calls every method that needs a capability the agent does not offer.
async fn unoffered_methods_answer_method_not_found(run: &mut Run) -> Probed {
    let folder = json!(run.folder());
    let (_, session) = run.session().await?;
    let talk = run.unwatched().await?;
    let mut asked = 0;
    for row in
        METHODS.iter().filter(|row| row.receiver == Receiver::Agent && row.kind == Kind::Call)
    {
        if !is_unoffered(row, |pointer| talk.offers(pointer)) {
            continue;
        }
        asked += 1;
        let params = json!({
            "sessionId": session.id, "cwd": folder, "mcpServers": [], "title": "a title", "providerId": "none",
            "apiType": "openai", "baseUrl": "http://127.0.0.1:9",
        });
        talk.ask(row.name, params).await?.is_error(-32601)?;
    }
    if asked == 0 { skipped("the agent offers every method") } else { Ok(()) }
}

/// Whether the agent lacks the capability that a method needs.
fn is_unoffered(row: &Row, offers: impl Fn(&str) -> bool) -> bool {
    let Gate::Agent(path, _) = row.gate else { return false };
    let pointer = path.trim_start_matches("agentCapabilities").replace('.', "/");
    !offers(&pointer)
}

async fn extensions_are_offered_in_metadata(run: &mut Run) -> Probed {
    let talk = run.talk().await?;
    let all = talk.announced("/agentCapabilities").cloned().unwrap_or_default();
    let text = all.to_string();
    let (_, notices) = decode_reporting::<AgentCapabilities>(&text, UnknownValues::Keep);
    if let Some(notice) = notices.iter().find(|notice| notice.kind == FaultKind::NoField) {
        return fail("extensions inside _meta", quoted(&notice.error.to_string()));
    }
    if has_meta(&all) { Ok(()) } else { skipped("the agent advertises no extension") }
}

fn has_meta(value: &Value) -> bool {
    let Some(members) = value.as_object() else { return false };
    let is_meta = |(key, value): (&String, &Value)| {
        if key == "_meta" {
            value.as_object().is_some_and(|meta| !meta.is_empty())
        } else {
            has_meta(value)
        }
    };
    members.iter().any(is_meta)
}
