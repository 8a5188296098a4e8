//! Performs the commands of a prompt: each command sends its messages.

use std::path::Path;
use std::time::Duration;

use agent_client_protocol::v1::schema::{
    CompactionId, CompactionStatus, CompactionSummaryChunk, CompactionUpdate, ContentBlock,
    ContentChunk, Cost, IdleStateUpdate, IdleStopReason, Notice, Plan, PlanEntry,
    PlanEntryPriority, PlanEntryStatus, PlanUpdate, PlanUpdateContent, ReadTextFileRequest,
    RunningStateUpdate, SessionId, SessionInfoUpdate, SessionNotification, SessionUpdate,
    StateUpdate, SubagentUpdate, ToolCallLocation, ToolCallUpdateFields, ToolKind, UsageUpdate,
    WriteTextFileRequest,
};
use agent_client_protocol::{Error, Result};
use official_peers::command::Command;
use serde_json::json;

use crate::offers;
use crate::slash::{self, Slash};
use crate::tool_call::{ToolCall, text};
use crate::turn::Turn;
use crate::{permission, question};

pub(crate) async fn perform_all(turn: &mut Turn, commands: Vec<Command>) -> Result<()> {
    for command in commands {
        turn.go_on()?;
        perform(turn, command).await?;
    }
    Ok(())
}

pub(crate) fn slash(turn: &mut Turn, command: Slash) -> Result<()> {
    match command {
        Slash::Help => turn.say(&slash::help()),
        Slash::Echo(words) => turn.say(&words),
        Slash::Compact => compact(turn),
    }
}

async fn perform(turn: &mut Turn, command: Command) -> Result<()> {
    match command {
        Command::Say(text) => turn.say(&text),
        Command::Think(text) => turn.think(&text),
        Command::Tool(title) => tool(turn, &title),
        Command::Cancellable(title) => cancellable(turn, &title).await,
        Command::Ask => ask(turn).await,
        Command::Question(words) => {
            let answer = question::elicit(turn, &words, None).await?;
            turn.say(&answer)
        }
        Command::Read(path) => read(turn, &path).await,
        Command::Write(path, text) => write(turn, &path, &text).await,
        Command::Plan => turn.session.update(SessionUpdate::Plan(Plan::new(plan()))),
        Command::Plans => plans(turn),
        Command::Subagent(title) => subagent(turn, title),
        Command::Notice(severity, title) => notice(turn, &severity, title),
        Command::Compact => compact(turn),
        Command::Usage(used, size) => {
            let usage = UsageUpdate::new(used, size).cost(Cost::new(0.25, "USD"));
            turn.session.update(SessionUpdate::UsageUpdate(usage))
        }
        Command::Title(title) => {
            turn.session.record().title = Some(title.clone());
            turn.session
                .update(SessionUpdate::SessionInfoUpdate(SessionInfoUpdate::new().title(title)))
        }
        Command::Flood(count, size) => flood(turn, count, size).await,
        Command::Sleep(ms) => {
            // A sleep that ends early is not an error: the turn is checked before the next command.
            let _ = tokio::time::timeout(Duration::from_millis(ms), turn.cancelled()).await;
            Ok(())
        }
        Command::Wait => {
            turn.cancelled().await;
            Ok(())
        }
        Command::Error => Err(Error::internal_error().data("the prompt asked for an error")),
        Command::Exit(code) => std::process::exit(code),
        Command::Stderr(text) => {
            eprintln!("{text}");
            Ok(())
        }
    }
}

fn tool(turn: &mut Turn, title: &str) -> Result<()> {
    let mut call = ToolCall::begin(turn, None, title, ToolKind::Other, None)?;
    let location = ToolCallLocation::new(turn.session.cwd().join("notes.txt")).line(1);
    call.start(turn, ToolCallUpdateFields::new().locations(vec![location]))?;
    call.complete(turn, ToolCallUpdateFields::new().content(text(format!("{title}: done"))))
}

/// Version 1 cannot cancel one tool call, so only the end of the turn ends this one.
async fn cancellable(turn: &mut Turn, title: &str) -> Result<()> {
    let mut call = ToolCall::begin(turn, None, title, ToolKind::Execute, None)?;
    call.start(turn, ToolCallUpdateFields::new())?;
    turn.cancelled().await;
    turn.go_on()
}

async fn ask(turn: &mut Turn) -> Result<()> {
    let mut call = ToolCall::begin(turn, None, "ask", ToolKind::Other, None)?;
    let answer = permission::ask(turn, &call).await?;
    if answer.starts_with("allow_") {
        call.start(turn, ToolCallUpdateFields::new())?;
        call.complete(turn, ToolCallUpdateFields::new())?;
    } else {
        call.fail(turn, "It was not allowed.")?;
    }
    turn.say(&format!("permission: {answer}"))
}

