//! Decoding of a client's messages: malformed members that an agent must tolerate, and those that
//! it must refuse (DEC, META-01).
//!
//! The probes use the [`Shape`]s of the protocol's types to find out which values are allowed.

use crate::agent::judge_client::{capabilities, everything};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, Session, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, not_tested, skipped};
use crate::model::acts::say;
use attache_protocol::method::{
    Initialize, METHODS, Method, Receiver, SessionFork, SessionList, SessionLoad, SessionNew,
    SessionPrompt, SessionResume, SessionSetConfigOption, SessionSetMode,
};
use attache_protocol::{MemberShape, Shape};
use serde_json::Value;

probes! { Run:
    "META-01" metadata_is_allowed_everywhere;
    "DEC-01" a_lenient_field_may_be_malformed;
    "DEC-02" a_malformed_item_is_skipped;
    "DEC-05" null_is_an_empty_list;
    "DEC-05" a_malformed_item_of_a_strict_list_is_invalid;
    "DEC-06" a_strict_optional_member_may_be_null_but_not_malformed;
    "DEC-07" a_malformed_block_fails_the_prompt;
    "DEC-08" an_unknown_content_type_is_invalid;
    "DEC-12" a_number_of_the_wrong_type_counts_as_absent;
    "DEC-13" unknown_members_are_ignored_everywhere;
    "DEC-22" key_order_and_non_ascii_text_do_not_matter;
}

/// A valid request: its method and its params.
struct Request {
    method: &'static str,
    params: Value,
}

/// A member of the params of a request: its JSON pointer, and its shape.
struct Member {
    pointer: String,
    member: MemberShape,
}

async fn metadata_is_allowed_everywhere(run: &mut Run) -> Probed {
    for meta in [json!({"attache.invalid/x": [1, {"y": null}]}), Value::Null] {
        all_succeed(run, |_, params| {
            change_objects(params, &|object| put(object, "_meta", meta.clone()))
        })
        .await?;
    }
    Ok(())
}

async fn unknown_members_are_ignored_everywhere(run: &mut Run) -> Probed {
    all_succeed(run, |_, params| {
        change_objects(params, &|object| put(object, "attacheUnknown", json!([7])))
    })
    .await
}

/// Makes lenient fields malformed: first those that contain no other lenient field, then all of
/// them. META-02 covers metadata.
async fn a_lenient_field_may_be_malformed(run: &mut Run) -> Probed {
    for is_whole in [false, true] {
        all_succeed(run, |method, params| {
            let places = places(method, params).into_iter();
            let lenient =
                places.filter(|it| ["lenient", "items", "stated"].contains(&it.member.mark));
            let lenient: Vec<_> = lenient.filter(|it| it.member.key != "_meta").collect();
            let holds = |place: &Member, it: &Member| {
                it.pointer.starts_with(&format!("{}/", place.pointer))
            };
            for place in lenient
                .iter()
                .filter(|it| is_whole || !lenient.iter().any(|in_it| holds(it, in_it)))
            {
                set(params, &place.pointer, wrong(&place.member.shape));
            }
        })
        .await?;
    }
    Ok(())
}

async fn a_malformed_item_is_skipped(run: &mut Run) -> Probed {
    all_succeed(run, |method, params| {
        for place in places(method, params).into_iter().filter(|place| place.member.mark == "items")
        {
            set(params, &place.pointer, json!([wrong(&item(&place.member.shape)), {"attache": 1}]));
        }
    })
    .await
}

async fn null_is_an_empty_list(run: &mut Run) -> Probed {
    let is_list = |place: &Member| ["null", "must_null"].contains(&place.member.mark);
    // The first pass sets the nested lists to null, the second the lists that are direct members of
    // the params.
    for is_outer in [false, true] {
        all_succeed(run, |method, params| {
            for place in places(method, params)
                .iter()
                .filter(|it| is_list(it) && is_offered_always(&it.pointer))
            {
                if is_outer == (place.pointer.matches('/').count() == 1) {
                    set(params, &place.pointer, Value::Null);
                }
            }
        })
        .await?;
    }
    Ok(())
}

async fn a_malformed_item_of_a_strict_list_is_invalid(run: &mut Run) -> Probed {
    each_fails(
        run,
        |place| ["null", "must_null"].contains(&place.member.mark),
        |shape| json!([wrong(&item(shape))]),
    )
    .await
}

async fn a_strict_optional_member_may_be_null_but_not_malformed(run: &mut Run) -> Probed {
    all_succeed(run, |method, params| {
        for place in
            places(method, params).into_iter().filter(|place| place.member.mark == "strict")
        {
            set(params, &place.pointer, Value::Null);
        }
    })
    .await?;
    each_fails(
        run,
        |place| place.member.mark == "strict" && is_offered_always(&place.pointer),
        wrong,
    )
    .await
}

async fn a_malformed_block_fails_the_prompt(run: &mut Run) -> Probed {
    prompt_fails(run, json!(7)).await
}

