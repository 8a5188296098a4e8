//! How a client answers elicitations (ELIC).

use crate::client::client_talk::{ClientTalk, ClientTurn};
use crate::client::run::ClientRun;
use crate::json::json;
use crate::judging::conversation::{Reply, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested, skipped};
use attache_protocol::method::{ElicitationComplete, ElicitationCreate, Method};
use serde_json::Value;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};

probes! { ClientRun:
    "ELIC-02" an_unoffered_mode_is_refused;
    "ELIC-05" a_request_without_scope_or_mode_is_refused;
    "ELIC-09" no_url_is_opened_without_consent;
    "ELIC-13" only_accept_has_content;
    "ELIC-14" content_that_does_not_match_the_form_is_not_sent;
    "ELIC-20" unknown_completions_are_ignored;
    "ELIC-22" unknown_modes_and_properties_are_not_answered_as_known_ones;
    "ELIC-24" a_slow_pattern_does_not_block_the_client;
    "ELIC-25" a_malformed_form_is_an_error;
    "ELIC-26" a_cancel_answers_open_elicitations;
}

/// The method of an elicitation.
const ASK: &str = ElicitationCreate::ROW.name;

fn form(properties: Value, required: &[&str]) -> Value {
    let schema = json!({"type": "object", "properties": properties, "required": required});
    json!({"mode": "form", "message": "Attache check asks", "requestedSchema": schema})
}

/// Returns a form whose default values are valid.
fn good() -> Value {
    let properties = json!({
        "name": {"type": "string", "title": "Name", "minLength": 1, "maxLength": 9, "default": "Ada"},
        "count": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
        "sure": {"type": "boolean", "default": true},
    });
    form(properties, &["name"])
}

fn page(url: &str) -> Value {
    json!({"mode": "url", "message": "Attache check asks", "elicitationId": "attache-check-1", "url": url})
}

/// Starts a turn with the first of these tasks that the client supports. Skips clients that do not
/// offer forms.
async fn turn<'r>(
    run: &'r mut ClientRun,
    tasks: &'r [&'static str],
) -> Probed<(&'r mut ClientTalk, ClientTurn)> {
    let (talk, turn) = run.turn(tasks).await?;
    talk.needs("/elicitation/form")?;
    Ok((talk, turn))
}

/// Returns the action and the content of an answer. Fails if the action is not `accept`, `decline`
/// or `cancel`.
fn read(reply: &Reply) -> Probed<(String, Value)> {
    let result = reply.result()?;
    let content = result.get("content").cloned().unwrap_or_default();
    match result.get("action").and_then(Value::as_str) {
        Some(action @ ("accept" | "decline" | "cancel")) => Ok((action.to_owned(), content)),
        _ => fail("the action accept, decline or cancel", quoted(&result.to_string())),
    }
}

async fn ask(talk: &mut ClientTalk, turn: &ClientTurn, params: Value) -> Probed<(String, Value)> {
    read(&talk.call::<ElicitationCreate>(turn, params).await?)
}

async fn an_unoffered_mode_is_refused(run: &mut ClientRun) -> Probed {
    let (talk, turn) = run.turn(&["prompt"]).await?;
    let mut missing = Vec::new();
    for (mode, params) in [("form", good()), ("url", page("https://example.com/attache"))] {
        if !talk.offers(&format!("/elicitation/{mode}")) {
            missing.push(params);
        }
    }
    let has_none = missing.len() == 2;
    for params in &missing {
        let reply = talk.call::<ElicitationCreate>(&turn, params.clone()).await?;
        // A client that offers neither mode does not offer the method at all, so -32601 is correct
        // too (INIT-17).
        if !(has_none && reply.is_error(-32601).is_ok()) {
            reply.is_error(-32602)?;
        }
    }
    if missing.is_empty() { skipped("the client offers both modes") } else { Ok(()) }
}

async fn a_request_without_scope_or_mode_is_refused(run: &mut ClientRun) -> Probed {
    let (talk, turn) = turn(run, &["form", "prompt"]).await?;
    talk.wire
        .ask(ASK, good())
        .await?
        .is_error(-32602)
        .map_err(|outcome| outcome.about("without a scope"))?;
    let mut without = good();
    if let Value::Object(without) = &mut without {
        without.remove("mode");
    }
    let reply = talk.call::<ElicitationCreate>(&turn, without).await?;
    reply.is_error(-32602).map_err(|outcome| outcome.about("without a mode"))
}

pub(super) async fn no_url_is_opened_without_consent(run: &mut ClientRun) -> Probed {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| {
        listener.set_nonblocking(true)?;
        Ok((listener.local_addr()?, listener))
    });
    let Ok((address, listener)) = listener else { return not_tested("no loopback port is free") };
    let (talk, turn) = run.turn(&["decline", "prompt"]).await?;
    talk.needs("/elicitation/url")?;
    let (action, _) = ask(talk, &turn, page(&format!("http://{address}/attache-check"))).await?;
    expect(
        action != "accept",
        "no answer with the action accept without the person's consent",
        "the action is accept",
    )?;
    talk.end_turn(&turn, "end_turn");
    talk.ended().await;
    match listener.accept() {
        Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(()),
        Err(error) => not_tested(format!("the loopback port failed: {error}")),
        Ok(_) => fail("no connection before the person consents", "the page was fetched"),
    }
}

pub(super) async fn only_accept_has_content(run: &mut ClientRun) -> Probed {
    for task in ["form", "decline", "prompt"] {
        let tasks = [task, "prompt"];
        let Ok((talk, turn)) = turn(run, &tasks).await else { continue };
        let (action, content) = ask(talk, &turn, good()).await?;
        let said = format!("{action} with content {content}");
        expect(
            action == "accept" || content.is_null(),
            "content only with the action accept",
            quoted(&said),
        )?;
        let is_reported = match talk.task {
            "form" => action == "accept",
            "decline" => action != "accept",
            _ => true,
        };
        expect(
            is_reported,
            format!("the action that the task {:?} asks for", talk.task),
            quoted(&said),
        )?;
    }
    turn(run, &["prompt"]).await.map(drop)
}

