//! What is left to say after the screen.

use crate::app::state::App;
use crate::terminal::held_stderr::HeldMessages;
use attache_view::sanitize;

/// What is left to say after the screen.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ending {
    /// The sessions that had a prompt, the one that was shown last at the end.
    pub sessions: Vec<EndedSession>,
    /// Whether a signal ended the screen.
    pub by_signal: bool,
    /// Errors that the person may not have seen.
    pub errors: Vec<String>,
    /// What was written to stderr while the screen was shown.
    pub messages: Option<HeldMessages>,
}

/// A session that was open at the end. Its texts are sanitized.
#[derive(Debug, Clone, PartialEq)]
pub struct EndedSession {
    /// The title.
    pub title: String,
    /// The cost, such as `0.12 USD`; empty if the agent reports none.
    pub cost: String,
    /// The command that continues the session.
    pub resume: String,
}

impl App {
    /// Returns what is left to say about the sessions.
    pub(crate) fn ending(&self, by_signal: bool) -> Ending {
        let focus = self.focus;
        let mut slots: Vec<_> = self.slots.iter().enumerate().collect();
        slots.sort_by_key(|(index, _)| *index == focus);
        let sessions = slots.into_iter().filter_map(|(_, slot)| {
            let session = slot.session()?;
            let snapshot = session.snapshot();
            if snapshot.entries().is_empty() {
                return None;
            }
            let title = crate::panel::attention::title_of(session);
            let costs = snapshot.usage().costs().iter();
            let costs = costs.map(|cost| attache_view::cost(cost).text());
            Some(EndedSession {
                title,
                cost: costs.collect::<Vec<_>>().join(", "),
                resume: sanitize::visible_line(
                    &self.services.resume_command(session.agent().name(), session.id()),
                ),
            })
        });
        let failed = self.slots.iter().filter_map(|slot| slot.failure().map(str::to_owned));
        let (sessions, errors) = (sessions.collect(), failed.collect());
        Ending { sessions, by_signal, errors, messages: None }
    }
}
