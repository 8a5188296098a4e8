//! A conversation as Markdown: quoted prompts under headings, unchanged answers, tool calls with
//! fenced diffs and outputs.

use super::time;
use super::transcript::{Part, PartSink};
use crate::exit::Failure;
use crate::show::diff;
use crate::show::paint::Paint;
use crate::show::tool_call::{self, Bound};
use crate::show::usage;
use attache_protocol::v1::{CompactionStatus, ContentBlock, Diff, PlanEntry, PlanEntryStatus};
use attache_protocol::v2::ToolCallStatus;
use attache_session::{
    Block, Compaction, Labels, ListEntry, MessageAuthor, MessageBetweenSessions, Permission,
    PlanContent, Subagent, ToolCall, ToolCallContent,
};
use attache_view::sanitize;
use jiff::tz::TimeZone;
use std::io::{self, Write};
use std::path::Path;

const PLAIN: Paint = Paint { colours: false };

/// Writes the parts as Markdown.
pub(crate) struct Markdown<W> {
    out: W,
    zone: TimeZone,
    /// Whether reasoning is written.
    thoughts: bool,
    /// The prefix of each line of the current message; `None` between messages.
    inside: Option<&'static str>,
    /// Whether the next character starts a line.
    fresh: bool,
    /// Whether anything was written.
    begun: bool,
}

impl<W: Write> Markdown<W> {
    pub(crate) fn new(out: W, zone: TimeZone, thoughts: bool) -> Self {
        Self { out, zone, thoughts, inside: None, fresh: true, begun: false }
    }

    /// Writes the facts about the session: a heading with its title, and a list.
    pub(crate) fn head(&mut self, listed: &ListEntry, title: &str) -> io::Result<()> {
        let summary = &listed.summary;
        self.paragraph(&format!("# {}", literal(title)))?;
        let mut facts = vec![
            format!(
                "session {} of the agent {}",
                code(listed.key.session_id.as_str()),
                code(&listed.key.agent)
            ),
            format!("folder {}", code(&summary.cwd)),
        ];
        facts.extend(
            summary
                .additional_directories
                .iter()
                .map(|folder| format!("further folder {}", code(folder))),
        );
        let (began, updated) = (
            time::exact(summary.began_at, &self.zone),
            time::exact(summary.updated_at, &self.zone),
        );
        facts.push(format!("began {began}, last change {updated}"));
        let labels = Labels::of(&summary.info);
        if !labels.tags.is_empty() {
            let tags: Vec<String> = labels.tags.iter().map(|tag| literal(tag)).collect();
            facts.push(format!("tags: {}", tags.join(", ")));
        }
        facts.extend(labels.status.map(|status| format!("status: {}", literal(&status))));
        facts.extend(summary.archived.then(|| "archived".to_owned()));
        let facts: Vec<String> = facts.into_iter().map(|fact| format!("- {fact}")).collect();
        self.paragraph(&facts.join("\n"))
    }

    /// Flushes the output.
    pub(crate) fn end(mut self) -> io::Result<()> {
        self.close()?;
        self.out.flush()
    }

    /// Ends the current message.
    fn close(&mut self) -> io::Result<()> {
        if self.inside.take().is_some() && !self.fresh {
            writeln!(self.out)?;
        }
        self.fresh = true;
        Ok(())
    }

    /// Starts a block, after the current message and a blank line.
    fn block(&mut self) -> io::Result<()> {
        self.close()?;
        if std::mem::replace(&mut self.begun, true) {
            writeln!(self.out)?;
        }
        Ok(())
    }

    fn paragraph(&mut self, text: &str) -> io::Result<()> {
        self.block()?;
        writeln!(self.out, "{text}")
    }

    /// Writes the text between two fences that are longer than any run of backticks in it.
    fn fenced(&mut self, info: &str, text: &str) -> io::Result<()> {
        let runs = text.split(|character| character != '`').map(str::len);
        let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
        self.paragraph(&format!("{fence}{info}\n{}\n{fence}", text.trim_end_matches('\n')))
    }

    /// Writes the next piece of a message, already sanitized, with the prefix of the message on
    /// each line.
    fn piece(&mut self, text: &str) -> io::Result<()> {
        let Some(mark) = self.inside else { return Ok(()) };
        for line in text.split_inclusive('\n') {
            if self.fresh {
                let mark = if line == "\n" { mark.trim_end() } else { mark };
                self.out.write_all(mark.as_bytes())?;
            }
            self.out.write_all(line.as_bytes())?;
            self.fresh = line.ends_with('\n');
        }
        Ok(())
    }

