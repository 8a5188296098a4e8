//! The output of a tool call.

use super::effect::visible;
use super::tail::Tail;
use crate::block::{Block, CodeBlock};
use crate::content;
use crate::diff::{self, DiffCache};
use crate::extent::Extent;
use crate::id;
use crate::markdown;
use crate::plain_text::PlainText;
use crate::row::diff_row::{DiffRow, FileDiff};
use crate::row::tool_call_row::Output;
use crate::sanitize;
use crate::span::{Line, Role};
use crate::syntax;
use attache_protocol::UnknownVariant;
use attache_protocol::v1::ContentBlock;
use attache_session::ToolCallContent;
use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

/// The output of a terminal.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct TerminalOutput {
    pub(crate) command: Line,
    pub(crate) lines: Vec<Line>,
    pub(crate) omitted: usize,
    pub(crate) ended: Line,
}

/// What outputs need to know besides the content.
pub(crate) struct OutputContext<'c> {
    /// The folder of the session.
    pub(crate) cwd: &'c Path,
    /// How much of the output to show.
    pub(crate) extent: Extent,
    /// Diffs that were made before.
    pub(crate) diffs: &'c RefCell<DiffCache>,
    /// The output of a terminal with this id.
    pub(crate) terminal: &'c dyn Fn(&str) -> Option<TerminalOutput>,
}

/// Returns the output of a call, whose parts come from the end. Texts that follow each other are
/// one part.
pub(crate) fn outputs<'c>(
    parts_from_the_end: impl Iterator<Item = &'c ToolCallContent>,
    is_markdown: bool,
    context: &OutputContext<'_>,
) -> Vec<Output> {
    let limits = context.extent.limits();
    let mut outputs = Reversed { outputs: Vec::new(), texts: Vec::new(), limits, is_markdown };
    let mut left = context.extent.parts();
    for part in parts_from_the_end {
        match part {
            ToolCallContent::Content(content) => match &content.content {
                ContentBlock::Text(text) => outputs.text(&text.text),
                _ if left == 0 => {}
                ContentBlock::Unknown(content) => {
                    left -= 1;
                    outputs.other(unknown(content, context.extent));
                }
                other => {
                    left -= 1;
                    outputs.other(Output::Text { blocks: content::other_blocks(other) });
                }
            },
            _ if left == 0 => {}
            part => {
                left -= 1;
                if let Some(output) = other(part, context) {
                    outputs.other(output);
                }
            }
        }
    }
    outputs.finish()
}

fn other(part: &ToolCallContent, context: &OutputContext<'_>) -> Option<Output> {
    let diff = |files: Vec<Arc<FileDiff>>| Output::Diff(DiffRow { files });
    Some(match part {
        ToolCallContent::Diff(texts) => {
            let make = || diff::of_texts(texts, context.cwd, context.extent);
            diff(vec![context.diffs.borrow_mut().get(texts, make)])
        }
        ToolCallContent::Changes(changes) => {
            diff(diff::of_changes(changes, context.cwd, context.extent))
        }
        ToolCallContent::Terminal(terminal) => {
            let id = terminal.terminal_id.as_str();
            let output = (context.terminal)(id).unwrap_or_default();
            let TerminalOutput { command, lines, omitted, ended } = output;
            Output::Terminal { id: id::shown(id), command, lines, omitted, ended }
        }
        ToolCallContent::Unknown(content) => unknown(content, context.extent),
        _ => return None,
    })
}

/// Describes content of a kind that this version does not know; as JSON if everything is shown.
fn unknown(content: &UnknownVariant, extent: Extent) -> Output {
    let line = Line::of("content of a kind that this version does not know", Role::Muted);
    let mut blocks = vec![Arc::new(Block::Attachment { line })];
    if extent == Extent::Whole {
        let line = Line::of(visible(content.raw.get()).replace('\n', " "), Role::Code);
        blocks.push(Arc::new(Block::Paragraph { lines: vec![line] }));
    }
    Output::Text { blocks }
}

/// The parts of an output, which are found from the end.
struct Reversed<'c> {
    outputs: Vec<Output>,
    /// Texts that follow each other, from the end.
    texts: Vec<&'c str>,
    /// The number of lines and bytes of text that may still be shown.
    limits: (usize, usize),
    is_markdown: bool,
}

impl<'c> Reversed<'c> {
    fn text(&mut self, text: &'c str) {
        // Each text has at least a line. One more shows that a text is omitted.
        if self.texts.len() <= self.limits.0 {
            self.texts.push(text);
        }
    }

    fn other(&mut self, output: Output) {
        self.end_texts();
        match (output, self.outputs.last_mut()) {
            // Changes of several files are one part.
            (Output::Diff(mut earlier), Some(Output::Diff(diff))) => {
                earlier.files.append(&mut diff.files);
                *diff = earlier;
            }
            (output, _) => self.outputs.push(output),
        }
    }

    fn end_texts(&mut self) {
        let texts = std::mem::take(&mut self.texts);
        if texts.iter().all(|text| text.is_empty()) {
            return;
        }
        let tail = Tail::of(texts.iter().copied(), self.limits.0, self.limits.1);
        self.limits.0 = self.limits.0.saturating_sub(tail.text.split('\n').count());
        self.limits.1 = self.limits.1.saturating_sub(tail.text.len());
        let fence = match texts.as_slice() {
            [text] => fence(text),
            _ => None,
        };
        let mut blocks = Vec::new();
        if tail.is_cut {
            let line = Line::of("… the output before this is omitted", Role::Muted);
            blocks.push(Arc::new(Block::Paragraph { lines: vec![line] }));
        }
        blocks.extend(text_blocks(self.is_markdown, &tail, fence));
        self.outputs.push(Output::Text { blocks });
    }

    fn finish(mut self) -> Vec<Output> {
        self.end_texts();
        self.outputs.reverse();
        self.outputs
    }
}

/// Returns the language if the whole text is one fenced block.
fn fence(text: &str) -> Option<&str> {
    let text = text.trim();
    let body = text.strip_prefix("```")?.strip_suffix("```")?;
    let (info, body) = body.split_once('\n')?;
    // A long text is not searched for other fences.
    let has_others = body.len() < Tail::BYTES && body.contains("\n```");
    (!info.contains('`') && !has_others).then_some(info.trim())
}

fn text_blocks(is_markdown: bool, tail: &Tail, fence: Option<&str>) -> Vec<Arc<Block>> {
    let text = tail.text.as_str();
    if let Some(language) = fence {
        let text = text.trim_end().trim_end_matches('`');
        let opened = text.trim_start().strip_prefix("```").filter(|_| !tail.is_cut);
        let body = opened.and_then(|text| text.split_once('\n')).map_or(text, |(_, body)| body);
        return vec![code(language, body)];
    }
    if text.contains('\u{1b}') {
        let lines = crate::terminal::lines_of_text(text);
        return vec![Arc::new(Block::Code(CodeBlock {
            language: String::new(),
            lines,
            continued: false,
        }))];
    }
    if is_markdown {
        return markdown::parse(text);
    }
    let mut plain = PlainText::default();
    plain.push(text);
    plain.blocks()
}

fn code(language: &str, text: &str) -> Arc<Block> {
    let language = sanitize::line(language);
    let lines = match text.contains('\u{1b}') {
        true => crate::terminal::lines_of_text(text),
        false => {
            let mut highlighter = syntax::highlighter(&language);
            text.trim_end_matches('\n').lines().map(|line| highlighter.line(line)).collect()
        }
    };
    Arc::new(Block::Code(CodeBlock { language, lines, continued: false }))
}
