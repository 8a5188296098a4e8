//! Logging in and out (AUTH, AUTHS).

use crate::agent::judge_client::{capabilities, initialize_params};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested, skipped};
use crate::peer::line::Line;
use attache_protocol::method::{
    AuthStatus, AuthStatusUpdate, Authenticate, Logout, SessionNew, SessionPrompt,
};
use serde_json::Value;

probes! { Run:
    "AUTH-01" a_missing_login_has_its_own_error_code;
    "AUTH-03" an_unknown_login_method_is_invalid;
    "AUTH-04" a_login_allows_new_sessions;
    "AUTH-05" terminal_logins_are_offered_only_to_clients_with_a_terminal;
    "AUTH-11" no_session_opens_after_a_logout;
    "AUTH-13" an_open_session_is_answered_after_a_logout;
    "AUTHS-01" the_login_status_can_be_requested_at_any_time;
    "AUTHS-03" only_changes_of_the_login_are_reported;
}

const STATUS: &str = "/auth/status";
const LOGOUT: &str = "/auth/logout";
/// The error code that says that a login is required.
const NOT_LOGGED_IN: i64 = -32000;

async fn a_missing_login_has_its_own_error_code(run: &mut Run) -> Probed {
    let folder = json!(run.folder());
    let talk = logged_out(run).await?;
    let reply = talk.call::<SessionNew>(json!({"cwd": folder, "mcpServers": []})).await?;
    match reply.error("/code") {
        None => Ok(()),
        Some(_) => reply.is_error(NOT_LOGGED_IN),
    }
}

async fn an_unknown_login_method_is_invalid(run: &mut Run) -> Probed {
    let talk = run.talk().await?;
    if !talk.has_login() {
        return skipped("the agent offers no login method");
    }
    talk.call::<Authenticate>(json!({"methodId": "attache-no-such-method"})).await?.is_error(-32602)
}

async fn a_login_allows_new_sessions(run: &mut Run) -> Probed {
    let (folder, method) = (json!(run.folder()), run.method()?);
    let talk = logged_out(run).await?;
    needs_login(talk, &folder).await?;
    talk.call::<Authenticate>(json!({"methodId": method})).await?.result()?;
    talk.call::<SessionNew>(json!({"cwd": folder, "mcpServers": []})).await?.result().map(|_| ())
}

async fn terminal_logins_are_offered_only_to_clients_with_a_terminal(run: &mut Run) -> Probed {
    for auth in [
        json!({}),
        json!({"auth": {}}),
        json!({"auth": {"terminal": false}}),
        json!({"auth": {"terminal": {}}}),
    ] {
        let talk = run.fresh().await?;
        // The observer is off, because the agent may refuse a value that is not a boolean, which
        // another rule covers.
        talk.is_watched = false;
        if talk.initialize(initialize_params(auth.clone())).await?.result().is_err() {
            continue;
        }
        let methods =
            talk.announced("/authMethods").and_then(Value::as_array).cloned().unwrap_or_default();
        let is_terminal =
            |method: &&Value| method.get("type").is_some_and(|kind| kind == "terminal");
        if let Some(method) = methods.iter().find(is_terminal) {
            return fail(
                format!("no terminal login for a client with {auth}"),
                quoted(&method.to_string()),
            );
        }
    }
    Ok(())
}

async fn no_session_opens_after_a_logout(run: &mut Run) -> Probed {
    let (folder, method) = (json!(run.folder()), run.method()?);
    let talk = logged_out(run).await?;
    let needs_login =
        talk.offers(STATUS) && state(talk).await.is_ok_and(|state| state == "unauthenticated");
    let reply = talk.call::<SessionNew>(json!({"cwd": folder, "mcpServers": []})).await?;
    talk.call::<Authenticate>(json!({"methodId": method})).await?;
    match reply.error("/code") {
        Some(_) => Ok(()),
        None if needs_login => fail("no session opens without a login", "one opens"),
        None => not_tested(
            "a session opens after the logout, and the agent does not report that a login is required",
        ),
    }
}

async fn an_open_session_is_answered_after_a_logout(run: &mut Run) -> Probed {
    let (folder, method, words) = (run.folder().to_owned(), run.method()?, run.words());
    let talk = run.fresh_with(capabilities()).await?;
    talk.needs(LOGOUT)?;
    talk.call::<Authenticate>(json!({"methodId": method})).await?.result()?;
    let session = talk.open(&folder).await?;
    talk.call::<Logout>(Value::Null).await?.result()?;
    // The agent may end the session, keep it open or refuse the prompt: any answer is correct.
    talk.call::<SessionPrompt>(json!({"sessionId": session.id, "prompt": words})).await?;
    talk.is_still_there().await?;
    talk.call::<Authenticate>(json!({"methodId": method})).await.map(|_| ())
}

async fn the_login_status_can_be_requested_at_any_time(run: &mut Run) -> Probed {
    run.talk().await?.needs(STATUS)?;
    let talk = run.fresh_with(capabilities()).await?;
    let first = state(talk).await?;
    let again = state(talk).await?;
    expect(
        first == again,
        "two requests return the same status",
        format!("{first}, then {again}"),
    )?;
    if run.method().is_err() {
        return Ok(());
    }
    let talk = logged_out(run).await?;
    state(talk).await.map(|_| ())
}

async fn only_changes_of_the_login_are_reported(run: &mut Run) -> Probed {
    let talk = run.talk().await?;
    if !talk.offers(STATUS) {
        talk.is_still_there().await?;
        return match talk.heard(0).find(|line| line.calls::<AuthStatusUpdate>()) {
            Some(line) => fail(
                "no auth/status_update from an agent that does not offer auth.status",
                quoted(&line.text),
            ),
            None => talk.needs(STATUS),
        };
    }
    let talk = run.fresh_with(capabilities()).await?;
    let before = state(talk).await?;
    let first = talk.now();
    state(talk).await?;
    talk.call::<Authenticate>(json!({"methodId": "attache-no-such-method"})).await?;
    talk.is_still_there().await?;
    let is_same = |line: &&Line| {
        let reported = line.get("params").and_then(|params| params.get("state"));
        line.calls::<AuthStatusUpdate>() && reported == Some(&before)
    };
    match talk.heard(first).find(is_same) {
        Some(line) => {
            fail("no auth/status_update without a change of the status", quoted(&line.text))
        }
        None => Ok(()),
    }
}

/// Returns the login state that the agent reports.
async fn state(talk: &mut Conversation) -> Probed<Value> {
    let result = talk.call::<AuthStatus>(json!({})).await?.result()?;
    match result.get("state") {
        Some(state) if state.is_string() => Ok(state.clone()),
        _ => fail("a state", quoted(&result.to_string())),
    }
}

/// Starts a separate agent process and logs it out.
async fn logged_out(run: &mut Run) -> Probed<&mut Conversation> {
    run.method()?;
    run.talk().await?.needs(LOGOUT)?;
    let talk = run.fresh_with(capabilities()).await?;
    talk.call::<Logout>(Value::Null).await?.result()?;
    Ok(talk)
}

/// Checks that sessions need a login. Otherwise logins cannot be tested.
async fn needs_login(talk: &mut Conversation, folder: &Value) -> Probed {
    let reply = talk.call::<SessionNew>(json!({"cwd": folder, "mcpServers": []})).await?;
    match reply.error("/code") == Some(&json!(NOT_LOGGED_IN)) {
        true => Ok(()),
        false => not_tested("a session opens without a login"),
    }
}
