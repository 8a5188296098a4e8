//! The model that replaces one that its provider no longer knows.

use super::Models;
use crate::message::ModelId;

/// How similar the name of a replacement must be, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.5;

impl Models {
    /// Returns the id of the model that replaces one that its provider does not know: the one that
    /// the catalogue names, or else the provider's listed model with the most similar name.
    pub fn replacement(&self, model: &ModelId) -> Option<String> {
        let known = self.find(&model.to_string());
        if let Some(name) = known.and_then(|known| known.replaced_by) {
            return Some(format!("{}/{name}", model.provider));
        }
        let lasting =
            self.catalogue.models(&model.provider).filter(|known| known.retires.is_none());
        let names = lasting.map(|known| &known.id);
        let similarity = |id: &ModelId| strsim::jaro_winkler(&id.name, &model.name);
        let others = names.filter(|id| id.name != model.name);
        let nearest =
            others.map(|id| (similarity(id), id)).filter(|(alike, _)| *alike >= MIN_SIMILARITY);
        let nearest = nearest.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
        Some(nearest.1.to_string())
    }
}

#[cfg(test)]
mod tests {
    use crate::message::ModelId;
    use crate::models::Models;

    #[test]
    fn an_unknown_name_is_replaced_by_the_most_similar_one() {
        let own =
            r#"{"models":[{"provider":"box","name":"big-2"},{"provider":"box","name":"small-2"}]}"#;
        let models = Models::of(&|_| None, Some(own)).unwrap();
        let replacement =
            |provider: &str, name: &str| models.replacement(&ModelId::new(provider, name));
        assert_eq!(replacement("box", "big-1").as_deref(), Some("box/big-2"));
        assert_eq!(replacement("box", "small-1").as_deref(), Some("box/small-2"));
        assert_eq!(replacement("box", "zzz"), None);
        assert_eq!(replacement("nobody", "big-1"), None);
        let key = |name: &str| match name {
            "OPENAI_API_KEY" => Some("k".to_owned()),
            "ATTACHE_MODEL" => Some("openai/o4-mini".to_owned()),
            _ => None,
        };
        let models = Models::of(&key, None).unwrap();
        let as_of = models.prices_as_of().parse().unwrap();
        let models = models.on_day(as_of);
        let replacement = models.replacement(&ModelId::new("openai", "o4-mini"));
        assert_eq!(replacement.as_deref(), Some("openai/gpt-6-luna"), "as its row says");
    }
}
