//! Attaching the image on the clipboard.

use crate::app::slot::SlotId;
use crate::app::state::{App, Done};
use crate::app::terminal_job::TerminalJob;
use crate::terminal::image_clipboard::{self, ClipboardSource};

impl App {
    /// Begins to read the image on the clipboard.
    pub(crate) fn paste_image(&mut self) {
        let Some(slot) = self.slot_mut() else { return };
        slot.reads_image = true;
        slot.sent_without_image = false;
        let slot = slot.id;
        match image_clipboard::source(|name| std::env::var(name).ok()) {
            ClipboardSource::Terminal => {
                self.notices.info("waiting for the clipboard of the terminal: Esc stops");
                self.job = Some(TerminalJob::ReadClipboard { slot });
            }
            ClipboardSource::Programs(programs) => {
                self.notices.info("reading the clipboard");
                self.tasks.spawn(async move {
                    let image = image_clipboard::read_by_program(programs).await;
                    Done::Image { slot, image }
                });
            }
        }
    }

    /// Attaches the image that was on the clipboard.
    pub(crate) fn image_read(&mut self, slot: SlotId, image: Result<Vec<u8>, String>) {
        self.is_dirty = true;
        self.notices.dismiss_info();
        let place = self.slots.iter_mut().find(|it| it.id == slot);
        let is_late = place.is_some_and(|it| {
            it.reads_image = false;
            std::mem::take(&mut it.sent_without_image)
        });
        if is_late {
            self.notices.warning("the image on the clipboard was not attached to the sent prompt");
        }
        let opened = image.and_then(|image| {
            let stored = self.images.store(&image);
            stored.map_err(|error| format!("the image cannot be stored: {error}"))
        });
        match opened {
            Err(why) => self.notices.warning(&why),
            Ok(image) if self.slot().is_some_and(|it| it.id == slot) => {
                self.composer.attach_image(image);
            }
            Ok(image) => {
                let image = crate::composer::Piece::Image(image);
                if let Some(slot) = self.slots.iter_mut().find(|it| it.id == slot) {
                    slot.restored.push(vec![image]);
                }
            }
        }
    }
}
