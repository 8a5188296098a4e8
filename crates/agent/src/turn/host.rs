//! Files and commands on this machine, for clients without files or terminals: the feature `host`.

use crate::{Command, CommandOutput, Error, Result, ToolCallHandle, Turn};
use attache_host::{Bounded, FileError, Launch, Reason, Roots, RootsError, Tail};
use attache_protocol::v1::{ContentBlock, ToolCallContent};
use std::time::Duration;
use tokio::time::Instant;

/// The shortest time between two updates of a running command's output.
const BETWEEN_UPDATES: Duration = Duration::from_millis(100);

/// The limit of output shown while the command runs, in bytes.
const OUTPUT_SHOWN: usize = 16 * 1024;

impl Turn {
    pub(crate) async fn read_here(
        &self,
        path: String,
        line: Option<u32>,
        limit: Option<u32>,
    ) -> Result<String> {
        if line == Some(0) {
            return Err(Error::invalid("a file has no line 0: the first line is 1"));
        }
        self.on_disk(move |roots| roots.read_text(path, line, limit)).await
    }

    pub(crate) async fn write_here(&self, path: String, text: String) -> Result<()> {
        self.on_disk(move |roots| roots.write(path, text)).await
    }

    /// Runs `work` on a thread that may block.
    async fn on_disk<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Roots) -> std::result::Result<T, FileError> + Send + 'static,
    ) -> Result<T> {
        self.check()?;
        let roots = self.roots().to_vec();
        let work = tokio::task::spawn_blocking(move || {
            let (cwd, more) = roots.split_first().ok_or_else(|| RootsError::Relative("".into()))?;
            Ok::<_, RootsError>(work(&Roots::new(cwd, more)?))
        });
        let done = self.unless_cancelled(work).await?;
        let done = done.map_err(|error| Error::caused("the file could not be accessed", error))?;
        let done =
            done.map_err(|error| Error::caused("the session's folders cannot be used", error))?;
        done.map_err(|error| match error.reason() {
            Reason::Outside { .. } => Error::invalid(error.to_string()),
            _ => Error::caused("the file cannot be used", error),
        })
    }

    pub(crate) async fn run_here(
        &self,
        command: &Command,
        call: Option<&mut ToolCallHandle>,
    ) -> Result<CommandOutput> {
        let cwd = crate::turn::files::within_roots(&command.cwd, self.roots())?;
        let running = run(self, command, cwd, call);
        self.unless_cancelled(running).await?
    }
}

async fn run(
    turn: &Turn,
    command: &Command,
    cwd: String,
    mut call: Option<&mut ToolCallHandle>,
) -> Result<CommandOutput> {
    turn.check()?;
    let mut launch = Launch::new(command.program.as_str()).args(&command.args).cwd(cwd);
    for (name, value) in &command.env {
        launch = launch.env(name, value.expose());
    }
    // If this value is dropped, the command and every process that it started are killed.
    let mut running =
        launch.run().map_err(|error| Error::caused("the command cannot be started", error))?;
    if let Some(time) = command.time {
        running.deadline(time);
    }
    let shown_before = call.as_ref().map(|call| call.call().content.clone()).unwrap_or_default();
    let (mut output, mut tail) = (Bounded::new(command.output_limit), Tail::new(OUTPUT_SHOWN));
    let (mut due, mut unseen) = (Instant::now(), false);
    loop {
        let chunk = match unseen && call.is_some() {
            true => tokio::time::timeout_at(due, running.chunk()).await.ok(),
            false => Some(running.chunk().await),
        };
        match chunk {
            Some(Some(chunk)) => {
                output.push(chunk);
                tail.push(chunk);
                unseen = true;
            }
            Some(None) => break,
            None => {
                show(&mut call, &shown_before, &tail).await?;
                (due, unseen) = (Instant::now() + BETWEEN_UPDATES, false);
            }
        }
    }
    if unseen {
        show(&mut call, &shown_before, &tail).await?;
    }
    let exit = running.wait().await;
    Ok(CommandOutput {
        output: output.text(),
        truncated: output.truncated(),
        exit_code: exit.code.and_then(|code| u32::try_from(code).ok()),
        signal: exit
            .signal
            .map(|number| exit.signal_name().map_or_else(|| number.to_string(), str::to_owned)),
        timed_out: running.timed_out(),
    })
}

/// Shows the end of the output after the content that the tool call had before the command began.
async fn show(
    call: &mut Option<&mut ToolCallHandle>,
    before: &[ToolCallContent],
    tail: &Tail,
) -> Result<()> {
    let Some(call) = call else { return Ok(()) };
    let mut content = before.to_vec();
    content.push(ContentBlock::text(fenced(&tail.text())).into());
    call.replace_content(content).await
}

/// Returns the output as a Markdown code block with a fence that the output does not contain.
fn fenced(output: &str) -> String {
    let longest = output.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if output.is_empty() || output.ends_with('\n') { "" } else { "\n" };
    format!("{fence}\n{output}{end}{fence}")
}
