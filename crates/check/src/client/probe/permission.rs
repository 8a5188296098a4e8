//! How a client answers permission requests (PERM), including when a turn is cancelled (CANCEL).

use crate::client::client_talk::{ClientTalk, ClientTurn};
use crate::client::run::ClientRun;
use crate::json::json;
use crate::judging::conversation::{Reply, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested};
use attache_protocol::method::{CancelRequest, Method, SessionCancel, SessionRequestPermission};
use serde_json::Value;

probes! { ClientRun:
    "INIT-15" a_permission_request_is_answered;
    "PERM-03" the_chosen_option_was_offered;
    "PERM-05" the_answer_is_that_of_the_user;
    "PERM-06" requests_after_a_cancel_are_answered_with_cancelled;
    "PERM-08" the_option_id_identifies_the_decision;
    "PERM-09" malformed_options_are_refused;
    "PERM-11" a_request_without_a_suitable_option_is_answered;
    "PERM-12" several_requests_are_open_at_once;
    "PERM-13" without_options_nothing_is_chosen;
    "TOOL-16" the_name_of_a_tool_grants_nothing;
    "CANCEL-05" a_cancel_answers_every_open_request;
    "CANCEL-21" a_withdrawn_request_has_one_answer;
}

/// The method of a permission request.
const ASK: &str = SessionRequestPermission::ROW.name;

fn option(id: &str, kind: &str) -> Value {
    let name = if kind.starts_with("allow") { "Yes" } else { "No" };
    json!({"optionId": id, "name": name, "kind": kind})
}

/// Returns the params of a permission request about a new tool call.
fn question(call: &str, options: Value) -> Value {
    let call =
        json!({"toolCallId": call, "title": "Attache check", "kind": "edit", "status": "pending"});
    json!({"toolCall": call, "options": options})
}

/// Returns a permission request with an option to allow once and one to reject once. The ids end
/// with `end`.
fn request_with_each_kind(end: &str) -> Value {
    let options = json!([
        option(&format!("no-{end}"), "reject_once"),
        option(&format!("yes-{end}"), "allow_once")
    ]);
    question(&format!("call-{end}"), options)
}

/// Returns the id of the option that an answer chooses, or `None` if the answer is `cancelled`.
fn choice(reply: &Reply) -> Probed<Option<String>> {
    let result = reply.result()?;
    let outcome = |key: &str| result.pointer(&format!("/outcome/{key}")).and_then(Value::as_str);
    match (outcome("outcome"), outcome("optionId")) {
        (Some("cancelled"), _) => Ok(None),
        (Some("selected"), Some(id)) => Ok(Some(id.to_owned())),
        _ => fail(
            "the outcome selected with an optionId, or the outcome cancelled",
            quoted(&result.to_string()),
        ),
    }
}

async fn ask(talk: &mut ClientTalk, turn: &ClientTurn, question: Value) -> Probed<Option<String>> {
    choice(&talk.call::<SessionRequestPermission>(turn, question).await?)
}

/// Checks that exactly this option was chosen.
fn is_chosen(seen: Option<&str>, expected: &str) -> Probed {
    let seen =
        seen.map_or_else(|| "it chooses nothing".to_owned(), |id| format!("it chooses {id:?}"));
    expect(seen == format!("it chooses {expected:?}"), format!("it chooses {expected:?}"), seen)
}

pub(super) async fn a_permission_request_is_answered(run: &mut ClientRun) -> Probed {
    let (talk, turn) = run.turn(&["prompt"]).await?;
    ask(talk, &turn, request_with_each_kind("served")).await.map(drop)
}

pub(super) async fn the_chosen_option_was_offered(run: &mut ClientRun) -> Probed {
    let (talk, turn) = run.turn(&["allow", "reject", "prompt"]).await?;
    let offered = ["", "ünï 1", "allow_always", "yes\nno"];
    let kinds = ["reject_always", "reject_once", "allow_once", "allow_always"];
    let mut has_chosen = false;
    for first in 0..offered.len() {
        let ids = offered.iter().cycle().skip(first);
        let options: Vec<Value> = ids.zip(kinds).map(|(id, kind)| option(id, kind)).collect();
        if let Some(id) =
            ask(talk, &turn, question(&format!("call-{first}"), json!(options))).await?
        {
            has_chosen = true;
            expect(
                offered.contains(&id.as_str()),
                format!("one of {offered:?}"),
                format!("it chooses {id:?}"),
            )?;
        }
    }
    if has_chosen { Ok(()) } else { not_tested("the client chooses no option of any request") }
}

