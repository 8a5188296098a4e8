//! The execute tool: a command with the shell, its output shown while it runs.

use super::fit::{MESSAGE_TEXT, code_block, counted, end_within, ends_within, one_line};
use super::{Finding, ToolResult, Toolbox};
use attache_agent::{Error, NewToolCall, Result, ToolCallHandle};
use attache_host::{Bounded, Exit, Launch, Tail};
use attache_protocol::v1::ContentBlock;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

/// How long a command may run unless it is told otherwise.
const TIME: Duration = Duration::from_secs(120);

/// The longest time a command may be given.
const LONGEST_TIME: Duration = Duration::from_secs(600);

/// The shortest time between two looks at a running command's output.
const BETWEEN_UPDATES: Duration = Duration::from_millis(100);

/// How much output is shown while the command runs, in bytes.
const OUTPUT_SHOWN: usize = 16 * 1024;

/// How much output the model gets, in bytes: half of the start and half of the end.
const OUTPUT_GIVEN: usize = 16 * 1024;

/// A command to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Execute {
    /// The command line, for the shell.
    pub(crate) command: String,
    /// After how many seconds it is killed; two minutes unless set, ten at most.
    pub(crate) seconds: Option<u64>,
}

/// How a command went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ran {
    /// What it wrote, perhaps without its middle.
    pub(crate) output: String,
    /// How many bytes it wrote.
    pub(crate) bytes: u64,
    /// How it ended, in words.
    pub(crate) end: String,
    /// Whether it ended by itself with code 0.
    pub(crate) success: bool,
}

impl Execute {
    pub(crate) fn raw_input(&self) -> Value {
        json!({ "command": self.command, "seconds": self.time().as_secs() })
    }

    fn time(&self) -> Duration {
        self.seconds.map_or(TIME, Duration::from_secs).min(LONGEST_TIME)
    }
}

impl Ran {
    fn new(output: &Bounded, exit: Exit, timed_out: Option<Duration>) -> Self {
        let end = match timed_out {
            Some(time) => format!("killed after {} without an end", counted(time.as_secs(), "second")),
            None => exit.to_string(),
        };
        Self {
            output: ends_within(&output.text(), MESSAGE_TEXT),
            bytes: output.total_bytes(),
            end,
            success: exit.success() && timed_out.is_none(),
        }
    }

    /// What the model reads.
    pub(crate) fn text(&self) -> String {
        format!("{}\n[{}]", self.output.trim_end_matches('\n'), self.end)
    }
}

impl Toolbox<'_> {
    /// Runs a command in the working directory. When the turn is cancelled its whole process tree is killed.
    pub(crate) async fn execute(&mut self, execute: &Execute, call: NewToolCall) -> Result<ToolResult> {
        // What is allowed is seen whole, also where the title is too short for it.
        let call = match one_line(&execute.command, super::action::TITLE_SHOWN) == execute.command {
            true => call,
            false => call.content(ContentBlock::text(code_block(&execute.command))),
        };
        let handle = call.announce().await?;
        let handle = match self.permitted(handle, &super::Action::Execute(execute.clone())).await? {
            Ok(handle) => handle,
            Err(refused) => return Ok(refused),
        };
        let turn = self.turn;
        let cwd = self.memory.folders.roots().cwd().to_owned();
        let running = run(handle, execute, &cwd);
        // Dropping the command kills it.
        tokio::select! {
            biased;
            () = turn.cancelled() => Err(Error::Cancelled),
            ran = running => ran,
        }
    }
}

async fn run(mut handle: ToolCallHandle, execute: &Execute, cwd: &std::path::Path) -> Result<ToolResult> {
    handle.start().await?;
    let mut command = match Launch::shell(execute.command.as_str()).cwd(cwd).run() {
        Ok(command) => command,
        Err(error) => {
            let why = error.to_string();
            handle.fail(why.as_str()).await?;
            return Ok(ToolResult::failed(why));
        }
    };
    command.deadline(execute.time());
    let (mut output, mut shown) = (Bounded::new(OUTPUT_GIVEN), Tail::new(OUTPUT_SHOWN));
    let (mut due, mut unseen) = (Instant::now(), false);
    loop {
        let chunk = tokio::select! {
            biased;
            () = tokio::time::sleep_until(due), if unseen => None,
            chunk = command.chunk() => match chunk {
                Some(chunk) => Some(chunk),
                None => break,
            },
        };
        match chunk {
            Some(chunk) => {
                output.push(chunk);
                shown.push(chunk);
                unseen = true;
            }
            None => {
                handle.replace_content(vec![block(&shown.text())]).await?;
                (due, unseen) = (Instant::now() + BETWEEN_UPDATES, false);
            }
        }
    }
    let exit = command.wait().await;
    let ran = Ran::new(&output, exit, command.timed_out().then(|| execute.time()));
    settle(handle, ran, exit).await
}

async fn settle(mut handle: ToolCallHandle, ran: Ran, exit: Exit) -> Result<ToolResult> {
    super::output(
        &mut handle,
        json!({ "exitCode": exit.code, "signal": exit.signal_name(), "bytes": ran.bytes, "end": ran.end }),
    )
    .await?;
    let text = ran.text();
    if ran.success {
        handle.replace_content(vec![block(&ran.output), ContentBlock::text(ran.end.as_str()).into()]).await?;
        handle.complete().await?;
        return Ok(ToolResult::done(text, Finding::Ran(ran)));
    }
    handle.replace_content(vec![block(&ran.output)]).await?;
    handle.fail(ran.end.as_str()).await?;
    Ok(ToolResult { text, failed: true, finding: Finding::Ran(ran), images: Vec::new() })
}

fn block(output: &str) -> attache_protocol::v1::ToolCallContent {
    ContentBlock::text(code_block(end_within(output, MESSAGE_TEXT + 1024))).into()
}
