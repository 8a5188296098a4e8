//! A tool of one of the session's MCP servers.

use super::approved_call::ApprovedCall;
use super::fit::{self, MESSAGE_TEXT, code_block, counted, ends_within, one_line};
use super::length::Length;
use super::prepared::Prepared;
use super::repair;
use super::resolved_paths::ResolvedPaths;
use super::tool::{PrepareFuture, Tool};
use super::tool_result::{CANCELLED, Finding, TEXT_GIVEN, ToolResult};
use super::toolbox::{ARGUMENTS_SHOWN, ToolFuture, Toolbox, report};
use crate::mcp::{Next, Question, ReturnedContent, Running, Server, ServerMessage, ServerTool};
use crate::models::ToolSpec;
use attache_agent::{Elicited, Error, Result, ToolCallHandle, ToolKind};
use attache_policy::Touch;
use attache_protocol::v1::{ContentBlock, ElicitationSchema};
use attache_protocol::{decode, encode};
use rmcp::model::{ElicitResult, ElicitationAction, ProgressNotificationParam};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::future::ready;
use std::time::Duration;
use tokio::time::Instant;

/// How long the server may send nothing during a call.
const SILENCE_LIMIT: Duration = Duration::from_secs(300);

/// How long a call may take in all.
const TOTAL_LIMIT: Duration = Duration::from_secs(3600);

/// The minimum time between two progress updates.
const BETWEEN_UPDATES: Duration = Duration::from_millis(100);

/// A call of a server's tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Mcp {
    /// The name by which the model knows the tool.
    pub(crate) name: String,
    /// The server's display name.
    pub(crate) server: String,
    /// The name by which the server knows the tool.
    pub(crate) tool: String,
    pub(crate) arguments: Map<String, Value>,
    /// The server's description of the tool.
    #[serde(skip)]
    description: String,
    #[serde(skip)]
    schema: Value,
}

impl Mcp {
    /// A call, without arguments, of a tool that a server offers.
    pub(super) fn new(offered: &ServerTool) -> Self {
        Self {
            name: offered.spec.name.clone(),
            server: offered.server.clone(),
            tool: offered.tool.clone(),
            arguments: Map::new(),
            description: offered.spec.description.clone(),
            schema: offered.spec.schema.clone(),
        }
    }

    /// Creates a call of the tool with the arguments that a model wrote.
    ///
    /// # Errors
    /// Returns a sentence for the model if the arguments are not a JSON object.
    pub(super) fn with(&self, arguments: &str) -> std::result::Result<Self, String> {
        let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
        match repair::value(arguments).and_then(serde_json::from_value) {
            Ok(arguments) => Ok(Self { arguments, ..self.clone() }),
            Err(error) => Err(format!(
                "the arguments of {} are not a JSON object: {error}; call it again with a JSON object",
                self.name
            )),
        }
    }

    /// The arguments as JSON.
    fn text(&self) -> String {
        Value::Object(self.arguments.clone()).to_string()
    }

    /// The arguments as content, if they are too long for the call's raw input.
    fn prepared(&self) -> Prepared {
        let text = self.text();
        match fit::json_text_length(&text) > ARGUMENTS_SHOWN {
            true => Prepared::showing(code_block(&ends_within(&text, MESSAGE_TEXT / 2))),
            false => Prepared::default(),
        }
    }

    /// Runs the call on the server. A cancelled turn ends the call at once and tells the server.
    async fn call(&self, toolbox: &mut Toolbox<'_>, call: ApprovedCall) -> Result<ToolResult> {
        // The server may have changed its tools since the call was approved. The approval covers
        // only this tool of this server.
        let found = toolbox.memory.mcp.find(&self.name);
        let found =
            found.filter(|(server, tool)| server.name() == self.server && *tool == self.tool);
        let Some((server, _)) = found else {
            let why =
                format!("the MCP server {} no longer has the tool {}", self.server, self.tool);
            return toolbox.failed(call.announce().await?, &why).await;
        };
        let (handle, _, _) = call.start().await?;
        let begun = tokio::select! {
            biased;
            () = toolbox.turn.cancelled() => return Err(Error::Cancelled),
            () = handle.cancelled() => return toolbox.failed(handle, CANCELLED).await,
            begun = server.call(&self.tool, self.arguments.clone()) => begun,
        };
        match begun {
            Ok(running) => toolbox.await_result(&server, running, handle).await,
            Err(why) => toolbox.failed(handle, &why).await,
        }
    }
}

impl Tool for Mcp {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name.clone(),
            description: self.description.clone(),
            schema: self.schema.clone(),
        }
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Other
    }

    fn title(&self) -> String {
        format!("{}: {}", self.server, one_line(&self.tool, 60))
    }

    fn input(&self) -> Value {
        let text = self.text();
        match fit::json_text_length(&text) > ARGUMENTS_SHOWN {
            true => json!({ "arguments": ends_within(&text, ARGUMENTS_SHOWN) }),
            false => Value::Object(self.arguments.clone()),
        }
    }

    fn lengths(&self) -> Vec<Length> {
        vec![Length::of_arguments(self.text().len())]
    }

    fn is_cancellable(&self) -> bool {
        true
    }

    fn touches(&self) -> Touch<'_> {
        Touch::Mcp { server: &self.server, tool: &self.tool }
    }

    fn prepare<'t>(
        &'t self,
        _toolbox: &'t Toolbox<'_>,
        _paths: &'t ResolvedPaths,
    ) -> PrepareFuture<'t> {
        Box::pin(ready(Ok(self.prepared())))
    }

    fn run<'t>(
        &'t self,
        toolbox: &'t mut Toolbox<'_>,
        call: ApprovedCall,
    ) -> ToolFuture<'t, ToolResult> {
        Box::pin(self.call(toolbox, call))
    }
}

