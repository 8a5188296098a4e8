//! The model that is chosen in a session.

use super::provided::ProvidedModel;
use super::unusable::UnusableModel;
use super::{Models, OFFLINE};
use crate::catalogue::known_model::KnownModel;
use crate::model::Model;
use std::sync::Arc;

/// The maximum answer for a title, in tokens, including thoughts.
const LONGEST_TITLE: u64 = 2048;

impl Models {
    /// Returns the model with this id and thinking level, for this session. If the model cannot be
    /// used, every call of the returned model fails with the reason.
    pub fn chosen(&self, model: &str, level: Option<&str>, session: &str) -> Arc<dyn Model> {
        let Some((provider, known)) = self.find_with_provider(model) else {
            return match model {
                "" | OFFLINE => Arc::clone(self.offline()),
                name => {
                    Arc::new(UnusableModel { name: name.to_owned(), why: self.why_unusable(name) })
                }
            };
        };
        let level = level.or(known.default_level.as_deref());
        Arc::new(ProvidedModel {
            thinking: level.and_then(|level| known.thinking(level)),
            http: self.http().clone(),
            session: session.to_owned(),
            known_changes: self.known_changes().clone(),
            provider,
            known,
        })
    }

    /// Returns the model that writes titles when `model` is chosen: its provider's cheapest model
    /// with a known price that has no end, at its lowest thinking level. `None` for the offline
    /// model, and if `ATTACHE_TITLES` is `off`.
    pub fn for_titles(&self, model: &str, session: &str) -> Option<Arc<dyn Model>> {
        if !self.titles() {
            return None;
        }
        let (provider, chosen) = self.find_with_provider(model)?;
        let price =
            |known: &KnownModel| known.prices.as_ref().map(|prices| prices.input + prices.output);
        let offered = self.offered().into_iter().find(|offered| offered.provider.id == provider.id);
        let mut best = chosen;
        let models = offered.into_iter().flat_map(|offered| offered.models);
        for other in models.filter(|model| model.retires.is_none()) {
            if price(&best).zip(price(&other)).is_some_and(|(best, other)| other < best) {
                best = other;
            }
        }
        let thinking = best.levels.first().map(|level| level.thinking.clone());
        best.max_output = Some(best.max_output.unwrap_or(LONGEST_TITLE).min(LONGEST_TITLE));
        Some(Arc::new(ProvidedModel {
            provider,
            known: best,
            thinking,
            http: self.http().clone(),
            session: session.to_owned(),
            known_changes: self.known_changes().clone(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::LONGEST_TITLE;
    use crate::models::Models;

    #[test]
    fn a_title_is_short_even_if_the_maximum_answer_is_unknown() {
        let own = r#"{"models": [{"provider": "work", "name": "a"},
            {"provider": "work", "name": "b", "max_output": 9000},
            {"provider": "work", "name": "c", "max_output": 500}],
            "providers": [{"id": "work", "wire": "chat", "base_url": "http://work.example/v1"}]}"#;
        let models = Models::of(&|_| None, Some(own)).unwrap();
        for (name, most) in [("a", LONGEST_TITLE), ("b", LONGEST_TITLE), ("c", 500)] {
            let model = models.for_titles(&format!("work/{name}"), "s").unwrap();
            let told = format!("{model:?}");
            assert!(told.contains(&format!("max_output: Some({most})")), "{told}");
        }
    }
}
