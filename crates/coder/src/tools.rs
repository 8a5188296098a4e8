//! What a model can do: read, search, list, edit, run, and plan, on the session's folders.

pub(crate) mod edit;
pub(crate) mod execute;
pub(crate) mod fit;
pub(crate) mod grep;
pub(crate) mod list;
pub(crate) mod read;
mod thread;
mod walk;

use crate::folders::{Folders, Place};
use crate::policy::{self, Decision, Mode, Policy};
use attache_agent::{Permission, Result, ToolCallHandle, ToolKind, Turn};
use attache_protocol::Raw;
use attache_protocol::v1::{ContentBlock, PlanEntry, ToolCallUpdate};
use fit::{code_block, counted, ends_within, one_line};
use serde_json::Value;
use std::collections::HashMap;
use std::path::PathBuf;

/// How many files a session knows to have been read; beyond that it forgets them all, which allows edits without a comparison.
const SEEN: usize = 10_000;

/// How much text of one result the model gets, in bytes of JSON.
const TEXT_GIVEN: usize = 24 * 1024;

/// The longest path, pattern and command line, in bytes: with them every message stays small.
const LONGEST: [(&str, usize); 4] =
    [("path", 4096), ("pattern", 1024), ("command", 16 * 1024), ("replacement", 16 * 1024)];

/// One use of a tool, as a model asks for it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    /// Read a file.
    Read(read::Read),
    /// Search for a text.
    Grep(grep::Grep),
    /// List files.
    List(list::List),
    /// Change a file.
    Edit(edit::Edit),
    /// Run a command.
    Execute(execute::Execute),
    /// Show what is intended and how far it is.
    Plan(Vec<PlanEntry>),
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolResult {
    /// What the model reads.
    pub(crate) text: String,
    /// Whether it failed or was not allowed.
    pub(crate) failed: bool,
    /// The same as data.
    pub(crate) finding: Finding,
}

/// What a tool found, as data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Finding {
    /// Lines of a file.
    Lines(read::Lines),
    /// Nothing could be read.
    Unreadable(read::Unreadable),
    /// Lines that hold a text.
    Matches(grep::Matches),
    /// Files.
    Files(list::Files),
    /// A file was changed.
    Edited(edit::Edited),
    /// A command ran.
    Ran(execute::Ran),
    /// A person or the session's mode did not allow it.
    NotAllowed,
    /// Nothing more than the text.
    Nothing,
}

impl ToolResult {
    fn done(text: impl AsRef<str>, finding: Finding) -> Self {
        Self { text: ends_within(text.as_ref(), TEXT_GIVEN), failed: false, finding }
    }

    fn failed(why: impl AsRef<str>) -> Self {
        Self { text: ends_within(why.as_ref(), TEXT_GIVEN), failed: true, finding: Finding::Nothing }
    }
}

