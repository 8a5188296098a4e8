//! Requests and notifications in general: unknown methods, malformed params, exactly one reply
//! (RPC-15 to RPC-18, RPC-23 to RPC-26).

use super::session_list::{LIST, page};
use super::version_2::driven::{STDIO, with_type};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect};
use attache_protocol::method::{Method, SessionCancel, SessionList, SessionNew};
use attache_protocol::v1::ProtocolVersion;
use serde_json::Value;

probes! { Run:
    "RPC-15" every_request_gets_one_reply;
    "RPC-16" an_unknown_method_is_not_found;
    "RPC-17" an_unknown_notification_is_ignored;
    "RPC-18" an_unknown_protocol_notification_is_ignored;
    "RPC-23" params_of_the_wrong_type_are_invalid;
    "RPC-24" a_malformed_notification_is_ignored;
    "RPC-25" absent_params_count_as_empty;
    "RPC-26" unknown_keys_are_ignored;
}

async fn every_request_gets_one_reply(run: &mut Run) -> Probed {
    let talk = run.talk().await?;
    let first = talk.now();
    let ids = [(); 3].map(|()| talk.begin("attache/count", json!({})));
    for id in &ids {
        talk.hear(first, &format!("a reply to the call {id}"), |line| line.replies_to(id)).await?;
    }
    talk.is_still_there().await?;
    for id in &ids {
        let replies = talk.heard(first).filter(|line| line.replies_to(id)).count();
        expect(replies == 1, format!("one reply to the call {id}"), format!("{replies} replies"))?;
    }
    Ok(())
}

async fn an_unknown_method_is_not_found(run: &mut Run) -> Probed {
    run.talk().await?.ask("foo/bar", json!({})).await?.is_error(-32601)
}

async fn an_unknown_notification_is_ignored(run: &mut Run) -> Probed {
    is_ignored(run, "foo/bar", json!({})).await
}

async fn an_unknown_protocol_notification_is_ignored(run: &mut Run) -> Probed {
    is_ignored(run, "$/zzz", json!({})).await
}

async fn params_of_the_wrong_type_are_invalid(run: &mut Run) -> Probed {
    let (talk, _) = run.session().await?;
    talk.call::<SessionNew>(json!({"cwd": 5, "mcpServers": []})).await?.is_error(-32602)?;
    talk.is_still_there().await
}

async fn a_malformed_notification_is_ignored(run: &mut Run) -> Probed {
    is_ignored(run, SessionCancel::ROW.name, json!({})).await
}

async fn absent_params_count_as_empty(run: &mut Run) -> Probed {
    let talk = run.talk().await?;
    talk.needs(list_capability(talk))?;
    page(talk, json!({})).await?;
    talk.call::<SessionList>(Value::Null).await?.result()?;
    let first = talk.now();
    let id = json!("null params");
    talk.peer.send(
        &json!({"jsonrpc": "2.0", "id": id, "method": SessionList::ROW.name, "params": null}),
    );
    let line =
        talk.hear(first, "a reply to a call with params null", |line| line.replies_to(&id)).await?;
    expect(line.get("result").is_some(), "null params count as empty params", quoted(&line.text))
}

async fn unknown_keys_are_ignored(run: &mut Run) -> Probed {
    let folder = run.folder().to_owned();
    let (talk, _) = run.session().await?;
    let mut server = json!({"name": "none", "command": "/attache/no-such-server", "args": [], "env": [], "zzz": 1});
    let plain = json!({"cwd": folder, "mcpServers": [], "zzz": 1});
    talk.call::<SessionNew>(plain).await?.result()?;
    if talk.version != ProtocolVersion::V1 {
        // An agent of version 2 refuses a transport that it does not offer (V2-16).
        if !talk.offers(STDIO) {
            return Ok(());
        }
        server = with_type(server);
    }
    // The agent may refuse a server that cannot start. Only an error about invalid params is a
    // failure.
    let nested = talk.call::<SessionNew>(json!({"cwd": folder, "mcpServers": [server]})).await?;
    let is_invalid = nested.error("/code") == Some(&json!(-32602));
    expect(!is_invalid, "unknown keys of an MCP server are ignored", "error -32602")
}

/// Returns the capability without which an agent lists no sessions.
pub(super) fn list_capability(talk: &Conversation) -> &'static str {
    if talk.version == ProtocolVersion::V1 { LIST } else { "/session" }
}

/// Checks that the agent ignores this notification.
pub(super) async fn is_ignored(run: &mut Run, method: &str, params: Value) -> Probed {
    let talk = run.talk().await?;
    let first = talk.now();
    talk.notify(method, params);
    talk.is_ignored(first).await
}
