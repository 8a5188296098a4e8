//! The progress of a turn in lines: tool calls, diffs, plans, usage. On a terminal the last lines
//! are rewritten.

use super::paint::{BOLD, CYAN, DIM, Paint, RED, YELLOW};
use super::tool_call::{self, Bound};
use super::{Item, plan, usage, width};
use crate::permission::{By, Verdict};
use crate::run::session::Opened;
use attache_client::PermissionRequest;
use attache_protocol::v1::{
    CompactionId, CompactionStatus, CompactionUpdate, Implementation, NoticeSeverity, StopReason,
    ToolCallId,
};
use attache_session::{PlanContent, ToolCall};
use attache_view::{compaction_words, sanitize};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The style of the progress.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    pub(crate) paint: Paint,
    /// Returns the width of lines; `None` if they are not cut. It is called for each line, because
    /// the width of a terminal can change.
    pub(crate) columns: fn() -> Option<usize>,
    /// Whether lines can be rewritten by moving the cursor: the stream is a terminal that nothing
    /// else writes to.
    pub(crate) rewrite: bool,
    /// How much of diffs and outputs to show.
    pub(crate) bound: Bound,
}

/// The maximum number of rewritable rows; more could scroll out of reach of the cursor.
const ALIVE_ROWS: usize = 12;

/// The width to which the line of a prompt is cut, even if lines can be wider.
const PROMPT_COLUMNS: usize = 100;

/// The contents of lines that can still be rewritten.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Alive {
    Call(ToolCallId),
    Plan,
}

/// Writes progress to one stream.
pub(crate) struct Progress<W> {
    out: W,
    style: Style,
    cwd: PathBuf,
    /// The contents of the last lines, in order, each with its number of rows.
    alive: Vec<(Alive, usize)>,
    /// The last shown state of each unsettled call.
    shown: HashMap<ToolCallId, String>,
    last_plan: Vec<String>,
    /// The calls whose diffs were part of a question.
    reviewed: HashSet<ToolCallId>,
    /// A hash of the last output below each settled call, because agents repeat updates.
    detailed: HashMap<ToolCallId, u64>,
    title: Option<String>,
    /// The compaction that was shown last.
    compaction: Option<(CompactionId, CompactionStatus)>,
}

impl<W: Write> Progress<W> {
    pub(crate) fn new(out: W, style: Style) -> Self {
        Self {
            out,
            style,
            cwd: PathBuf::new(),
            alive: Vec::new(),
            shown: HashMap::new(),
            last_plan: Vec::new(),
            reviewed: HashSet::new(),
            detailed: HashMap::new(),
            title: None,
            compaction: None,
        }
    }

    /// Returns the stream for other text. The lines before that text are no longer rewritten.
    pub(crate) fn out(&mut self) -> &mut W {
        self.alive.clear();
        &mut self.out
    }

    /// Returns the stream for a line that is erased again before other output. The last lines can
    /// still be rewritten afterwards.
    pub(super) fn below(&mut self) -> &mut W {
        &mut self.out
    }

    /// Whether this call has a line.
    pub(super) fn has_shown(&self, call: &ToolCallId) -> bool {
        self.shown.contains_key(call)
    }

    #[cfg(test)]
    pub(crate) fn written(&self) -> &W {
        &self.out
    }

    pub(crate) fn style(&self) -> Style {
        self.style
    }

    /// Shows an item that belongs to the progress. Other items are ignored: the caller shows the
    /// agent's text, and errors are reported at the end.
    pub(crate) fn show(&mut self, item: &Item<'_>) -> io::Result<()> {
        match item {
            Item::Message(_) | Item::Content { .. } | Item::Text(_) | Item::Thought(_) => Ok(()),
            Item::Config(_) | Item::Usage(_) | Item::Error { .. } => Ok(()),
            Item::Agent(about) => self.agent(*about),
            Item::Session { cwd, opened, title, .. } => {
                self.cwd = Path::new(cwd).into();
                self.session(*opened, *title)
            }
            Item::Prompt { count: 1, .. } => Ok(()),
            Item::Prompt { text, number, .. } => self.prompt(text, *number),
            Item::Warning(text) => {
                let line = self.style.paint.paint(YELLOW, sanitize::line(text));
                self.lines(&[line])
            }
            Item::ToolCall(call) => self.tool_call(call),
            Item::Plan(content) => self.plan(content),
            Item::Permission { request, verdict } => self.permission(request, verdict),
            Item::Title(title) => {
                self.title = title.map(sanitize::line);
                Ok(())
            }
            Item::Notice(notice) => {
                let style = match notice.severity {
                    NoticeSeverity::Error => RED,
                    NoticeSeverity::Warning => YELLOW,
                    _ => DIM,
                };
                let description =
                    notice.description.as_deref().map(|text| format!(": {}", sanitize::line(text)));
                let text =
                    format!("{}{}", sanitize::line(&notice.title), description.unwrap_or_default());
                self.lines(&[self.style.paint.paint(style, text)])
            }
            Item::Compaction(update) => self.compaction(update),
            Item::Stop { reason, usage, state, refused } => {
                let title = self.title.take().filter(|title| !title.is_empty());
                let title =
                    title.map(|title| self.style.paint.paint(DIM, format!("session “{title}”")));
                let columns = (self.style.columns)().unwrap_or(usize::MAX);
                let usage = usage::lines(state, *usage, self.style.paint, columns);
                let stopped = stop(reason).map(|text| self.style.paint.paint(YELLOW, text));
                let refused = refusals(*refused).map(|text| self.style.paint.paint(YELLOW, text));
                let lines: Vec<String> =
                    stopped.into_iter().chain(refused).chain(title).chain(usage).collect();
                self.lines(&lines)
            }
        }
    }