pub(super) async fn the_answer_is_that_of_the_user(run: &mut ClientRun) -> Probed {
    let (talk, turn) = run.turn(&["allow"]).await?;
    is_chosen(ask(talk, &turn, request_with_each_kind("a")).await?.as_deref(), "yes-a")?;
    let (talk, turn) = run.turn(&["reject"]).await?;
    is_chosen(ask(talk, &turn, request_with_each_kind("b")).await?.as_deref(), "no-b")
}

pub(super) async fn requests_after_a_cancel_are_answered_with_cancelled(
    run: &mut ClientRun,
) -> Probed {
    let (talk, turn) = run.turn(&["cancel"]).await?;
    talk.is_cancelled(&turn).await?;
    let chosen = ask(talk, &turn, request_with_each_kind("late")).await?;
    expect(
        chosen.is_none(),
        "the outcome cancelled",
        format!("it chooses {:?}", chosen.unwrap_or_default()),
    )
}

pub(super) async fn the_option_id_identifies_the_decision(run: &mut ClientRun) -> Probed {
    let (talk, turn) = run.turn(&["allow"]).await?;
    let misleading =
        json!([option("allow_once", "reject_once"), option("reject_once", "allow_once")]);
    is_chosen(ask(talk, &turn, question("misleading", misleading)).await?.as_deref(), "reject_once")
}

async fn malformed_options_are_refused(run: &mut ClientRun) -> Probed {
    let (talk, turn) = run.turn(&["allow", "prompt"]).await?;
    for options in [
        json!([option("y", "allow_once"), option("s", "allow_session")]),
        json!("yes"),
        json!([option("y", "allow_once"), {"optionId": "n"}]),
        json!(null),
    ] {
        let said = format!("options {options}");
        let reply = talk.call::<SessionRequestPermission>(&turn, question("odd", options)).await?;
        reply.is_error(-32602).map_err(|outcome| outcome.about(&said))?;
    }
    Ok(())
}

pub(super) async fn a_request_without_a_suitable_option_is_answered(run: &mut ClientRun) -> Probed {
    let (talk, turn) = run.turn(&["reject", "prompt"]).await?;
    let options = json!([option("only", "allow_once")]);
    let reply = talk.call::<SessionRequestPermission>(&turn, question("only", options)).await?;
    if reply.is_refused().is_ok() || talk.task != "reject" {
        return Ok(());
    }
    let chosen = choice(&reply)?;
    expect(
        chosen.is_none(),
        "the outcome cancelled, or an error",
        "it allows the request, although the user rejects it",
    )
}

pub(super) async fn several_requests_are_open_at_once(run: &mut ClientRun) -> Probed {
    let (talk, turn) = run.turn(&["allow", "prompt"]).await?;
    let names = ["a", "b", "c"];
    let asked = names
        .map(|name| talk.begin::<SessionRequestPermission>(&turn, request_with_each_kind(name)));
    for (id, name) in asked.iter().zip(names) {
        let reply = talk
            .wire
            .reply_to(ASK, id)
            .await
            .map_err(|outcome| outcome.about("an answer to each of three open requests"))?;
        let chosen = choice(&reply)?;
        let is_own = chosen.as_ref().is_none_or(|chosen| chosen.ends_with(&format!("-{name}")));
        expect(
            is_own,
            "each answer chooses an option of its own request",
            format!("{chosen:?} for {name}"),
        )?;
    }
    Ok(())
}

