//! Prompts and their messages (V2-28 to V2-30, V2-72).

use super::super::driven::{cancel, play_in, unjudged};
use super::driven::{kind, text};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Played, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail};
use crate::model::acts::say;
use attache_protocol::method::{Method, SessionPrompt};

probes! { Run:
    "V2-72" text_is_accepted;
    "V2-72" a_resource_link_is_accepted;
    "V2-28" each_prompt_has_its_own_message;
    "V2-29" the_user_message_has_the_id_of_the_reply;
    "V2-30" a_prompt_that_is_cancelled_at_once_is_answered;
}

const CANCELLED: i64 = -32800;

async fn text_is_accepted(run: &mut Run) -> Probed {
    run.prompted().await
}

async fn a_resource_link_is_accepted(run: &mut Run) -> Probed {
    run.answers_prompts().await?;
    let words = run.words();
    let (talk, session) = run.session().await?;
    let link = json!({"type": "resource_link", "uri": "https://attache.invalid/", "name": "link"});
    let mut prompt = words.as_array().cloned().unwrap_or_default();
    prompt.push(link);
    let params = json!({"sessionId": session.id, "prompt": prompt});
    let turn = talk.begin_turn_with(&session, params);
    let reply = talk.reply_to(SessionPrompt::ROW.name, &turn.id).await?;
    if reply.error("/code") == Some(&json!(-32602)) {
        return fail("a prompt with a resource_link is accepted", quoted(reply.text()));
    }
    talk.finish(turn).await.map_err(|outcome| unjudged(&outcome)).map(|_| ())
}

/// Returns the id of the message in the reply to the prompt.
fn message(played: &Played) -> Probed<String> {
    let result = played.reply.result()?;
    match text(&result, "messageId") {
        "" => fail("a messageId in the reply to session/prompt", quoted(&result.to_string())),
        id => Ok(id.to_owned()),
    }
}

async fn each_prompt_has_its_own_message(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let first = message(&play_in(talk, &session, say("attache: one")).await?)?;
    let second = message(&play_in(talk, &session, say("attache: two")).await?)?;
    expect(first != second, "another messageId for each prompt", format!("{first:?} twice"))
}

async fn the_user_message_has_the_id_of_the_reply(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let played = play_in(talk, &session, say("attache: one")).await?;
    let id = message(&played)?;
    let messages = played.updates().iter().filter(|it| kind(it).starts_with("user_message"));
    let ids: Vec<&str> = messages.map(|update| text(update, "messageId")).collect();
    let expected = format!("a user message with the id {id:?}");
    expect(ids.contains(&id.as_str()), expected, format!("user messages with the ids {ids:?}"))
}

/// The agent may have inserted the message before it reads the cancel.
async fn a_prompt_that_is_cancelled_at_once_is_answered(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let turn = talk.begin_turn(&session, say("attache: at once").hang());
    cancel(talk, &session);
    let reply = talk.reply_to(SessionPrompt::ROW.name, &turn.id).await?;
    if let Some(code) = reply.error("/code") {
        let expected = format!("a result, or the error {CANCELLED}");
        return expect(*code == json!(CANCELLED), expected, quoted(reply.text()));
    }
    talk.finish(turn).await.map_err(|outcome| unjudged(&outcome)).map(|_| ())
}
