//! What the call of a request for permission would do, as lines.

use crate::layout::{DrawnLine, RowOptions, block_lines, file_header, row_lines, text_lines};
use crate::theme::Theme;
use attache_view::{
    CallStatus, Line, Output, PermissionView, Row, RowContent, Span, Style, ToolCallRow,
};
use std::sync::Arc;

/// The lines of diffs and texts that the person must have seen before a key allows the call. If
/// there are more, the key asks once more.
const OUTPUT_LINES: usize = 5;

/// The most lines of the agent's title above the effect.
const TITLE_LINES: usize = 2;

/// What the call would do, as lines for a width.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) width: u16,
    pub(super) lines: Vec<DrawnLine>,
    /// The number of lines, from the first one, that the person must have seen: the whole effect,
    /// the names of the changed files, and the beginning of the diffs and texts.
    pub(super) effect_end: usize,
    /// The number of lines, from the first one, with the effect and all diffs and texts.
    pub(super) outputs_end: usize,
}

impl Body {
    /// Lays out what the call would do. Nothing is cut.
    pub(super) fn of(view: &PermissionView, width: u16, theme: &Theme) -> Self {
        let columns = usize::from(width);
        let mut lines = Vec::new();
        let title = Line { spans: view.title.spans.iter().map(heading).collect() };
        let mut title = match title.is_empty() {
            true => Vec::new(),
            false => text_lines(&[title], columns, theme),
        };
        // The agent's words must not push the effect out of sight.
        let rest = title.split_off(title.len().min(TITLE_LINES));
        lines.extend(title);
        lines.extend(text_lines(&view.effect, columns, theme));
        lines.extend(text_lines(view.protected.as_slice(), columns, theme));
        lines.extend(text_lines(&changed_files(view, theme), columns, theme));
        let mut effect_end = lines.len();
        if !view.outputs.is_empty() {
            let row = Arc::new(row(outputs_call(view)));
            let options = RowOptions { folded: false, now: None };
            // The first line is the header of the row, which says nothing new.
            let outputs = row_lines(&row, columns, theme, options).into_iter().skip(1);
            lines.extend(outputs);
            // A terminal among the outputs is what the person allows.
            let is_terminal = |output: &Output| matches!(output, Output::Terminal { .. });
            effect_end = match view.outputs.iter().any(is_terminal) {
                true => lines.len(),
                false => lines.len().min(effect_end + OUTPUT_LINES),
            };
        }
        let outputs_end = lines.len();
        lines.extend(rest);
        lines.extend(block_lines(&view.stated, columns, theme));
        Self { width, lines, effect_end, outputs_end }
    }
}

fn heading(span: &Span) -> Span {
    Span { text: span.text.clone(), style: Style { strong: true, ..span.style.clone() } }
}

/// Returns a line for each changed file if there are several: the diffs can be long, and none of
/// their files must be hidden.
fn changed_files(view: &PermissionView, theme: &Theme) -> Vec<Line> {
    let files = view.outputs.iter().flat_map(|output| match output {
        Output::Diff(diff) => diff.files.as_slice(),
        _ => &[],
    });
    let lines: Vec<Line> = files.map(|file| file_header(file, theme.glyphs())).collect();
    if lines.len() > 1 { lines } else { Vec::new() }
}

/// Returns the diffs and texts of a request as a tool call of a conversation.
fn outputs_call(view: &PermissionView) -> ToolCallRow {
    ToolCallRow {
        id: String::new(),
        kind: view.kind.clone(),
        title: Line::default(),
        effect: Vec::new(),
        status: CallStatus::Asking,
        ended_at: None,
        places: Vec::new(),
        outputs: view.outputs.clone(),
        quiet: false,
        can_cancel: false,
    }
}

/// Returns all that a request shows, as a row of a conversation.
pub(super) fn whole_row(view: &PermissionView) -> Row {
    let mut call = outputs_call(view);
    (call.title, call.effect) = (view.title.clone(), view.effect.clone());
    row(call)
}

fn row(call: ToolCallRow) -> Row {
    Row { id: 0, at: 0, depth: 0, content: RowContent::ToolCall(Box::new(call)) }
}
