//! Logging in (AUTH).

use crate::client::client_talk::ClientTalk;
use crate::client::run::ClientRun;
use crate::client::scenario::Scenario;
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested, skipped};
use crate::peer::script::Answer;
use attache_protocol::method::v2::AuthLogin;
use attache_protocol::method::{Authenticate, Initialize, SessionNew};
use attache_protocol::v1::ProtocolVersion;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

probes! { ClientRun:
    "AUTH-02" a_login_names_an_offered_method;
    "AUTH-06" a_terminal_login_is_not_requested_by_authenticate;
    "AUTH-08" a_terminal_login_runs_the_agents_program;
    "AUTH-14" a_malformed_terminal_login_is_not_an_agent_login;
    "AUTH-15" an_unknown_login_type_is_an_agent_login;
}

/// The id of the agent login in these probes.
const METHOD: &str = "check-login";

/// The arguments that a terminal login adds to the agent's command.
const ADDED: [&str; 2] = ["login", "--check now"];

/// The environment variable that a terminal login sets.
const SET: (&str, &str) = ("ATTACHE_CHECK_LOGIN", "attache check value");

/// Returns an agent that opens sessions only after a login by one of these methods.
fn locked(methods: Value) -> Scenario {
    let is_in = Arc::new(AtomicBool::new(false));
    let (logged, logged_later) = (is_in.clone(), is_in.clone());
    Scenario::bare()
        .with("/authMethods", methods)
        .on::<Authenticate>(move |_| {
            logged.store(true, Ordering::SeqCst);
            Answer::Result(json!({}))
        })
        .on::<AuthLogin>(move |_| {
            logged_later.store(true, Ordering::SeqCst);
            Answer::Result(json!({}))
        })
        .on::<SessionNew>(move |_| match is_in.load(Ordering::SeqCst) {
            true => Answer::Result(json!({"sessionId": "check-session-1"})),
            false => Answer::Error(-32000),
        })
}

fn agent_login() -> Value {
    json!({"id": METHOD, "name": "Log in"})
}

fn in_terminal() -> Value {
    let set = json!({(SET.0): SET.1});
    json!({"id": "check-terminal", "name": "Log in here", "type": "terminal", "args": ADDED, "env": set})
}

/// Starts the client with the task of logging in with `method` to an agent that offers `methods`.
async fn login<'r>(
    run: &'r mut ClientRun,
    methods: Value,
    method: &str,
) -> Probed<&'r mut ClientTalk> {
    let task = run.task("login").with("method", method);
    run.start_with(task, move |_| locked(methods.clone())).await
}

/// Returns the id of the login method with which the client called `authenticate`.
fn called(talk: &ClientTalk) -> Option<Value> {
    let line = talk.heard::<Authenticate>().or_else(|| talk.heard::<AuthLogin>());
    line.and_then(|line| line.get("params")?.get("methodId").cloned())
}

/// Waits until the client calls `authenticate`, or `auth/login` in version 2.
async fn logs_in(talk: &mut ClientTalk) -> Probed {
    match talk.version {
        ProtocolVersion::V1 => talk.hears::<Authenticate>().await.map(drop),
        _ => talk.hears::<AuthLogin>().await.map(drop),
    }
}

pub(super) async fn a_login_names_an_offered_method(run: &mut ClientRun) -> Probed {
    let methods = json!([{"id": "check-other", "name": "Other"}, agent_login()]);
    let talk = login(run, methods, METHOD).await?;
    logs_in(talk).await?;
    let method = called(talk).unwrap_or_default();
    let is_offered = method == METHOD || method == "check-other";
    expect(is_offered, "a method that the agent offers", format!("methodId is {method}"))
}

/// First checks that the client calls `authenticate` for an agent login, then that it does not call
/// it for a terminal login.
pub(super) async fn a_terminal_login_is_not_requested_by_authenticate(
    run: &mut ClientRun,
) -> Probed {
    logs_in(login(run, json!([agent_login()]), METHOD).await?).await?;
    is_not_called(run, in_terminal()).await
}

/// Checks that the client does not call `authenticate` if the agent offers only this login method.
async fn is_not_called(run: &mut ClientRun, method: Value) -> Probed {
    let id = method.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let talk = login(run, json!([method]), &id).await?;
    talk.hears::<Initialize>().await?;
    // A client that supports terminal logins waits until the login has ended, then restarts the
    // agent.
    if talk.next_login().await.is_some() && talk.next_connection().await.is_ok() {
        let _second_start = talk.hears::<Initialize>().await;
    }
    talk.ended().await;
    match called(talk) {
        Some(method) => {
            fail("no login by a call", format!("the client calls a login with methodId {method}"))
        }
        None => Ok(()),
    }
}

async fn a_malformed_terminal_login_is_not_an_agent_login(run: &mut ClientRun) -> Probed {
    login(run, json!([agent_login()]), METHOD).await?.hears::<Authenticate>().await?;
    let malformed =
        json!({"id": "check-malformed", "name": "Log in", "type": "terminal", "args": "no list"});
    is_not_called(run, malformed).await
}

async fn an_unknown_login_type_is_an_agent_login(run: &mut ClientRun) -> Probed {
    login(run, json!([agent_login()]), METHOD).await?.hears::<Authenticate>().await?;
    let unknown = json!({"id": "check-unknown", "name": "Log in", "type": "check_oauth"});
    let talk = login(run, json!([unknown]), "check-unknown").await?;
    let heard = talk.hears::<Authenticate>().await;
    heard.map_err(|_| crate::Outcome::Fail {
        expected: "the client calls authenticate for a login of an unknown type".to_owned(),
        seen: "the client does not call it".to_owned(),
    })?;
    Ok(())
}

/// The client must start the agent's program with the additional arguments and variables of the
/// login method, and restart the agent after the login.
pub(super) async fn a_terminal_login_runs_the_agents_program(run: &mut ClientRun) -> Probed {
    let task = run.task("login").with("method", "check-terminal");
    let talk = run.start_with(task, |number| match number {
        0 => locked(json!([in_terminal()])),
        _ => Scenario::bare(),
    });
    let talk = talk.await?;
    talk.hears::<Initialize>().await?;
    if !talk.offers("/auth/terminal") {
        return skipped(format!("{}.auth.terminal is not offered", talk.capabilities()));
    }
    let Some(start) = talk.next_login().await else {
        return not_tested("the client starts no terminal login for the task \"login\"");
    };
    let part = |pointer: &str| start.pointer(pointer).cloned().unwrap_or_default();
    let seen = format!("it was started with the arguments {}", part("/arguments"));
    expect(
        part("/arguments") == json!(ADDED),
        format!("the agent's command with the additional arguments {}", json!(ADDED)),
        seen,
    )?;
    let value = part(&format!("/environment/{}", SET.0));
    expect(value == SET.1, format!("{} is set to {:?}", SET.0, SET.1), format!("it is {value}"))?;
    talk.next_connection().await?;
    talk.hears::<Initialize>().await?;
    Ok(())
}
