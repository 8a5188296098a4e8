//! The tool `execute`: runs a shell command, in a sandbox if one works, and streams its output.

pub(crate) mod background;
mod bounds;
mod clean;
mod danger;
mod display;
mod end;
mod gather;
mod kept_output;
pub(crate) mod kill;
mod launch;
pub(crate) mod output;
mod reading_only;
mod running_command;
pub(crate) mod scratch;
mod settle;
pub(crate) mod shell;

#[cfg(test)]
mod tests;

use super::approved_call::ApprovedCall;
use super::arguments;
use super::findings::Ran;
use super::fit::{MESSAGE_TEXT, ends_within, one_line};
use super::length::Length;
use super::prepared::{PrepareError, Prepared};
use super::resolved_paths::ResolvedPaths;
use super::schema::{number, spec, text, yes_no};
use super::tool::{ConcurrentTool, PrepareFuture, Tool};
use super::tool_result::{CANCELLED, Finding, Reading, ToolResult};
use super::toolbox::{TITLE_SHOWN, ToolFuture, Toolbox, report};
use crate::models::ToolSpec;
use attache_agent::{Error, Result, ToolKind};
use attache_host::{Bounded, Exit, Sandbox};
use attache_policy::Touch;
use attache_protocol::v1::ContentBlock;
pub(in crate::tools) use bounds::Permit;
use bounds::Watch;
pub(crate) use bounds::reclaim;
use danger::{danger, whole_command};
use display::Display;
use end::{OUTPUT_GIVEN, OUTPUT_KEPT, end_words};
use gather::{file_note, gather};
use running_command::{CommandLine, RunningCommand};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use settle::{sentence, settle};
use std::time::Duration;

/// The default time limit of a command.
const TIME: Duration = Duration::from_secs(120);

/// The maximum time limit of a command.
const LONGEST_TIME: Duration = Duration::from_secs(600);

/// How long to wait for a killed command to end.
const KILLED: Duration = Duration::from_secs(1);

/// A command to run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Execute {
    /// The command line, for the shell.
    pub(crate) command: String,
    /// The time limit in seconds, by default 120 and at most 600. A background command has no limit
    /// by default.
    pub(crate) seconds: Option<u64>,
    /// Whether the command needs the network.
    #[serde(default)]
    pub(crate) network: bool,
    /// Why the command must run without a sandbox, if it must.
    #[serde(default)]
    pub(crate) unsandboxed: Option<String>,
    /// Whether the command runs in the background.
    #[serde(default)]
    pub(crate) background: bool,
    /// Whether the command needs a terminal.
    #[serde(default)]
    pub(crate) terminal: bool,
    /// Whether the command runs in a sandbox. This is known once the call is
    /// [adapted](Tool::adapt).
    #[serde(skip)]
    pub(crate) sandboxed: bool,
}

impl Execute {
    pub(super) fn parse(arguments: &str) -> std::result::Result<Self, String> {
        arguments::parse("execute", arguments)
    }

    fn line(&self) -> CommandLine {
        CommandLine {
            command: self.command.clone(),
            time: self.time(),
            in_terminal: self.terminal,
            network: self.network,
        }
    }

    fn time(&self) -> Option<Duration> {
        match (self.seconds, self.background) {
            (None, true) => None,
            (seconds, _) => Some(seconds.map_or(TIME, Duration::from_secs).min(LONGEST_TIME)),
        }
    }
}

impl Toolbox<'_> {
    /// The facts on which the sandbox of a command depends.
    fn sandbox_session(&self) -> bounds::Session {
        let memory = &self.memory;
        bounds::Session {
            policy: memory.policy.clone(),
            folders: memory.folders.clone(),
            private: memory.shell.private.clone(),
            known: memory.shell.known.clone(),
        }
    }
}

impl Tool for Execute {
    fn spec(&self) -> ToolSpec {
        spec(
            "execute",
            "Run a command line with the shell in the working directory. It gets no input and is killed when its time is over. It runs in a sandbox without \
             the network. You get only the beginning and the end of a long output; the result names a file with the whole output.",
            json!({
                "command": text("The command line."),
                "seconds": number("The time limit. Default 120, at most 600; in the background, no limit."),
                "network": yes_no("Give it access to the network. This may ask the person. Default false."),
                "unsandboxed": text("Why it cannot run in the sandbox. This asks the person. Use it only after the command failed because of the sandbox."),
                "background": yes_no("Run it in the background, such as a server. You get an id for `output` and `kill`. Default false."),
                "terminal": yes_no("Give it a terminal. Default false."),
            }),
            &["command"],
        )
    }

    fn name(&self) -> &str {
        "execute"
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Execute
    }

