//! Elicitations (ELIC).

use super::driven::{count, play_in, unjudged};
use crate::agent::judge_client::capabilities;
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::quoted;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested};
use crate::model::acts::{ask, call, recall, say};
use crate::peer::line::Line;
use crate::peer::script::Answer;
use attache_protocol::method::{ElicitationCreate, SessionRequestPermission};
use serde_json::{Map, Value};

probes! { Run:
    "ELIC-01" forms_are_sent_only_if_supported;
    "ELIC-03" a_turn_continues_without_forms;
    "ELIC-16" an_answer_is_used_only_if_accepted;
    "ELIC-16" an_error_reply_to_a_form_does_not_end_the_turn;
    "ELIC-23" an_unknown_action_accepts_nothing;
}

/// The answer to the form. The model must receive it only if the client accepts the form.
const ANSWER: &str = "attache-answer-6034";
/// The question that a turn asks the user.
const QUESTION: &str = "attache: which word?";

/// First checks that a client that supports forms receives one (otherwise the rule is not tested),
/// then that a client that supports only URLs receives none.
pub(super) async fn forms_are_sent_only_if_supported(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let folder = run.folder().to_owned();
    for (elicitation, takes_forms) in [(json!({"form": {}}), true), (json!({"url": {}}), false)] {
        let mut client = run.capabilities();
        if let Value::Object(client) = &mut client {
            client.insert("elicitation".to_owned(), elicitation);
        }
        let talk = run.fresh_with(client).await?;
        let session = talk.open(&folder).await?;
        let first = talk.now();
        talk.play(&session, call(ask(QUESTION)).then(say("attache: done")))
            .await?
            .had_its_tools()?;
        let is_form = |line: &&Line| {
            let mode = line.get("params").and_then(|params| params.get("mode"));
            line.calls::<ElicitationCreate>() && mode.is_some_and(|mode| mode == "form")
        };
        match (talk.heard(first).find(is_form), takes_forms) {
            (None, true) => return not_tested("the agent uses no forms"),
            (Some(line), false) => return fail("no form", quoted(&line.text)),
            _ => {}
        }
    }
    Ok(())
}

async fn a_turn_continues_without_forms(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let folder = run.folder().to_owned();
    for elicitation in [Value::Null, json!({}), json!({"form": null, "url": null})] {
        let mut client = capabilities();
        if let Value::Object(client) = &mut client {
            client.insert("elicitation".to_owned(), elicitation);
        }
        let talk = run.talk_with(client).await?;
        let session = talk.open(&folder).await?;
        let first = talk.now();
        let played = talk.play(&session, call(ask(QUESTION)).then(say("attache: done"))).await?;
        played.had_its_tools()?;
        let reason = played.stop_reason()?;
        let said = played.said();
        let asks =
            |line: &Line| line.calls::<SessionRequestPermission>() && line.text.contains(QUESTION);
        let is_asked = said.contains(QUESTION) || talk.heard(first).any(asks);
        let is_served = is_asked || said.contains("attache: done");
        expect(
            reason == "end_turn" && is_served,
            "the turn continues, or asks in another way",
            quoted(&said),
        )?;
    }
    Ok(())
}

async fn an_answer_is_used_only_if_accepted(run: &mut Run) -> Probed {
    is_used(run, "accept").await?;
    for action in ["decline", "cancel"] {
        let said = answered(run, Answer::Result(answer(action, &json!({})))).await?;
        expect(
            !said.contains("recalled yes"),
            format!("an answer with the action {action} is not used"),
            quoted(&said),
        )?;
    }
    Ok(())
}

async fn an_error_reply_to_a_form_does_not_end_the_turn(run: &mut Run) -> Probed {
    is_used(run, "accept").await?;
    answered(run, Answer::Error(-32603)).await.map(|_| ())
}

async fn an_unknown_action_accepts_nothing(run: &mut Run) -> Probed {
    is_used(run, "accept").await?;
    let said = answered(run, Answer::Result(answer("_attache_defer", &json!({})))).await?;
    expect(
        !said.contains("recalled yes"),
        "an answer with an unknown action is not used",
        quoted(&said),
    )
}

/// Checks that an answer with this action reaches the model. If it does not, the rule is not
/// tested.
async fn is_used(run: &mut Run, action: &'static str) -> Probed {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let first = talk.now();
    talk.answer::<ElicitationCreate>(move |params| Answer::Result(answer(action, params)));
    play_in(talk, &session, call(ask(QUESTION))).await?;
    let said = play_in(talk, &session, recall(ANSWER)).await?.said();
    if count::<ElicitationCreate>(talk, first) == 0 {
        return not_tested("the agent does not use elicitation/create");
    }
    match said.contains("recalled yes") {
        true => Ok(()),
        false => not_tested("the agent's model does not report that it received the answer"),
    }
}

/// Runs a turn with a form, which the client answers with `with`, and then a turn that asks the
/// model whether it received the answer. Returns what the model says in the second turn.
async fn answered(run: &mut Run, with: Answer) -> Probed<String> {
    let (talk, session) = run.session().await?;
    talk.answer::<ElicitationCreate>(move |params| match &with {
        // The content is the same as in an accepted answer, so only the action differs.
        Answer::Result(answered) => {
            let action = answered.get("action").and_then(Value::as_str).unwrap_or_default();
            Answer::Result(answer(action, params))
        }
        other => other.clone(),
    });
    let played = talk.play(&session, call(ask(QUESTION))).await?;
    played.had_its_tools().map_err(|outcome| unjudged(&outcome))?;
    played.stop_reason()?;
    Ok(play_in(talk, &session, recall(ANSWER)).await?.said())
}

/// Returns an answer to a form, with [`ANSWER`] in every field that accepts free text.
fn answer(action: &str, params: &Value) -> Value {
    let properties = params.pointer("/requestedSchema/properties").and_then(Value::as_object);
    let content =
        properties.into_iter().flatten().map(|(key, property)| (key.clone(), value(property)));
    json!({"action": action, "content": content.collect::<Map<_, _>>()})
}

/// Returns a value for a property of a form: [`ANSWER`] if the property accepts free text.
fn value(property: &Value) -> Value {
    let first = |key: &str| property.pointer(key).cloned();
    match property.get("type").and_then(Value::as_str) {
        Some("boolean") => json!(true),
        Some("integer" | "number") => property.get("minimum").cloned().unwrap_or(json!(1)),
        Some("array") => json!([]),
        _ => first("/enum/0").or_else(|| first("/oneOf/0/const")).unwrap_or(json!(ANSWER)),
    }
}
