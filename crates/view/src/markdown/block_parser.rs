//! The structure of a text, line by line.
//!
//! A line first continues the containers (quotes and items) of the line before it, then it may
//! begin new containers, and its rest belongs to a leaf: a paragraph, code or a table. This is the
//! algorithm of the CommonMark specification. The state between two lines has a bounded size.

use super::code::OpenCode;
use super::containers::{Containers, after_quote_mark};
use super::inline;
use super::limits::PIECE;
use super::line_start::{self, CODE_INDENT, ListMarker};
use super::table::OpenTable;
use crate::block::{Block, Marker};
use crate::sanitize;
use crate::span::Role;
use std::sync::Arc;

/// How deeply containers can be nested.
const DEPTH: usize = 16;

/// The state between two lines.
#[derive(Debug, Clone, Default)]
pub(super) struct BlockParser {
    containers: Containers,
    leaf: Leaf,
    /// Whether the next piece of text continues a line.
    inside_line: bool,
    /// Whether constructs without an end are shown as if they had one.
    open: bool,
    /// Whether the text ends here.
    at_end: bool,
}

/// The innermost block, which may get more lines.
#[derive(Debug, Clone, Default)]
enum Leaf {
    #[default]
    None,
    /// Lines of text, separated by line feeds.
    Paragraph(String),
    Table(OpenTable),
    /// Code after a line such as three backticks.
    Fenced {
        code: OpenCode,
        mark: char,
        length: usize,
        indent: usize,
    },
    /// Indented code, and the number of blank lines after it.
    Indented {
        code: OpenCode,
        blank: usize,
    },
}

impl BlockParser {
    /// Takes the blocks that are complete.
    pub(super) fn take_complete(&mut self) -> Vec<Arc<Block>> {
        self.containers.take_complete()
    }

    /// From now on, shows constructs without an end as if they had one.
    pub(super) fn show_open_constructs(&mut self) {
        self.open = true;
    }

    /// Ends all blocks and returns those that were not complete.
    pub(super) fn close(mut self) -> Vec<Arc<Block>> {
        self.at_end = true;
        self.close_containers(0);
        self.containers.end()
    }

    /// Whether the meaning of the beginning of a line depends on what follows.
    pub(super) fn is_only_a_marker(&self, text: &str) -> bool {
        let body = text.trim_start_matches([' ', '\t', '>']).trim_end();
        if self.inside_line {
            return false;
        }
        match &self.leaf {
            Leaf::Fenced { mark, .. } => {
                !body.is_empty() && body.chars().all(|other| other == *mark)
            }
            _ => {
                let number = body.len() <= 3 && body.bytes().all(|byte| byte.is_ascii_digit());
                line_start::is_only_a_marker(text) || (number && self.containers.in_ordered_list())
            }
        }
    }

    /// Reads a line without its line feed, or a piece of a long line, whose next piece follows
    /// unless the piece `ends` the line.
    pub(super) fn line(&mut self, text: &str, ends: bool) {
        let clean = sanitize::text(text);
        let clean = sanitize::expand_tabs(&clean);
        if std::mem::replace(&mut self.inside_line, !ends) {
            self.continue_line(&clean);
        } else {
            self.whole_line(&clean);
        }
        if !ends && matches!(self.leaf, Leaf::Paragraph(_)) {
            self.close_leaf();
        }
    }

    fn continue_line(&mut self, text: &str) {
        match &self.leaf {
            _ if text.trim().is_empty() => {}
            Leaf::Fenced { .. } | Leaf::Indented { .. } => self.code_line(text),
            Leaf::Table(_) => self.row(text),
            Leaf::None | Leaf::Paragraph(_) => self.text(text),
        }
    }