    fn title(&self) -> String {
        // The title begins with what is unusual about the command.
        let how = match (self.sandboxed, &self.unsandboxed, self.network) {
            (false, Some(_), _) => " outside the sandbox:",
            (false, None, _) => " without a sandbox:",
            (true, _, true) => " with the network:",
            (true, _, false) => "",
        };
        let where_ = if self.background { " in the background" } else { "" };
        let colon = if self.background && how.is_empty() { ":" } else { "" };
        format!("Run{where_}{colon}{how} {}", self.command)
    }

    fn input(&self) -> Value {
        let mut input = json!({ "command": self.command });
        let time = self.time().map(|time| time.as_secs().into());
        let fields = [
            ("seconds", time),
            ("network", self.network.then_some(true.into())),
            ("unsandboxed", self.unsandboxed.as_deref().map(Value::from)),
            ("background", self.background.then_some(true.into())),
            ("terminal", self.terminal.then_some(true.into())),
        ];
        if let Some(input) = input.as_object_mut() {
            input.extend(
                fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))),
            );
        }
        input
    }

    fn lengths(&self) -> Vec<Length> {
        let reason = self.unsandboxed.as_ref().map_or(0, String::len);
        vec![Length::of_command(&self.command), Length::of_words(reason)]
    }

    fn touches(&self) -> Touch<'_> {
        match self.unsandboxed {
            Some(_) => Touch::Unsandboxed { command: &self.command },
            None => Touch::Runs {
                command: &self.command,
                sandboxed: self.sandboxed,
                network: self.network || !self.sandboxed,
            },
        }
    }

    fn adapt<'t>(&'t mut self, toolbox: &'t Toolbox<'_>) -> ToolFuture<'t, ()> {
        Box::pin(async move {
            let works = tokio::select! {
                biased;
                () = toolbox.turn.cancelled() => return Err(Error::Cancelled),
                sandbox = toolbox.memory.shell.sandbox() => sandbox.is_ok(),
            };
            self.sandboxed = works && self.unsandboxed.is_none();
            Ok(())
        })
    }

    fn prepare<'t>(
        &'t self,
        toolbox: &'t Toolbox<'_>,
        _paths: &'t ResolvedPaths,
    ) -> PrepareFuture<'t> {
        Box::pin(self.prepared(toolbox))
    }

    fn run<'t>(
        &'t self,
        toolbox: &'t mut Toolbox<'_>,
        call: ApprovedCall,
    ) -> ToolFuture<'t, ToolResult> {
        Box::pin(self.execute(toolbox, call))
    }

    fn is_cancellable(&self) -> bool {
        !self.background
    }

    fn concurrent(&self) -> Option<&dyn ConcurrentTool> {
        (!self.background).then_some(self)
    }
}

impl ConcurrentTool for Execute {
    fn read<'t>(&'t self, toolbox: &'t Toolbox<'_>, call: ApprovedCall) -> ToolFuture<'t, Reading> {
        Box::pin(async move { self.run_to_end(toolbox, call).await.map(Reading::from) })
    }
}

impl Execute {
    /// The content that shows the command to the person before it runs.
    async fn prepared(&self, toolbox: &Toolbox<'_>) -> std::result::Result<Prepared, PrepareError> {
        // The person sees the whole command, even if it is too long for the title.
        let is_cut = one_line(&self.command, TITLE_SHOWN) != self.command;
        let sandbox = toolbox.memory.shell.sandbox().await;
        let mut content = Vec::from_iter(is_cut.then(|| whole_command(&self.command)));
        content.extend(danger(self.unsandboxed.as_deref(), sandbox.as_ref().err()));
        Ok(Prepared { content, ..Prepared::default() })
    }

    async fn execute(&self, toolbox: &mut Toolbox<'_>, call: ApprovedCall) -> Result<ToolResult> {
        match self.background {
            true => self.run_in_background(toolbox, call).await,
            false => self.run_to_end(toolbox, call).await,
        }
    }

    /// The sandbox of the command, if it runs in one.
    async fn sandbox(&self, toolbox: &Toolbox<'_>) -> Option<Sandbox> {
        match self.sandboxed {
            true => toolbox.memory.shell.sandbox().await.ok(),
            false => None,
        }
    }

    /// Starts an approved command. The inner error is a sentence for the model and the person.
    async fn begin(
        &self,
        toolbox: &Toolbox<'_>,
        permit: Permit,
        sandbox: Option<&Sandbox>,
    ) -> Result<std::result::Result<RunningCommand, String>> {
        let session = toolbox.sandbox_session();
        let places = toolbox.memory.shell.scratch.places();
        let (line, within) = (self.line(), sandbox.cloned());
        if self.sandboxed && within.is_none() {
            return Ok(Err("the sandbox of this command is no longer available".to_owned()));
        }
        let keys = toolbox.models.key_variables();
        let runtime = tokio::runtime::Handle::current();
        let running_command = super::thread::blocking(move |_| {
            let _inside = runtime.enter();
            launch::begin(&line, &session, places, within.as_ref(), permit, &keys)
        });
        // Dropping `command` kills the process.
        tokio::select! {
            biased;
            () = toolbox.turn.cancelled() => Err(Error::Cancelled),
            running_command = running_command => running_command,
        }
    }