    fn agent(&mut self, about: Option<&Implementation>) -> io::Result<()> {
        let Some(about) = about.filter(|_| self.style.bound == Bound::Whole) else { return Ok(()) };
        let line =
            format!("agent {} {}", sanitize::line(&about.name), sanitize::line(&about.version));
        self.lines(&[self.style.paint.paint(DIM, line)])
    }

    fn session(&mut self, opened: Opened, title: Option<&str>) -> io::Result<()> {
        let past = match opened {
            Opened::New => {
                let began = title.map(|title| format!("beginning “{}”", sanitize::line(title)));
                return self.lines(
                    &began
                        .map(|line| self.style.paint.paint(DIM, line))
                        .into_iter()
                        .collect::<Vec<_>>(),
                );
            }
            Opened::Loaded => "",
            Opened::Resumed => " (history not available)",
        };
        let title = title.map_or_else(
            || "a session without a title".to_owned(),
            |title| format!("“{}”", sanitize::line(title)),
        );
        self.lines(&[self.style.paint.paint(DIM, format!("continuing {title}{past}"))])
    }

    /// Shows how a compaction ended, once. With `--verbose`, its beginning and its summary are
    /// shown too.
    fn compaction(&mut self, update: &CompactionUpdate) -> io::Result<()> {
        let is_whole = self.style.bound == Bound::Whole;
        let state = (update.compaction_id.clone(), update.status.clone());
        let is_running = update.status == CompactionStatus::InProgress;
        if is_running && !is_whole || self.compaction.as_ref() == Some(&state) {
            return Ok(());
        }
        self.compaction = Some(state);
        let paint = self.style.paint;
        let error = update.error.set().map(String::as_str);
        let style = if update.status == CompactionStatus::Failed { YELLOW } else { DIM };
        let mut lines = vec![paint.paint(style, compaction_words(&update.status, error))];
        for block in update.summary.set().into_iter().flatten().filter(|_| is_whole) {
            let text = tool_call::block(block);
            let text = sanitize::text(&text);
            lines.extend(text.lines().map(|line| paint.paint(DIM, format!("  {line}"))));
        }
        self.lines(&lines)
    }

    /// Shows one of several prompts, on one line.
    fn prompt(&mut self, text: &str, number: usize) -> io::Result<()> {
        let paint = self.style.paint;
        let columns = (self.style.columns)().unwrap_or(PROMPT_COLUMNS).min(PROMPT_COLUMNS);
        let text = width::cut(&sanitize::line(text), columns.saturating_sub(3));
        let line = format!("{} {}", paint.paint(CYAN, "›"), paint.paint(BOLD, text));
        let space = (number > 1).then(String::new);
        let lines: Vec<String> = space.into_iter().chain([line, String::new()]).collect();
        self.lines(&lines)
    }

    /// Writes whole lines below all other lines.
    pub(crate) fn lines(&mut self, lines: &[String]) -> io::Result<()> {
        self.alive.clear();
        lines.iter().try_for_each(|line| writeln!(self.out, "{line}"))?;
        self.out.flush()
    }

    fn tool_call(&mut self, call: &ToolCall) -> io::Result<()> {
        let settled = call.is_settled();
        let line = self.call_line(call, settled);
        let id = &call.tool_call_id;
        if self.shown.get(id) != Some(&line) {
            self.put(Alive::Call(id.clone()), std::slice::from_ref(&line))?;
            self.shown.insert(id.clone(), line);
        }
        if settled {
            let details = tool_call::details(
                call,
                &self.cwd,
                self.style.paint,
                self.style.bound,
                !self.reviewed.contains(id),
            );
            let mut hasher = DefaultHasher::new();
            details.hash(&mut hasher);
            let new = self.detailed.insert(id.clone(), hasher.finish()) != Some(hasher.finish());
            if new && !details.is_empty() {
                self.lines(&details)?;
            }
        }
        self.out.flush()
    }