    fn whole_line(&mut self, text: &str) {
        let (matched, rest) = self.containers.continued(text);
        let all = matched == self.containers.len();
        if all && self.continues_code(rest) {
            return;
        }
        let mut start = Start { matched, rest, began: false };
        while !start.rest.trim().is_empty() && line_start::indent(start.rest) < CODE_INDENT {
            match self.begin(&mut start) {
                Begun::Container => {}
                Begun::Leaf => return,
                Begun::Nothing => break,
            }
        }
        let Start { matched, rest, began } = start;
        if rest.trim().is_empty() {
            if matched < self.containers.len() {
                self.close_containers(matched);
            }
            if !matches!(self.leaf, Leaf::Indented { .. }) {
                self.close_leaf();
            }
            return;
        }
        // Text without the marks of its containers continues a paragraph.
        let lazy = !began && matches!(self.leaf, Leaf::Paragraph(_));
        if matched < self.containers.len() && !lazy {
            self.close_containers(matched);
        }
        match &self.leaf {
            Leaf::Paragraph(_) => self.text(rest),
            Leaf::Table(_) if rest.contains('|') => self.row(rest),
            _ if line_start::indent(rest) >= CODE_INDENT => {
                self.begin_leaf(Leaf::Indented { code: OpenCode::new(""), blank: 0 });
                self.code_line(rest.get(CODE_INDENT..).unwrap_or_default());
            }
            _ => {
                self.close_leaf();
                self.text(rest);
            }
        }
    }

    /// Adds a line to the open code. Returns `false` if no code is open, or if it ended before.
    fn continues_code(&mut self, rest: &str) -> bool {
        match &mut self.leaf {
            Leaf::Fenced { mark, length, indent, .. } => {
                if line_start::closes_fence(rest, *mark, *length) {
                    self.close_leaf();
                } else {
                    let spaces = line_start::indent(rest).min(*indent);
                    self.code_line(rest.get(spaces..).unwrap_or_default());
                }
                true
            }
            Leaf::Indented { blank, .. } => {
                if rest.trim().is_empty() {
                    *blank += 1;
                    return true;
                }
                if line_start::indent(rest) < CODE_INDENT {
                    self.close_leaf();
                    return false;
                }
                // Each blank line was a byte of the text, so this adds bounded work.
                for _ in 0..std::mem::take(blank) {
                    self.code_line("");
                }
                self.code_line(rest.get(CODE_INDENT..).unwrap_or_default());
                true
            }
            _ => false,
        }
    }

    /// Begins the next block of a line, if one begins.
    fn begin(&mut self, start: &mut Start<'_>) -> Begun {
        let body = start.rest.trim_start();
        let in_paragraph = !start.began
            && start.matched == self.containers.len()
            && matches!(self.leaf, Leaf::Paragraph(_));
        if let Some(after) = after_quote_mark(body) {
            return self.begin_quote(start, after);
        }
        if let Some((level, title)) = line_start::heading(body) {
            self.close_containers(start.matched);
            self.heading(level, title);
            return Begun::Leaf;
        }
        if let Some(fence) = line_start::fence(body) {
            self.close_containers(start.matched);
            let code = OpenCode::new(fence.info);
            let indent = line_start::indent(start.rest);
            let (mark, length) = (fence.mark, fence.length);
            self.begin_leaf(Leaf::Fenced { code, mark, length, indent });
            return Begun::Leaf;
        }
        if in_paragraph && (self.underlines(body) || self.begins_table(body)) {
            return Begun::Leaf;
        }
        if line_start::is_rule(body) {
            self.close_containers(start.matched);
            self.close_leaf();
            self.containers.add(Block::Rule);
            return Begun::Leaf;
        }
        match line_start::list_marker(body) {
            Some(marker) => self.begin_item(start, marker, in_paragraph),
            None => Begun::Nothing,
        }
    }

