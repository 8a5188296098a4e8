//! Sending what the person wrote.

use crate::app::slot::SlotContent;
use crate::app::state::App;
use crate::composer::{Piece, Submitted};
use crate::transcript::Scroll;
use attache_client::SessionState;

impl App {
    /// Sends a text: a command of the screen, a shell command, or a prompt.
    pub(crate) fn submit(&mut self, prompt: &Submitted, now: bool) {
        let text = prompt.text();
        let text = text.trim_end();
        self.notices.dismiss();
        self.remember(text, prompt.shell);
        if prompt.shell {
            return self.run_shell(text.trim());
        }
        if self.command(text.trim()) {
            return;
        }
        if self.refuse_unknown(text) {
            return self.composer.set_text(text);
        }
        let mut pieces = prompt.pieces.clone();
        // Two slashes send a text that begins with one.
        if let Some(Piece::Text(first)) = pieces.first_mut()
            && first.starts_with("//")
        {
            first.remove(0);
        }
        self.send_in(self.focus, pieces);
        if now
            && let Some(session) = self.session()
            && let Some(last) = session.queue().last()
        {
            session.send_now(last.id);
        }
    }

    /// Adds a prompt to the file of earlier prompts.
    fn remember(&mut self, text: &str, shell: bool) {
        let Some(file) = &self.history else { return };
        let text = if shell { format!("!{text}") } else { text.to_owned() };
        if let Err(error) = crate::app::history::add(file, &text) {
            self.history = None;
            self.notices.warning(&format!("earlier prompts are not stored: {error}"));
        }
    }

    /// Sends a prompt in the slot with this index, or keeps it until the session is open.
    pub(crate) fn send_in(&mut self, index: usize, pieces: Vec<Piece>) {
        let services = self.services.clone();
        let Some(slot) = self.slots.get_mut(index) else { return };
        match &mut slot.content {
            SlotContent::Opening { .. } => slot.early.push(pieces),
            SlotContent::Failed(_) => {
                self.restore(index, pieces);
                self.notices.warning(
                    "the session is not open: choose another agent, or start a new session",
                );
            }
            SlotContent::Open(conversation) => {
                let session = conversation.session.clone();
                let connection = session.agent().connection();
                let takes = connection.map(|it| it.capabilities().prompt_capabilities.clone());
                let prompt = services.prompt(&pieces, session.cwd(), &takes.unwrap_or_default());
                conversation.transcript.scroll(Scroll::End);
                prompt.warnings.iter().for_each(|warning| self.notices.warning(warning));
                // The end of a cancelled turn holds the queue. A prompt that the person sends after
                // the cancellation is not meant to wait.
                let is_cancelling = matches!(session.state(), SessionState::Cancelling { .. });
                match session.send(prompt.blocks) {
                    Ok(id) => {
                        let queue = session.queue();
                        if is_cancelling && queue.len() <= 1 {
                            session.send_now(id);
                        }
                        slot.written.retain(|(id, _)| queue.iter().any(|it| it.id == *id));
                        slot.written.push((id, pieces));
                    }
                    Err(error) => {
                        self.notices.error(&error.to_string());
                        self.restore(index, pieces);
                    }
                }
            }
        }
    }
}
