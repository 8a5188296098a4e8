//! MCP servers of a session: whether the agent connects to each with the right data, even if
//! another server is broken (SESS-07, SESS-08, SESS-20, RPC-15, RPC-27, MCPA-02).

use super::cancel::ends_cancelled;
use super::driven::{ALLOW, cancel, choose, play_in};
use super::history::{LOAD, RESUME, Reopened, reopened_with};
use super::version_2::driven::with_type;
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, Played, Session, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Outcome, Probed, expect, fail, not_tested, skipped};
use crate::mcp_server::{McpServer, Seen, ServerBehavior, Transport};
use crate::model::acts::{call, mcp, recall, say};
use crate::peer::line::Line;
use crate::peer::script::Answer;
use attache_protocol::method::{
    McpMessage, Method, SessionLoad, SessionNew, SessionPrompt, SessionRequestPermission,
    SessionResume,
};
use attache_protocol::v1::ProtocolVersion;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

probes! { Run:
    "SESS-08" a_stdio_server_is_started_with_its_environment;
    "SESS-08" a_tool_of_a_stdio_server_is_called;
    "SESS-07" every_server_is_connected;
    "SESS-07" an_http_server_receives_its_headers;
    "SESS-07" a_tool_of_an_http_server_is_called;
    "SESS-07" a_broken_server_does_not_affect_others;
    "SESS-07" the_servers_of_a_load_are_connected;
    "SESS-20" the_servers_of_a_resume_are_connected;
    "RPC-15" calls_are_answered_despite_a_silent_server;
    "RPC-27" calls_are_answered_despite_a_server_that_ends;
    "CANCEL-02" a_turn_is_cancelled_during_a_call_of_an_mcp_tool;
    "MCPA-02" a_request_to_a_server_over_acp_has_two_ids;
}

const HTTP: &str = "/mcpCapabilities/http";
const SSE: &str = "/mcpCapabilities/sse";
const ACP: &str = "/mcpCapabilities/acp";

/// How long to wait for a connection to a server before the first turn. Some agents connect only in
/// the first turn.
const AT_ONCE: Duration = Duration::from_secs(1);

/// How long the agent may take to answer while an MCP server is silent. MCP libraries time out
/// after a minute.
const HELD_UP: Duration = Duration::from_secs(70);

/// The number of turns within which the tool of a connected server must appear.
const TURNS: usize = 3;

const INITIALIZED: fn(&Seen) -> bool = |seen| seen.is_initialized;

async fn a_stdio_server_is_started_with_its_environment(run: &mut Run) -> Probed {
    let server = run.mcp_server(Transport::Stdio, ServerBehavior::Good)?;
    with(run, &[&server]).await?;
    expect(
        !server.seen().lacks_word,
        "the server is started with the variable of its env",
        "it is not set",
    )
}

async fn a_tool_of_a_stdio_server_is_called(run: &mut Run) -> Probed {
    calls_tool(run, Transport::Stdio).await
}

async fn every_server_is_connected(run: &mut Run) -> Probed {
    let mut servers = vec![Transport::Stdio, Transport::Stdio];
    servers.extend(over_http(run).await?);
    let servers = servers
        .into_iter()
        .map(|it| run.mcp_server(it, ServerBehavior::Good))
        .collect::<Probed<Vec<_>>>()?;
    with(run, &servers.iter().collect::<Vec<_>>()).await.map(|_| ())
}

async fn an_http_server_receives_its_headers(run: &mut Run) -> Probed {
    for transport in some_over_http(run).await? {
        let server = run.mcp_server(transport, ServerBehavior::Good)?;
        with(run, &[&server]).await?;
        let seen = format!("the header is missing for a server of type {}", kind(&server));
        expect(!server.seen().lacks_word, "the given header in every request", seen)?;
    }
    Ok(())
}

async fn a_tool_of_an_http_server_is_called(run: &mut Run) -> Probed {
    for transport in some_over_http(run).await? {
        calls_tool(run, transport).await?;
    }
    Ok(())
}

