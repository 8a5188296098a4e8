//! The prompts of a session, to go back to before one of them.

mod place;
mod preview;

use super::choice_list::{Choice, ChoiceList};
use super::request::Request;
use super::{Facts, Outcome, Panel};
use crate::keymap::{Action, Context};
use crate::theme::Theme;
use attache_checkpoint::{Choices, Goal, Plan, Summary};
use attache_client::HubSession;
use place::{Place, places};
use preview::{Preview, Step};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;

/// What the panel shows.
enum Stage {
    /// The places.
    Places,
    /// The places or an earlier preview, until the plan comes.
    Waiting(Place, Option<Box<Preview>>),
    /// The preview.
    Preview(Box<Preview>),
}

/// The prompts of a session, to go back to before one of them.
pub(crate) struct TimelinePanel {
    session: HubSession,
    places: Vec<Place>,
    list: ChoiceList,
    stage: Stage,
    now: i64,
}

impl TimelinePanel {
    /// Makes the panel of a session with these checkpoints. Returns `None` if there is no place to
    /// which one can go back.
    pub(crate) fn new(session: HubSession, taken: &[Summary]) -> Option<Self> {
        let places = places(taken);
        let list = ChoiceList::default();
        (!places.is_empty()).then_some(Self { session, places, list, stage: Stage::Places, now: 0 })
    }

    /// Chooses the last restore, or the last prompt whose turn changed files, if it is newer.
    pub(crate) fn undo(&mut self) -> Outcome {
        let changed = |place: &Place| place.position.is_none() || place.changed != Some(0);
        let Some(index) = self.places.iter().position(changed) else { return Outcome::Stay };
        self.list.select(index);
        self.chosen()
    }

    fn plan(&mut self, place: Place, choices: Choices, shown: Option<Box<Preview>>) -> Outcome {
        let request = Request::PlanRestore {
            session: self.session.clone(),
            goal: place.goal,
            choices: Box::new(choices),
        };
        self.stage = Stage::Waiting(place, shown);
        Outcome::Do(request)
    }

    fn chosen(&mut self) -> Outcome {
        match std::mem::replace(&mut self.stage, Stage::Places) {
            Stage::Places => match self.places.get(self.list.selected()).cloned() {
                Some(place) => self.plan(place, Choices::default(), None),
                None => Outcome::Close,
            },
            Stage::Preview(preview) => self.chosen_step(preview),
            waiting @ Stage::Waiting(..) => {
                self.stage = waiting;
                Outcome::Stay
            }
        }
    }

    fn chosen_step(&mut self, mut preview: Box<Preview>) -> Outcome {
        let is_ready = preview.shown.is_ready();
        let Some(step) = preview.selected().filter(|_| is_ready) else {
            self.stage = Stage::Preview(preview);
            return Outcome::Stay;
        };
        let session = self.session.clone();
        let Preview { plan, place, .. } = *preview;
        match step {
            Step::Forced | Step::Protected(_) => {
                let preview = Preview { plan, place: place.clone(), ..*preview };
                let choices = preview.switched(&step);
                self.plan(place, choices, Some(Box::new(preview)))
            }
            Step::Files => {
                Outcome::CloseAnd(Request::GoBack { session, plan: Some(plan), position: None })
            }
            Step::Both => Outcome::CloseAnd(Request::GoBack {
                session,
                plan: Some(plan),
                position: place.position,
            }),
            Step::Conversation => {
                Outcome::CloseAnd(Request::GoBack { session, plan: None, position: place.position })
            }
        }
    }

    fn preview(&self) -> Option<&Preview> {
        match &self.stage {
            Stage::Preview(preview) | Stage::Waiting(_, Some(preview)) => Some(preview),
            _ => None,
        }
    }
}

impl Panel for TimelinePanel {
    fn title(&self) -> String {
        match &self.stage {
            Stage::Places => "Go back to before".to_owned(),
            Stage::Waiting(place, _) => format!("Comparing files: {}", place.title),
            Stage::Preview(preview) => match preview.place.goal {
                Goal::Undo(_) => "Undo the last restore".to_owned(),
                _ => format!("Go back to before: {}", preview.place.title),
            },
        }
    }

