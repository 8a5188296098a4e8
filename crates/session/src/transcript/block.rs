//! The blocks of a message.

use crate::Text;
use attache_protocol::v1::ContentBlock;
use std::sync::Arc;

/// One block of a message. Consecutive texts without annotations or metadata form one block.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Markdown text without annotations and metadata.
    Text(Text),
    /// Any other content, as it arrived.
    Other(Arc<ContentBlock>),
}

impl Block {
    /// Converts the block to its wire type.
    pub fn to_content(&self) -> ContentBlock {
        match self {
            Self::Text(text) => ContentBlock::text(text.to_string()),
            Self::Other(content) => (**content).clone(),
        }
    }
}

/// Appends one block and joins plain texts. Returns whether it only extended the text of an
/// existing block.
pub(crate) fn append(blocks: &mut Vec<Block>, content: &ContentBlock) -> bool {
    let Some(text) = plain_text(content) else {
        blocks.push(Block::Other(Arc::new(content.clone())));
        return false;
    };
    if let Some(Block::Text(last)) = blocks.last_mut() {
        last.push_str(text);
        return true;
    }
    // An empty text does not become a block, because many agents begin a message with one.
    if !text.is_empty() {
        blocks.push(Block::Text(text.into()));
    }
    false
}

/// The blocks of `content`, with consecutive plain texts joined.
pub(crate) fn joined<'c>(content: impl IntoIterator<Item = &'c ContentBlock>) -> Vec<Block> {
    let mut blocks = Vec::new();
    for block in content {
        append(&mut blocks, block);
    }
    blocks
}

/// The length of all plain text in the blocks, in bytes.
pub(crate) fn text_length(blocks: &[Block]) -> usize {
    let lengths = blocks.iter().map(|block| match block {
        Block::Text(text) => text.len(),
        Block::Other(_) => 0,
    });
    lengths.sum()
}

/// The approximate memory that blocks take, in bytes.
pub(crate) fn blocks_weight(blocks: &[Block]) -> usize {
    let weights = blocks.iter().map(|block| match block {
        Block::Text(text) => text.len() - text.dropped(),
        Block::Other(content) => weight(content),
    });
    weights.sum()
}

/// The approximate memory that a content block takes, in bytes.
pub(crate) fn weight(content: &ContentBlock) -> usize {
    const FIXED: usize = 64;
    FIXED
        + match content {
            ContentBlock::Text(text) => text.text.len(),
            ContentBlock::Image(image) => image.data.len(),
            ContentBlock::Audio(audio) => audio.data.len(),
            ContentBlock::ResourceLink(link) => {
                link.uri.len() + link.name.len() + link.description.as_ref().map_or(0, String::len)
            }
            ContentBlock::Resource(resource) => match &resource.resource {
                attache_protocol::v1::EmbeddedResourceResource::Text(text) => {
                    text.text.len() + text.uri.len()
                }
                attache_protocol::v1::EmbeddedResourceResource::Blob(blob) => {
                    blob.blob.len() + blob.uri.len()
                }
            },
            ContentBlock::Unknown(unknown) => unknown.raw.get().len(),
        }
}

/// Returns the text if the block is a text block that has neither annotations nor metadata.
pub(crate) fn plain_text(content: &ContentBlock) -> Option<&str> {
    match content {
        ContentBlock::Text(text) if text.annotations.is_none() && text.meta.is_none() => {
            Some(&text.text)
        }
        _ => None,
    }
}
