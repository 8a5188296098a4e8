//! The blocks that are made, and the containers that are still open.

use super::container::{Container, Kind};
use super::limits::PARTS;
use crate::block::{Block, Item, Marker};
use std::sync::Arc;

/// Blocks, and the blocks around the next one.
#[derive(Debug, Clone, Default)]
pub(super) struct Output {
    complete: Vec<Arc<Block>>,
    frames: Vec<Frame>,
}

/// A quote or an item that gets more parts.
#[derive(Debug, Clone)]
struct Frame {
    /// The id of the container.
    id: u64,
    /// The depth and marker of an item; a quote has none.
    item: Option<(u8, Marker)>,
    blocks: Vec<Arc<Block>>,
}

impl Output {
    /// Takes the blocks that are complete.
    pub(super) fn take_complete(&mut self) -> Vec<Arc<Block>> {
        std::mem::take(&mut self.complete)
    }

    /// Adds a block to the innermost of these containers.
    pub(super) fn add(&mut self, containers: &mut [Container], block: Block) {
        self.enter(containers);
        self.push(Arc::new(block));
        // A container with many parts is divided, so that its first parts are complete.
        while self.frames.last().is_some_and(|frame| frame.blocks.len() >= PARTS) {
            self.leave();
        }
    }

    /// Makes the blocks around the next one match these containers. An item of a nested list is not
    /// inside of the item around it, but follows it.
    pub(super) fn enter(&mut self, containers: &mut [Container]) {
        let mut path: Vec<&mut Container> = Vec::new();
        for container in containers {
            let item = matches!(container.kind, Kind::Item(_));
            if item && path.last().is_some_and(|last| matches!(last.kind, Kind::Item(_))) {
                path.pop();
            }
            path.push(container);
        }
        let same =
            self.frames.iter().zip(&path).take_while(|(frame, to)| frame.id == to.id).count();
        while self.frames.len() > same {
            self.leave();
        }
        for container in path.into_iter().skip(same) {
            let item = match &mut container.kind {
                Kind::Quote => None,
                Kind::Item(item) => {
                    let shown = std::mem::replace(&mut item.shown, true);
                    Some((item.depth, if shown { Marker::Continued } else { item.marker }))
                }
            };
            self.frames.push(Frame { id: container.id, item, blocks: Vec::new() });
        }
    }

    /// Ends all containers.
    pub(super) fn leave_all(&mut self) {
        while !self.frames.is_empty() {
            self.leave();
        }
    }

    /// Ends the innermost container.
    fn leave(&mut self) {
        let Some(Frame { item, blocks, .. }) = self.frames.pop() else { return };
        let block = match item {
            None => Block::Quote { blocks },
            Some((depth, marker)) => Block::Item(Item { depth, marker, blocks }),
        };
        self.push(Arc::new(block));
    }

    fn push(&mut self, block: Arc<Block>) {
        match self.frames.last_mut() {
            Some(frame) => frame.blocks.push(block),
            None => self.complete.push(block),
        }
    }
}
