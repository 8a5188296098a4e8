//! What happens in the background, and what the screen does then.

use crate::app::answering::open_questions;
use crate::app::slot::{Slot, SlotId};
use crate::app::state::{App, Done};
use crate::composer::Piece;
use crate::panel::attention::{title_of, waits_for};
use crate::terminal::panic_hook::BackgroundPanics;
use attache_client::{Change, PermissionRequest, Rule, WatchUpdate};
use attache_view::sanitize;

impl App {
    pub(crate) fn edited(&mut self, slot: SlotId, edited: Result<Vec<Piece>, String>) {
        match edited {
            Ok(pieces) => {
                if self.slot().is_some_and(|it| it.id == slot) {
                    self.composer.set_pieces(&pieces);
                }
            }
            Err(why) => self.notices.error(&why),
        }
    }

    pub(crate) fn background_panics(&mut self, panics: &BackgroundPanics) {
        for message in panics.take() {
            self.notices.error(&format!("a part of this program failed: {message}"));
        }
    }

    /// Takes the result of work in the background.
    pub(crate) fn done(&mut self, done: Done) {
        self.is_dirty = true;
        match done {
            Done::Opened { slot, result } => self.opened(slot, result),
            Done::Say(level, text) => self.notices.add(level, &text),
            Done::Listed(Ok(())) => self.hub.refresh_list(),
            Done::Listed(Err(why)) => self.notices.error(&why),
            Done::Found { text, found } => {
                if let Some(panel) = &mut self.panel {
                    panel.found(text, found);
                }
            }
            Done::Continued { of, result } => self.continued(&of, result),
            Done::Earlier { slot, before, page } => self.took_page(slot, before, page),
            Done::Image { slot, image } => self.image_read(slot, image),
            Done::Checkpoints { session, taken, is_undo } => {
                self.show_checkpoints(session, taken, is_undo);
            }
            Done::Planned(planned) => self.planned(planned),
            Done::ReviewRead { session, changes } => self.review_read(&session, changes),
            Done::Decided { owner, changes, said } => {
                self.ended_restore(&owner);
                self.decided_hunks(changes, said);
            }
            Done::WentBack { session, restored, rewound, error } => {
                self.went_back(&session, restored.as_ref(), rewound, error);
            }
            Done::DraftKept { slot, draft } => self.draft_kept(slot, draft),
            Done::Nothing => {}
        }
    }

    /// Takes what other threads found or wrote.
    pub(crate) fn woken(&mut self) {
        self.is_dirty |= self.composer.poll();
        self.is_dirty |= self.slots.iter_mut().any(Slot::shell_grew);
    }

    /// Says that a rule decided.
    pub(crate) fn decided(&mut self, request: &PermissionRequest, rule: &Rule) {
        self.is_dirty = true;
        let allowed = match rule.effect {
            attache_client::Effect::Allow => "allowed",
            attache_client::Effect::Ask | attache_client::Effect::Deny => "rejected",
        };
        let title = sanitize::visible_line(request.title());
        self.notices.info(&format!("{allowed} by your rule \"{}\": {title}", rule.to_line()));
    }

    /// Takes changes of the hub. Only what is visible leads to a frame.
    pub(crate) fn hub_changed(&mut self, update: &WatchUpdate) {
        for change in &update.changes {
            match change {
                Change::Session { agent, id } => match self.slot_of(agent, id) {
                    Some(index) if index == self.focus => {
                        self.is_dirty = true;
                        self.is_question_stale = true;
                    }
                    Some(index) => {
                        self.is_question_stale |= self.answering.is_some();
                        self.refresh_badge(index);
                    }
                    None => {}
                },
                Change::Agent { .. } => {
                    self.is_dirty = true;
                    self.is_question_stale = true;
                }
                // The list is visible only in the picker.
                Change::SessionList => self.is_dirty |= self.panel.is_some(),
                _ => {}
            }
        }
        self.attached();
        if self.panel.is_some() {
            self.is_dirty = true;
        }
        self.notify();
    }

    pub(crate) fn refresh_badge(&mut self, index: usize) {
        let Some(slot) = self.slots.get_mut(index) else { return };
        let badge = slot.read_badge(false);
        if badge != std::mem::replace(&mut slot.badge, badge) {
            self.is_dirty = true;
        }
    }

    /// Notifies the person of questions and ended turns while they look elsewhere.
    pub(crate) fn notify(&mut self) {
        // A turn that began while the person looked may end while they do not.
        let mut ended = Vec::new();
        for slot in &mut self.slots {
            if slot.take_turn_end()
                && let Some(session) = slot.session()
            {
                ended.push(title_of(session));
            }
        }
        if self.has_focus {
            return;
        }
        let open = self.slots.iter().filter_map(Slot::session);
        let waiting: Vec<_> = open.filter(|it| open_questions(&it.state()) > 0).collect();
        let count: usize = waiting.iter().map(|session| open_questions(&session.state())).sum();
        if count > self.notified
            && let Some(session) = waiting.last()
        {
            let waits = waits_for(session).unwrap_or_else(|| "an answer".to_owned());
            let (title, text) = (title_of(session), format!("waits for {waits}"));
            self.notify_of(&title, &text);
        }
        self.notified = count;
        for title in ended {
            self.notify_of(&title, "the turn has ended");
        }
    }
}