async fn an_unknown_content_type_is_invalid(run: &mut Run) -> Probed {
    prompt_fails(run, json!({"type": "attache_video", "text": "attache"})).await
}

async fn a_number_of_the_wrong_type_counts_as_absent(run: &mut Run) -> Probed {
    let (talk, session) = run.session().await?;
    for size in [json!("12"), json!(1.5), json!(true)] {
        let link =
            json!({"type": "resource_link", "uri": "file:///attache/a", "name": "a", "size": size});
        let prompt = json!([link, text()]);
        let reply =
            talk.call::<SessionPrompt>(json!({"sessionId": session.id, "prompt": prompt})).await?;
        if reply.result().is_err() {
            let link = json!({"type": "resource_link", "uri": "file:///attache/a", "name": "a"});
            let params = json!({"sessionId": session.id, "prompt": [link, text()]});
            let is_taken_without = talk.call::<SessionPrompt>(params).await?.result().is_ok();
            expect(
                !is_taken_without,
                format!("a size of {size} counts as absent"),
                quoted(reply.text()),
            )?;
        }
    }
    let talk = run.fresh().await?;
    for version in [json!("1"), json!(-1), json!(70_000)] {
        talk.call::<Initialize>(json!({"protocolVersion": version})).await?.is_refused()?;
    }
    Ok(())
}

async fn key_order_and_non_ascii_text_do_not_matter(run: &mut Run) -> Probed {
    let (cwd, id) = (json!(run.folder()), json!("die letzte Ähre 穂"));
    let (talk, _) = run.session().await?;
    let first = talk.now();
    let method = SessionNew::ROW.name;
    talk.peer.send_line(&format!(
        r#"{{"params":{{"mcpServers":[],"cwd":{cwd}}},"method":"{method}","id":{id},"jsonrpc":"2.0"}}"#
    ));
    let line = talk
        .hear(first, "an answer to a call with keys in another order", |line| line.replies_to(&id))
        .await?;
    expect(line.get("result").is_some(), "keys may be in any order", quoted(&line.text))?;
    for name in ["", "naïve ☃ \u{1F980}", "a\nb"] {
        let prompt = json!({"sessionId": name, "prompt": [text()]});
        talk.call::<SessionPrompt>(prompt).await?.is_refused()?;
    }
    talk.is_still_there().await
}

fn text() -> Value {
    json!({"type": "text", "text": say("attache").prompt_text()})
}

async fn prompt_fails(run: &mut Run, block: Value) -> Probed {
    let (talk, session) = run.session().await?;
    for prompt in [json!([block]), json!([text(), block])] {
        let params = json!({"sessionId": session.id, "prompt": prompt});
        talk.call::<SessionPrompt>(params).await?.is_refused()?;
    }
    Ok(())
}

/// Checks that every request that succeeds also succeeds after `change` has changed its params.
async fn all_succeed(run: &mut Run, change: impl Fn(&str, &mut Value)) -> Probed {
    let (talk, requests) = requests(run).await?;
    let mut judged = 0;
    for Request { method, params } in requests {
        let mut changed = params.clone();
        change(method, &mut changed);
        if changed == params {
            continue;
        }
        let reply = talk.ask(method, changed.clone()).await?;
        if reply.result().is_err() && talk.ask(method, params).await?.result().is_err() {
            continue;
        }
        judged += 1;
        let code = reply.error("/code").cloned().unwrap_or_default();
        let expected = format!("{method} succeeds with {}", quoted(&changed.to_string()));
        expect(reply.result().is_ok(), expected, format!("error {code}"))?;
    }
    if judged == 0 { not_tested("no such request succeeds") } else { Ok(()) }
}

/// Checks that every request fails if one of the members that `is_wanted` selects is malformed.
/// RPC-23 covers the error code.
async fn each_fails(
    run: &mut Run,
    is_wanted: impl Fn(&Member) -> bool,
    wrong: impl Fn(&Shape) -> Value,
) -> Probed {
    let (talk, requests) = requests(run).await?;
    let mut judged = 0;
    for Request { method, params } in requests {
        for place in places(method, &params).iter().filter(|place| is_wanted(place)) {
            let mut changed = params.clone();
            set(&mut changed, &place.pointer, wrong(&place.member.shape));
            judged += 1;
            let reply = talk.ask(method, changed).await?;
            expect(
                reply.result().is_err(),
                format!("{method} is refused if {} is malformed", place.pointer),
                "it succeeds",
            )?;
        }
    }
    if judged == 0 { skipped("no request that the agent offers has such a member") } else { Ok(()) }
}

