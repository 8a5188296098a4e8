//! A tool of an MCP server that the client gave the session.

use super::fit::{self, MESSAGE_TEXT, code_block, counted, ends_within, one_line};
use super::repair;
use super::{ARGUMENTS_SHOWN, Action, Finding, TEXT_GIVEN, ToolResult, Toolbox};
use crate::mcp::{Next, Question, Returned, Running, Server, Word};
use attache_agent::{Elicited, Error, NewToolCall, Result, ToolCallHandle};
use attache_protocol::v1::{ContentBlock, ElicitationSchema};
use attache_protocol::{decode, encode};
use rmcp::model::{ElicitResult, ElicitationAction, ProgressNotificationParam};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::time::Duration;
use tokio::time::Instant;

/// How long a server may work without a word, and how long in all.
const SILENT: Duration = Duration::from_secs(300);
const LONGEST: Duration = Duration::from_secs(3600);

/// The shortest time between two updates about progress.
const BETWEEN_UPDATES: Duration = Duration::from_millis(100);

/// One use of a server's tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Mcp {
    /// By which name the model knows the tool.
    pub(crate) name: String,
    /// The server's name for people.
    pub(crate) server: String,
    /// The server's name for the tool.
    pub(crate) tool: String,
    pub(crate) arguments: Map<String, Value>,
}

impl Mcp {
    pub(crate) fn raw_input(&self) -> Value {
        let text = self.text();
        match fit::json_text_length(&text) > ARGUMENTS_SHOWN {
            true => json!({ "arguments": ends_within(&text, ARGUMENTS_SHOWN) }),
            false => Value::Object(self.arguments.clone()),
        }
    }

    pub(super) fn title(&self) -> String {
        format!("{}: {}", self.server, one_line(&self.tool, 60))
    }

    /// The arguments as JSON.
    pub(super) fn text(&self) -> String {
        Value::Object(self.arguments.clone()).to_string()
    }
}

