//! The models of the built-in agent, as this machine has them: the person's settings and own list,
//! servers on loopback.

use crate::exit::Failure;
use crate::settings::{Settings, models_file};
use attache_coder::Models;

/// What there is, and a sentence where the person's own list cannot be used: then it is left out.
pub(crate) fn models(settings: &Settings) -> (Models, Option<String>) {
    let environment = |name: &str| settings.variable(name);
    let (own, why) = match models_file::text() {
        Ok(own) => (own, None),
        Err(why) => (None, Some(why)),
    };
    let (models, why) = match Models::of(&environment, own.as_deref()) {
        Ok(models) => (models, why),
        Err(error) => {
            let without = Models::of(&environment, None).unwrap_or_else(|_| Models::offline_only());
            (without, Some(format!("{}: {error}", models_file::shown())))
        }
    };
    (models.and_local(&environment), why)
}

/// Whether the model that the person's settings name can be used; where none is named there is
/// nothing to say.
///
/// # Errors
/// It cannot, for the reason that is said.
pub(crate) async fn usable() -> Result<(), Failure> {
    let settings = Settings::read();
    match models(&settings).0.unusable().await {
        Some(why) => Err(Failure::usage(why)),
        None => Ok(()),
    }
}