impl Action {
    /// The tool's name (TOOL-15).
    fn name(&self) -> &'static str {
        match self {
            Self::Read(_) => "read",
            Self::Grep(_) => "grep",
            Self::List(_) => "list",
            Self::Edit(_) => "edit",
            Self::Execute(_) => "execute",
            Self::Plan(_) => "plan",
        }
    }

    fn kind(&self) -> ToolKind {
        match self {
            Self::Read(_) => ToolKind::Read,
            Self::Grep(_) | Self::List(_) => ToolKind::Search,
            Self::Edit(_) => ToolKind::Edit,
            Self::Execute(_) => ToolKind::Execute,
            Self::Plan(_) => ToolKind::Think,
        }
    }

    fn title(&self) -> String {
        let title = match self {
            Self::Read(read) => match (read.line, read.limit) {
                (Some(line), Some(limit)) => {
                    format!(
                        "Read {} lines {line}-{}",
                        read.path,
                        line.saturating_add(limit).saturating_sub(1)
                    )
                }
                (Some(line), None) => format!("Read {} from line {line}", read.path),
                _ => format!("Read {}", read.path),
            },
            Self::Grep(grep) if grep.path == "." => format!("Search for {}", fit::code(&grep.pattern)),
            Self::Grep(grep) => format!("Search for {} in {}", fit::code(&grep.pattern), grep.path),
            Self::List(list) => match &list.glob {
                Some(glob) => format!("List files named {} in {}", fit::code(glob), list.path),
                None => format!("List files in {}", list.path),
            },
            Self::Edit(edit) => format!("Edit {}", edit.path),
            Self::Execute(execute) => format!("Run {}", execute.command),
            Self::Plan(_) => "Plan".to_owned(),
        };
        one_line(&title, 120)
    }

    /// What the model wrote to ask for it, as JSON.
    pub(crate) fn raw_input(&self) -> Value {
        match self {
            Self::Read(read) => read.raw_input(),
            Self::Grep(grep) => grep.raw_input(),
            Self::List(list) => list.raw_input(),
            Self::Edit(edit) => edit.raw_input(),
            Self::Execute(execute) => execute.raw_input(),
            Self::Plan(entries) => entries.iter().map(|entry| entry.content.as_str()).collect(),
        }
    }

    /// The path that the tool works on.
    fn path(&self) -> Option<&str> {
        match self {
            Self::Read(read) => Some(&read.path),
            Self::Grep(grep) => Some(&grep.path),
            Self::List(list) => Some(&list.path),
            Self::Edit(edit) => Some(&edit.path),
            Self::Execute(_) | Self::Plan(_) => None,
        }
    }

    /// Why it is too long to be done.
    fn too_long(&self) -> Option<String> {
        let (pattern, command, replacement) = match self {
            Self::Grep(grep) => (grep.pattern.len(), 0, 0),
            Self::List(list) => (list.glob.as_ref().map_or(0, String::len), 0, 0),
            Self::Execute(execute) => (0, execute.command.len(), 0),
            Self::Edit(edit) => {
                (0, 0, edit.replacements.iter().map(|each| each.old.len() + each.new.len()).sum())
            }
            Self::Read(_) | Self::Plan(_) => (0, 0, 0),
        };
        let lengths = [self.path().map_or(0, str::len), pattern, command, replacement];
        let over = LONGEST.iter().zip(lengths).find(|((_, longest), length)| length > longest);
        over.map(|((what, longest), length)| {
            format!("the {what} is {length} bytes long: at most {longest} are taken")
        })
    }
}

/// What the tools of one turn work with.
#[derive(Debug)]
pub(crate) struct Toolbox<'t> {
    pub(crate) turn: &'t Turn,
    pub(crate) folders: &'t Folders,
    pub(crate) policy: &'t mut Policy,
    /// What each file was when the model last saw it.
    pub(crate) seen: &'t mut HashMap<PathBuf, (u64, u64)>,
}