    fn message(&mut self, author: MessageAuthor) -> io::Result<()> {
        if author == MessageAuthor::Thought && !self.thoughts {
            return self.close();
        }
        self.block()?;
        self.inside = Some(if author == MessageAuthor::Agent { "" } else { "> " });
        match author {
            MessageAuthor::Thought => self.piece("*thought:* "),
            MessageAuthor::User | MessageAuthor::Agent => Ok(()),
        }
    }

    fn prompt(&mut self, head: &str, content: &[ContentBlock]) -> io::Result<()> {
        self.paragraph(head)?;
        self.message(MessageAuthor::User)?;
        for (index, block) in content.iter().enumerate() {
            if index > 0 && !self.fresh {
                self.piece("\n")?;
            }
            self.piece(&tool_call::block(block))?;
        }
        self.close()
    }

    fn tool_call(
        &mut self,
        call: &ToolCall,
        cwd: &Path,
        permission: Option<&Permission>,
    ) -> io::Result<()> {
        let kind = literal(&tool_call::kind(call.kind()));
        let places: Vec<String> = call
            .locations
            .iter()
            .filter_map(|place| {
                let path = tool_call::relative(&place.path, cwd);
                // Locations that the title names are not repeated. The session's folder itself is
                // omitted.
                let new = path != "." && !call.title.contains(&path);
                new.then(|| {
                    code(&place.line.map_or_else(|| path.clone(), |line| format!("{path}:{line}")))
                })
            })
            .collect();
        let places =
            if places.is_empty() { String::new() } else { format!(" ({})", places.join(", ")) };
        let asked = permission
            .map(|permission| format!("; asked: {}", answer(permission)))
            .unwrap_or_default();
        let title = literal(&call.title);
        self.paragraph(&format!("**{kind}** {title}{places}: {}{asked}", status(call.status())))?;
        for content in &call.content {
            match content {
                ToolCallContent::Diff(diff) => self.diff(diff, cwd)?,
                ToolCallContent::Changes(diff) => {
                    let lines =
                        tool_call::changes(diff, cwd, Paint { colours: false }, Bound::Whole);
                    self.output(&ContentBlock::text(lines.join("\n")))?;
                }
                ToolCallContent::Content(content) => self.output(&content.content)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn plan(&mut self, content: &PlanContent) -> io::Result<()> {
        match content {
            PlanContent::Items(steps) => {
                let done = |step: &PlanEntry| step.status == PlanEntryStatus::Completed;
                let box_of = |step| if done(step) { "x" } else { " " };
                let steps: Vec<String> = steps
                    .iter()
                    .map(|step| format!("- [{}] {}", box_of(step), literal(&step.content)))
                    .collect();
                self.paragraph("**plan**")?;
                self.paragraph(&steps.join("\n"))
            }
            PlanContent::File(uri) => self.paragraph(&format!("**plan** in {}", code(uri))),
            PlanContent::Markdown(text) => {
                self.paragraph("**plan**")?;
                self.paragraph(sanitize::text(text).trim_end())
            }
        }
    }

    fn diff(&mut self, diff: &Diff, cwd: &Path) -> io::Result<()> {
        let shown = diff::diff(diff.old_text.as_deref(), &diff.new_text, PLAIN);
        let path = tool_call::relative(&diff.path, cwd);
        let before =
            if diff.old_text.is_some() { format!("a/{path}") } else { "/dev/null".to_owned() };
        self.fenced("diff", &format!("--- {before}\n+++ b/{path}\n{}", shown.lines.join("\n")))
    }

    /// Writes the output of a tool call. An output that already is one fenced block stays
    /// unchanged.
    fn output(&mut self, content: &ContentBlock) -> io::Result<()> {
        let text = tool_call::block(content);
        match tool_call::fenced(&text) {
            "" => Ok(()),
            inside => self.fenced("", inside),
        }
    }

    fn compaction(&mut self, compaction: &Compaction) -> io::Result<()> {
        let state = match compaction.status {
            CompactionStatus::Completed => "The agent shortened its context.".to_owned(),
            CompactionStatus::Failed => {
                let why = compaction.error.as_deref().map(|error| format!(": {}", literal(error)));
                format!("The agent could not shorten its context{}.", why.unwrap_or_default())
            }
            _ => "The agent began to shorten its context.".to_owned(),
        };
        self.paragraph(&format!("*{state}*"))?;
        self.quoted(&compaction.summary)
    }

    fn quoted(&mut self, blocks: &[Block]) -> io::Result<()> {
        if blocks.is_empty() {
            return Ok(());
        }
        self.message(MessageAuthor::User)?;
        blocks.iter().try_for_each(|block| self.piece(&tool_call::block(&block.to_content())))?;
        self.close()
    }

    fn between(&mut self, message: &MessageBetweenSessions) -> io::Result<()> {
        let name = |id: &Option<attache_protocol::v1::SessionId>| {
            id.as_ref().map_or_else(|| "?".to_owned(), |id| code(id.as_str()))
        };
        let (from, to) = (name(&message.sender_session_id), name(&message.recipient_session_id));
        self.paragraph(&format!("*Message from {from} to {to}:*"))?;
        self.quoted(&message.blocks)
    }

    fn subagent(&mut self, subagent: &Subagent) -> io::Result<()> {
        let title = subagent.title.as_deref().map(|title| format!(" {}", literal(title)));
        self.paragraph(&format!(
            "**subagent**{} ({})",
            title.unwrap_or_default(),
            code(subagent.session_id.as_str())
        ))
    }
}

impl<W: Write> PartSink for Markdown<W> {
    type Error = Failure;

    fn part(&mut self, part: Part<'_>) -> Result<(), Failure> {
        let written = match part {
            Part::Prompt { number, at, content } => {
                self.prompt(&format!("## {number} · {}", time::exact(at, &self.zone)), content)
            }
            Part::Message(author) => self.message(author),
            Part::Piece { content, .. } => self.piece(&tool_call::block(content)),
            Part::ToolCall { call, cwd, permission } => {
                self.tool_call(call, Path::new(cwd), permission)
            }
            Part::Plan(content) => self.plan(content),
            Part::Notice(notice) => {
                let more = notice.description.as_deref().map(|text| format!(": {}", literal(text)));
                let text = format!("{}{}", literal(&notice.title), more.unwrap_or_default());
                self.paragraph(&format!("*{}: {text}*", sanitize::line(notice.severity.as_str())))
            }
            Part::Compaction(compaction) => self.compaction(compaction),
            Part::Subagent(subagent) => self.subagent(subagent),
            Part::Between(message) => self.between(message),
            Part::LeftOut(what) => self.paragraph(&format!("*left out: {}*", literal(what))),
            Part::ForkedFrom(id) => self.paragraph(&format!("*forked from {}*", code(id.as_str()))),
            Part::TurnEnded { outcome, usage, state } => {
                let ended = super::transcript::ended(outcome);
                let usage =
                    usage::line(state, usage, PLAIN).map(|line| format!(" · {}", literal(&line)));
                self.paragraph(&format!("*{}{}*", literal(&ended), usage.unwrap_or_default()))
            }
        };
        written.map_err(|error| Failure::output(&error))
    }
}

/// Returns the answer, with the label of the option.
fn answer(permission: &Permission) -> String {
    let chosen = permission.outcome.as_ref().and_then(|outcome| outcome.selected());
    let option =
        permission.question.options.iter().find(|option| Some(&option.option_id) == chosen);
    option.map_or_else(|| "withdrawn".to_owned(), |option| literal(&option.name))
}

fn status(status: &ToolCallStatus) -> &'static str {
    match status {
        ToolCallStatus::Completed => "done",
        ToolCallStatus::Failed => "failed",
        ToolCallStatus::Cancelled => "cancelled",
        ToolCallStatus::InProgress | ToolCallStatus::Paused => "not finished",
        _ => "not begun",
    }
}

/// Escapes markup in one line.
fn literal(text: &str) -> String {
    let mut out = String::new();
    for character in sanitize::line(text).chars() {
        if matches!(
            character,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '&'
        ) {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

/// Formats one line as code.
fn code(text: &str) -> String {
    let text = sanitize::line(text);
    match text.contains('`') {
        true => format!("`` {text} ``"),
        false => format!("`{text}`"),
    }
}
