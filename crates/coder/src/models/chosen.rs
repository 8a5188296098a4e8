//! Which model answers: the session's choice.

use super::provided::Provided;
use super::{Model, Models};
use std::sync::Arc;

impl Models {
    /// The model that the session's options name: the value of `model`, and of `thought_level` where it has some. A model that is not there
    /// any more gives way to the offline one.
    pub(crate) fn chosen(&self, model: &str, level: Option<&str>, session: &str) -> Arc<dyn Model> {
        let Some((provider, known)) = self.find(model) else { return Arc::clone(self.offline()) };
        let level = level.or(known.default_level.as_deref());
        Arc::new(Provided {
            thinking: level.and_then(|level| known.thinking(level)),
            http: self.http().clone(),
            session: session.to_owned(),
            provider,
            known,
        })
    }
}