async fn without_options_nothing_is_chosen(run: &mut ClientRun) -> Probed {
    let (talk, turn) = run.turn(&["allow", "prompt"]).await?;
    let reply = talk.call::<SessionRequestPermission>(&turn, question("none", json!([]))).await?;
    if reply.is_refused().is_ok() {
        return reply.is_error(-32602);
    }
    let chosen = choice(&reply)?;
    expect(
        chosen.is_none(),
        "the outcome cancelled, or error -32602",
        format!("it chooses {chosen:?}"),
    )
}

pub(super) async fn the_name_of_a_tool_grants_nothing(run: &mut ClientRun) -> Probed {
    let (talk, turn) = run.turn(&["reject"]).await?;
    let plain = ask(talk, &turn, request_with_each_kind("plain")).await?;
    for name in ["read_file", "always_allowed", "allow"] {
        let mut named = request_with_each_kind(name);
        if let Some(Value::Object(call)) = named.get_mut("toolCall") {
            call.insert("name".to_owned(), json!(name));
        }
        let chosen = ask(talk, &turn, named).await?;
        let said =
            |chosen: &Option<String>| chosen.as_ref().is_some_and(|id| id.starts_with("yes"));
        let expected = "the same answer as for a tool without a name";
        expect(
            said(&chosen) == said(&plain),
            expected,
            format!("the answer for the tool {name:?} is {chosen:?}"),
        )?;
    }
    Ok(())
}

/// Sends permission requests and lets the client cancel the turn. Returns the ids of the requests
/// that the client had not answered before the cancel. If it had answered all of them, sends new
/// requests and returns their ids.
async fn asked_around_a_cancel(talk: &mut ClientTalk, turn: &ClientTurn) -> Probed<Vec<Value>> {
    let ask = |talk: &mut ClientTalk, time: &str| {
        ["1", "2", "3"].map(|number| {
            talk.begin::<SessionRequestPermission>(
                turn,
                request_with_each_kind(&format!("{time}-{number}")),
            )
        })
    };
    let early = ask(talk, "early");
    talk.wire.is_still_there().await?;
    let cancelled = talk.is_cancelled(turn).await?.number;
    let is_open = |id: &&Value| {
        let answer = talk.wire.heard(0).find(|line| line.replies_to(id));
        answer.is_none_or(|answer| answer.number > cancelled)
    };
    let open: Vec<Value> = early.iter().filter(is_open).cloned().collect();
    Ok(if open.is_empty() { ask(talk, "late").to_vec() } else { open })
}

pub(super) async fn a_cancel_answers_every_open_request(run: &mut ClientRun) -> Probed {
    let (talk, turn) = run.turn(&["cancel"]).await?;
    for id in asked_around_a_cancel(talk, &turn).await? {
        let reply = talk
            .wire
            .reply_to(ASK, &id)
            .await
            .map_err(|outcome| outcome.about("after the cancel"))?;
        let chosen = choice(&reply)?;
        let expected = format!(
            "the client answers every open request with cancelled after {}",
            SessionCancel::ROW.name
        );
        expect(
            chosen.is_none(),
            expected,
            format!("one answer is {:?}", chosen.unwrap_or_default()),
        )?;
    }
    Ok(())
}

async fn a_withdrawn_request_has_one_answer(run: &mut ClientRun) -> Probed {
    let (talk, turn) = run.turn(&["cancel", "prompt"]).await?;
    let first = talk.wire.now();
    let asked = talk.begin::<SessionRequestPermission>(&turn, request_with_each_kind("withdrawn"));
    talk.wire.is_still_there().await?;
    talk.wire.notify(CancelRequest::ROW.name, json!({"requestId": asked}));
    let reply = match talk.wire.reply_to(ASK, &asked).await {
        Err(_) => {
            return not_tested(
                "the client ignores $/cancel_request and leaves the request open, which is allowed",
            );
        }
        Ok(reply) => reply,
    };
    talk.wire.is_still_there().await?;
    let answers = talk.wire.heard(first).filter(|line| line.replies_to(&asked)).count();
    expect(answers == 1, "one answer to the request", format!("{answers}"))?;
    if reply.is_refused().is_ok() {
        return reply.is_error(-32800);
    }
    // The client may have answered before it read the withdrawal, so the answer may be a choice
    // (CANCEL-17).
    choice(&reply).map(drop)
}
