//! MCP servers that a client provides over the ACP connection (MCPA).

use crate::ClientTask;
use crate::client::client_talk::{ClientTalk, ClientTurn};
use crate::client::run::ClientRun;
use crate::client::scenario::Scenario;
use crate::json::json;
use crate::judging::conversation::quoted;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested, skipped};
use attache_protocol::method::{McpMessage, Method, SessionNew};
use serde_json::Value;
use std::collections::BTreeSet;

probes! { ClientRun:
    "MCPA-01" each_server_over_acp_has_a_unique_id;
    "MCPA-01" no_server_over_acp_without_the_capability;
    "MCPA-03" a_reply_is_a_result_or_an_error;
    "MCPA-04" notifications_belong_to_a_running_request;
    "RPC-31" the_program_of_a_server_is_an_absolute_path;
}

/// Returns the task `mcp`, with a file of MCP servers in the format that most clients use.
fn task(run: &mut ClientRun) -> Probed<ClientTask> {
    let file = run.new_path();
    let servers =
        json!({"mcpServers": {"attache-check": {"command": "/bin/sh", "args": [], "env": {}}}});
    match std::fs::write(&file, servers.to_string()) {
        Ok(()) => Ok(run.task("mcp").with("mcp", file.to_string_lossy())),
        Err(error) => not_tested(format!("cannot write the file: {error}")),
    }
}

/// Starts a turn of a client with MCP servers. The agent offers to reach servers over the ACP
/// connection.
async fn turn(run: &mut ClientRun) -> Probed<(&mut ClientTalk, ClientTurn)> {
    let (task, folder) = (task(run)?, run.folder().to_owned());
    let reaches = move |_| {
        Scenario::everything(&folder).with("/agentCapabilities/mcpCapabilities/acp", json!(true))
    };
    let talk = run.start_with(task, reaches).await?;
    let turn = talk.set_up().await?;
    Ok((talk, turn))
}

/// Returns the MCP servers that the client sent in `session/new`.
fn servers(talk: &ClientTalk) -> &[Value] {
    let opened = talk
        .heard::<SessionNew>()
        .and_then(|line| line.get("params")?.get("mcpServers")?.as_array());
    opened.map_or(&[][..], Vec::as_slice)
}

/// Returns the ids of the servers that the client provides over the ACP connection.
fn acp_ids(talk: &ClientTalk) -> Vec<Value> {
    let own =
        servers(talk).iter().filter(|server| server.get("type").is_some_and(|kind| kind == "acp"));
    own.map(|server| server.get("serverId").cloned().unwrap_or_default()).collect()
}

const NONE: &str = "the client provides no MCP server over the ACP connection";

async fn each_server_over_acp_has_a_unique_id(run: &mut ClientRun) -> Probed {
    let (talk, _) = turn(run).await?;
    let ids = acp_ids(talk);
    if ids.is_empty() {
        return skipped(NONE);
    }
    let different: BTreeSet<String> = ids.iter().map(Value::to_string).collect();
    expect(
        different.len() == ids.len(),
        "each server has a unique id",
        quoted(&json!(ids).to_string()),
    )
}

async fn no_server_over_acp_without_the_capability(run: &mut ClientRun) -> Probed {
    let (talk, _) = turn(run).await?;
    if acp_ids(talk).is_empty() {
        return skipped(NONE);
    }
    let task = task(run)?;
    let talk = run.start(task).await?;
    talk.set_up().await?;
    expect(
        acp_ids(talk).is_empty(),
        "no server of type acp",
        "there is one, although the agent does not offer mcpCapabilities.acp",
    )
}

/// Sends a request to an MCP server of the client over the ACP connection.
async fn inner(talk: &mut ClientTalk, server: &Value, method: &str) -> Probed<Value> {
    let params = json!({"serverId": server, "requestId": format!("inner-{method}"), "method": method, "params": {}});
    talk.wire.ask(McpMessage::ROW.name, params).await?.result()
}

async fn a_reply_is_a_result_or_an_error(run: &mut ClientRun) -> Probed {
    let (talk, _) = turn(run).await?;
    let Some(server) = acp_ids(talk).first().cloned() else { return skipped(NONE) };
    for method in ["ping", "attache/no_such_method"] {
        let answer = inner(talk, &server, method).await?;
        let has = |key: &str| answer.get(key).is_some();
        expect(
            has("result") != has("error"),
            "either a result or an error",
            quoted(&answer.to_string()),
        )?;
    }
    Ok(())
}

async fn notifications_belong_to_a_running_request(run: &mut ClientRun) -> Probed {
    let (talk, _) = turn(run).await?;
    let Some(server) = acp_ids(talk).first().cloned() else { return skipped(NONE) };
    let first = talk.wire.now();
    inner(talk, &server, "ping").await?;
    talk.wire.is_still_there().await?;
    let answered =
        talk.wire.heard(first).find(|line| line.is_reply()).map_or(0, |line| line.number);
    let stray =
        talk.wire.heard(first).find(|line| line.asks::<McpMessage>() && line.number > answered);
    match stray {
        Some(line) => fail("no notification after the reply to the request", quoted(&line.text)),
        None => Ok(()),
    }
}

pub(super) async fn the_program_of_a_server_is_an_absolute_path(run: &mut ClientRun) -> Probed {
    let (talk, _) = turn(run).await?;
    let programs =
        servers(talk).iter().filter_map(|server| server.get("command").and_then(Value::as_str));
    let mut programs = programs.peekable();
    if programs.peek().is_none() {
        return not_tested("the client sends no MCP server that is a program");
    }
    match programs.find(|program| !crate::observer::is_absolute(program)) {
        Some(program) => {
            fail("an absolute path to each program", format!("the program {program:?}"))
        }
        None => Ok(()),
    }
}