    /// Returns the line of a call. While the call runs on a terminal, the line ends with the last
    /// line of its output.
    fn call_line(&self, call: &ToolCall, settled: bool) -> String {
        let paint = self.style.paint;
        let columns = (self.style.columns)().unwrap_or(usize::MAX);
        let line = tool_call::line(call, &self.cwd, paint, columns);
        let output = if settled || !self.rewrites() { None } else { tool_call::last_line(call) };
        let Some(output) = output else { return line };
        let plain = tool_call::line(call, &self.cwd, Paint { colours: false }, columns);
        let room = columns.saturating_sub(width::width(&plain) + 2);
        if room < 8 {
            line
        } else {
            format!("{line}  {}", paint.paint(DIM, width::cut(&output, room)))
        }
    }

    /// Returns whether lines can be rewritten. On a narrow terminal they cannot, because the line
    /// of a call takes two rows, so the count of rows would be wrong.
    pub(super) fn rewrites(&self) -> bool {
        self.style.rewrite && (self.style.columns)().is_some_and(|columns| columns >= 20)
    }

    /// Shows a plan. If the earlier lines of the plan cannot be rewritten, only its changes are
    /// shown.
    fn plan(&mut self, content: &PlanContent) -> io::Result<()> {
        let lines =
            plan::lines(content, self.style.paint, (self.style.columns)().unwrap_or(usize::MAX));
        let before = std::mem::replace(&mut self.last_plan, lines.clone());
        if lines == before {
            return Ok(());
        }
        let new: Vec<String> =
            lines.iter().filter(|line| !before.contains(line)).cloned().collect();
        let same_plan = new.len() < lines.len() && lines.len() == before.len();
        if same_plan && self.reachable(&Alive::Plan, lines.len()).is_none() {
            return self.lines(new.get(1..).unwrap_or_default());
        }
        self.put(Alive::Plan, &lines)?;
        self.out.flush()
    }

    /// Returns how many rows above the cursor the lines of `what` begin, if they can be replaced by
    /// lines with `rows` rows.
    fn reachable(&self, what: &Alive, rows: usize) -> Option<usize> {
        let index =
            self.alive.iter().position(|(alive, height)| alive == what && *height == rows)?;
        let below = self.alive.iter().skip(index).map(|(_, height)| height).sum();
        self.rewrites().then_some(below)
    }

    /// Writes the lines of `what` over its earlier lines, or else below everything. Each line must
    /// fit in one row.
    fn put(&mut self, what: Alive, lines: &[String]) -> io::Result<()> {
        if let Some(up) = self.reachable(&what, lines.len()) {
            write!(self.out, "\x1b[{up}A")?;
            lines.iter().try_for_each(|line| write!(self.out, "\r\x1b[2K{line}\n"))?;
            let down = up - lines.len();
            return if down > 0 { write!(self.out, "\x1b[{down}B") } else { Ok(()) };
        }
        lines.iter().try_for_each(|line| writeln!(self.out, "{line}"))?;
        self.alive.push((what, lines.len()));
        while self.alive.iter().map(|(_, height)| height).sum::<usize>() > ALIVE_ROWS {
            self.alive.remove(0);
        }
        Ok(())
    }

    fn permission(&mut self, request: &PermissionRequest, verdict: &Verdict) -> io::Result<()> {
        if verdict.by == By::Person {
            self.reviewed.insert(request.asked.tool_call_id.clone());
        }
        let paint = self.style.paint;
        let mut lines = verdict.lines(request, &self.cwd, (self.style.columns)());
        if let Some(first) = lines.first_mut() {
            *first = format!("{} {first}", verdict.mark(paint));
        }
        lines.extend(verdict.advice(request).map(|advice| paint.paint(DIM, format!("  {advice}"))));
        self.lines(&lines)
    }
}

/// Describes the number of refused actions of a turn, if any.
fn refusals(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 action was refused".to_owned()),
        count => Some(format!("{count} actions were refused")),
    }
}

/// Describes a stop reason; `None` if the agent ended the turn normally.
fn stop(reason: &StopReason) -> Option<&'static str> {
    match reason {
        StopReason::EndTurn => None,
        StopReason::MaxTokens => {
            Some("stopped: the model reached its token limit; ask it to continue, or ask for less")
        }
        StopReason::MaxTurnRequests => {
            Some("stopped: the agent reached its limit of model calls per turn; ask it to continue")
        }
        StopReason::Refusal => Some("refused: the agent declined to continue; rephrase the prompt"),
        StopReason::Cancelled => Some("cancelled"),
        StopReason::Unknown(_) => Some("stopped for a reason this version does not know"),
    }
}
