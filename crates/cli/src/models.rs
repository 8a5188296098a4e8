//! The models of the built-in agent on this machine: from the person's settings and list, and from
//! local servers.

use crate::exit::Failure;
use crate::settings::{Settings, models_file};
use attache_coder::Models;

/// Returns the models. If the person's list cannot be used, it is ignored and the reason is
/// returned too.
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

/// Checks that the configured model can be used. It succeeds if no model is configured.
///
/// # Errors
/// Returns an error with the reason if the model cannot be used.
pub(crate) async fn usable() -> Result<(), Failure> {
    let settings = Settings::read();
    match models(&settings).0.unusable().await {
        Some(why) => Err(Failure::usage(why)),
        None => Ok(()),
    }
}
