//! Shows a stored conversation on a terminal, as `attache run` shows one.

use super::time;
use super::transcript::{Part, PartSink, ended};
use crate::exit::Failure;
use crate::run;
use crate::run::session::Opened;
use crate::show::paint::{BOLD, CYAN, DIM, Paint, RED};
use crate::show::terminal::Terminal;
use crate::show::tool_call::{self, Bound};
use crate::show::{Item, Show};
use attache_protocol::v1::ContentBlock;
use attache_session::{ListEntry, MessageAuthor, ToolCall, TurnOutcome};
use attache_view::sanitize;
use jiff::tz::TimeZone;
use std::io::{self, Write};

/// Shows the parts with the output for terminals.
pub(crate) struct TerminalOutput {
    output: Terminal<io::Stdout>,
    bound: Bound,
    paint: Paint,
    zone: TimeZone,
    /// Whether reasoning is shown.
    thoughts: bool,
    /// The folder that paths are relative to.
    cwd: String,
}

impl TerminalOutput {
    pub(crate) fn new(zone: TimeZone, thoughts: bool, verbose: bool) -> Self {
        let bound = if verbose { Bound::Whole } else { Bound::Short };
        let paint = Paint::of(&io::stdout());
        Self { output: run::on_terminal(bound), bound, paint, zone, thoughts, cwd: String::new() }
    }

    /// Shows the facts about the session.
    pub(crate) fn head(&mut self, listed: &ListEntry, title: &str) -> Result<(), Failure> {
        let summary = &listed.summary;
        let id = sanitize::line(listed.key.session_id.as_str());
        let began = time::exact(summary.began_at, &self.zone);
        let facts = format!("{id} · {} · began {began}", sanitize::visible_line(&summary.cwd));
        self.lines(&[self.paint.paint(BOLD, sanitize::line(title)), self.paint.paint(DIM, facts)])
    }

    fn lines(&mut self, lines: &[String]) -> Result<(), Failure> {
        let paused = self.output.pause();
        let mut out = io::stdout().lock();
        let written =
            paused.and_then(|()| lines.iter().try_for_each(|line| writeln!(out, "{line}")));
        written.map_err(|error| Failure::output(&error))
    }

    fn show(&mut self, item: Item<'_>) -> Result<(), Failure> {
        self.output.show(item).map_err(|error| Failure::output(&error))
    }

    /// Shows a prompt, indented after a mark, between blank lines.
    fn prompt(&mut self, content: &[ContentBlock]) -> Result<(), Failure> {
        let text: Vec<String> = content.iter().map(tool_call::block).collect();
        let mut lines = vec![String::new()];
        for (index, line) in text.join("\n").trim_end().lines().enumerate() {
            let mark = if index == 0 { "›" } else { " " };
            lines.push(format!(
                "{} {}",
                self.paint.paint(CYAN, mark),
                self.paint.paint(BOLD, line)
            ));
        }
        lines.push(String::new());
        self.lines(&lines)?;
        self.output = run::on_terminal(self.bound);
        let cwd = self.cwd.clone();
        self.show(Item::Session { id: "", cwd: &cwd, opened: Opened::New, title: None })
    }

    fn tool_call(&mut self, call: &ToolCall, cwd: &str) -> Result<(), Failure> {
        if self.cwd != cwd {
            self.cwd = cwd.to_owned();
            self.show(Item::Session { id: "", cwd, opened: Opened::New, title: None })?;
        }
        self.show(Item::ToolCall(call))
    }

    fn remark(&mut self, text: &str) -> Result<(), Failure> {
        self.lines(&[self.paint.paint(DIM, sanitize::line(text))])
    }
}

impl PartSink for TerminalOutput {
    type Error = Failure;

    fn part(&mut self, part: Part<'_>) -> Result<(), Failure> {
        match part {
            Part::Prompt { content, .. } => self.prompt(content),
            Part::Message(MessageAuthor::Thought)
            | Part::Piece { author: MessageAuthor::Thought, .. }
                if !self.thoughts =>
            {
                Ok(())
            }
            Part::Message(author) => self.show(Item::Message(author)),
            Part::Piece { author: MessageAuthor::Agent, content: ContentBlock::Text(text) } => {
                self.show(Item::Text(&text.text))
            }
            Part::Piece { author: MessageAuthor::Thought, content: ContentBlock::Text(text) } => {
                self.show(Item::Thought(&text.text))
            }
            Part::Piece { author, content } => self.show(Item::Content { author, block: content }),
            Part::ToolCall { call, cwd, .. } => self.tool_call(call, cwd),
            Part::Plan(plan) => self.show(Item::Plan(plan)),
            Part::Notice(notice) => self.show(Item::Notice(notice)),
            Part::Compaction(_) => self.remark("the agent shortened its context"),
            Part::Subagent(subagent) => self.remark(&format!(
                "subagent {}",
                subagent.title.as_deref().unwrap_or(subagent.session_id.as_str())
            )),
            Part::Between(_) => self.remark("a message between sessions"),
            Part::LeftOut(what) => self.remark(&format!("left out: {what}")),
            Part::ForkedFrom(id) => self.remark(&format!("forked from {}", id.as_str())),
            Part::TurnEnded { outcome: TurnOutcome::Stopped(reason), usage, state } => {
                self.show(Item::Stop { reason, usage, state, refused: 0 })
            }
            Part::TurnEnded { outcome, .. } => self.lines(&[self.paint.paint(RED, ended(outcome))]),
        }
    }
}
