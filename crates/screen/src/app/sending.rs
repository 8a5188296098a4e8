//! Sending what the person wrote.

use crate::app::slot::{Slot, SlotContent};
use crate::app::state::App;
use crate::composer::image::path_of_url;
use crate::composer::{IMAGE_LIMIT, ImageFile, Piece, Submitted, mention};
use crate::transcript::Scroll;
use attache_client::{Prompt, SessionState};
use attache_protocol::v1::{ContentBlock, EmbeddedResourceResource};
use attache_view::sanitize;

/// The maximum size of all images of a prompt, in bytes. A message of more than 32 MiB would end
/// the connection.
const IMAGES_LIMIT: u64 = 18 << 20;

impl App {
    /// Sends a text: a command of the screen, a shell command, or a prompt.
    pub(crate) fn submit(&mut self, prompt: &Submitted, now: bool) {
        self.notices.dismiss();
        let text = prompt.text();
        let text = text.trim_end();
        if prompt.shell {
            let mut pieces = prompt.pieces.clone();
            pieces.insert(0, Piece::Text("!".to_owned()));
            self.remember(&pieces);
            return self.run_shell(text.trim());
        }
        self.remember(&prompt.pieces);
        // A pasted text or an image is no command.
        if prompt.pieces.first().is_some_and(Piece::is_text) {
            if self.command(text.trim()) {
                return;
            }
            if self.refuse_unknown(text) {
                return self.composer.set_pieces(&prompt.pieces);
            }
        }
        if self.send_in(self.focus, prompt.pieces.clone())
            && now
            && let Some(session) = self.session()
            && let Some(last) = session.queue().last()
        {
            session.send_now(last.id);
        }
    }

    /// Adds a prompt to the file of earlier prompts.
    pub(crate) fn remember(&mut self, prompt: &[Piece]) {
        let Some(file) = &self.history else { return };
        if let Err(error) = file.add(prompt) {
            self.history = None;
            self.notices.warning(&format!("earlier prompts are not stored: {error}"));
        }
    }

    /// Clears the text of the composer, which stays in the history, also after a restart. Returns
    /// false if there was no text.
    pub(crate) fn clear_text(&mut self) -> bool {
        let pieces = self.composer.pieces();
        let had_text = self.composer.clear();
        if had_text {
            self.remember(&pieces);
        }
        had_text
    }

    /// Adds what the person wrote for sessions that did not open to the file of earlier prompts.
    pub(crate) fn remember_unopened(&mut self) {
        let mut unsent = Vec::new();
        for (index, slot) in self.slots.iter().enumerate() {
            if slot.session().is_some() {
                continue;
            }
            unsent.extend(slot.early.iter().chain(&slot.restored).cloned());
            unsent.push(match index == self.focus {
                true => self.composer.pieces(),
                false => slot.draft.pieces(),
            });
        }
        unsent.iter().filter(|prompt| !prompt.is_empty()).for_each(|prompt| self.remember(prompt));
    }

    /// Sends a prompt in the slot with this index, or keeps it until the session is open. Returns
    /// false if the prompt is in the composer again.
    pub(crate) fn send_in(&mut self, index: usize, pieces: Vec<Piece>) -> bool {
        let services = self.services.clone();
        let Some(slot) = self.slots.get_mut(index) else { return false };
        let conversation = match &mut slot.content {
            SlotContent::Opening { .. } => {
                slot.early.push(pieces);
                slot.sent_without_image = slot.reads_image;
                return true;
            }
            SlotContent::Failed(_) => {
                self.restore(index, pieces);
                self.notices.warning(
                    "the session is not open: choose another agent, or start a new session",
                );
                return false;
            }
            SlotContent::Open(conversation) => conversation,
        };
        let session = conversation.session.clone();
        let connection = session.agent().connection();
        let takes = connection.map(|it| it.capabilities().prompt_capabilities.clone());
        let takes_images = takes.as_ref().map(|takes| takes.image);
        if let Some(why) = image_refusal(&pieces, takes_images, session.agent().name()) {
            self.restore(index, pieces);
            self.notices.warning(&why);
            return false;
        }
        let plain = unescaped(&pieces);
        let prompt = services.prompt(&plain, session.cwd(), &takes.unwrap_or_default());
        conversation.transcript.scroll(Scroll::End);
        prompt.warnings.iter().for_each(|warning| self.notices.warning(warning));
        // The end of a cancelled turn holds the queue. A prompt that the person sends after the
        // cancellation is not meant to wait.
        let is_cancelling = matches!(session.state(), SessionState::Cancelling { .. });
        match session.send(prompt.blocks) {
            Ok(id) => {
                let queue = session.queue();
                if is_cancelling && queue.len() <= 1 {
                    session.send_now(id);
                }
                slot.written.retain(|(id, _)| queue.iter().any(|it| it.id == *id));
                slot.written.push((id, pieces));
                slot.awaits_end = true;
                slot.sent_without_image = slot.reads_image;
                true
            }
            Err(error) => {
                self.notices.error(&error.to_string());
                self.restore(index, pieces);
                false
            }
        }
    }
}

/// Returns the pieces without the first of two slashes with which the person sends a text that
/// begins with one.
fn unescaped(pieces: &[Piece]) -> Vec<Piece> {
    let mut pieces = pieces.to_vec();
    if let Some(Piece::Text(first)) = pieces.first_mut()
        && first.starts_with("//")
    {
        first.remove(0);
    }
    pieces
}

