//! The segments of a row.

use super::row_writer::{RowOptions, RowWriter, first_line, line_count, lines_word};
use super::segment::{Lead, Segment, Source, Tone};
use super::tool_call::write_tool_call;
use crate::theme::Glyphs;
use attache_view::{
    Block, CompactionRow, Line as ViewLine, NoticeLevel, NoticeRow, PlanRow, PlanStep, Role, Row,
    RowContent, Span, StepState, SubagentRow,
};
use std::sync::Arc;

/// Returns the segments of a row.
pub(crate) fn segments(row: &Arc<Row>, glyphs: &Glyphs, options: RowOptions) -> Vec<Segment> {
    let mut writer = RowWriter { glyphs, options, segments: Vec::new(), depth: row.depth };
    match &row.content {
        RowContent::Prompt { blocks } => writer.foldable_blocks(Lead::Prompt, Tone::Prompt, blocks),
        RowContent::Answer { blocks } => writer.foldable_blocks(Lead::None, Tone::Plain, blocks),
        RowContent::Thought { blocks } => write_thought(&mut writer, blocks),
        RowContent::ToolCall(call) => write_tool_call(&mut writer, row, call),
        RowContent::Plan(plan) => write_plan(&mut writer, plan),
        RowContent::Notice(notice) => write_notice(&mut writer, notice),
        RowContent::Compaction(compaction) => write_compaction(&mut writer, compaction),
        RowContent::Subagent(subagent) => write_subagent(&mut writer, subagent),
        RowContent::Other { line } => {
            writer.push(Lead::None, Tone::Quiet, Source::Lines(vec![line.clone()]));
        }
        // Content of a later version.
        _ => {}
    }
    writer.segments
}

fn write_thought(writer: &mut RowWriter<'_>, blocks: &[Arc<Block>]) {
    let glyphs = writer.glyphs;
    if !writer.options.folded {
        let line = ViewLine::of("Thought", Role::Muted);
        writer.header(Lead::Mark(glyphs.unfolded, Role::Muted), Tone::Quiet, line);
        return writer.blocks(Lead::Indent, Tone::Quiet, blocks);
    }
    let mut line = ViewLine::of("Thought: ", Role::Muted);
    let first = first_line(blocks);
    if first.is_empty() {
        line = ViewLine::of("Thought", Role::Muted);
    }
    line.spans.extend(first.spans);
    let lines: usize = blocks.iter().map(|block| line_count(block)).sum();
    if lines > 1 {
        let more = format!(" ({} more {})", lines - 1, lines_word(lines - 1));
        line.spans.push(Span::new(more, Role::Muted));
    }
    writer.header(Lead::Mark(glyphs.folded, Role::Muted), Tone::Quiet, line);
}

fn write_plan(writer: &mut RowWriter<'_>, plan: &PlanRow) {
    let mark = Lead::Mark(writer.glyphs.separator, Role::Muted);
    match plan {
        PlanRow::Steps { steps } => {
            let done = steps.iter().filter(|step| step.state == StepState::Done).count();
            let mut header = ViewLine::of("Plan", Role::Heading);
            let count = format!(" {} {done} of {} done", writer.glyphs.separator, steps.len());
            header.spans.push(Span::new(count, Role::Muted));
            writer.header(mark, Tone::Plain, header);
            if !writer.options.folded {
                steps.iter().for_each(|step| write_step(writer, step));
            }
        }
        PlanRow::Text { blocks } => {
            writer.header(mark, Tone::Plain, ViewLine::of("Plan", Role::Heading));
            writer.foldable_blocks(Lead::Indent, Tone::Plain, blocks);
        }
        PlanRow::File { line } => {
            let mut header = ViewLine::of("Plan: ", Role::Heading);
            header.spans.extend(line.spans.iter().cloned());
            writer.header(mark, Tone::Plain, header);
        }
        PlanRow::Dropped => {
            writer.header(mark, Tone::Quiet, ViewLine::of("Plan dropped", Role::Muted));
        }
    }
}

fn write_step(writer: &mut RowWriter<'_>, step: &PlanStep) {
    let role = match step.state {
        StepState::Pending | StepState::Cancelled => Role::Muted,
        StepState::Running => Role::Running,
        StepState::Done => Role::Success,
    };
    let mut line = step.line.clone();
    for span in &mut line.spans {
        span.style.strong |= step.state == StepState::Running;
        span.style.struck |= step.state == StepState::Cancelled;
    }
    if step.important {
        line.spans.push(Span::new(" (important)", Role::Warning));
    }
    if step.state == StepState::Cancelled {
        line.spans.push(Span::new(" (dropped)", Role::Muted));
    }
    let lead = Lead::Mark(writer.glyphs.step(step.state), role);
    writer.push(lead, Tone::Plain, Source::Lines(vec![line]));
}

fn write_notice(writer: &mut RowWriter<'_>, notice: &NoticeRow) {
    let role = match notice.level {
        NoticeLevel::Info => Role::Muted,
        NoticeLevel::Warning => Role::Warning,
        NoticeLevel::Error => Role::Error,
    };
    let lead = Lead::Mark(writer.glyphs.notice(notice.level), role);
    writer.foldable_blocks(lead, Tone::Plain, &notice.blocks);
}

fn write_compaction(writer: &mut RowWriter<'_>, compaction: &CompactionRow) {
    let glyphs = writer.glyphs;
    let mark = match (compaction.summary.is_empty(), writer.options.folded) {
        (true, _) => glyphs.horizontal,
        (false, true) => glyphs.folded,
        (false, false) => glyphs.unfolded,
    };
    writer.header(Lead::Mark(mark, Role::Muted), Tone::Quiet, compaction.line.clone());
    if !writer.options.folded {
        writer.blocks(Lead::Indent, Tone::Quiet, &compaction.summary);
    }
}

fn write_subagent(writer: &mut RowWriter<'_>, subagent: &SubagentRow) {
    let mut line = ViewLine::of("subagent", Role::Name);
    line.spans.push(Span::new(" ", Role::Text));
    line.spans.extend(subagent.line.spans.iter().cloned());
    if !subagent.status.is_empty() {
        line.spans.push(Span::new(format!(" {} ", writer.glyphs.separator), Role::Muted));
        line.spans.extend(subagent.status.spans.iter().cloned());
    }
    let mark = writer.glyphs.arrow;
    writer.header(Lead::Mark(mark, Role::Running), Tone::Plain, line);
}
