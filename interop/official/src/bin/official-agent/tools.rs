//! The tools for acts. Each call is a tool call that the client sees from start to end.

use std::path::Path;

use agent_client_protocol::v1::schema::{
    Diff, Plan, SessionUpdate, ToolCallContent, ToolCallLocation, ToolCallStatus,
    ToolCallUpdateFields, ToolKind,
};
use agent_client_protocol::{Error, Result};
use official_peers::acts::Tool;
use serde_json::{Map, Value, json};

use crate::tool_call::{ToolCall, blocks, text};
use crate::turn::Turn;
use crate::{files, permission, question, shell};

/// Calls the tool of an act.
pub(crate) async fn call(turn: &mut Turn, call: Value) -> Result<()> {
    let name = call["tool"].as_str().unwrap_or_default().to_owned();
    match serde_json::from_value(call) {
        Ok(Tool::Read { path }) => read(turn, &path).await,
        Ok(Tool::Write { path, content }) => {
            let input = json!({"path": path, "content": content});
            change(turn, "write", &path, input, |_| Ok(content)).await
        }
        Ok(Tool::Edit { path, old, new }) => {
            let input = json!({"path": path, "old": old, "new": new});
            change(turn, "edit", &path, input, |before| match before {
                Some(before) if before.contains(&old) => Ok(before.replacen(&old, &new, 1)),
                _ => Err(Error::invalid_params().data("the file does not contain this text")),
            })
            .await
        }
        Ok(Tool::Run { command }) => run(turn, &command).await,
        Ok(Tool::Plan { entries }) => {
            let entries = serde_json::from_value(entries).map_err(Error::into_internal_error)?;
            turn.session.update(SessionUpdate::Plan(Plan::new(entries)))
        }
        Ok(Tool::Ask { question }) => ask(turn, &question).await,
        Ok(Tool::Mcp { name, arguments }) => mcp(turn, &name, arguments).await,
        Err(_) => turn.say(&format!("attache check: no tool for {name}")),
    }
}

fn located(path: &Path) -> ToolCallUpdateFields {
    ToolCallUpdateFields::new().locations(vec![ToolCallLocation::new(path)])
}

async fn read(turn: &mut Turn, path: &str) -> Result<()> {
    let title = format!("Read {path}");
    let mut call =
        ToolCall::begin(turn, Some("read"), &title, ToolKind::Read, Some(json!({"path": path})))?;
    let worked = async {
        let file = files::resolve(turn, path)?;
        call.start(turn, located(&file))?;
        let content = files::read(turn, &file).await?;
        call.complete(turn, ToolCallUpdateFields::new().content(text(content)))
    };
    let worked = worked.await;
    call.settle(turn, worked)
}

async fn permitted(turn: &mut Turn, call: &ToolCall) -> Result<bool> {
    let allowed = permission::allows(turn, call).await?;
    if !allowed {
        call.fail(turn, "It was not allowed.")?;
    }
    Ok(allowed)
}

/// A file before and after a change, shown as a diff before the permission request.
async fn change(
    turn: &mut Turn,
    name: &str,
    path: &str,
    input: Value,
    after: impl FnOnce(Option<&str>) -> Result<String>,
) -> Result<()> {
    let mut call =
        ToolCall::begin(turn, Some(name), &format!("{name} {path}"), ToolKind::Edit, Some(input))?;
    let worked = async {
        let file = files::resolve(turn, path)?;
        let old = files::read_if_there(turn, &file).await?;
        let new = after(old.as_deref())?;
        let diff = ToolCallContent::Diff(Diff::new(file.clone(), new.clone()).old_text(old));
        call.show(turn, located(&file).content(vec![diff]))?;
        if !permitted(turn, &call).await? {
            return Ok(());
        }
        call.start(turn, ToolCallUpdateFields::new())?;
        files::write(turn, &file, &new).await?;
        call.complete(turn, ToolCallUpdateFields::new())
    };
    let worked = worked.await;
    call.settle(turn, worked)
}

async fn run(turn: &mut Turn, line: &str) -> Result<()> {
    let mut call = ToolCall::begin(
        turn,
        Some("run"),
        line,
        ToolKind::Execute,
        Some(json!({"command": line})),
    )?;
    let worked = async {
        if !permitted(turn, &call).await? {
            return Ok(());
        }
        let ended = shell::run(turn, line, &mut call).await?;
        let output =
            json!({"exitCode": ended.exit_code, "signal": ended.signal, "output": ended.output});
        let kept =
            ToolCallUpdateFields::new().raw_output(output.clone()).content(text(ended.output));
        let shown = if ended.is_shown {
            ToolCallUpdateFields::new().raw_output(output)
        } else {
            kept.clone()
        };
        let is_good = ended.exit_code == Some(0);
        let status = if is_good { ToolCallStatus::Completed } else { ToolCallStatus::Failed };
        call.end(turn, status, shown, Some(kept))
    };
    let worked = worked.await;
    call.settle(turn, worked)
}

async fn ask(turn: &mut Turn, words: &str) -> Result<()> {
    let input = Some(json!({"question": words}));
    let mut call = ToolCall::begin(turn, Some("ask"), words, ToolKind::Other, input)?;
    let worked = async {
        call.start(turn, ToolCallUpdateFields::new())?;
        let answer = question::elicit(turn, words, Some(call.id())).await?;
        call.complete(turn, ToolCallUpdateFields::new().content(text(answer.clone())))?;
        turn.say(&answer)
    };
    let worked = worked.await;
    call.settle(turn, worked)
}

async fn mcp(turn: &mut Turn, name: &str, arguments: Map<String, Value>) -> Result<()> {
    let input = Some(Value::Object(arguments.clone()));
    let mut call = ToolCall::begin(turn, Some(name), name, ToolKind::Other, input)?;
    let worked = async {
        call.start(turn, ToolCallUpdateFields::new())?;
        let outcome = tokio::select! {
            outcome = turn.session.mcp.call(name, arguments) => outcome,
            () = turn.cancelled() => return Err(Error::request_cancelled()),
        };
        let missing = || Error::invalid_params().data(format!("no MCP server has a tool {name}"));
        let outcome = outcome.ok_or_else(missing)?;
        let status =
            if outcome.is_error { ToolCallStatus::Failed } else { ToolCallStatus::Completed };
        let fields = ToolCallUpdateFields::new().content(blocks(outcome.content));
        call.end(turn, status, fields, None)
    };
    let worked = worked.await;
    call.settle(turn, worked)
}
