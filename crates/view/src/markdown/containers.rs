//! The quotes and items that the current line is in, from the outermost one.

use super::container::{Container, Kind, List, OpenItem};
use super::line_start::{self, CODE_INDENT};
use super::output::Output;
use crate::block::{Block, Marker};
use std::sync::Arc;

/// The open containers, and the blocks that were made.
#[derive(Debug, Clone, Default)]
pub(super) struct Containers {
    stack: Vec<Container>,
    /// The list that the last block outside of containers belongs to.
    list: Option<List>,
    next_id: u64,
    output: Output,
}

impl Containers {
    /// Returns the number of open containers.
    pub(super) fn len(&self) -> usize {
        self.stack.len()
    }

    /// Takes the blocks that are complete.
    pub(super) fn take_complete(&mut self) -> Vec<Arc<Block>> {
        self.output.take_complete()
    }

    /// Ends all containers, and takes all blocks.
    pub(super) fn end(&mut self) -> Vec<Arc<Block>> {
        self.close(0);
        self.output.leave_all();
        self.output.take_complete()
    }

    /// Returns the number of containers that a line continues, and its rest after their marks.
    pub(super) fn continued<'a>(&self, text: &'a str) -> (usize, &'a str) {
        let mut rest = text;
        for (index, container) in self.stack.iter().enumerate() {
            let indent = line_start::indent(rest);
            let after = match &container.kind {
                Kind::Quote if indent < CODE_INDENT => after_quote_mark(rest.trim_start()),
                Kind::Quote => None,
                Kind::Item(item) if rest.trim().is_empty() => (!item.empty).then_some(""),
                Kind::Item(item) if indent >= item.indent => rest.get(item.indent..),
                Kind::Item(_) => None,
            };
            match after {
                Some(after) => rest = after,
                None => return (index, rest),
            }
        }
        (self.stack.len(), rest)
    }

    /// Whether the next line can continue an ordered list.
    pub(super) fn in_ordered_list(&self) -> bool {
        let lists = self.stack.iter().map(|container| container.list).chain([self.list]);
        lists.flatten().any(|list| matches!(list.kind, '.' | ')'))
    }

    /// Adds a block to the innermost container.
    pub(super) fn add(&mut self, block: Block) {
        self.begin_block();
        self.output.add(&mut self.stack, block);
    }

    /// Marks the containers as not empty, and ends the list in the innermost one.
    pub(super) fn begin_block(&mut self) {
        self.begin_content();
        *self.list() = None;
    }

    /// Completes the blocks before the next block of the innermost container.
    pub(super) fn enter(&mut self) {
        self.output.enter(&mut self.stack);
    }

    /// Begins a quote.
    pub(super) fn begin_quote(&mut self) {
        self.begin(Kind::Quote);
    }

    /// Begins or continues the list of an item. Returns the number of the item, which counts from
    /// the first item of the list.
    pub(super) fn begin_list_item(&mut self, kind: char, number: Option<u64>) -> Option<u64> {
        // An item that begins with another list is shown before it.
        self.show_item();
        self.begin_content();
        let list = self.list();
        let next = list.filter(|list| list.kind == kind).map(|list| list.next);
        let number = number.map(|number| next.unwrap_or(number));
        *list = Some(List { kind, next: number.unwrap_or_default().saturating_add(1) });
        number
    }

    /// Begins an item whose lines are indented. `empty` means that its first line has no text.
    pub(super) fn begin_item(&mut self, indent: usize, marker: Marker, empty: bool) {
        let depth = self.item_depth();
        self.begin(Kind::Item(OpenItem { indent, depth, marker, empty, shown: false }));
    }

    /// Ends the containers after the first `keep` ones.
    pub(super) fn close(&mut self, keep: usize) {
        while self.stack.len() > keep {
            self.show_item();
            self.stack.pop();
        }
    }

    fn begin(&mut self, kind: Kind) {
        self.next_id += 1;
        self.stack.push(Container { id: self.next_id, kind, list: None });
    }

    /// Makes a block of the innermost item if it has none, because it has no text of its own.
    fn show_item(&mut self) {
        if let Some(Container { kind: Kind::Item(item), .. }) = self.stack.last()
            && !item.shown
        {
            self.output.enter(&mut self.stack);
        }
    }

    /// Marks the items around the next block as not empty.
    fn begin_content(&mut self) {
        for container in &mut self.stack {
            if let Kind::Item(item) = &mut container.kind {
                item.empty = false;
            }
        }
    }

    /// The list that the last block in the innermost container belongs to.
    fn list(&mut self) -> &mut Option<List> {
        match self.stack.last_mut() {
            Some(container) => &mut container.list,
            None => &mut self.list,
        }
    }

    /// Returns the depth of a new item: the number of items around it, inside of the same quote.
    fn item_depth(&self) -> u8 {
        let items = self.stack.iter().rev();
        let items = items.take_while(|container| matches!(container.kind, Kind::Item(_)));
        u8::try_from(items.count()).unwrap_or(u8::MAX)
    }
}

/// Returns the rest of a line after `>` and one space.
pub(super) fn after_quote_mark(body: &str) -> Option<&str> {
    let after = body.strip_prefix('>')?;
    Some(after.strip_prefix(' ').unwrap_or(after))
}