/// The agent may refuse a session with a broken server. If it opens the session, it must connect to
/// the server that works.
async fn a_broken_server_does_not_affect_others(run: &mut Run) -> Probed {
    let gone = run.mcp_server(Transport::Stdio, ServerBehavior::Gone)?;
    let good = run.mcp_server(Transport::Stdio, ServerBehavior::Good)?;
    let is_driven = run.follows_prompts().await.is_ok();
    let params = params(run, &[&gone, &good]);
    let (talk, _) = run.session().await?;
    let reply = talk.call::<SessionNew>(params).await.map_err(|outcome| unopened(&outcome))?;
    match reply.result() {
        Ok(opened) => reaches(talk, &opened_as(opened), &good, is_driven).await,
        Err(_) => not_tested("the agent opens a session only if all of its servers work"),
    }
}

async fn the_servers_of_a_load_are_connected(run: &mut Run) -> Probed {
    reopened(run, LOAD, SessionLoad::ROW.name).await
}

async fn the_servers_of_a_resume_are_connected(run: &mut Run) -> Probed {
    reopened(run, RESUME, SessionResume::ROW.name).await
}

/// Reopens a session with a new MCP server, and checks that the agent connects to the server.
async fn reopened(run: &mut Run, capability: &str, method: &str) -> Probed {
    let server = run.mcp_server(Transport::Stdio, ServerBehavior::Good)?;
    let Reopened { session, reply, .. } =
        reopened_with(run, capability, method, &json!([server.entry()])).await?;
    if let Err(outcome) = reply.result() {
        return Err(unopened(&outcome));
    }
    reaches(run.talk().await?, &session, &server, true).await
}

/// Checks that `session/new` and the first prompt are answered although an MCP server never
/// answers.
async fn calls_are_answered_despite_a_silent_server(run: &mut Run) -> Probed {
    let server = run.mcp_server(Transport::Stdio, ServerBehavior::Silent)?;
    let is_driven = run.follows_prompts().await.is_ok();
    let params = params(run, &[&server]);
    let (talk, _) = run.session().await?;
    let patience = talk.patience.max(HELD_UP);
    let (first, method) = (talk.now(), SessionNew::ROW.name);
    let id = talk.begin(method, params);
    let opened = talk.peer.wait_for(first, patience, |line| line.replies_to(&id)).await;
    let expected = |method: &str| format!("an answer to {method} although an MCP server is silent");
    let reply = match opened {
        Ok(line) => line,
        Err(missing) => return fail(expected(method), missing.to_string()),
    };
    let (Some(result), true) = (reply.get("result").cloned(), is_driven) else { return Ok(()) };
    let turn = talk.begin_turn(&opened_as(result), say("attache: one"));
    match talk.finish_within(turn, patience).await {
        Err(Outcome::Fail { seen, .. }) => fail(expected(SessionPrompt::ROW.name), seen),
        _ => Ok(()),
    }
}

/// A result and an error are both correct, but the agent must answer.
async fn calls_are_answered_despite_a_server_that_ends(run: &mut Run) -> Probed {
    let gone = run.mcp_server(Transport::Stdio, ServerBehavior::Gone)?;
    let params = params(run, &[&gone]);
    let (talk, _) = run.session().await?;
    let expected = "an answer to session/new although an MCP server ends at once";
    match talk.call::<SessionNew>(params).await {
        Err(Outcome::Fail { seen, .. }) => fail(expected, seen),
        other => other.map(|_| ()),
    }
}

async fn a_turn_is_cancelled_during_a_call_of_an_mcp_tool(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let server = run.mcp_server(Transport::Stdio, ServerBehavior::Stuck)?;
    let (talk, session) = with(run, &[&server]).await.map_err(|outcome| unopened(&outcome))?;
    talk.answer::<SessionRequestPermission>(choose(&ALLOW));
    lists_tools(talk, &server).await;
    let turn = talk.begin_turn(&session, call(mcp(&server.tool())));
    let first = turn.first;
    let is_over = |line: &Line| line.replies_to(&turn.id);
    let is_called = tokio::select! {
        is_called = server.wait_until(talk.patience, |seen| seen.calls > 0) => is_called,
        _ = talk.peer.wait_for(first, talk.patience * 2, is_over) => false,
    };
    if !is_called {
        return not_tested("the tool of the server is not called");
    }
    cancel(talk, &session);
    ends_cancelled(talk, turn).await
}

