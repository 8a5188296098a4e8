//! Context windows that are learned from the answers of providers.

use crate::catalogue::known_model::KnownModel;
use crate::message::ModelId;
use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

/// The smallest limit that is taken from an error, in tokens. A smaller number in an error is not
/// the limit of a model that can be used here.
const MIN_LIMIT: u64 = 1000;

/// What was learned about the window of a model.
#[derive(Debug, Clone, Copy, Default)]
struct Learnt {
    /// The limit that the provider stated when it refused a conversation.
    stated: Option<u64>,
    /// The largest number of tokens that the provider counted in a call.
    counted: u64,
}

/// The windows that are learned while the program runs.
#[derive(Debug, Default)]
pub(super) struct LearntWindows(RwLock<BTreeMap<(String, String), Learnt>>);

impl LearntWindows {
    /// Records the limit that a provider stated, unless it is too small to be one.
    pub(super) fn set_stated(&self, model: &ModelId, limit: u64) {
        if limit >= MIN_LIMIT {
            self.change(model, |learnt| learnt.stated = Some(limit));
        }
    }

    /// Records the number of tokens that a provider counted.
    pub(super) fn set_counted(&self, model: &ModelId, tokens: u64) {
        self.change(model, |learnt| learnt.counted = learnt.counted.max(tokens));
    }

    fn change(&self, model: &ModelId, change: impl FnOnce(&mut Learnt)) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        change(all.entry((model.provider.clone(), model.name.clone())).or_default());
    }

    /// Corrects the window of a model: it is at most what the provider stated, and at least what
    /// the provider counted.
    pub(super) fn apply(&self, known: KnownModel) -> KnownModel {
        let key = (known.id.provider.clone(), known.id.name.clone());
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let Some(learnt) = all.get(&key) else { return known };
        let stated = learnt.stated.map_or(known.window, |stated| match known.window_assumed {
            true => stated,
            false => stated.min(known.window),
        });
        KnownModel {
            window: stated.max(learnt.counted),
            window_assumed: known.window_assumed && learnt.stated.is_none(),
            ..known
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::message::ModelId;
    use crate::models::Models;

    #[test]
    fn a_window_is_at_most_what_is_stated_and_at_least_what_is_counted() {
        let environment = |name: &str| match name {
            "OPENAI_API_KEY" => Some("k".to_owned()),
            "ATTACHE_MODEL" => Some("openai/next-big-thing".to_owned()),
            _ => None,
        };
        let models = Models::of(
            &environment,
            Some(r#"{"models":[{"provider":"openai","name":"known","window":9000}]}"#),
        )
        .unwrap();
        let window = |name: &str| {
            let known = models.find(&format!("openai/{name}")).unwrap();
            (known.window, known.window_assumed)
        };
        let (unknown, known) =
            (ModelId::new("openai", "next-big-thing"), ModelId::new("openai", "known"));
        assert_eq!(window("next-big-thing"), (128_000, true));
        models.learn_size(&unknown, 130_000);
        assert_eq!(window("next-big-thing"), (130_000, true));
        models.learn_limit(&unknown, 200_000);
        assert_eq!(window("next-big-thing"), (200_000, false));
        models.learn_limit(&unknown, 3100);
        assert_eq!(window("next-big-thing"), (130_000, false), "this many were counted");

        models.learn_size(&known, 100);
        models.learn_limit(&known, 4);
        assert_eq!(window("known"), (9000, false));
        models.learn_limit(&known, 20_000);
        assert_eq!(window("known"), (9000, false));
        models.learn_limit(&known, 3100);
        assert_eq!(window("known"), (3100, false));
    }
}