/// `..` is not resolved: the client must judge the path.
async fn read(turn: &mut Turn, path: &Path) -> Result<()> {
    if !turn.session.offered.fs.read_text_file {
        return turn.say("read: not offered");
    }
    let request = ReadTextFileRequest::new(turn.session.id.clone(), turn.session.cwd().join(path));
    let told = match turn.request(request).await {
        Ok(file) => file.content.len().to_string(),
        Err(error) => refusal(turn, &error)?,
    };
    turn.say(&format!("read: {told}"))
}

async fn write(turn: &mut Turn, path: &Path, content: &str) -> Result<()> {
    if !turn.session.offered.fs.write_text_file {
        return turn.say("write: not offered");
    }
    let path = turn.session.cwd().join(path);
    let request = WriteTextFileRequest::new(turn.session.id.clone(), path, content);
    let told = match turn.request(request).await {
        Ok(_) => "done".into(),
        Err(error) => refusal(turn, &error)?,
    };
    turn.say(&format!("write: {told}"))
}

fn refusal(turn: &Turn, error: &Error) -> Result<String> {
    turn.go_on()?;
    Ok(format!("error {}", i32::from(error.code)))
}

fn plan() -> Vec<PlanEntry> {
    use PlanEntryPriority::{High, Low, Medium};
    use PlanEntryStatus::{Completed, InProgress, Pending};
    let entries =
        [("look", High, Completed), ("change", Medium, InProgress), ("test", Low, Pending)];
    entries.map(|(content, priority, status)| PlanEntry::new(content, priority, status)).to_vec()
}

/// Shows another plan with an id, if the client supports it (PLANU-01).
fn plans(turn: &Turn) -> Result<()> {
    turn.session.update(match turn.session.offered.plan {
        Some(_) => {
            SessionUpdate::PlanUpdate(PlanUpdate::new(PlanUpdateContent::items("first", plan())))
        }
        None => SessionUpdate::Plan(Plan::new(plan())),
    })
}

/// Starts a child session that says one thing and ends.
fn subagent(turn: &mut Turn, title: String) -> Result<()> {
    if turn.session.offered.subagents.is_none() {
        return turn.say(&format!("subagent: {title}"));
    }
    let child =
        SessionId::new(format!("{}-{}", turn.session.id, turn.session.record().new_message_id()));
    let running = StateUpdate::Running(RunningStateUpdate::new());
    let begun = SubagentUpdate::new(child.clone()).title(title.clone()).state(running);
    turn.session.update(SessionUpdate::SubagentUpdate(begun))?;
    let chunk = ContentChunk::new(ContentBlock::from(format!("{title}: done")));
    let said = SessionNotification::new(child.clone(), SessionUpdate::AgentMessageChunk(chunk));
    turn.session.client.send_notification(said)?;
    let idle = StateUpdate::Idle(IdleStateUpdate::new().stop_reason(IdleStopReason::EndTurn));
    turn.session.update(SessionUpdate::SubagentUpdate(SubagentUpdate::new(child).state(idle)))
}

fn notice(turn: &mut Turn, severity: &str, title: String) -> Result<()> {
    if !offers::takes_notices(&turn.session.offered) {
        return turn.say(&title);
    }
    let severity = serde_json::from_value(json!(severity)).map_err(Error::into_internal_error)?;
    turn.session.update(SessionUpdate::Notice(Notice::new(severity, title)))
}

fn compact(turn: &mut Turn) -> Result<()> {
    if !offers::takes_compaction(&turn.session.offered) {
        return turn.say("compacted");
    }
    let number = {
        let mut record = turn.session.record();
        record.last.compaction += 1;
        record.last.compaction
    };
    let id = CompactionId::new(format!("compaction-{number}"));
    let update =
        |status| SessionUpdate::CompactionUpdate(CompactionUpdate::new(id.clone(), status));
    turn.session.update(update(CompactionStatus::InProgress))?;
    let summary = CompactionSummaryChunk::new(
        id.clone(),
        ContentBlock::from("A summary of the earlier conversation."),
    );
    turn.session.update(SessionUpdate::CompactionSummaryChunk(summary))?;
    turn.session.update(update(CompactionStatus::Completed))
}

async fn flood(turn: &mut Turn, count: u64, size: usize) -> Result<()> {
    let text = "0123456789abcdef".chars().cycle().take(size).collect::<String>();
    for _ in 0..count {
        turn.say(&text)?;
        turn.breathe().await?;
    }
    Ok(())
}
