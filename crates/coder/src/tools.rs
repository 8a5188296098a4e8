//! What a model can do: read, search, list, edit, run, and plan, on the session's folders.

mod action;
mod apply_patch;
pub(crate) mod ask;
mod binary;
mod change;
pub(crate) mod delete;
mod diffs;
pub(crate) mod document;
pub(crate) mod edit;
pub(crate) mod execute;
pub(crate) mod exit_plan;
pub(crate) mod fetch;
pub(crate) mod file_access;
pub(crate) mod fit;
pub(crate) mod glob;
pub(crate) mod grep;
pub(crate) mod list;
pub(crate) mod mcp;
pub(crate) mod move_file;
mod page;
pub(crate) mod patch;
mod permitted;
mod picture;
mod public_address;
pub(crate) mod read;
mod repair;
mod spec;
pub(crate) mod task;
mod thread;
pub(crate) mod together;
mod touch;
mod walk;
pub(crate) mod write;

pub(crate) use action::Action;
pub(crate) use file_access::FileAccess;
pub(crate) use spec::action;
#[cfg(test)]
pub(crate) use spec::specs;
pub(crate) use spec::specs_of;
pub(crate) use touch::Touch;

use crate::conversation::Party;
use crate::memory::Memory;
use crate::models::{Media, Models};
use attache_agent::{NewToolCall, Result, ToolCallHandle, ToolKind, Turn};
use attache_policy::Place;
use attache_policy::{Effect, Mode};
use attache_protocol::Raw;
use attache_protocol::v1::{ContentBlock, ToolCallUpdate};
use file_access::{Fingerprint, looking};
use fit::{code_block, ends_within};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;

/// How many files a session knows to have been read; beyond that it forgets them all, and they must
/// be read again to be changed.
const SEEN: usize = 10_000;

/// How much text of one result the model gets, in bytes of JSON.
const TEXT_GIVEN: usize = 24 * 1024;

/// How long arguments may be to be shown as the model wrote them, in bytes of JSON.
const ARGUMENTS_SHOWN: usize = 4 * 1024;

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ToolResult {
    /// What the model reads.
    pub(crate) text: String,
    /// Whether it failed or was not allowed.
    pub(crate) failed: bool,
    /// The same as data.
    pub(crate) finding: Finding,
    /// Pictures for the model, beside the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) images: Vec<Media>,
}

/// What a tool found, as data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Finding {
    /// Lines of a file.
    Lines(read::Lines),
    /// Nothing could be read.
    Unreadable(read::Unreadable),
    /// Lines that hold a text.
    Matches(grep::Matches),
    /// Files.
    Files(list::Files),
    /// Files with a name that fits.
    Found(glob::Found),
    /// A file was changed.
    Edited(edit::Edited),
    /// A command ran.
    Ran(execute::Ran),
    /// A person or the session's mode did not allow it.
    NotAllowed,
    /// A question was said to the person, who answers with the next prompt.
    Asked,
    /// Nothing more than the text.
    Nothing,
}

impl ToolResult {
    fn done(text: impl AsRef<str>, finding: Finding) -> Self {
        Self {
            text: ends_within(text.as_ref(), TEXT_GIVEN),
            failed: false,
            finding,
            images: Vec::new(),
        }
    }

    fn failed(why: impl AsRef<str>) -> Self {
        Self {
            text: ends_within(why.as_ref(), TEXT_GIVEN),
            failed: true,
            finding: Finding::Nothing,
            images: Vec::new(),
        }
    }
}

/// What came of a tool that only looks.
#[derive(Debug)]
pub(crate) struct Looked {
    result: ToolResult,
    /// A file of which the model knows the text now, and what it is known by.
    saw: Option<(PathBuf, Fingerprint)>,
}

impl From<ToolResult> for Looked {
    fn from(result: ToolResult) -> Self {
        Self { result, saw: None }
    }
}

/// What the tools of one turn work with.
#[derive(Debug)]
pub(crate) struct Toolbox<'t> {
    pub(crate) turn: &'t Turn,
    pub(crate) models: &'t Models,
    pub(crate) memory: &'t mut Memory,
}

