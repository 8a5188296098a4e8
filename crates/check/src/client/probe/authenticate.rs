//! Login (AUTH).

use crate::client::client_talk::ClientTalk;
use crate::client::run::ClientRun;
use crate::client::scenario::Scenario;
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested, skipped};
use crate::peer::script::Answer;
use attache_protocol::method::{Authenticate, Initialize, SessionNew};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

probes! { ClientRun:
    "AUTH-02" a_login_names_a_method_that_is_offered;
    "AUTH-06" a_login_in_a_terminal_is_not_called_for;
    "AUTH-08" a_login_in_a_terminal_is_the_agents_own_program;
    "AUTH-14" a_malformed_login_in_a_terminal_is_no_login_of_the_agent;
    "AUTH-15" an_unknown_kind_of_login_is_one_of_the_agent;
}

/// The login method of every agent in these probes.
const METHOD: &str = "check-login";

/// The arguments that a terminal login adds to the agent's command.
const ADDED: [&str; 2] = ["login", "--check now"];

/// The environment that it sets.
const SET: (&str, &str) = ("ATTACHE_CHECK_LOGIN", "a value of its own");

/// An agent that opens sessions only after a login by one of these methods.
fn locked(methods: Value) -> Scenario {
    let is_in = Arc::new(AtomicBool::new(false));
    let logged = is_in.clone();
    Scenario::bare()
        .with("/authMethods", methods)
        .on::<Authenticate>(move |_| {
            logged.store(true, Ordering::SeqCst);
            Answer::Result(json!({}))
        })
        .on::<SessionNew>(move |_| match is_in.load(Ordering::SeqCst) {
            true => Answer::Result(json!({"sessionId": "check-session-1"})),
            false => Answer::Error(-32000),
        })
}

fn own() -> Value {
    json!({"id": METHOD, "name": "Log in"})
}

fn in_terminal() -> Value {
    let set = json!({(SET.0): SET.1});
    json!({"id": "check-terminal", "name": "Log in here", "type": "terminal", "args": ADDED, "env": set})
}

/// Lets the client log in by `method` to an agent with these methods.
async fn login<'r>(
    run: &'r mut ClientRun,
    methods: Value,
    method: &str,
) -> Probed<&'r mut ClientTalk> {
    let task = run.task("login").with("method", method);
    run.start_with(task, move |_| locked(methods.clone())).await
}

/// Returns the method that the client uses.
fn called(talk: &ClientTalk) -> Option<Value> {
    talk.heard::<Authenticate>().and_then(|line| line.get("params")?.get("methodId").cloned())
}

async fn a_login_names_a_method_that_is_offered(run: &mut ClientRun) -> Probed {
    let methods = json!([{"id": "check-other", "name": "Other"}, own()]);
    let talk = login(run, methods, METHOD).await?;
    talk.hears::<Authenticate>().await?;
    let method = called(talk).unwrap_or_default();
    let is_offered = method == METHOD || method == "check-other";
    expect(is_offered, "a method that the agent offers", format!("methodId is {method}"))
}

/// The agent's own login works, so that the client could call it; terminal logins must not be
/// called.
async fn a_login_in_a_terminal_is_not_called_for(run: &mut ClientRun) -> Probed {
    login(run, json!([own()]), METHOD).await?.hears::<Authenticate>().await?;
    is_not_called(run, in_terminal()).await
}

/// The client must not authenticate if this is the only method.
async fn is_not_called(run: &mut ClientRun, method: Value) -> Probed {
    let id = method.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let talk = login(run, json!([method]), &id).await?;
    talk.hears::<Initialize>().await?;
    // A client with a terminal login waits for its end and then restarts its agent.
    if talk.next_login().await.is_some() && talk.next_connection().await.is_ok() {
        let _anew = talk.hears::<Initialize>().await;
    }
    talk.leaves().await;
    match called(talk) {
        Some(method) => {
            fail("no call of authenticate", format!("it is called with methodId {method}"))
        }
        None => Ok(()),
    }
}

async fn a_malformed_login_in_a_terminal_is_no_login_of_the_agent(run: &mut ClientRun) -> Probed {
    login(run, json!([own()]), METHOD).await?.hears::<Authenticate>().await?;
    let malformed =
        json!({"id": "check-malformed", "name": "Log in", "type": "terminal", "args": "no list"});
    is_not_called(run, malformed).await
}

async fn an_unknown_kind_of_login_is_one_of_the_agent(run: &mut ClientRun) -> Probed {
    login(run, json!([own()]), METHOD).await?.hears::<Authenticate>().await?;
    let unknown = json!({"id": "check-unknown", "name": "Log in", "type": "check_oauth"});
    let talk = login(run, json!([unknown]), "check-unknown").await?;
    let heard = talk.hears::<Authenticate>().await;
    heard.map_err(|_| crate::Outcome::Fail {
        expected: "a login of an unknown kind is called like any other".to_owned(),
        seen: "it is not called".to_owned(),
    })?;
    Ok(())
}

/// The client starts the agent's program with the added arguments and the set variables. After a
/// successful login it restarts the agent; otherwise it reports a failure.
async fn a_login_in_a_terminal_is_the_agents_own_program(run: &mut ClientRun) -> Probed {
    let task = run.task("login").with("method", "check-terminal");
    let talk = run.start_with(task, |number| match number {
        0 => locked(json!([in_terminal()])),
        _ => Scenario::bare(),
    });
    let talk = talk.await?;
    talk.hears::<Initialize>().await?;
    if !talk.offers("/auth/terminal") {
        return skipped("clientCapabilities.auth.terminal is not offered");
    }
    let Some(told) = talk.next_login().await else {
        return not_tested("the client starts no login in a terminal on the task \"login\"");
    };
    let part = |pointer: &str| told.pointer(pointer).cloned().unwrap_or_default();
    let seen = format!("it was started with the arguments {}", part("/arguments"));
    expect(
        part("/arguments") == json!(ADDED),
        format!("the arguments {} are added", json!(ADDED)),
        seen,
    )?;
    let value = part(&format!("/environment/{}", SET.0));
    expect(value == SET.1, format!("{} is set to {:?}", SET.0, SET.1), format!("it is {value}"))?;
    talk.next_connection().await?;
    talk.hears::<Initialize>().await?;
    Ok(())
}