/// Opens a session in a new conversation, and returns valid requests of a client in it.
async fn requests(run: &mut Run) -> Probed<(&mut Conversation, Vec<Request>)> {
    let folder = run.folder().to_owned();
    // Uses a separate agent process, because the capabilities that these probes send must not
    // affect later probes.
    let talk = run.fresh_with(capabilities()).await?;
    talk.is_watched = false;
    let session = talk.open(&folder).await?;
    let (id, folder) = (&session.id, json!(folder));
    let server =
        json!({"name": "attache", "command": "/attache/no-such-server", "args": [], "env": []});
    let again = json!({"sessionId": id, "cwd": folder, "mcpServers": []});
    let prompt = json!([{"type": "text", "text": say("attache").prompt_text(), "annotations": {"audience": ["user"]}}]);
    talk.call::<SessionPrompt>(json!({"sessionId": id, "prompt": prompt})).await?;
    let mut all = vec![
        request::<SessionNew>(json!({"cwd": folder, "mcpServers": []})),
        request::<SessionNew>(json!({"cwd": folder, "mcpServers": [server]})),
        request::<SessionPrompt>(json!({"sessionId": id, "prompt": prompt})),
    ];
    for (capability, request) in [
        ("/sessionCapabilities/list", request::<SessionList>(json!({}))),
        ("/loadSession", request::<SessionLoad>(again.clone())),
        ("/sessionCapabilities/resume", request::<SessionResume>(again.clone())),
        ("/sessionCapabilities/fork", request::<SessionFork>(again)),
    ] {
        if talk.offers(capability) {
            all.push(request);
        }
    }
    all.extend(settings(&session));
    all.push(request::<Initialize>(everything()));
    Ok((talk, all))
}

/// Returns requests that set options and modes to their current values.
fn settings(session: &Session) -> Vec<Request> {
    let mut all = Vec::new();
    if let Some(mode) = session.opened.pointer("/modes/currentModeId") {
        all.push(request::<SessionSetMode>(json!({"sessionId": session.id, "modeId": mode})));
    }
    let option = session.opened.pointer("/configOptions/0");
    if let Some((id, value)) =
        option.and_then(|option| Some((option.get("id")?, option.get("currentValue")?)))
        && value.is_string()
    {
        let params = json!({"sessionId": session.id, "configId": id, "value": value});
        all.push(request::<SessionSetConfigOption>(params));
    }
    all
}

fn request<M: Method>(params: Value) -> Request {
    Request { method: M::ROW.name, params }
}

/// Whether a client may send this member to any agent, whatever the agent's capabilities.
fn is_offered_always(pointer: &str) -> bool {
    !["/additionalDirectories", "/systemPrompt", "/archived"].contains(&pointer)
}

/// Returns the members of a method's params with their shapes, except those of absent objects.
fn places(method: &str, params: &Value) -> Vec<Member> {
    let row = METHODS.iter().find(|row| row.name == method && row.receiver == Receiver::Agent);
    let mut all = Vec::new();
    if let Some(row) = row {
        walk(&(row.params)(), params, "", &mut all);
    }
    all
}

fn walk(shape: &Shape, value: &Value, pointer: &str, all: &mut Vec<Member>) {
    match shape {
        Shape::Nullable(inner) => walk(inner, value, pointer, all),
        Shape::Array(inner) => {
            for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                walk(inner, item, &format!("{pointer}/{number}"), all);
            }
        }
        Shape::Object { members, .. } if value.is_object() => {
            for member in members.iter().filter(|member| !member.mark.starts_with("flat")) {
                let pointer = format!("{pointer}/{}", member.key);
                match value.get(member.key) {
                    Some(inner) if !is_leaf(inner) => walk(&member.shape, inner, &pointer, all),
                    _ => {}
                }
                all.push(Member { pointer, member: member.clone() });
            }
        }
        Shape::Union { tag, variants, .. } => {
            let tagged = value.get(tag).and_then(Value::as_str).unwrap_or_default();
            if let Some((_, shape)) = variants.iter().find(|(name, _)| *name == tagged) {
                walk(shape, value, pointer, all);
            }
        }
        _ => {}
    }
}

fn is_leaf(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}

/// Returns a value that this shape does not accept.
fn wrong(shape: &Shape) -> Value {
    match shape {
        Shape::Nullable(inner) => wrong(inner),
        Shape::String | Shape::Strings { .. } => json!(7),
        _ => json!("attache: wrong"),
    }
}

/// Returns the shape of a list's items.
fn item(shape: &Shape) -> Shape {
    match shape {
        Shape::Nullable(inner) => item(inner),
        Shape::Array(inner) => (**inner).clone(),
        other => other.clone(),
    }
}

/// Sets a member whose parent exists.
fn set(params: &mut Value, pointer: &str, value: Value) {
    let Some((parent, key)) = pointer.rsplit_once('/') else { return };
    if let Some(parent) = params.pointer_mut(parent) {
        put(parent, key, value);
    }
}

fn put(object: &mut Value, key: &str, value: Value) {
    if let Value::Object(members) = object {
        members.insert(key.to_owned(), value);
    }
}

/// Changes every object in a value, the innermost first.
fn change_objects(value: &mut Value, change: &impl Fn(&mut Value)) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| change_objects(item, change)),
        Value::Object(members) => {
            members.values_mut().for_each(|member| change_objects(member, change));
            change(value);
        }
        _ => {}
    }
}