impl Toolbox<'_> {
    /// Does what a provider's model asks for, with its arguments as it wrote them: see
    /// [`Toolbox::act`].
    pub(crate) async fn called(&mut self, name: &str, arguments: &str) -> Result<ToolResult> {
        let given = given(arguments);
        let asked =
            self.of_server(name, arguments).await?.unwrap_or_else(|| spec::action(name, arguments));
        let why = match asked {
            Ok(action) => match action.too_long() {
                None => return self.act(&action, given).await,
                Some(why) => why,
            },
            Err(why) => why,
        };
        // The person sees what was tried.
        let call = self.turn.tool_call(fit::one_line(name, action::TITLE_SHOWN), ToolKind::Other);
        let call = call.name(fit::one_line(name, action::TITLE_SHOWN));
        let call = match given {
            Some(given) => call.raw_input(given),
            None => call,
        };
        self.failed(call.announce().await?, &why).await
    }

    /// Does what the model asks for. Whatever goes wrong with it is a result; errors are the
    /// turn's. `given` is what the model wrote, else the action says it.
    pub(crate) async fn act(&mut self, action: &Action, given: Option<Raw>) -> Result<ToolResult> {
        if let Some(why) = action.too_long() {
            return Ok(ToolResult::failed(why));
        }
        if let Action::Plan(entries) = action {
            self.turn.plan(entries.clone()).await?;
            return Ok(ToolResult::done("shown", Finding::Nothing));
        }
        let prepared;
        let action = match action {
            Action::Execute(execute) => {
                prepared = Action::Execute(self.prepared(execute).await?);
                &prepared
            }
            action => action,
        };
        let input = given.unwrap_or_else(|| Raw::from(action.raw_input()));
        if let Action::Task(task) = action {
            return self.task(task, action.title(), input).await;
        }
        let mut call = self.new_call(action, Some(input));
        if let Action::Read(read) = action
            && self.memory.shell.scratch.output(&read.path).is_some()
        {
            return self.read_output(read, call).await;
        }
        let verdict = self.decide(action).await?;
        if verdict.effect == Effect::Deny {
            return self.refused(call.announce().await?, &verdict.why()).await;
        }
        match action {
            Action::Execute(execute) => return self.execute(execute, call).await,
            Action::Output(output) => return self.output(output, call).await,
            Action::Kill(kill) => return self.kill(kill, call).await,
            Action::ApplyPatch(patch) => return self.apply_patch(patch, call).await,
            Action::Delete(delete) => return self.delete(delete, call).await,
            Action::Move(wanted) => return self.move_file(wanted, call).await,
            Action::Ask(ask) => return self.ask(ask, call).await,
            Action::Fetch(fetch) => return self.fetch(fetch, call).await,
            Action::ExitPlan(exit) => return self.exit_plan(exit, call).await,
            Action::Mcp(mcp) => return self.mcp(mcp, call).await,
            _ => {}
        }
        let place = match self.place(action.path().unwrap_or(".")).await? {
            Ok(place) => place,
            Err(why) => return self.failed(call.announce().await?, &why).await,
        };
        // The way there may have changed since it was judged, so where it led is judged as well.
        let verdict = match action {
            Action::Edit(_) | Action::Write(_) => verdict,
            action => self.decide_at(action, &place).await?,
        };
        if verdict.effect == Effect::Deny {
            return self.refused(call.announce().await?, &verdict.why()).await;
        }
        call = together::located(action, call, &place);
        match action {
            Action::Edit(edit) => self.edit(edit, call, &place).await,
            Action::Write(write) => self.write_whole(write, call, &place).await,
            action if verdict.effect == Effect::Allow => {
                let looked = self.look(action, call.start().await?, &place).await?;
                Ok(self.take(looked))
            }
            action => {
                let mut handle = match self.permitted(call.announce().await?, action).await? {
                    Ok(handle) => handle,
                    Err(refused) => return Ok(refused),
                };
                handle.start().await?;
                let looked = self.look(action, handle, &place).await?;
                Ok(self.take(looked))
            }
        }
    }

    /// A call that the client has not seen yet.
    fn new_call(&self, action: &Action, given: Option<Raw>) -> NewToolCall {
        let input = given.unwrap_or_else(|| Raw::from(action.raw_input()));
        self.turn.tool_call(action.title(), action.kind()).name(action.name()).raw_input(input)
    }

    /// The result, of which the model's knowledge is kept.
    fn take(&mut self, looked: Looked) -> ToolResult {
        if let Some((path, now)) = looked.saw {
            self.saw(path, now);
        }
        looked.result
    }

    /// The tools that only look.
    async fn look(&self, action: &Action, handle: ToolCallHandle, place: &Place) -> Result<Looked> {
        let (folders, here) = (self.memory.folders.clone(), place.clone());
        let finding = match action.clone() {
            Action::Read(read) => return self.read(&read, handle, place).await,
            Action::Grep(grep) => {
                let found =
                    self.judged(move |judge, wanted| grep.run(judge, &here, wanted)).await?;
                found.map(Finding::Matches)
            }
            Action::List(list) => {
                let found =
                    looking(self.turn, move |wanted| list.run(&folders, &here, wanted)).await?;
                found.map(Finding::Files)
            }
            Action::Glob(glob) => {
                let found =
                    looking(self.turn, move |wanted| glob.run(&folders, &here, wanted)).await?;
                found.map(Finding::Found)
            }
            _ => Ok(Finding::Nothing),
        };
        match finding {
            Ok(finding) => self.found(handle, finding).await.map(Looked::from),
            Err(why) => {
                let mut result = self.failed(handle, &why).await?;
                result.finding = Finding::Unreadable(read::Unreadable::Other(why));
                Ok(result.into())
            }
        }
    }

    /// Shows what was found, and ends the call.
    async fn found(&self, mut handle: ToolCallHandle, finding: Finding) -> Result<ToolResult> {
        let (update, text) = self.told(&finding);
        handle.update(update).await?;
        handle.complete().await?;
        Ok(ToolResult::done(text, finding))
    }

    /// What the client is told of something found, and what the model reads.
    fn told(&self, finding: &Finding) -> (ToolCallUpdate, String) {
        let mut update = ToolCallUpdate::new("");
        let (shown, raw, text) = match finding {
            Finding::Lines(lines) => (code_block(&lines.text), lines.raw_output(), lines.text()),
            Finding::Found(found) => (found.count(), found.raw_output(), found.text()),
            Finding::Files(files) => (files.count(), files.raw_output(), files.text()),
            Finding::Matches(matches) => {
                let locations = matches.locations(&self.memory.folders);
                update.locations = Some(locations).filter(|locations| !locations.is_empty());
                (matches.count(), matches.raw_output(), matches.text())
            }
            _ => return (update, String::new()),
        };
        update.content = Some(vec![ContentBlock::text(shown).into()]);
        update.raw_output = Some(Raw::from(raw));
        (update, text)
    }

    async fn failed(&self, handle: ToolCallHandle, why: &str) -> Result<ToolResult> {
        handle.fail(why).await?;
        Ok(ToolResult::failed(why))
    }

    async fn refused(&self, handle: ToolCallHandle, why: &str) -> Result<ToolResult> {
        let mut result = self.failed(handle, &format!("Not done: {why}.")).await?;
        result.finding = Finding::NotAllowed;
        Ok(result)
    }

    fn saw(&mut self, path: PathBuf, now: Fingerprint) {
        if self.memory.seen.len() >= SEEN {
            self.memory.seen.clear();
        }
        self.memory.seen.insert(path, now);
    }
}

/// The mode now: that of the session, but that a subagent which only looks has no other than
/// `plan`.
pub(crate) fn mode(memory: &Memory, turn: &Turn) -> Mode {
    match memory.conversation.party() {
        Party::Subagent { looks_only: true } => Mode::Plan,
        _ => turn.mode().map_or(Mode::Ask, |mode| Mode::of(mode.as_str())),
    }
}

/// What a model wrote as arguments, as it was read, so that nobody is shown another of two fields
/// with one name than the one that counts. Nothing if it is too long for a message: then the action
/// says it in short.
fn given(arguments: &str) -> Option<Raw> {
    if fit::json_text_length(arguments) > ARGUMENTS_SHOWN {
        return None;
    }
    Some(Raw::from(repair::value(arguments).unwrap_or_else(|_| Value::from(arguments))))
}

/// Reports the tool's output as data.
async fn output(handle: &mut ToolCallHandle, output: Value) -> Result<()> {
    let mut update = ToolCallUpdate::new("");
    update.raw_output = Some(Raw::from(output));
    handle.update(update).await
}