    fn begin_quote<'a>(&mut self, start: &mut Start<'a>, after: &'a str) -> Begun {
        if start.matched >= DEPTH {
            return Begun::Nothing;
        }
        self.close_containers(start.matched);
        self.close_leaf();
        self.containers.begin_block();
        self.containers.begin_quote();
        *start = Start { matched: start.matched + 1, rest: after, began: true };
        Begun::Container
    }

    fn begin_item<'a>(
        &mut self,
        start: &mut Start<'a>,
        marker: ListMarker,
        in_paragraph: bool,
    ) -> Begun {
        let ListMarker { kind, number, length, spaces } = marker;
        let indent = line_start::indent(start.rest);
        let after: &'a str = start.rest.get(indent + length..).unwrap_or_default();
        let empty = after.trim().is_empty();
        let interrupts = !empty && number.is_none_or(|number| number == 1);
        if start.matched >= DEPTH || (in_paragraph && !interrupts) {
            return Begun::Nothing;
        }
        self.close_containers(start.matched);
        self.close_leaf();
        let number = self.containers.begin_list_item(kind, number);
        let rest = after.get(spaces..).unwrap_or_default();
        let task = line_start::task(rest).filter(|_| number.is_none());
        let (marker, rest) = match (task, number) {
            (Some(task), _) => task,
            (None, Some(number)) => (Marker::Number(number), rest),
            (None, None) => (Marker::Bullet, rest),
        };
        self.containers.begin_item(indent + length + spaces, marker, empty);
        *start = Start { matched: start.matched + 1, rest, began: true };
        Begun::Container
    }

    /// Makes a heading of the paragraph if a line underlines it.
    fn underlines(&mut self, body: &str) -> bool {
        let Leaf::Paragraph(text) = &mut self.leaf else { return false };
        match line_start::underline(body) {
            Some(level) if !text.contains('\n') => {
                let title = std::mem::take(text);
                self.leaf = Leaf::None;
                self.heading(level, &title);
                true
            }
            _ => false,
        }
    }

    /// Begins a table if a line is its second line. Its first line is the last one of the
    /// paragraph.
    fn begins_table(&mut self, body: &str) -> bool {
        let Leaf::Paragraph(text) = &mut self.leaf else { return false };
        let Some(alignments) = line_start::delimiter_row(body) else { return false };
        let begin = text.rfind('\n').map_or(0, |end| end + 1);
        let first = text.get(begin..).unwrap_or_default();
        let Some(table) = OpenTable::new(first, alignments) else { return false };
        text.truncate(begin.saturating_sub(1));
        self.begin_leaf(Leaf::Table(table));
        true
    }

    /// Adds a line to the paragraph, or begins one.
    fn text(&mut self, line: &str) {
        let line = line.trim();
        match &mut self.leaf {
            Leaf::Paragraph(text) if text.len() + 1 + line.len() <= PIECE => {
                text.push('\n');
                text.push_str(line);
            }
            _ => self.begin_leaf(Leaf::Paragraph(line.to_owned())),
        }
    }

    fn heading(&mut self, level: u8, title: &str) {
        self.close_leaf();
        let line = inline::line(title, Role::Heading, self.open);
        self.containers.add(Block::Heading { level, line });
    }

    fn row(&mut self, line: &str) {
        if let Leaf::Table(table) = &mut self.leaf
            && let Some(part) = table.row(line, self.open)
        {
            self.containers.add(part);
        }
    }

    fn code_line(&mut self, line: &str) {
        if let Leaf::Fenced { code, .. } | Leaf::Indented { code, .. } = &mut self.leaf
            && let Some(part) = code.line(line)
        {
            self.containers.add(part);
        }
    }

    fn begin_leaf(&mut self, leaf: Leaf) {
        self.close_leaf();
        self.containers.begin_block();
        // The blocks before the leaf are complete.
        self.containers.enter();
        self.leaf = leaf;
    }

    fn close_leaf(&mut self) {
        let block = match std::mem::take(&mut self.leaf) {
            Leaf::None => None,
            Leaf::Paragraph(text) => return self.add_paragraph(&text),
            Leaf::Table(table) => table.end(),
            Leaf::Fenced { code, .. } | Leaf::Indented { code, .. } => code.end(),
        };
        if let Some(block) = block {
            self.containers.add(block);
        }
    }

    fn add_paragraph(&mut self, text: &str) {
        let open = self.open && self.at_end;
        // A line such as `| a | b |` at the end is probably the first line of a table.
        let (before, last) = text.rsplit_once('\n').unwrap_or(("", text));
        let first_bar = !before.rsplit('\n').next().is_some_and(|line| line.starts_with('|'));
        let table = if open && first_bar { OpenTable::expected(last) } else { None };
        let text = if table.is_some() { before } else { text };
        if !text.is_empty() {
            self.containers.add(inline::paragraph(text, open));
        }
        if let Some(table) = table {
            self.containers.add(table);
        }
    }

    /// Ends the containers after the first `keep` ones, and the leaf inside of them.
    fn close_containers(&mut self, keep: usize) {
        if keep >= self.containers.len() {
            if keep == 0 {
                self.close_leaf();
            }
            return;
        }
        self.close_leaf();
        self.containers.close(keep);
    }
}

/// The part of a line that is not read yet.
struct Start<'a> {
    /// The number of containers that the line is in.
    matched: usize,
    rest: &'a str,
    /// Whether the line began a container.
    began: bool,
}

/// What a line begins.
enum Begun {
    Container,
    Leaf,
    Nothing,
}