impl Toolbox<'_> {
    /// The tool of a server that a model knows by this name, with what it wrote as arguments;
    /// nothing where no server has it. A model that remembers a tool from before its session came
    /// back is not told that there is none while servers are still being connected to.
    ///
    /// # Errors
    /// The turn was cancelled meanwhile. The inner one is a sentence for the model: the arguments
    /// are no object.
    pub(super) async fn of_server(
        &self,
        name: &str,
        arguments: &str,
    ) -> Result<Option<std::result::Result<Action, String>>> {
        let servers = &self.memory.mcp;
        if name.contains("__") && servers.find(name).is_none() {
            tokio::select! {
                biased;
                () = self.turn.cancelled() => return Err(Error::Cancelled),
                () = servers.settled() => {}
            }
        }
        let Some((server, tool)) = servers.find(name) else { return Ok(None) };
        let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
        Ok(Some(match repair::value(arguments).and_then(serde_json::from_value) {
            Ok(arguments) => {
                let (name, server) = (name.to_owned(), server.name().to_owned());
                Ok(Action::Mcp(Mcp { name, server, tool, arguments }))
            }
            Err(error) => Err(format!(
                "the arguments of {name} are no JSON object: {error}; call it again with one"
            )),
        }))
    }

    /// Lets a server do it. When the turn is cancelled the server is told, and nobody waits for it.
    pub(super) async fn mcp(&mut self, mcp: &Mcp, call: NewToolCall) -> Result<ToolResult> {
        // What is allowed is seen, also where it is too long for the input.
        let text = mcp.text();
        let call = match fit::json_text_length(&text) > ARGUMENTS_SHOWN {
            true => {
                call.content(ContentBlock::text(code_block(&ends_within(&text, MESSAGE_TEXT / 2))))
            }
            false => call,
        };
        let handle = call.announce().await?;
        let mut handle = match self.permitted(handle, &Action::Mcp(mcp.clone())).await? {
            Ok(handle) => handle,
            Err(refused) => return Ok(refused),
        };
        // The servers may have changed their tools meanwhile: what was allowed is this tool of this
        // server.
        let found = self.memory.mcp.find(&mcp.name);
        let found = found.filter(|(server, tool)| server.name() == mcp.server && *tool == mcp.tool);
        let Some((server, _)) = found else {
            let why = format!("the MCP server {} has no tool {} any more", mcp.server, mcp.tool);
            return self.failed(handle, &why).await;
        };
        handle.start().await?;
        let begun = tokio::select! {
            biased;
            () = self.turn.cancelled() => return Err(Error::Cancelled),
            begun = server.call(&mcp.tool, mcp.arguments.clone()) => begun,
        };
        match begun {
            Ok(running) => self.follow(&server, running, handle).await,
            Err(why) => self.failed(handle, &why).await,
        }
    }

    /// Follows a call to its end.
    async fn follow(
        &mut self,
        server: &Server,
        mut running: Running,
        mut handle: ToolCallHandle,
    ) -> Result<ToolResult> {
        let latest = Instant::now() + LONGEST;
        let (mut deadline, mut next_update) = (Instant::now() + SILENT, Instant::now());
        let failed = loop {
            let next = tokio::select! {
                biased;
                () = self.turn.cancelled() => {
                    running.cancel("the person cancelled it").await;
                    return Err(Error::Cancelled);
                }
                next = running.next() => next,
                () = tokio::time::sleep_until(deadline.min(latest)) => {
                    running.cancel("it took too long").await;
                    let silent = counted(SILENT.as_secs(), "second");
                    break format!("the MCP server {} gave no sign of life for {silent}", server.name());
                }
            };
            let said = match next {
                Next::Answer(Ok(result)) => {
                    return self.returned(Returned::of(*result), handle).await;
                }
                Next::Answer(Err(error)) => break server.failed(&error).await,
                Next::Word(Word::Progress(progress)) if Instant::now() < next_update => {
                    drop(progress);
                    Ok(())
                }
                Next::Word(Word::Progress(progress)) => {
                    next_update = Instant::now() + BETWEEN_UPDATES;
                    handle.replace_content(vec![ContentBlock::text(words(&progress)).into()]).await
                }
                Next::Word(Word::Asks(question)) => {
                    self.put_to_person(server, question, &handle).await
                }
            };
            if let Err(error) = said {
                running.cancel("its turn is over").await;
                return Err(error);
            }
            deadline = Instant::now() + SILENT;
        };
        self.failed(handle, &failed).await
    }

    /// Asks the person what a server wants to know.
    async fn put_to_person(
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
            // A form that the client does not have is none that a person could fill in.
            Ok(_) | Err(Error::Invalid(_) | Error::Client(_)) => {
                ElicitResult::new(ElicitationAction::Decline)
            }
            Err(error) => return Err(error),
        };
        // A server that does not wait any more does not hear it.
        drop(answer.send(result));
        Ok(())
    }

    /// Shows what came back.
    async fn returned(
        &mut self,
        returned: Returned,
        mut handle: ToolCallHandle,
    ) -> Result<ToolResult> {
        let Returned { text, images, shown, structured, failed } = returned;
        if let Some(structured) = structured {
            super::output(&mut handle, structured).await?;
        }
        handle.replace_content(shown).await?;
        let mut result = ToolResult::done(self.kept(text).await?, Finding::Nothing);
        (result.images, result.failed) = (images, failed);
        match failed {
            true => handle.fail("The tool says that it failed.").await?,
            false => handle.complete().await?,
        }
        Ok(result)
    }

    /// The text as the model gets it: of a long one its ends, and where all of it is.
    async fn kept(&mut self, text: String) -> Result<String> {
        if fit::json_text_length(&text) <= TEXT_GIVEN {
            return Ok(text);
        }
        let Ok(file) = self.memory.shell.scratch.next_output() else { return Ok(text) };
        let ends = ends_within(&text, TEXT_GIVEN - 1024);
        let bytes = counted(text.len() as u64, "byte");
        let path = file.clone();
        // Without the file the ends are all that there is.
        Ok(match super::thread::blocking(move |_| std::fs::write(path, text)).await? {
            Ok(()) => {
                let file = file.display();
                format!(
                    "{ends}\n[it returned {bytes}; all of them are in {file}, for `read` and for commands]"
                )
            }
            Err(_) => ends,
        })
    }
}

/// How far a server is, in words.
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
