//! A message as blocks.

use crate::block::Block;
use crate::content;
use crate::markdown::Markdown;
use crate::plain_text::PlainText;
use crate::row::RowContent;
use attache_session::{Block as MessageBlock, MessageAuthor};
use std::sync::Arc;

/// A message that can grow.
#[derive(Debug)]
pub(super) struct Message {
    author: MessageAuthor,
    /// The blocks before the last text.
    finished: Vec<Arc<Block>>,
    /// The last text, if nothing follows it.
    last: Option<GrowingText>,
    /// How many bytes of text the session had dropped from memory.
    dropped: usize,
}

#[derive(Debug)]
enum GrowingText {
    Markdown(Box<Markdown>),
    Plain(PlainText),
}

impl Message {
    pub(super) fn new(author: MessageAuthor, blocks: &[MessageBlock]) -> Self {
        let mut message =
            Self { author, finished: Vec::new(), last: None, dropped: dropped(blocks) };
        for block in blocks {
            message.finish();
            match block {
                MessageBlock::Text(text) => {
                    message.last = Some(GrowingText::of(author));
                    text.pieces().for_each(|piece| message.push(piece));
                }
                MessageBlock::Other(other) => message.finished.extend(content::blocks(other)),
            }
        }
        message
    }

    /// Appends text to the last text of the message.
    pub(super) fn push(&mut self, text: &str) {
        match self.last.get_or_insert_with(|| GrowingText::of(self.author)) {
            GrowingText::Markdown(markdown) => markdown.push(text),
            GrowingText::Plain(plain) => plain.push(text),
        }
    }

    /// Whether the message has no text that the session dropped from memory since then.
    pub(super) fn has_all_of(&self, blocks: &[MessageBlock]) -> bool {
        self.dropped == dropped(blocks)
    }

    fn finish(&mut self) {
        if let Some(last) = self.last.take() {
            self.finished.extend(last.blocks());
        }
    }

    pub(super) fn content(&self) -> RowContent {
        let mut blocks = self.finished.clone();
        blocks.extend(self.last.iter().flat_map(GrowingText::blocks));
        match self.author {
            MessageAuthor::User => RowContent::Prompt { blocks },
            MessageAuthor::Agent => RowContent::Answer { blocks },
            MessageAuthor::Thought => RowContent::Thought { blocks },
        }
    }
}

fn dropped(blocks: &[MessageBlock]) -> usize {
    let dropped = blocks.iter().map(|block| match block {
        MessageBlock::Text(text) => text.dropped(),
        MessageBlock::Other(_) => 0,
    });
    dropped.sum()
}

impl GrowingText {
    fn of(author: MessageAuthor) -> Self {
        match author {
            // People write plain text, whose line breaks and symbols are meant as they are.
            MessageAuthor::User => Self::Plain(PlainText::default()),
            MessageAuthor::Agent | MessageAuthor::Thought => Self::Markdown(Box::default()),
        }
    }

    fn blocks(&self) -> Vec<Arc<Block>> {
        match self {
            Self::Markdown(markdown) => markdown.blocks(),
            Self::Plain(plain) => plain.blocks(),
        }
    }
}