pub(super) async fn content_that_does_not_match_the_form_is_not_sent(
    run: &mut ClientRun,
) -> Probed {
    let (talk, turn) = turn(run, &["form"]).await?;
    let (action, content) = ask(talk, &turn, good()).await?;
    if action != "accept" {
        return not_tested(format!(
            "the task \"form\" does not fill in a form with valid defaults: {action}"
        ));
    }
    let member = |key| content.get(key).cloned().unwrap_or_default();
    let is_right = member("name") == "Ada" && (member("count").is_null() || member("count") == 3);
    expect(is_right, "the defaults of the form", quoted(&content.to_string()))?;
    for (property, wrong) in [
        (json!({"type": "integer", "minimum": 1, "maximum": 9}), json!(99)),
        (json!({"type": "number", "maximum": 1.5}), json!(1.6)),
        (json!({"type": "string", "minLength": 5}), json!("Ada")),
        (json!({"type": "string", "maxLength": 2}), json!("Ada")),
        (json!({"type": "string", "enum": ["red", "blue"]}), json!("green")),
    ] {
        let mut property = property;
        if let Value::Object(property) = &mut property {
            property.insert("default".to_owned(), wrong.clone());
        }
        let asked = property.to_string();
        let reply =
            talk.call::<ElicitationCreate>(&turn, form(json!({"x": property}), &["x"])).await?;
        let sent = read(&reply).ok().filter(|(action, _)| action == "accept");
        let is_sent =
            sent.is_some_and(|(_, content)| content.get("x").is_none_or(|sent| *sent == wrong));
        expect(
            !is_sent,
            format!("no action accept with content that does not match {asked}"),
            quoted(&wrong.to_string()),
        )?;
    }
    Ok(())
}

pub(super) async fn unknown_completions_are_ignored(run: &mut ClientRun) -> Probed {
    let (talk, _) = run.turn(&["prompt"]).await?;
    let first = talk.wire.now();
    for _ in 0..2 {
        talk.wire.notify(
            ElicitationComplete::ROW.name,
            json!({"elicitationId": "attache-no-such-page"}),
        );
    }
    talk.wire.is_ignored(first).await
}

pub(super) async fn unknown_modes_and_properties_are_not_answered_as_known_ones(
    run: &mut ClientRun,
) -> Probed {
    let (talk, turn) = turn(run, &["form", "prompt"]).await?;
    let mut odd = good();
    if let Value::Object(odd) = &mut odd {
        odd.insert("mode".to_owned(), json!("_hologram"));
    }
    let reply = talk.call::<ElicitationCreate>(&turn, odd).await?;
    let is_taken = read(&reply).is_ok_and(|(action, _)| action == "accept");
    expect(!is_taken, "an unknown mode is not accepted", "it is accepted as a form")?;
    let colour = form(json!({"colour": {"type": "_colour", "default": "red"}}), &["colour"]);
    let reply = talk.call::<ElicitationCreate>(&turn, colour).await?;
    let sent = read(&reply).ok().and_then(|(_, content)| content.get("colour").cloned());
    let seen = format!("it sends {}", sent.clone().unwrap_or_default());
    expect(sent.is_none(), "no value is sent for a property of an unknown type", seen)
}

pub(super) async fn a_slow_pattern_does_not_block_the_client(run: &mut ClientRun) -> Probed {
    let (talk, turn) = turn(run, &["form"]).await?;
    let default = format!("{}!", "a".repeat(64));
    let properties = json!({"x": {"type": "string", "pattern": "^(a+)+$", "default": default}});
    let reply = talk.call::<ElicitationCreate>(&turn, form(properties, &["x"])).await;
    reply
        .map_err(|outcome| outcome.about("an answer in time to a form with the pattern ^(a+)+$"))?;
    talk.wire.is_still_there().await
}

async fn a_malformed_form_is_an_error(run: &mut ClientRun) -> Probed {
    let (talk, turn) = turn(run, &["form", "prompt"]).await?;
    let without = json!({"mode": "form", "message": "Attache check asks"});
    for params in [
        without,
        form(json!({"x": {"type": "string", "minLength": "5"}}), &[]),
        form(json!(null), &[]),
        form(json!({"x": "string"}), &[]),
    ] {
        let asked = params.to_string();
        let reply = talk.call::<ElicitationCreate>(&turn, params).await?;
        reply.is_refused().map_err(|outcome| outcome.about(&asked))?;
    }
    Ok(())
}

pub(super) async fn a_cancel_answers_open_elicitations(run: &mut ClientRun) -> Probed {
    let (talk, turn) = turn(run, &["cancel"]).await?;
    let asked = talk.begin::<ElicitationCreate>(&turn, good());
    talk.wire.is_still_there().await?;
    let cancelled = talk.is_cancelled(&turn).await?.number;
    let answer = talk.wire.heard(0).find(|line| line.replies_to(&asked));
    let asked = match answer.is_some_and(|answer| answer.number < cancelled) {
        // The client answers elicitations at once. The judge therefore sends another one after the
        // cancel, which also belongs to the cancelled turn.
        true => talk.begin::<ElicitationCreate>(&turn, good()),
        false => asked,
    };
    let reply = talk
        .wire
        .reply_to(ASK, &asked)
        .await
        .map_err(|outcome| outcome.about("after the cancel"))?;
    let (action, _) = read(&reply)?;
    expect(action == "cancel", "the action cancel", format!("the action {action}"))
}