    fn context(&self) -> Context {
        Context::Picker
    }

    fn hints(&self) -> Vec<(Action, &'static str)> {
        match &self.stage {
            Stage::Places => vec![(Action::Accept, "preview"), (Action::Dismiss, "close")],
            Stage::Waiting(..) => vec![(Action::Dismiss, "back")],
            Stage::Preview(_) => vec![
                (Action::Accept, "do it"),
                (Action::PageDown, "scroll"),
                (Action::Dismiss, "back"),
            ],
        }
    }

    fn refresh(&mut self, facts: &Facts<'_>) {
        self.now = facts.now;
    }

    fn height(&self, width: u16) -> u16 {
        match self.preview() {
            Some(preview) => preview.shown.height(width, preview.steps().len()),
            None => self.places.len().clamp(1, 20) as u16,
        }
    }

    fn render(&mut self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        let now = self.now;
        let preview = match &mut self.stage {
            Stage::Preview(preview) | Stage::Waiting(_, Some(preview)) => preview,
            Stage::Places | Stage::Waiting(_, None) => {
                let (count, row) = (self.places.len(), |index: usize| {
                    self.places.get(index).map(|place| place.choice(now)).unwrap_or_default()
                });
                return self.list.render_visible(count, row, area, buffer, theme);
            }
        };
        let steps: Vec<Choice> = preview.steps().iter().map(|step| preview.row(step)).collect();
        preview.shown.render(&steps, area, buffer, theme);
    }

    fn key(&mut self, action: Option<Action>, _key: KeyEvent) -> Outcome {
        match action {
            Some(Action::Dismiss) => match std::mem::replace(&mut self.stage, Stage::Places) {
                Stage::Places => return Outcome::Close,
                Stage::Waiting(_, Some(preview)) => self.stage = Stage::Preview(preview),
                Stage::Waiting(_, None) | Stage::Preview(_) => {}
            },
            Some(Action::Accept) => return self.chosen(),
            Some(Action::PageUp) if self.preview().is_some() => self.scroll(-10),
            Some(Action::PageDown) if self.preview().is_some() => self.scroll(10),
            Some(action) => {
                match &mut self.stage {
                    Stage::Places => self.list.act(action),
                    Stage::Preview(preview) => {
                        preview.shown.act(action);
                        true
                    }
                    Stage::Waiting(..) => false,
                };
            }
            None => {}
        }
        Outcome::Stay
    }

    fn planned(&mut self, planned: Result<Plan, String>) -> Result<(), String> {
        match (std::mem::replace(&mut self.stage, Stage::Places), planned) {
            (Stage::Waiting(place, shown), Ok(plan)) if plan.request.goal == place.goal => {
                let preview = Preview::new(place, plan, shown.map(|shown| *shown));
                self.stage = Stage::Preview(Box::new(preview));
            }
            (Stage::Waiting(_, Some(preview)), Err(why)) => {
                self.stage = Stage::Preview(preview);
                return Err(why);
            }
            (Stage::Waiting(_, None), Err(why)) => return Err(why),
            // The person went on without this plan.
            (stage, _) => self.stage = stage,
        }
        Ok(())
    }

    fn click(&mut self, row: u16) -> Outcome {
        let Some(index) = self.list.at(row).filter(|_| matches!(self.stage, Stage::Places)) else {
            return Outcome::Stay;
        };
        if index == self.list.selected() {
            return self.chosen();
        }
        self.list.select(index);
        Outcome::Stay
    }

    fn scroll(&mut self, rows: i32) {
        match &mut self.stage {
            Stage::Places => self.list.scroll(rows),
            Stage::Preview(preview) => {
                preview.shown.scroll(rows);
            }
            Stage::Waiting(..) => {}
        }
    }
}