impl Toolbox<'_> {
    /// Does what the model asks for. Whatever goes wrong with it is a result; errors are the turn's.
    pub(crate) async fn act(&mut self, action: &Action) -> Result<ToolResult> {
        if let Some(why) = action.too_long() {
            return Ok(ToolResult::failed(why));
        }
        if let Action::Plan(entries) = action {
            self.turn.plan(entries.clone()).await?;
            return Ok(ToolResult::done("shown", Finding::Nothing));
        }
        let mut call = self.turn.tool_call(action.title(), action.kind());
        call = call.name(action.name()).raw_input(Raw::from(action.raw_input()));
        if let Decision::Refuse(why) = self.decide(action) {
            return self.refused(call.announce().await?, &why).await;
        }
        if let Action::Execute(execute) = action {
            return self.execute(execute, call).await;
        }
        let (folders, path) = (self.folders.clone(), action.path().unwrap_or(".").to_owned());
        let place = thread::blocking(move |_| folders.place(path).map_err(|error| error.to_string())).await?;
        let place = match place {
            Ok(place) => place,
            Err(why) => return self.failed(call.announce().await?, &why).await,
        };
        let line = if let Action::Read(read) = action { read.line.map(|line| line.max(1)) } else { None };
        call = call.location(&place.absolute, line);
        match action {
            Action::Edit(edit) => self.edit(edit, call, &place).await,
            action => self.look(action, call.start().await?, &place).await,
        }
    }

    /// The tools that only look.
    async fn look(&mut self, action: &Action, handle: ToolCallHandle, place: &Place) -> Result<ToolResult> {
        let folders = self.folders.clone();
        let here = place.clone();
        match action.clone() {
            Action::Read(read) => match self.text(place).await? {
                Ok(text) => {
                    self.saw(place.resolved.path(), &text);
                    let lines = read::Lines::of(&place.shown, &text, &read);
                    let (shown, raw) = (code_block(&lines.text), lines.raw_output());
                    let text = lines.text();
                    self.found(handle, shown, raw, ToolResult::done(text, Finding::Lines(lines))).await
                }
                Err(reason) => {
                    let mut result = self.failed(handle, reason.sentence()).await?;
                    result.finding = Finding::Unreadable(reason);
                    Ok(result)
                }
            },
            Action::Grep(grep) => {
                match thread::blocking(move |wanted| grep.run(&folders, &here, wanted)).await? {
                    Ok(matches) => {
                        let raw = matches.raw_output();
                        let shown = format!(
                            "{} in {}",
                            counted(matches.total, "match"),
                            counted(matches.holding, "file")
                        );
                        let text = matches.text();
                        self.found(handle, shown, raw, ToolResult::done(text, Finding::Matches(matches)))
                            .await
                    }
                    Err(why) => self.failed(handle, &why).await,
                }
            }
            Action::List(list) => {
                match thread::blocking(move |wanted| list.run(&folders, &here, wanted)).await? {
                    Ok(files) => {
                        let (shown, raw, text) = (files.count(), files.raw_output(), files.text());
                        self.found(handle, shown, raw, ToolResult::done(text, Finding::Files(files))).await
                    }
                    Err(why) => self.failed(handle, &why).await,
                }
            }
            Action::Edit(_) | Action::Execute(_) | Action::Plan(_) => {
                self.failed(handle, "this tool does not only look").await
            }
        }
    }

    async fn found(
        &self,
        mut handle: ToolCallHandle,
        shown: String,
        raw: Value,
        result: ToolResult,
    ) -> Result<ToolResult> {
        let mut update = ToolCallUpdate::new("");
        update.content = Some(vec![ContentBlock::text(shown).into()]);
        update.raw_output = Some(Raw::from(raw));
        handle.update(update).await?;
        handle.complete().await?;
        Ok(result)
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

    /// What the policy says now; the mode may change while the turn runs (MODE-03).
    fn decide(&self, action: &Action) -> Decision {
        let mode = self.turn.mode();
        self.policy.decide(mode.map_or(Mode::Ask, |mode| Mode::of(mode.as_str())), action)
    }

    /// Asks about an announced call where the policy wants that; gives the handle back only if the call may run.
    async fn permitted(
        &mut self,
        handle: ToolCallHandle,
        action: &Action,
    ) -> Result<std::result::Result<ToolCallHandle, ToolResult>> {
        let rule = match self.decide(action) {
            Decision::Run => return Ok(Ok(handle)),
            Decision::Refuse(why) => return self.refused(handle, &why).await.map(Err),
            Decision::Ask(rule) => rule,
        };
        let why = match self.turn.ask_permission(&handle, policy::choices(&rule)).await? {
            Permission::AllowOnce(_) => None,
            Permission::AllowAlways(_) => {
                self.policy.remember(rule, true);
                None
            }
            Permission::RejectOnce(_) => Some("the person rejected it".to_owned()),
            Permission::RejectAlways(_) => {
                let why = format!("the person rejected {rule} for the rest of this session");
                self.policy.remember(rule, false);
                Some(why)
            }
            Permission::Unusable(why) => Some(format!("nobody allowed it: {why}")),
            _ => Some("nobody allowed it".to_owned()),
        };
        // Somebody may have changed the mode while the question was open.
        let why = why.or_else(|| match self.decide(action) {
            Decision::Refuse(why) => Some(why),
            Decision::Run | Decision::Ask(_) => None,
        });
        match why {
            None => Ok(Ok(handle)),
            Some(why) => self.refused(handle, &why).await.map(Err),
        }
    }

    fn saw(&mut self, path: PathBuf, text: &str) {
        if self.seen.len() >= SEEN {
            self.seen.clear();
        }
        self.seen.insert(path, edit::fingerprint(text));
    }
}

/// Reports the tool's output as data.
async fn output(handle: &mut ToolCallHandle, output: Value) -> Result<()> {
    let mut update = ToolCallUpdate::new("");
    update.raw_output = Some(Raw::from(output));
    handle.update(update).await
}
