//! Going back to before a prompt.

use crate::app::state::{App, Done};
use crate::panel::Outcome;
use crate::panel::timeline::TimelinePanel;
use attache_checkpoint::{Choices, Goal, Plan, RestoreControl, RestoreRequest, Restored, Summary};
use attache_client::HubSession;
use attache_view::{file_count, restore_notices};

impl App {
    /// Shows the prompts of the session, once its checkpoints are read. With `is_undo`, it shows at
    /// once what going back to before the last prompt that changed files would do.
    pub(crate) fn show_timeline(&mut self, is_undo: bool) {
        let Some(session) = self.session().cloned() else {
            return self.notices.warning("the session is not open yet");
        };
        self.tasks.spawn(async move {
            let taken = session.checkpoints().await.map_err(|error| error.to_string());
            Done::Checkpoints { session, taken, is_undo }
        });
    }

    pub(crate) fn show_checkpoints(
        &mut self,
        session: HubSession,
        taken: Result<Vec<Summary>, String>,
        is_undo: bool,
    ) {
        let taken = match taken {
            Ok(taken) => taken,
            Err(why) => return self.notices.warning(&why),
        };
        // Keys that the person types meanwhile belong to the composer.
        let is_wanted = self.panel.is_none() && self.composer.is_empty();
        if !is_wanted || self.session() != Some(&session) {
            return;
        }
        match TimelinePanel::new(session, &taken) {
            Some(mut panel) => {
                let asked = if is_undo { panel.undo() } else { Outcome::Stay };
                self.open_panel(panel);
                self.outcome(asked);
            }
            None => self.notices.info("there is no prompt to go back to"),
        }
    }

    pub(crate) fn plan_restore(&mut self, session: HubSession, goal: Goal, choices: Choices) {
        let owner = session.checkpoint_owner();
        let request = RestoreRequest { choices, ..RestoreRequest::new(owner, goal) };
        self.plan_request(session, request);
    }

    /// Plans a restore instead of the one that is being planned.
    pub(crate) fn plan_request(&mut self, session: HubSession, request: RestoreRequest) {
        self.stop_planning();
        self.planning = Some(self.tasks.spawn(async move {
            let planned = session.preview_request(request).await;
            Done::Planned(planned.map(Box::new).map_err(|error| error.to_string()))
        }));
    }

    /// Stops the restore that is being planned.
    pub(crate) fn stop_planning(&mut self) {
        if let Some(planning) = self.planning.take() {
            planning.abort();
        }
    }

    /// Returns the control of a restore of this session, which stops it.
    pub(crate) fn begin_restore(&mut self, session: &HubSession) -> RestoreControl {
        let control = RestoreControl::default();
        self.restoring.push((session.checkpoint_owner(), control.clone()));
        control
    }

    /// Forgets the oldest restore of the session with this owner.
    pub(crate) fn ended_restore(&mut self, owner: &str) {
        if let Some(index) = self.restoring.iter().position(|(of, _)| of == owner) {
            self.restoring.remove(index);
        }
    }

    /// Returns the restores of the session that is shown.
    pub(crate) fn shown_restores(&self) -> impl Iterator<Item = &RestoreControl> {
        let owner = self.session().map(HubSession::checkpoint_owner);
        let is_shown = move |of: &String| owner.as_ref() == Some(of);
        self.restoring.iter().filter(move |(of, _)| is_shown(of)).map(|(_, control)| control)
    }

    /// Stops the restores of the session that is shown before the next file. Returns whether one
    /// was running that was not stopped yet.
    pub(crate) fn stop_restore(&mut self) -> bool {
        let mut found = false;
        for control in self.shown_restores().filter(|control| !control.is_stopped()) {
            control.stop();
            found = true;
        }
        found
    }

    pub(crate) fn planned(&mut self, planned: Result<Box<Plan>, String>) {
        let Some(panel) = &mut self.panel else { return };
        if let Err(why) = panel.planned(planned.map(|plan| *plan)) {
            self.notices.warning(&why);
        }
    }

    pub(crate) fn go_back(
        &mut self,
        session: HubSession,
        plan: Option<Box<Plan>>,
        position: Option<u64>,
    ) {
        let shared = self.shared.clone();
        let control = match plan {
            Some(_) => self.begin_restore(&session),
            None => RestoreControl::default(),
        };
        self.tasks.spawn(async move {
            let (mut restored, mut rewound, mut error) = (None, None, None);
            if let Some(plan) = plan {
                match session.restore(*plan, &control).await {
                    Ok(done) => restored = Some(done),
                    Err(why) => error = Some(why.to_string()),
                }
            }
            let is_whole =
                restored.as_ref().is_none_or(|it| !it.is_interrupted && !it.is_stopped());
            if let Some(position) = position.filter(|_| error.is_none() && is_whole) {
                let going_back = match shared {
                    Some(shared) => shared.rewind(session.clone(), position).await,
                    None => match session.rewind_conversation(position).await {
                        Ok(done) => Ok(done.session),
                        Err(why) => Err(why.to_string()),
                    },
                };
                match going_back {
                    Ok(session) => rewound = Some(session),
                    Err(why) => error = Some(why),
                }
            }
            Done::WentBack { session, restored, rewound, error }
        });
    }

    pub(crate) fn went_back(
        &mut self,
        of: &HubSession,
        restored: Option<&Restored>,
        rewound: Option<HubSession>,
        error: Option<String>,
    ) {
        self.ended_restore(&of.checkpoint_owner());
        if let Some(restored) = restored {
            let count = file_count(restored.done.len());
            let done = format!("restored {count}: /undo reverts that");
            for (level, text) in restore_notices(&done, restored) {
                self.notices.add(level, &text);
            }
        }
        if let Some(session) = rewound {
            self.continued(of, Ok(session));
        }
        if let Some(why) = error {
            self.notices.error(&why);
        }
    }
}