    /// Starts a command and leaves it running in the background.
    async fn run_in_background(
        &self,
        toolbox: &mut Toolbox<'_>,
        call: ApprovedCall,
    ) -> Result<ToolResult> {
        let permit = Permit::of(call.approval.decision(), self.network);
        let (mut handle, _, _) = call.start().await?;
        let sandbox = self.sandbox(toolbox).await;
        let running_command = self.begin(toolbox, permit, sandbox.as_ref()).await?;
        let running_command = running_command.and_then(|running_command| {
            toolbox.memory.shell.background.begin(&self.line(), running_command)
        });
        match running_command {
            Ok(id) => {
                let told = format!(
                    "Runs in the background as {id}, until this session ends at the latest."
                );
                handle.text(told).await?;
                handle.complete().await?;
                let told = format!(
                    "[runs in the background as {id}: `output` returns its output, `kill` ends it]"
                );
                Ok(ToolResult::done(told, Finding::Nothing))
            }
            Err(why) => toolbox.failed(handle, &why).await,
        }
    }

    /// Runs a command to its end. If the turn is cancelled, the command's whole process tree is
    /// killed, and the client is told that the command ended. If only this call is cancelled, the
    /// command is killed, and the model gets the output so far.
    async fn run_to_end(&self, toolbox: &Toolbox<'_>, call: ApprovedCall) -> Result<ToolResult> {
        let permit = Permit::of(call.approval.decision(), self.network);
        let (mut handle, _, _) = call.start().await?;
        let sandbox = self.sandbox(toolbox).await;
        if handle.is_cancelled() {
            return toolbox.failed(handle, CANCELLED).await;
        }
        let running_command = match self.begin(toolbox, permit, sandbox.as_ref()).await? {
            Ok(running_command) => running_command,
            Err(why) => return toolbox.failed(handle, &why).await,
        };
        let cwd = toolbox.memory.folders.cwd().display().to_string();
        let mut display = Display::begin(toolbox.turn, &mut handle, &cwd).await?;
        let RunningCommand { mut command, file, watch } = running_command;
        let output = match file {
            Some(file) => Bounded::new(OUTPUT_GIVEN).spill_to(file, OUTPUT_KEPT),
            None => Bounded::new(OUTPUT_GIVEN),
        };
        let ending = async {
            let output =
                gather(&mut handle, &mut command, output, &mut display, self.terminal).await?;
            Ok((output, command.wait().await))
        };
        let ended = tokio::select! {
            biased;
            () = toolbox.turn.cancelled() => Err(Error::Cancelled),
            ended = ending => ended,
        };
        let (output, exit) = match ended {
            Ok(ended) => ended,
            Err(error) => {
                command.kill();
                let exit = tokio::time::timeout(KILLED, command.wait()).await;
                display
                    .exited(&mut handle, exit.unwrap_or(Exit { code: None, signal: Some(9) }))?;
                return Err(error);
            }
        };
        display.exited(&mut handle, exit)?;
        let cancelled = handle.is_cancelled();
        let end = end_words(exit, self.time().filter(|_| command.timed_out()), cancelled);
        let success = exit.success() && !command.timed_out() && !cancelled;
        let mut notes = Vec::from_iter(file_note(&output));
        if let Some(sandbox) = sandbox.as_ref().filter(|_| !success) {
            notes.extend(launch::sandbox_note(
                &self.line(),
                &output.text(),
                sandbox,
                toolbox.memory.folders.roots(),
            ));
            notes.extend(watch.as_ref().and_then(Watch::hidden));
        }
        let changed = match watch {
            Some(watch) => super::thread::blocking(move |_| watch.report()).await?,
            None => None,
        };
        notes.extend(changed.clone());
        let ran = Ran {
            output: ends_within(&output.text(), MESSAGE_TEXT),
            bytes: output.total_bytes(),
            end,
            success,
            notes,
        };
        let data = json!({
            "exitCode": exit.code, "signal": exit.signal_name(), "bytes": ran.bytes, "end": ran.end,
            "sandbox": sandbox.map(|sandbox| sandbox.name()),
        });
        report(&mut handle, data).await?;
        display.end(&mut handle, &ran.output).await?;
        if let Some(changed) = changed {
            handle.content(ContentBlock::text(sentence(&changed))).await?;
        }
        settle(handle, ran).await
    }
}