impl Toolbox<'_> {
    /// Follows a call to its end.
    async fn await_result(
        &mut self,
        server: &Server,
        mut running: Running,
        mut handle: ToolCallHandle,
    ) -> Result<ToolResult> {
        let latest = Instant::now() + TOTAL_LIMIT;
        let (mut deadline, mut next_update) = (Instant::now() + SILENCE_LIMIT, Instant::now());
        let failed = loop {
            let next = tokio::select! {
                biased;
                () = self.turn.cancelled() => {
                    running.cancel(CANCELLED).await;
                    return Err(Error::Cancelled);
                }
                () = handle.cancelled() => {
                    running.cancel(CANCELLED).await;
                    break CANCELLED.to_owned();
                }
                next = running.next() => next,
                () = tokio::time::sleep_until(deadline.min(latest)) => {
                    running.cancel("it took too long").await;
                    let silent = counted(SILENCE_LIMIT.as_secs(), "second");
                    break format!("the MCP server {} sent nothing for {silent}", server.name());
                }
            };
            let said = match next {
                Next::Answer(Ok(result)) => {
                    return self.returned(ReturnedContent::of(*result), handle).await;
                }
                Next::Answer(Err(error)) => break server.failed(&error).await,
                Next::ServerMessage(ServerMessage::Progress(progress))
                    if Instant::now() < next_update =>
                {
                    drop(progress);
                    Ok(())
                }
                Next::ServerMessage(ServerMessage::Progress(progress)) => {
                    next_update = Instant::now() + BETWEEN_UPDATES;
                    handle.replace_content(vec![ContentBlock::text(words(&progress)).into()]).await
                }
                Next::ServerMessage(ServerMessage::Asks(question)) => {
                    tokio::select! {
                        biased;
                        // The next round ends the call.
                        () = handle.cancelled() => continue,
                        asked = self.ask_person(server, question, &handle) => asked,
                    }
                }
            };
            if let Err(error) = said {
                running.cancel("its turn is over").await;
                return Err(error);
            }
            deadline = Instant::now() + SILENCE_LIMIT;
        };
        self.failed(handle, &failed).await
    }

    /// Passes the server's question on to the person.
    async fn ask_person(
        &self,
        server: &Server,
        question: Question,
        handle: &ToolCallHandle,
    ) -> Result<()> {
        let Question { message, schema, answer } = question;
        let asked = match decode::<ElicitationSchema>(&schema) {
            Ok(schema) => {
                let message = format!(
                    "The MCP server {} asks: {}",
                    server.name(),
                    ends_within(&message, 4096)
                );
                self.turn.elicit_about(handle, message, schema).await
            }
            Err(_) => Ok(Elicited::Declined),
        };
        let result = match asked {
            Ok(Elicited::Accepted(values)) => {
                let mut result = ElicitResult::new(ElicitationAction::Accept);
                result.content = serde_json::from_str(&encode(&values)).ok();
                result
            }
            Ok(Elicited::Cancelled) => ElicitResult::new(ElicitationAction::Cancel),
            // The client does not support forms.
            Ok(_) | Err(Error::Invalid(_) | Error::Client(_)) => {
                ElicitResult::new(ElicitationAction::Decline)
            }
            Err(error) => return Err(error),
        };
        // The server may no longer be waiting for the answer.
        drop(answer.send(result));
        Ok(())
    }

    /// Shows the result.
    async fn returned(
        &mut self,
        returned: ReturnedContent,
        mut handle: ToolCallHandle,
    ) -> Result<ToolResult> {
        let ReturnedContent { text, images, shown, structured, failed } = returned;
        if let Some(structured) = structured {
            report(&mut handle, structured).await?;
        }
        handle.replace_content(shown).await?;
        let mut result = ToolResult::done(self.kept(text).await?, Finding::Nothing);
        (result.images, result.failed) = (images, failed);
        match failed {
            true => handle.fail("The tool reports a failure.").await?,
            false => handle.complete().await?,
        }
        Ok(result)
    }

    /// The text for the model. If the text is long, its middle is left out, and the result names a
    /// file that contains the whole text.
    async fn kept(&mut self, text: String) -> Result<String> {
        if fit::json_text_length(&text) <= TEXT_GIVEN {
            return Ok(text);
        }
        let Ok(file) = self.memory.shell.scratch.next_output() else { return Ok(text) };
        let ends = ends_within(&text, TEXT_GIVEN - 1024);
        let bytes = counted(text.len() as u64, "byte");
        let path = file.clone();
        // Without the file, only the beginning and the end are available.
        Ok(match super::thread::blocking(move |_| std::fs::write(path, text)).await? {
            Ok(()) => {
                let file = file.display();
                format!(
                    "{ends}\n[it returned {bytes}; {file} has all of them, for `read` and for commands]"
                )
            }
            Err(_) => ends,
        })
    }
}

/// The progress of a call, as text.
fn words(progress: &ProgressNotificationParam) -> String {
    let done = match progress.total {
        Some(total) if total > 0.0 => {
            format!("{:.0} %", (progress.progress / total * 100.0).clamp(0.0, 100.0))
        }
        _ => format!("{}", progress.progress),
    };
    match &progress.message {
        Some(message) => format!("{done}: {}", one_line(message, 200)),
        None => done,
    }
}
