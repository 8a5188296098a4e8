//! Context windows that are learned from the answers of providers.

use crate::catalogue::known_model::KnownModel;
use crate::message::ModelId;
use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

/// The smallest limit that is taken from an error, in tokens. A smaller number in an error is not
/// the limit of a model that can be used here.
const MIN_LIMIT: u64 = 1000;

/// How long a stated limit replaces a larger window that a row or a list states. The error may be
/// wrong, or about only one of the servers behind the address.
const STATED_FOR: Duration = Duration::from_secs(60 * 60);

/// What was learned about the window of a model.
#[derive(Debug, Clone, Copy, Default)]
struct Learnt {
    /// The limit that the provider stated when it refused a conversation, and when.
    stated: Option<(u64, Instant)>,
    /// The largest number of tokens that the provider counted in a call.
    counted: u64,
}

/// The windows that are learned while the program runs.
#[derive(Debug, Default)]
pub(super) struct LearntWindows(RwLock<BTreeMap<(String, String), Learnt>>);

impl LearntWindows {
    /// Records the limit that a provider stated, unless it is too small to be one.
    pub(super) fn set_stated(&self, model: &ModelId, limit: u64, now: Instant) {
        if limit >= MIN_LIMIT {
            self.change(model, |learnt| learnt.stated = Some((limit, now)));
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

    /// Corrects the window of a model. What the provider stated replaces an assumed window and, for
    /// an hour, a larger one that is known. What it counted only raises an assumed window: a
    /// gateway may add up several calls. If a server silently cuts, no count shows the window.
    pub(super) fn apply(&self, known: KnownModel, now: Instant) -> KnownModel {
        let key = (known.id.provider.clone(), known.id.name.clone());
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let Some(learnt) = all.get(&key) else { return known };
        let is_recent = |at: Instant| now.saturating_duration_since(at) < STATED_FOR;
        let window = match learnt.stated {
            Some((stated, _)) if known.window_assumed => Some(stated),
            Some((stated, at)) if is_recent(at) => Some(stated.min(known.window)),
            _ => None,
        };
        let is_raised = window.is_none() && known.window_assumed && !known.is_cut_silently;
        let counted = if is_raised { learnt.counted } else { 0 };
        KnownModel { window: known.window.max(counted), ..known }.with_window(window)
    }
}

#[cfg(test)]
mod tests {
    use super::LearntWindows;
    use crate::catalogue::known_model::KnownModel;
    use crate::message::ModelId;
    use crate::models::Models;
    use std::time::{Duration, Instant};

    #[test]
    fn a_stated_limit_is_the_window_and_a_count_only_raises_an_assumed_one() {
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
        assert_eq!(window("next-big-thing"), (3100, false), "a count may be the sum of several");

        models.learn_size(&known, 100_000);
        models.learn_limit(&known, 4);
        assert_eq!(window("known"), (9000, false));
        models.learn_limit(&known, 20_000);
        assert_eq!(window("known"), (9000, false));
        models.learn_limit(&known, 3100);
        assert_eq!(window("known"), (3100, false));
    }

    #[test]
    fn a_stated_limit_shrinks_a_known_window_for_an_hour_and_an_assumed_one_for_good() {
        let id = |name: &str| ModelId::new("p", name);
        let (assumed, known) = (KnownModel::unknown(id("assumed"), 128_000), id("known"));
        let known = KnownModel::unknown(known, 1).with_window(Some(200_000));
        let (learnt, now) = (LearntWindows::default(), Instant::now());
        learnt.set_stated(&assumed.id, 9000, now);
        learnt.set_stated(&known.id, 9000, now);
        for (minutes, window) in [(0, 9000), (59, 9000), (60, 200_000)] {
            let later = now + Duration::from_secs(minutes * 60);
            assert_eq!(learnt.apply(known.clone(), later).window, window, "{minutes}");
            let assumed = learnt.apply(assumed.clone(), later);
            assert_eq!((assumed.window, assumed.window_assumed), (9000, false), "{minutes}");
        }
    }

    /// Ollama counts what it has cut. The counts can be larger than the window, because they
    /// include the answer.
    #[test]
    fn a_count_does_not_change_what_a_server_cuts_silently() {
        let models = Models::of(
            &|name| (name == "ATTACHE_MODEL").then(|| "ollama/m".to_owned()),
            Some(
                r#"{"providers":[{"id":"ollama","wire":"chat","base_url":"http://box:11434/v1"}]}"#,
            ),
        )
        .unwrap();
        let cut = || {
            let known = models.find("ollama/m").unwrap();
            (known.window, models.chosen("ollama/m", None, "s").is_cut_silently())
        };
        assert_eq!(cut(), (4096, true));
        models.learn_size(&ModelId::new("ollama", "m"), 5000);
        assert_eq!(cut(), (4096, true));
        models.learn_limit(&ModelId::new("ollama", "m"), 8000);
        assert_eq!(cut(), (8000, false), "this server reports an error");
    }
}
