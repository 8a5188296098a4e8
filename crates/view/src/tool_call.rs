//! Tool calls as rows.

pub(crate) mod effect;
pub(crate) mod output;
pub(crate) mod tail;

use crate::id;
use crate::markdown;
use crate::path::relative;
use crate::row::tool_call_row::{CallStatus, ToolCallRow};
use crate::sanitize;
use crate::span::{Line, Role};
use attache_client::ToolEffect;
use attache_protocol::v1::ToolKind;
use attache_protocol::v2::ToolCallStatus;
use attache_session::{Timestamp, ToolCall, ToolCallContent};
use output::OutputContext;
use std::path::Path;

/// The number of files that a row names.
const PLACES: usize = 20;

/// What a row needs to know besides the tool call.
pub(crate) struct CallContext<'c> {
    /// Whether the call waits for the person's permission.
    pub(crate) asks: bool,
    /// Whether the agent works; a call that has not ended by then did not end.
    pub(crate) is_running: bool,
    /// When the call ended.
    pub(crate) ended_at: Option<Timestamp>,
    /// How to show the output.
    pub(crate) output: OutputContext<'c>,
}

/// Returns the row of a tool call.
pub(crate) fn row(call: &ToolCall, context: &CallContext<'_>) -> ToolCallRow {
    let title = title(call);
    let effect = effect_of(call);
    let cwd = context.output.cwd;
    let parts = effect::lines(&effect, &title, cwd, context.output.extent);
    // Agents write the reasoning of a tool as Markdown, and other output as it is.
    let is_markdown = *call.kind() == ToolKind::Think;
    ToolCallRow {
        id: id::shown(call.tool_call_id.as_str()),
        kind: sanitize::line(call.kind().as_str()),
        effect: parts,
        status: status(call, context),
        ended_at: context.ended_at.map(|at| at.0),
        places: places(call, cwd, &title),
        outputs: output::outputs(call.content.iter().rev(), is_markdown, &context.output),
        quiet: is_quiet(call),
        can_cancel: call.can_cancel(),
        title: markdown::title(&title),
    }
}

/// Returns the title, or else the name of the tool.
fn title(call: &ToolCall) -> String {
    let title = sanitize::line(&call.title);
    let name = || call.name.as_deref().map(sanitize::line).unwrap_or_default();
    if title.is_empty() { name() } else { title }
}

/// Whether only the model needs the output.
fn is_quiet(call: &ToolCall) -> bool {
    matches!(call.kind(), ToolKind::Read | ToolKind::Search | ToolKind::Fetch | ToolKind::Think)
}

fn status(call: &ToolCall, context: &CallContext<'_>) -> CallStatus {
    match call.status() {
        ToolCallStatus::Completed => CallStatus::Completed,
        ToolCallStatus::Failed => CallStatus::Failed,
        ToolCallStatus::Cancelled => CallStatus::Cancelled,
        _ if context.asks => CallStatus::Asking,
        // Only agents of version 2 may work without a turn.
        _ if !context.is_running && !call.upserted => CallStatus::Cancelled,
        ToolCallStatus::Paused => CallStatus::Paused,
        ToolCallStatus::InProgress => CallStatus::Running,
        _ => CallStatus::Pending,
    }
}

/// Returns what the agent says the call does.
fn effect_of(call: &ToolCall) -> ToolEffect {
    let input = call.raw_input.as_ref().filter(|input| input.get().len() <= effect::INPUT_LIMIT);
    let input = input.and_then(|input| input.parse().ok());
    let diffs: Vec<String> = match call.content.len() {
        0..64 => call.content.iter().flat_map(ToolCallContent::changed_paths).collect(),
        _ => Vec::new(),
    };
    let diffs: Vec<&str> = diffs.iter().map(String::as_str).collect();
    let locations: Vec<&str> =
        call.locations.iter().map(|location| location.path.as_str()).take(PLACES).collect();
    ToolEffect::of(&attache_client::effect::ReportedCall {
        kind: Some(call.kind()),
        title: &call.title,
        raw_input: input.as_ref(),
        locations: &locations,
        diffs: &diffs,
    })
}

/// Returns the files of the call, without those that the title names and without the folder itself.
fn places(call: &ToolCall, cwd: &Path, title: &str) -> Vec<Line> {
    let mut places: Vec<Line> = Vec::new();
    for location in &call.locations {
        let path = relative(&location.path, cwd);
        if path == "." || title.contains(&path) {
            continue;
        }
        let place = location.line.map_or_else(|| path.clone(), |line| format!("{path}:{line}"));
        let place = Line::of(place, Role::Path);
        if places.last() == Some(&place) {
            continue;
        }
        if places.len() == PLACES {
            let count = call.locations.len() - PLACES;
            places.push(Line::of(format!("and up to {count} more"), Role::Muted));
            break;
        }
        places.push(place);
    }
    places
}