/// Checks that the id of the MCP message differs from the id of the ACP call that carries it.
async fn a_request_to_a_server_over_acp_has_two_ids(run: &mut Run) -> Probed {
    run.talk().await?.needs(ACP)?;
    let server = run.mcp_server(Transport::Acp, ServerBehavior::Good)?;
    let is_driven = run.follows_prompts().await.is_ok();
    let params = params(run, &[&server]);
    let (talk, _) = run.session().await?;
    let serving = Arc::clone(&server);
    talk.answer::<McpMessage>(move |params| over_acp(&serving, params));
    let first = talk.now();
    let opened = talk.call::<SessionNew>(params).await?.result()?;
    let call = |line: &Line| line.calls::<McpMessage>();
    if is_driven && !talk.heard(first).any(call) {
        play_in(talk, &opened_as(opened), say("attache: one")).await?;
    }
    let Ok(line) = talk.peer.wait_for(first, talk.patience, call).await else {
        return not_tested("the agent sends nothing to the server of the client");
    };
    let inner = line.get("params").and_then(|params| params.get("requestId"));
    let differs = inner.is_some_and(|inner| Some(inner) != line.get("id"));
    expect(differs, "a requestId that is not the id of the call", quoted(&line.text))
}

/// Returns the answer of an MCP server that the client provides over the ACP connection.
fn over_acp(server: &McpServer, params: &Value) -> Answer {
    let method = params.get("method").and_then(Value::as_str).unwrap_or_default();
    match server.outcome(method, params.get("params").unwrap_or(&Value::Null)) {
        None => Answer::Silence,
        Some(Ok(result)) => Answer::Result(json!({"result": result})),
        Some(Err(code)) => Answer::Result(json!({"error": {"code": code, "message": "no"}})),
    }
}

/// Checks that the model can call a server's tool and receives its result.
async fn calls_tool(run: &mut Run, transport: Transport) -> Probed {
    run.follows_prompts().await?;
    let server = run.mcp_server(transport, ServerBehavior::Good)?;
    let (talk, session) = with(run, &[&server]).await.map_err(|outcome| unopened(&outcome))?;
    talk.answer::<SessionRequestPermission>(choose(&ALLOW));
    lists_tools(talk, &server).await;
    let played = play_tool(talk, &session, &server).await?;
    let of = kind(&server);
    expect(
        server.seen().calls > 0,
        format!("the agent calls the tool of a server of type {of}"),
        "it is not",
    )?;
    let is_reported =
        played.updates().iter().any(|update| update.to_string().contains(&server.result()));
    if is_reported {
        return Ok(());
    }
    match play_in(talk, &session, recall(server.result())).await?.recalled() {
        Some(true) => Ok(()),
        Some(false) => fail(
            format!("the model receives the tool's result \"{}\"", server.result()),
            "it is not",
        ),
        None => not_tested("it is unknown what the agent's model receives"),
    }
}

/// Runs turns until one calls a server's tool, because the tool may appear a turn after the agent
/// has connected to the server.
async fn play_tool(
    talk: &mut Conversation,
    session: &Session,
    server: &McpServer,
) -> Probed<Played> {
    let mut outcome = not_tested("the tool of the server is not called");
    for _ in 0..TURNS {
        outcome = play_in(talk, session, call(mcp(&server.tool()))).await;
        if outcome.is_ok() {
            break;
        }
    }
    outcome
}

/// Waits briefly until the agent lists the tools of a server. Some agents list them only when a
/// turn needs them.
async fn lists_tools(talk: &mut Conversation, server: &McpServer) {
    wait_until(talk, server, AT_ONCE, |seen| seen.is_listed).await;
}