/// Returns why a prompt with images cannot be sent; `None` if it can. `takes` says whether the
/// agent takes images, if it is connected.
fn image_refusal(pieces: &[Piece], takes: Option<bool>, agent: &str) -> Option<String> {
    let images = pieces.iter().filter_map(|piece| match piece {
        Piece::Image(image) => Some(image),
        _ => None,
    });
    let images: Vec<&ImageFile> = images.collect();
    let agent = sanitize::visible_line(agent);
    match (images.as_slice(), takes) {
        ([], _) => return None,
        (_, Some(true)) => {}
        (_, Some(false)) => {
            return Some(format!(
                "{agent} takes no images: remove the image from the text, or choose another agent"
            ));
        }
        (_, None) => return Some(format!("{agent} does not run: send the image when it runs")),
    }
    let opened: Result<Vec<ImageFile>, String> =
        images.iter().map(|image| ImageFile::open(image.path())).collect();
    match opened {
        Err(why) => Some(format!("{why}: remove the image from the text")),
        Ok(opened) if opened.iter().map(ImageFile::size).sum::<u64>() > IMAGES_LIMIT => {
            Some(format!(
                "the images of a prompt can have at most {} MiB together, and one at most {} MiB",
                IMAGES_LIMIT >> 20,
                IMAGE_LIMIT >> 20
            ))
        }
        Ok(_) => None,
    }
}

/// Returns the pieces of a prompt that was sent in an earlier run. Its text mentions no files: what
/// the person mentioned are blocks of their own.
pub(crate) fn pieces_of(prompt: &Prompt) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = prompt.0.iter().map(piece_of).collect();
    // The text would be a command of the screen.
    if let Some(Piece::Text(first)) = pieces.first_mut()
        && first.starts_with(['/', '!'])
    {
        match first.starts_with('/') {
            true => first.insert(0, '/'),
            false => first.insert(0, ' '),
        }
    }
    pieces
}

fn piece_of(block: &ContentBlock) -> Piece {
    let uri = match block {
        ContentBlock::Text(text) => return Piece::without_mentions(text.text.clone()),
        ContentBlock::ResourceLink(link) => Some(link.uri.as_str()),
        ContentBlock::Image(image) => image.uri.as_deref(),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            EmbeddedResourceResource::Text(text) => Some(text.uri.as_str()),
            EmbeddedResourceResource::Blob(blob) => Some(blob.uri.as_str()),
        },
        _ => None,
    };
    let path = uri.and_then(path_of_url);
    match (block, path) {
        (ContentBlock::Image(_), Some(path)) => Piece::Image(ImageFile::stored(path)),
        (_, Some(path)) => {
            let mention = path.to_str().and_then(mention);
            Piece::Text(mention.unwrap_or_else(|| format!("[{}]", block.tag())))
        }
        _ => Piece::Text(format!("[{}]", block.tag())),
    }
}

/// Returns the prompts of a slot that no agent got, as the person wrote them.
pub(crate) fn unsent_prompts(slot: &Slot) -> Vec<Vec<Piece>> {
    let early = slot.restored.iter().chain(&slot.early).cloned();
    let queue = slot.session().map(|session| session.queue()).unwrap_or_default();
    let queued = queue.iter().map(|queued| {
        let written = slot.written.iter().find(|(id, _)| *id == queued.id);
        written.map_or_else(|| pieces_of(&queued.prompt), |(_, pieces)| pieces.clone())
    });
    early.chain(queued).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use attache_protocol::v1::ResourceLink;

    fn text(text: &str) -> Piece {
        Piece::Text(text.to_owned())
    }

    #[test]
    fn images_are_refused_before_they_are_sent() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        std::fs::write(&path, b"\x89PNG\r\n\x1a\n").unwrap();
        let image = Piece::Image(ImageFile::open(&path).unwrap());
        let prompt = [text("look at "), image.clone()];
        let refusal = |takes| image_refusal(&prompt, takes, "a\x1b");
        assert_eq!(refusal(Some(true)), None);
        assert!(refusal(Some(false)).unwrap().contains("takes no images"));
        assert!(refusal(None).unwrap().contains("does not run"));
        assert_eq!(image_refusal(&[text("hello")], Some(false), "a"), None);
        let large = folder.path().join("large.png");
        std::fs::copy(&path, &large).unwrap();
        std::fs::File::options().write(true).open(&large).unwrap().set_len(9_500_000).unwrap();
        let large = Piece::Image(ImageFile::open(large).unwrap());
        let refused = image_refusal(&[large.clone(), large], Some(true), "a").unwrap();
        assert!(refused.contains("at most 18 MiB together"), "{refused}");
        std::fs::remove_file(&path).unwrap();
        assert!(refusal(Some(true)).unwrap().contains("a.png does not exist"));
    }

    #[test]
    fn a_queued_prompt_of_an_earlier_run_keeps_its_meaning() {
        let prompt = Prompt(vec![
            ContentBlock::text("/usr/bin of "),
            ContentBlock::ResourceLink(ResourceLink::new("file:///a/b%20c.rs", "b c.rs")),
            ContentBlock::text(" and @secret"),
        ]);
        let pieces = pieces_of(&prompt);
        let expected =
            [text("//usr/bin of "), text("@\"/a/b c.rs\""), Piece::Paste(" and @secret".into())];
        assert_eq!(pieces, expected);
        assert_eq!(unescaped(&pieces)[0], text("/usr/bin of "));
    }
}