/// Opens a session with these servers and checks that the agent connects to all of them.
pub(super) async fn with<'r>(
    run: &'r mut Run,
    servers: &[&Arc<McpServer>],
) -> Probed<(&'r mut Conversation, Session)> {
    let is_driven = run.follows_prompts().await.is_ok();
    let params = params(run, servers);
    let (talk, _) = run.session().await?;
    let session = opened_as(talk.call::<SessionNew>(params).await?.result()?);
    for server in servers {
        reaches(talk, &session, server, is_driven).await?;
    }
    Ok((talk, session))
}

/// Checks that the agent connects to the server when the session opens or in its first turn.
async fn reaches(
    talk: &mut Conversation,
    session: &Session,
    server: &McpServer,
    is_driven: bool,
) -> Probed {
    if wait_until(talk, server, AT_ONCE, INITIALIZED).await {
        return Ok(());
    }
    if is_driven {
        play_in(talk, session, say("attache: one")).await?;
    }
    if wait_until(talk, server, talk.patience, INITIALIZED).await {
        return Ok(());
    }
    if !is_driven {
        return not_tested(
            "the agent may connect to a server in its first turn, but has no model for a turn",
        );
    }
    let seen = if server.seen().is_reached {
        "the agent connects, but sends no initialize"
    } else {
        "the agent does not connect"
    };
    fail(
        format!("the agent connects to the server {} of type {}", server.name(), kind(server)),
        seen,
    )
}

/// Answers the agent's calls until the server has seen what `wanted` describes. Returns `false` if
/// that takes too long or the agent ends first.
async fn wait_until(
    talk: &mut Conversation,
    server: &McpServer,
    patience: Duration,
    wanted: impl Fn(&Seen) -> bool,
) -> bool {
    let next = talk.now();
    tokio::select! {
        has_seen = server.wait_until(patience, &wanted) => has_seen,
        // The agent has ended, so the record of the server no longer changes.
        _ = talk.peer.wait_for(next, patience * 2, |_| false) => wanted(&server.seen()),
    }
}

/// Returns the params that open a session with these servers.
fn params(run: &Run, servers: &[&Arc<McpServer>]) -> Value {
    let entry = |server: &&Arc<McpServer>| match run.version() {
        ProtocolVersion::V1 => server.entry(),
        _ => with_type(server.entry()),
    };
    let entries: Vec<Value> = servers.iter().map(entry).collect();
    json!({"cwd": run.folder(), "mcpServers": entries})
}

/// Returns the session that this result opened.
fn opened_as(opened: Value) -> Session {
    Session { id: opened.get("sessionId").cloned().unwrap_or_default(), opened }
}

/// Turns a failure into "not tested", because another rule covers it.
fn unopened(outcome: &Outcome) -> Outcome {
    Outcome::NotTested(format!("no session with an MCP server opens: {}", outcome.seen()))
}

/// Returns the HTTP transports that the agent offers.
async fn over_http(run: &mut Run) -> Probed<Vec<Transport>> {
    let talk = run.talk().await?;
    let all = [(HTTP, Transport::Http), (SSE, Transport::Sse)];
    Ok(all
        .into_iter()
        .filter(|(capability, _)| talk.offers(capability))
        .map(|(_, it)| it)
        .collect())
}

/// Returns the HTTP transports that the agent offers. Skips the probe if there are none.
async fn some_over_http(run: &mut Run) -> Probed<Vec<Transport>> {
    let offered = over_http(run).await?;
    if offered.is_empty() {
        skipped("agentCapabilities.mcpCapabilities offers neither http nor sse")
    } else {
        Ok(offered)
    }
}

fn kind(server: &McpServer) -> &'static str {
    match server.transport() {
        Transport::Stdio => "stdio",
        Transport::Http => "http",
        Transport::Sse => "sse",
        Transport::Acp => "acp",
    }
}
